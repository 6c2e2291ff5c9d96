#pragma once
// Scenarios, of the repository or a test's own, run with other values for some of their keys.

#include "cli/command.h"
#include "scenario/schema_check.h"
#include "support/folder.h"

namespace wt::test {

class ScenarioRuns : public testing::Test {
 protected:
  // One of scenarios/. Results go to the folder `out`; `more` are further words of the command.
  Said run(const std::string& scenario, const std::string& out,
           const std::vector<std::string>& overrides = {}, const std::vector<std::string>& more = {}) const {
    return run_file(scenario_file(scenario), out, overrides, more);
  }
  Said run_file(const std::string& file, const std::string& out,
                const std::vector<std::string>& overrides = {},
                const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"run", file, "--out", (base_ / out).string()};
    for (const std::string& each : overrides) words.insert(words.end(), {"--set", each});
    words.insert(words.end(), more.begin(), more.end());
    return call(words);
  }
  // A scenario of the test's own, in its folder.
  Said run_text(std::string_view text, const std::string& out, const std::vector<std::string>& overrides = {},
                const std::vector<std::string>& more = {}) const {
    return run_file(base_.write("scenario.json", std::string(text)).string(), out, overrides, more);
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
