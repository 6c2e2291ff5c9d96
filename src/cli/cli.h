#pragma once
// cli/ is the command line of the program. It reads arguments, calls the other folders, prints what they
// return, and turns errors into messages and exit codes. It contains no models and no computations of its
// own.
//
// A command is a struct of options, a function that takes them, and a function that declares its arguments.
// The table in cli.cpp names the last:
//
//   struct ExplainOptions { std::string file; std::vector<std::string> overrides; bool json; };
//   Exit explain(const ExplainOptions& options, const Streams& streams);  // defined in cli/explain.cpp
//   Command explain_command(CLI::App& program);                           // defined there, too
//
// Tests call such functions, or run_command_line, with string streams instead of the terminal. Two rules
// hold. Results go to one stream and messages for the user to the other, so that a script can read the
// results alone. And exceptions become exit codes in one place, guard(): an InputError means exit code 2 and
// any other exception 3, while a failure of the simulated job is no exception but a result with exit code 1.
//
// Read next: cli/commands.h for the commands, then session/training.h, which most of them create.

#include <functional>
#include <iosfwd>
#include <span>
#include <string_view>

namespace wt::cli {

enum class Exit : int {
  done = 0,
  job_failed = 1,     // The simulated job could not finish. Its results give the reason.
  input_wrong = 2,    // A file or the command line is wrong. The message gives place, fact and remedy.
  our_fault = 3,      // This program, or the machine that runs it, has a fault.
  interrupted = 130,  // A signal ended the run in order. The program then ends by this signal.
};

// Runs the program. Results are written to `results`, and messages for the user to `messages`. arguments[0]
// is the name of the program. Results that cannot be written, because the disk is full for example, are an
// error.
Exit run_command_line(std::span<const char* const> arguments, std::ostream& results, std::ostream& messages);

std::string_view version();  // of the program: "0.1.0"

// Calls a command, and turns its exceptions into messages and exit codes.
Exit guard(const std::function<Exit()>& command, std::ostream& messages);

}  // namespace wt::cli
