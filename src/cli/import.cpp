#include "platform/formats/import.h"

#include <fmt/format.h>

#include <ostream>

#include "base/file.h"
#include "base/output/place.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "platform/load.h"

namespace wt::cli {

namespace {

void print_all(const std::vector<Problem>& warnings, std::ostream& messages) {
  for (const Problem& warning : warnings) messages << "warning: " << print(warning) << "\n";
}

void print_size(const std::string& file, const platform::Platform& platform, std::ostream& messages) {
  messages << fmt::format("{}: {} devices, {} hosts, {} links\n", file, platform.devices(), platform.hosts(),
                          platform.links());
}

Exit import_simgrid(const ImportOptions& options, const platform::xml::Document& document,
                    const Streams& streams) {
  if (!options.as.empty())
    throw InputError(fmt::format("{} states routes one by one, which a platform file can't", options.file),
                     fmt::format("use it as it is: \"platform\": \"{}\"", options.file));
  if (!options.type.empty() || !options.host.empty())
    throw InputError(
        "--type and --host are for NCCL's topologies",
        "in SimGrid's XML they are properties: <prop id=\"windtunnel:type\" value=\"rtx4090\"/>");
  const platform::Loaded loaded = platform::load_simgrid(document, options.file);
  print_all(loaded.warnings, streams.messages);
  print_size(options.file, loaded.platform, streams.messages);
  streams.results << fmt::format("\"platform\": \"{}\" in a scenario uses it as it is\n", options.file);
  return Exit::done;
}

}  // namespace

Exit import_platform(const ImportOptions& options, const Streams& streams) {
  const platform::xml::Document document = platform::xml::parse(options.file, read_text(options.file));
  if (platform::format_of(document) == platform::Foreign::simgrid)
    return import_simgrid(options, document, streams);
  const platform::Translated translated = platform::translate_nccl(document, {options.type, options.host});
  print_all(translated.warnings, streams.messages);
  // The platform is built only to find its mistakes before the file is used.
  const platform::Loaded loaded =
      platform::from_json(json::parse(translated.json, options.file + " as a platform file"));
  print_all(loaded.warnings, streams.messages);
  print_size(options.file, loaded.platform, streams.messages);
  if (options.as.empty()) {
    streams.results << translated.json;
    return Exit::done;
  }
  const std::string file = options.as.ends_with(".json") ? options.as : options.as + ".json";
  output::require_writable(file, "--as");
  write_text(file, translated.json);
  streams.messages << fmt::format("wrote {}; \"platform\": \"{}\" in a scenario uses it\n", file, file);
  return Exit::done;
}

Command import_command(CLI::App& program) {
  return declare(program, "import", "Reads SimGrid's platform XML or NCCL's topology XML", import_platform,
                 [](CLI::App& command, ImportOptions& options) {
                   command.add_option("FILE", options.file, "The XML file")->required();
                   command.add_option("--as", options.as, "The platform file to write; default: prints it");
                   command.add_option("--type", options.type,
                                      "Device type of an NCCL topology; default: found by its \"sm\"");
                   command.add_option("--host", options.host,
                                      "CPU type of an NCCL topology; default: found by the CPU's model");
                 });
}

}  // namespace wt::cli
