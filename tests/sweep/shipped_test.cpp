// Claims: every sweep that is shipped obeys the schema for editors, and every one of its values can be read.

#include <gtest/gtest.h>

#include "base/json.h"
#include "scenario/schema_check.h"
#include "sweep/points.h"
#include "sweep/read.h"

namespace wt::sweep {
namespace {

namespace fs = std::filesystem;

TEST(ShippedSweeps, ObeyTheSchemaAndCanBeRead) {
  const fs::path scenarios = fs::path(WT_SOURCE_DIR) / "scenarios";
  const json::Value schema = json::parse_file(scenarios / "schema" / "sweep.json");
  int count = 0;
  for (const auto& entry : fs::directory_iterator(scenarios / "sweeps")) {
    if (entry.path().extension() != ".json") continue;
    SCOPED_TRACE(entry.path().string());
    ++count;
    EXPECT_TRUE(SchemaCheck(schema).accepts(json::parse_file(entry.path())));
    const Sweep sweep = read(entry.path(), {});
    Points(sweep).require_usable_values();
  }
  EXPECT_GT(count, 0);
}

TEST(ShippedSweeps, AreRefusedBySchemaAndParserWhereAKeyIsUnknown) {
  const fs::path schema = fs::path(WT_SOURCE_DIR) / "scenarios" / "schema" / "sweep.json";
  const json::Value tree = json::parse_file(schema);
  const SchemaCheck check(tree);
  EXPECT_TRUE(
      check.accepts(json::parse(R"({"name": "a", "scenario": "b", "axes": [{"batch": "1..4"}]})", "x")));
  for (const char* text :
       {R"({"scenario": "b", "axes": []})", R"({"name": "a", "scenario": "b", "axes": [], "axis": 1})",
        R"({"name": "a", "scenario": "b", "axes": [5]})"})
    EXPECT_FALSE(check.accepts(json::parse(text, "x"))) << text;
}

}  // namespace
}  // namespace wt::sweep
