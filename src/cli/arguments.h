#pragma once
// What a command declares: its name, its summary and its arguments. Each command does so in its own file, in a
// function that the table in cli.cpp names:
//
//   Command explain_command(CLI::App& program) {
//     return declare(program, "explain", "Prints where ...", explain,
//                    [](CLI::App& command, ExplainOptions& options) { command.add_option("FILE", options.file); });
//   }

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cli/commands.h"

namespace wt::cli {

// A command of the program, or of `verify`.
struct Command {
  CLI::App* arguments = nullptr;               // parsed() if the user named this command
  std::function<Exit(const Streams&)> call{};  // with the options that were parsed
};

// The one that the user named; null: none.
const Command* named_in(const std::vector<Command>& commands);

// Declares a command that is a function of its options.
template <class Options>
Command declare(CLI::App& parent, std::string name, std::string summary,
                Exit (*function)(const Options&, const Streams&),
                void (*add_arguments)(CLI::App&, std::type_identity_t<Options>&)) {
  CLI::App* command = parent.add_subcommand(std::move(name), std::move(summary));
  const auto options = std::make_shared<Options>();
  add_arguments(*command, *options);
  return {.arguments = command,
          .call = [options, function](const Streams& streams) { return function(*options, streams); }};
}

// ---- Arguments of several commands

// --set
void add_overrides(CLI::App& command, std::vector<std::string>& overrides);
// --price
void add_prices(CLI::App& command, std::vector<std::string>& prices);
// --isa
void add_isa(CLI::App& command, std::string& isa);
// --tf-config
CLI::Option* add_tf_config(CLI::App& command, std::string& tf_config);
// --report, into the folder of the results, and into the folder of --out.
CLI::Option* add_report_of_results(CLI::App& command, bool& report);
CLI::Option* add_report_of_answer(CLI::App& command, bool& report);

}  // namespace wt::cli
