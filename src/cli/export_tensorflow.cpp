// `export tensorflow SCENARIO`: what a user starts on the real cluster after the scenario was tried here.

#include "cli/export_tensorflow.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <ostream>

#include "base/output_folder.h"
#include "cli/arguments.h"
#include "scenario/parse.h"
#include "scenario/resolved.h"
#include "tensorflow/program.h"

namespace wt::cli {

Exit export_tensorflow(const ExportTensorflowOptions& options, const Streams& streams) {
  scenario::Scenario scenario = scenario::parse_file(options.file, options.overrides);
  apply_tf_config(options.tf_config, scenario, streams.messages);
  const scenario::Job job = scenario::build(scenario);
  print_warnings(job.machine, streams.messages);
  print_notes(job.notes, streams.messages);

  OutputFolder folder(options.out.empty() ? "out/" + scenario::slug(scenario.name) + "_tensorflow"
                                          : options.out);
  folder.begin("export tensorflow\n" + scenario::resolved(scenario, folder.path()));
  const std::string name = std::filesystem::path(options.file).filename().string();
  const std::vector<std::string> written =
      tensorflow::write_program(scenario, job, name, std::string(version()), folder);
  folder.commit();
  streams.messages << fmt::format("wrote {}: {}\n", folder.path().string(), fmt::join(written, ", "));
  return Exit::done;
}

Command export_tensorflow_command(CLI::App& parent) {
  return declare(
      parent, "tensorflow",
      "Writes a scenario as a TensorFlow program, with its weights, its rows, and what starts it on a "
      "cluster (TF_CONFIG, Kubernetes, Slurm)",
      export_tensorflow, [](CLI::App& command, ExportTensorflowOptions& options) {
        command.add_option("SCENARIO", options.file, "The scenario file")->required();
        add_overrides(command, options.overrides);
        add_tf_config(command, options.tf_config);
        command.add_option("--out", options.out,
                           "The folder to write; default: out/<name of the scenario>_tensorflow");
      });
}

}  // namespace wt::cli
