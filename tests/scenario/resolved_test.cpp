// Claim: the resolved scenario says the same as the scenario, with nothing left out: parsed again it resolves
// to the same text, for every scenario of the house and one with every kind of key.

#include "scenario/resolved.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include "scenario/golden.h"
#include "scenario/parse.h"

namespace wt::scenario {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> all_scenarios() {
  const fs::path top = WT_SOURCE_DIR;
  std::vector<fs::path> files;
  for (const char* folder : {"scenarios", "tests/oracle"}) {
    for (const auto& entry : fs::recursive_directory_iterator(top / folder)) {
      const bool is_scenario = entry.is_regular_file() &&
                               text_of(entry.path()).find("schema/scenario.json\"") != std::string::npos &&
                               entry.path().extension() == ".json" &&
                               entry.path().parent_path().filename() != "schema" &&
                               entry.path().parent_path().filename() != "troubles";  // some are refused
      if (is_scenario) files.push_back(entry.path());
    }
  }
  return files;
}

TEST(Resolved, ReadsBackAsTheSame) {
  const std::vector<fs::path> files = all_scenarios();
  EXPECT_GE(files.size(), 8u);
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.string());
    const std::string once = resolved(parse_file(file), file.parent_path());
    EXPECT_EQ(resolved(parse(once, file), file.parent_path()), once);
  }
}

TEST(Resolved, LeadsToTheSameFilesFromAnotherFolder) {
  const fs::path folder = fs::path(WT_TEST_DATA) / "oracle" / "linear_sgd";
  const Scenario scenario = parse_file(folder / "scenario.json");
  const fs::path results = fs::path(WT_TEST_DATA) / "somewhere" / "else";
  const Scenario again = parse(resolved(scenario, results), results / "scenario.resolved.json");
  EXPECT_EQ(again.model.weights->path, scenario.model.weights->path);
  EXPECT_EQ(again.model.weights->path, (folder / "initial.safetensors").string());
}

TEST(Resolved, FillsInEveryDefault) {
  const Scenario scenario = parse(R"({
    "name": "small", "model": "mlp", "dataset": { "type": "constant", "x": [1], "y": 2, "rows": 3, "shuffle": {} },
    "training": { "loss": "mse", "optimizer": "adam", "metrics": ["accuracy"], "global_batch": 3,
                  "checkpointing": {}, "evaluation": {} }
  })",
                                  "small.json");
  expect_golden(fs::path(WT_TEST_DATA) / "scenario" / "small.resolved.json", resolved(scenario, "."));
}

}  // namespace
}  // namespace wt::scenario
