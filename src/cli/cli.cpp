#include "cli/cli.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <exception>
#include <filesystem>
#include <new>
#include <ostream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/free_memory.h"
#include "base/narrow.h"
#include "base/rough.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "cli/arguments.h"
#include "cli/collective.h"
#include "cli/commands.h"
#include "cli/plain_text.h"
#include "cli/recommend.h"
#include "cli/report.h"
#include "cli/sweep.h"
#include "cli/verify.h"

namespace wt::cli {
namespace {

// The commands, in the order in which --help prints them. Each declares its arguments in its own file.
constexpr std::array commands = {run_command,     sweep_command,     merge_command,    recommend_command,
                                 report_command,  explain_command,   validate_command, collective_command,
                                 devices_command, calibrate_command, list_command,     new_command,
                                 import_command,  export_command,    verify_command};

// Declares all commands, parses the arguments, and calls the command that the user named.
class CommandLine {
 public:
  CommandLine() {
    app_.name("windtunnel");
    app_.description("Train on a cluster you don't have.");
    app_.set_version_flag("--version", "windtunnel " WT_VERSION, "Prints the version and exits");
    app_.footer(
        "Exit codes: 0 done, 1 the simulated job failed, 2 the input is wrong, 3 a fault of windtunnel or "
        "this machine.");
    app_.allow_extras();
    app_.require_subcommand(0, 1);
    for (const auto& command : commands) commands_.push_back(command(app_));
  }

  Exit parse_and_run(std::span<const char* const> arguments, const Streams& streams) {
    require_text(arguments);
    try {
      app_.parse(narrow<int>(arguments.size()), arguments.data());
    } catch (const CLI::Success& asked) {  // --help, --version
      app_.exit(asked, streams.results, streams.messages);
      return Exit::done;
    } catch (const CLI::ParseError& error) {
      throw InputError(error.what(), see_help());
    }
    require_known_arguments();
    if (const Command* command = named_in(commands_)) return command->call(streams);
    streams.messages << app_.help();
    return Exit::input_wrong;
  }

 private:
  // The command that the user named, which may be a subcommand, or the program itself if the user named none.
  const CLI::App& named() const {
    const CLI::App* named = &app_;
    for (const CLI::App* below = named; below != nullptr;) {
      named = below;
      below = nullptr;
      for (const CLI::App* command : named->get_subcommands(everything))
        if (command->parsed()) below = command;
    }
    return *named;
  }

  std::string see_help() const {
    std::string words;
    for (const CLI::App* command = &named(); command != nullptr; command = command->get_parent())
      words = command->get_name() + " " + words;
    return fmt::format("see {}--help", words);
  }

  // Results name what the arguments name, and JSON is UTF-8.
  static void require_text(std::span<const char* const> arguments) {
    const auto require = [](std::string_view text, std::string_view what) {
      if (first_invalid_utf8(text) != std::string_view::npos)
        throw InputError(fmt::format("{} \"{}\" is not UTF-8", what, printable(text)),
                         "choose another name, or set the terminal to UTF-8");
    };
    for (const std::string_view argument : arguments) require(argument, "the argument");
    std::error_code error;
    require(std::filesystem::current_path(error).native(), "the name of this folder");
  }

  void require_known_arguments() const {
    const std::vector<std::string> unknown = app_.remaining(true);
    if (unknown.empty()) return;
    const std::string& argument = unknown.front();
    const bool is_option = argument.starts_with('-');
    const bool is_command = !is_option && &named() == &app_;
    const std::vector<std::string> known = is_option ? options_of(named()) : names_of_commands();
    const std::vector<std::string_view> names(known.begin(), known.end());
    const std::string_view kind = is_option ? "an option" : is_command ? "a command" : "expected here";
    throw InputError(fmt::format("\"{}\" is not {}", printable(argument), kind),
                     is_option || is_command ? did_you_mean(argument, names) : see_help());
  }

  static std::vector<std::string> options_of(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    return names;
  }

  std::vector<std::string> names_of_commands() const {
    std::vector<std::string> names;
    for (const CLI::App* command : app_.get_subcommands(everything)) names.push_back(command->get_name());
    return names;
  }

  static bool everything(const CLI::App*) { return true; }

  CLI::App app_{};
  std::vector<Command> commands_{};
};

void require_written(std::ostream& results) {
  errno = 0;
  if (results.flush()) return;
  const std::error_code error(errno, std::generic_category());
  throw MachineError("write", fmt::format("standard output: {}",
                                          error ? error.message() : "it could not be written to its end"));
}

}  // namespace

std::string_view version() { return WT_VERSION; }

Exit run_command_line(std::span<const char* const> arguments, std::ostream& results, std::ostream& messages) {
  PlainText plain_results(results), plain_messages(messages);
  std::ostream to_results(&plain_results), to_messages(&plain_messages);
  const auto command = [&] {
    const Exit exit = CommandLine().parse_and_run(arguments, {to_results, to_messages});
    require_written(to_results);
    return exit;
  };
  return guard(command, to_messages);
}

Exit guard(const std::function<Exit()>& command, std::ostream& messages) {
  try {
    return command();
  } catch (const InputError& error) {
    messages << error.what() << "\n";
    return Exit::input_wrong;
  } catch (const MachineError& error) {
    messages << error.what() << "\n";
    return Exit::our_fault;
  } catch (const std::bad_alloc&) {
    messages << fmt::format("this machine has too little memory for this: {} are free\n",
                            rough(free_memory()));
    return Exit::our_fault;
  } catch (const std::exception& error) {
    messages << "this is a fault of windtunnel, not of your input: " << error.what() << "\n";
    return Exit::our_fault;
  }
}

}  // namespace wt::cli
