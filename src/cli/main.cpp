#include <iostream>
#include <span>

#include "cli/cli.h"
#include "simulate/server.h"

int main(int argc, char** argv) {
  const wt::simulate::Server server;  // Created before threads and CUDA, which don't survive its fork.
  return static_cast<int>(
      wt::cli::run_command_line(std::span<const char* const>(argv, argc), std::cout, std::cerr));
}
