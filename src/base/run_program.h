#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wt {

// Looks a program up in the folders of the variable PATH, as a shell does.
std::optional<std::filesystem::path> program_on_path(std::string_view name);

struct Ended {
  int exit = 0;  // as a shell has it: 128 and the number of the signal for a program that a signal ended
  std::string results{};   // what it printed
  std::string messages{};  // what it printed as errors
};

// Runs a program to its end, with nothing to read. The first word is its path. No shell reads the words. Throws
// MachineError if the operating system cannot start it.
Ended run_program(const std::vector<std::string>& words);

}  // namespace wt
