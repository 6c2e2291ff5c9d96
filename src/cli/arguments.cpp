#include "cli/arguments.h"

#include <algorithm>

namespace wt::cli {

const Command* named_in(const std::vector<Command>& commands) {
  const auto named =
      std::ranges::find_if(commands, [](const Command& command) { return command.arguments->parsed(); });
  return named == commands.end() ? nullptr : &*named;
}

void add_overrides(CLI::App& command, std::vector<std::string>& overrides) {
  command
      .add_option("--set", overrides, "Sets a key to another value, as in training.epochs=3; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

void add_prices(CLI::App& command, std::vector<std::string>& prices) {
  command
      .add_option("--price", prices,
                  "Price of a platform's machine, chip or slice by the hour, as in aws_p5=\"98.32 USD/h\"; "
                  "prints what the training costs; may be repeated")
      ->type_name("NAME=PRICE")
      ->allow_extra_args(false);
}

void add_isa(CLI::App& command, std::string& isa) {
  command.add_option("--isa", isa, "Instruction set: baseline, avx2 or avx512; default: the best");
}

CLI::Option* add_tf_config(CLI::App& command, std::string& tf_config) {
  return command.add_option("--tf-config", tf_config,
                            "The cluster: a file in the format of TF_CONFIG, or env for that variable");
}

CLI::Option* add_report_of_results(CLI::App& command, bool& report) {
  return command.add_flag("--report", report,
                          "Writes report.json and the page report.html into the folder of the results");
}

CLI::Option* add_report_of_answer(CLI::App& command, bool& report) {
  return command.add_flag("--report", report,
                          "Writes report.json and the page report.html into the folder of --out");
}

}  // namespace wt::cli
