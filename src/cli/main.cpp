#include <iostream>
#include <span>

#include "base/interruption.h"
#include "base/standard_streams.h"
#include "cli/cli.h"

int main(int argc, char** argv) {
  wt::reserve_standard_streams();
  const wt::cli::Exit exit =
      wt::cli::run_command_line(std::span<const char* const>(argv, argc), std::cout, std::cerr);
  if (exit == wt::cli::Exit::interrupted) wt::end_by(wt::received_signal());
  return static_cast<int>(exit);
}
