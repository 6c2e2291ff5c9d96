// Claim: a strategy is a row of strategy/table.h. Each row can be named in a scenario, stands in the schema with its
// options and in the resolved scenario, refuses the options of other rows, and is copied with its options. No source
// outside of src/strategy compares the name of a strategy or includes the file of one.

#include "strategy/table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <vector>

#include "scenario/golden.h"
#include "scenario/parse.h"
#include "scenario/resolved.h"
#include "scenario/schema.h"

namespace wt::scenario {
namespace {

namespace fs = std::filesystem;

std::string text_with(const std::string& strategy) {
  return fmt::format(R"({{"name": "small", "model": "mlp", "strategy": {},
    "dataset": {{"type": "constant", "x": [1], "y": 2, "rows": 3}},
    "training": {{"loss": "mse", "optimizer": "adam", "global_batch": 3}}}})",
                     strategy);
}

Scenario with(const std::string& strategy) { return parse(text_with(strategy), "small.json"); }

std::string of_type(const strategy::Row& row) { return fmt::format(R"({{"type": "{}"}})", row.name); }

std::string facts_about(const std::string& strategy) {
  try {
    with(strategy);
  } catch (const InputError& error) {
    std::string facts;
    for (const Problem& problem : error.problems()) facts += problem.fact + "\n";
    return facts;
  }
  return {};
}

// The object of the schema that describes the strategy of this name.
const json::Value* described(const json::Value& schema, std::string_view name) {
  for (const json::Value& each : schema.find("definitions")->find("strategy")->find("anyOf")->elements()) {
    const json::Value* properties = each.find("properties");
    if (properties == nullptr) continue;  // the words that are short for objects
    const json::Value* type = properties->find("type");
    const json::Value* constant = type->find("const");
    const json::Value& named = constant != nullptr ? *constant : type->find("enum")->elements().front();
    if (named.string() == name) return &each;
  }
  return nullptr;
}

TEST(StrategyTable, NamesAreDistinctAndTheStrategysOwn) {
  std::set<std::string_view> names;
  for (const strategy::Row& row : strategy::rows()) {
    EXPECT_EQ(row.make()->name(), row.name);
    EXPECT_FALSE(row.summary.empty()) << row.name;
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
  }
  EXPECT_GE(names.size(), 6u);
  EXPECT_EQ(Scenario().strategy->name(), strategy::rows().front().name);
}

TEST(StrategyTable, EachIsParsedAndResolvesToItself) {
  for (const strategy::Row& row : strategy::rows()) {
    SCOPED_TRACE(std::string(row.name));
    const Scenario scenario = with(of_type(row));
    EXPECT_EQ(scenario.strategy->name(), row.name);
    const std::string once = resolved(scenario, ".");
    EXPECT_NE(once.find(fmt::format(R"("type": "{}")", row.name)), std::string::npos);
    EXPECT_EQ(resolved(parse(once, "small.json"), "."), once);
  }
}

TEST(StrategyTable, EachStandsInTheSchemaWithItsOptions) {
  const json::Value tree = json::parse(schema(), "schema.json");
  for (const strategy::Row& row : strategy::rows()) {
    SCOPED_TRACE(std::string(row.name));
    const json::Value* found = described(tree, row.name);
    ASSERT_NE(found, nullptr);
    for (const json::Member& property : found->find("properties")->members()) {
      const bool is_everyones =
          property.key == "type" || property.key == "$schema" || property.key == "description";
      const std::vector<std::string_view> options = strategy::option_names(row);
      EXPECT_TRUE(is_everyones || std::ranges::count(options, std::string_view(property.key)) == 1)
          << property.key;
    }
  }
}

TEST(StrategyTable, EachRefusesTheOptionsOfOthers) {
  int refused = 0;
  for (const strategy::Row& row : strategy::rows()) {
    const std::vector<std::string_view> own = strategy::option_names(row);
    for (const strategy::Row& other : strategy::rows())
      for (const std::string_view option : strategy::option_names(other)) {
        if (std::ranges::count(own, option) > 0) continue;
        const std::string facts =
            facts_about(fmt::format(R"({{"type": "{}", "{}": null}})", row.name, option));
        EXPECT_NE(facts.find(fmt::format("\"{}\" is an option of ", option)), std::string::npos) << facts;
        EXPECT_NE(facts.find(fmt::format(", and the strategy is {}", row.name)), std::string::npos) << facts;
        ++refused;
      }
  }
  EXPECT_GT(refused, 20);
}

TEST(StrategyTable, AWordThatIsNoneIsReported) {
  EXPECT_EQ(facts_about(R"({"type": "mirored"})"), "\"mirored\" is not a strategy\n");
}

TEST(StrategyTable, ACopyHasTheOptionsAndIsIndependent) {
  Scenario first = with(R"({"type": "mirrored", "cross_device_ops": "nccl", "num_packs": 3})");
  const Scenario copy = first;
  EXPECT_EQ(resolved(copy, "."), resolved(first, "."));
  first = with(R"({"type": "tpu"})");
  EXPECT_EQ(copy.strategy->name(), "mirrored");
  EXPECT_NE(resolved(copy, ".").find(R"("num_packs": 3)"), std::string::npos);
}

// ---- No other code asks which strategy it is. The classes themselves are in unnamed namespaces.

// The line compares with the name of a strategy, or includes the file of a row.
bool asks_for_a_strategy(const std::string& line) {
  static const std::regex includes(R"(#\s*include\s*"strategy/rows/)");
  if (std::regex_search(line, includes)) return true;
  if (line.find("strategy->name() ==") != std::string::npos) return true;
  return std::ranges::any_of(strategy::rows(), [&](const strategy::Row& row) {
    const std::string name = fmt::format("\"{}\"", row.name);
    return line.find("== " + name) != std::string::npos || line.find("!= " + name) != std::string::npos ||
           line.find(name + " ==") != std::string::npos;
  });
}

TEST(StrategyTable, NoOtherFolderAsksWhichStrategyItIs) {
  EXPECT_TRUE(asks_for_a_strategy(R"(if (scenario.strategy->name() == "tpu") return 1;)"));
  EXPECT_TRUE(asks_for_a_strategy(R"(#include "strategy/rows/one_machine.h")"));
  EXPECT_FALSE(asks_for_a_strategy(R"("leave it out, or take mirrored: --set strategy.type=mirrored")"));
  int lines = 0;
  const fs::path top = fs::path(WT_SOURCE_DIR) / "src";
  for (const auto& entry : fs::recursive_directory_iterator(top)) {
    const std::string path = entry.path().lexically_relative(top).generic_string();
    if (!entry.is_regular_file() || path.starts_with("strategy/")) continue;
    if (path.starts_with("study/recordings/"))
      continue;  // recordings name strategies in their configurations
    std::istringstream text(text_of(entry.path()));
    for (std::string line; std::getline(text, line); ++lines)
      EXPECT_FALSE(asks_for_a_strategy(line)) << "src/" << path << ": " << line;
  }
  EXPECT_GT(lines, 10000);
}

}  // namespace
}  // namespace wt::scenario
