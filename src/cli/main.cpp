#include <iostream>
#include <span>

#include "cli/cli.h"

int main(int argc, char** argv) {
  return static_cast<int>(
      wt::cli::run_command_line(std::span<const char* const>(argv, argc), std::cout, std::cerr));
}
