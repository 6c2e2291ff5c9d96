#pragma once
// Scenarios of the repository, run with other values for some of their keys.

#include "cli/command.h"
#include "scenario/schema_check.h"
#include "support/folder.h"

namespace wt::test {

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class ScenarioRuns : public testing::Test {
 protected:
  // Results go to the folder `out`.
  Said run(const std::string& scenario, const std::string& out,
           const std::vector<std::string>& overrides = {}) const {
    std::vector<std::string> words{"run", scenario_file(scenario), "--out", (base_ / out).string()};
    for (const std::string& each : overrides) words.insert(words.end(), {"--set", each});
    return call(words);
  }
  json::Value results(const std::string& out) const {
    const json::Value rules = json::parse_file(std::string(WT_SOURCE_DIR) + "/scenarios/schema/results.json");
    json::Value found = results_in(base_ / out);
    EXPECT_TRUE(SchemaCheck(rules).accepts(found)) << out;
    return found;
  }

  TestFolder base_{};
};

}  // namespace wt::test
