#include <fmt/format.h>

#include <filesystem>
#include <ostream>

#include "base/file.h"
#include "base/output/place.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "scenario/first.h"

namespace wt::cli {

namespace {

// In the folder in which the program was started, beside no model's own JSON.
std::filesystem::path default_file(const std::string& model) {
  std::filesystem::path path = std::filesystem::path(model).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  return path.stem().string() + "_scenario.json";
}

}  // namespace

Exit new_scenario(const NewOptions& options, const Streams& streams) {
  const std::filesystem::path file =
      options.out.empty() ? default_file(options.model) : std::filesystem::path(options.out);
  if (std::filesystem::exists(file) && !options.force)
    throw InputError(fmt::format("{} exists", file.string()), "name another file with --out, or add --force");
  output::require_writable(file, "--out");
  const std::string text = scenario::first_scenario(options.model, file);
  write_text(file, text);
  streams.results << fmt::format("wrote {}; next: windtunnel run {}\n", file.string(), file.string());
  return Exit::done;
}

Command new_command(CLI::App& program) {
  return declare(program, "new", "Writes a first scenario for a model of Keras, which runs at once",
                 new_scenario, [](CLI::App& command, NewOptions& options) {
                   command
                       .add_option("MODEL", options.model,
                                   "A .keras or .h5 file of model.save, or the JSON of model.to_json")
                       ->required();
                   command.add_option("--out", options.out,
                                      "The file to write; default: MODEL_scenario.json, here");
                   command.add_flag("--force", options.force, "Replaces the file if it exists");
                 });
}

}  // namespace wt::cli
