// The program called as a shell would, in the same process.
#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "base/json.h"
#include "cli/cli.h"
#include "train/machine.h"

namespace wt::test {

struct Said {
  cli::Exit exit{};
  std::string results{};
  std::string messages{};
};

inline Said call(const std::vector<std::string>& arguments) {
  std::vector<const char*> words{"windtunnel"};
  for (const std::string& argument : arguments) words.push_back(argument.c_str());
  std::ostringstream results, messages;
  const cli::Exit exit = cli::run_command_line(words, results, messages);
  return {exit, results.str(), messages.str()};
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline std::string scenario_file(const std::string& name) {
  return std::string(WT_SOURCE_DIR) + "/scenarios/" + name + ".json";
}

inline json::Value results_in(const std::filesystem::path& folder) {
  return json::parse_file(folder / "results.json");
}

inline double number_at(const json::Value& tree, const std::vector<std::string>& path) {
  const json::Value* value = &tree;
  for (const std::string& key : path) value = value->find(key);
  return value->kind() == json::Kind::integer ? static_cast<double>(value->integer()) : value->real();
}

// The bytes of this machine's memory that the largest device of a run needs, and all of them together.
struct NeededHere {
  std::int64_t largest = 0, all = 0;
};
inline NeededHere needed_here(const json::Value& results) {
  NeededHere needed;
  for (const json::Value& device : results.find("planned")->find("memory")->elements()) {
    const json::Value* here = device.find("bytes_on_this_machine");
    const std::int64_t bytes = (here != nullptr ? here : device.find("arena_bytes"))->integer();
    needed.largest = std::max(needed.largest, bytes);
    needed.all += bytes;
  }
  return needed;
}

}  // namespace wt::test
