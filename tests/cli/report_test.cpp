// Claims: the report of a run holds the figures of its results.json, for every strategy with several devices; its
// memory over the step reaches the peak that the results state; and text of a user stays text.

#include <gtest/gtest.h>

#include "cli/command.h"
#include "report/page/page.h"
#include "support/folder.h"

namespace wt {
namespace {

using test::call, test::number_at;

class Report : public ::testing::TestWithParam<std::string> {};

TEST_P(Report, HoldsTheFiguresOfTheResults) {
  const test::TestFolder folder;
  const std::string out = (folder.path() / "out").string();
  call({"run", test::scenario_file(GetParam()), "--out", out, "--set", "numerics=none"});
  ASSERT_EQ(call({"report", out}).exit, cli::Exit::done);
  const json::Value report = json::parse_file(folder.path() / "out/report.json");
  const json::Value& run = report.find("results")->elements().front();
  const json::Value results = test::results_in(out);
  const json::Value& split = *run.find("split");
  for (const char* key : {"step_time_s", "compute_s", "exposed_communication_s", "input_s", "waiting_s"})
    EXPECT_NEAR(split.find(key)->elements().front().real(), number_at(results, {"simulated", key}), 1e-12)
        << key;
  EXPECT_NEAR(number_at(run, {"timeline", "step_time_s"}), number_at(results, {"simulated", "step_time_s"}),
              1e-12);
  const json::Value& device = run.find("memory")->elements().front();
  std::int64_t peak = 0, most = 0;
  for (const json::Member& kind : device.find("bytes_at_peak")->members()) peak += kind.value.integer();
  const auto& series = device.find("over_step")->find("bytes")->elements();
  for (std::size_t i = 0; i < series.front().elements().size(); ++i) {
    std::int64_t sum = 0;
    for (const json::Value& kind : series) sum += kind.elements()[i].integer();
    most = std::max(most, sum);
  }
  EXPECT_EQ(most, peak);
}

INSTANTIATE_TEST_SUITE_P(Strategies, Report,
                         ::testing::Values("multi_worker_2x2", "mirrored_dgx_a100", "central_storage_4_gpus",
                                           "tpu_v3_8"));

TEST(ReportPage, DataCannotEndItsElement) {
  const std::string page =
      report::page_with(R"(<p><script type="application/json" id="report-data">{}</script></p>)",
                        R"({"name": "</script><b>"})");
  EXPECT_EQ(
      page,
      R"(<p><script type="application/json" id="report-data">{"name": "\u003c/script>\u003cb>"}</script></p>)");
  EXPECT_THROW(report::page_with("<p></p>", "{}"), InputError);
}

TEST(ReportPage, RefusesAFolderWithoutResults) {
  const test::TestFolder folder;
  EXPECT_EQ(call({"report", folder.path().string()}).exit, cli::Exit::input_wrong);
}

}  // namespace
}  // namespace wt
