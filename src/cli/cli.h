#pragma once
// cli/ is the program's door: it reads the command line, calls the floors below and turns the three kinds of
// trouble into messages and exit codes. It refuses to compute anything itself. Read next: cli/training.h,
// where a scenario's objects come together.

#include <functional>
#include <iosfwd>
#include <span>
#include <string_view>

namespace wt::cli {

enum class Exit : int {
  done = 0,
  job_failed = 1,   // the simulated job could not finish; the report says why
  input_wrong = 2,  // a file or the command line; the message says where, and the remedy
  our_fault = 3,    // a fault of this program or of the machine it runs on
};

// Results go to `results`, everything said to a person to `messages`. arguments[0] is the program's own name.
Exit run_command_line(std::span<const char* const> arguments, std::ostream& results, std::ostream& messages);

std::string_view version();  // of the program: "0.1.0"

// Calls a command. The one place where exceptions become exit codes.
Exit guard(const std::function<Exit()>& command, std::ostream& messages);

}  // namespace wt::cli
