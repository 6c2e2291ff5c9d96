#include <fmt/format.h>

#include <array>
#include <ostream>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/output/place.h"
#include "base/suggest.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/export_tensorflow.h"
#include "platform/formats/export_dot.h"
#include "platform/formats/export_simgrid.h"
#include "platform/load.h"

namespace wt::cli {

namespace {

struct Format {
  std::string_view name{};
  std::string (*write)(const platform::Platform& platform) = nullptr;
};
constexpr std::array<Format, 2> formats{{{"simgrid", platform::to_simgrid}, {"dot", platform::to_dot}}};

const Format& format_named(const std::string& name) {
  std::vector<std::string_view> known;
  for (const Format& format : formats) {
    if (format.name == name) return format;
    known.push_back(format.name);
  }
  throw InputError(fmt::format("\"{}\" is not a platform format", name), did_you_mean(name, known));
}

}  // namespace

Exit export_platform(const ExportOptions& options, const Streams& streams) {
  for (const auto& [name, value] : {std::pair("PLATFORM", options.platform), std::pair("--as", options.as)})
    if (value.empty())
      throw InputError(fmt::format("{} is required", name),
                       "export PLATFORM --as simgrid, or export tensorflow SCENARIO");
  const Format& format = format_named(options.as);
  if (!options.out.empty()) output::require_writable(options.out, "--out");
  platform::Parameters parameters;
  for (const std::string& text : options.overrides) parameters.push_back(platform::parse_parameter(text));
  const platform::Loaded loaded = platform::load(options.platform, parameters);
  for (const Problem& warning : loaded.warnings) streams.messages << "warning: " << print(warning) << "\n";
  const std::string text = format.write(loaded.platform);
  if (options.out.empty())
    streams.results << text;
  else
    write_text(options.out, text);
  return Exit::done;
}

// `export PLATFORM --as FORMAT` writes a platform. A word that names a subcommand is none: `export tensorflow SCENARIO`
// writes a scenario.
Command export_command(CLI::App& program) {
  const Command platform = declare(
      program, "export", "Writes a platform for other programs, or a scenario as a TensorFlow program",
      export_platform, [](CLI::App& command, ExportOptions& options) {
        command.add_option("PLATFORM", options.platform, "The platform to write: a name or a file");
        command.add_option("--as", options.as,
                           "Format of the platform: simgrid (XML), or dot (a drawing for Graphviz)");
        add_overrides(command, options.overrides);
        command.add_option("--out", options.out, "The file to write; default: prints it");
      });
  const std::vector<Command> kinds{export_tensorflow_command(*platform.arguments)};
  platform.arguments->require_subcommand(0, 1);
  return {.arguments = platform.arguments, .call = [platform, kinds](const Streams& streams) {
            const Command* kind = named_in(kinds);
            return kind == nullptr ? platform.call(streams) : kind->call(streams);
          }};
}

}  // namespace wt::cli
