// Claim: a column that is described once reads the same in a table, in CSV and in JSON.

#include "report/records.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace wt::report {
namespace {

struct Row {
  std::string name{};
  Seconds time{};
  double loss = 0;
};

constexpr std::array columns{
    Column<Row>{{"name", "name", 'l'}, [](const Row& row) { return cell(row.name); }},
    Column<Row>{{"time", "time_s"}, [](const Row& row) { return cell(row.time); }},
    Column<Row>{{"", "loss"}, [](const Row& row) { return number(row.loss, 2); }},
    Column<Row>{{"note", "note"}, [](const Row&) { return Cell{}; }}};

Records two_rows() {
  const std::vector<Row> rows{{"a, \"b\"", Seconds(0.0125), 0.5},
                              {"", Seconds(2), std::numeric_limits<double>::quiet_NaN()}};
  return records_of<Row>(std::span<const Column<Row>>(columns), rows);
}

TEST(Records, LeaveOutWhatNobodyReads) {
  EXPECT_EQ(table(two_rows()),
            "name       time\n"
            "a, \"b\"  12.5 ms\n"
            "-         2.0 s\n");
}

TEST(Records, AreCsv) {
  EXPECT_EQ(csv(two_rows()), "name,time_s,loss,note\n\"a, \"\"b\"\"\",0.0125,0.5,\n,2.0,,\n");
}

TEST(Records, AreJson) {
  json::Writer out;
  write(out, two_rows());
  EXPECT_EQ(out.text(),
            "[\n"
            R"(  {"name": "a, \"b\"", "time_s": 0.0125, "loss": 0.5, "note": null},)"
            "\n"
            R"(  {"name": null, "time_s": 2.0, "loss": null, "note": null})"
            "\n]\n");
}

}  // namespace
}  // namespace wt::report
