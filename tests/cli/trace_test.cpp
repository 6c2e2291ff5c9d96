// Claims, for every scenario that is shipped with several devices: a trace ends when its step ends, its tracks have
// names of their own, no two bars of a track overlap, none is without a length, and arrows join bars.

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "cli/command.h"
#include "support/folder.h"

namespace wt {
namespace {

using test::call, test::number_at, test::Said;

struct Bar {
  double start = 0;
  double end = 0;
};
using TrackId = std::pair<double, double>;

class Trace : public ::testing::TestWithParam<std::string> {
 protected:
  void run(const std::vector<std::string>& overrides) {
    std::vector<std::string> arguments{
        "run", test::scenario_file(GetParam()), "--out", out_, "--set", "numerics=none"};
    for (const std::string& text : overrides) {
      arguments.emplace_back("--set");
      arguments.push_back(text);
    }
    said_ = call(arguments);
    const json::Value trace = json::parse_file(folder_.path() / "out/trace.json");
    for (const json::Value& event : trace.find("traceEvents")->elements()) read(event);
    step_us_ = number_at(test::results_in(folder_.path() / "out"), {"simulated", "step_time_s"}) * 1e6;
  }

  void read(const json::Value& event) {
    const TrackId track{number_at(event, {"pid"}), number_at(event, {"tid"})};
    const std::string& phase = event.find("ph")->string();
    if (event.find("name")->string() == "thread_name")
      names_[track.first].push_back(event.find("args")->find("name")->string());
    if (phase == "s" || phase == "f") ++arrows_[number_at(event, {"id"})];
    if (phase != "X") return;
    const double start = number_at(event, {"ts"});
    tracks_[track].push_back({start, start + number_at(event, {"dur"})});
    kinds_.insert(event.find("cat")->string());
  }

  double end() const {
    double end = 0;
    for (const auto& [track, bars] : tracks_)
      for (const Bar& bar : bars) end = std::max(end, bar.end);
    return end;
  }

  test::TestFolder folder_{};
  std::string out_ = (folder_.path() / "out").string();
  Said said_{};
  double step_us_ = 0;
  std::map<TrackId, std::vector<Bar>> tracks_{};
  std::map<double, std::vector<std::string>> names_{};
  std::map<double, int> arrows_{};
  std::set<std::string> kinds_{};
};

TEST_P(Trace, EndsWithItsStepAndHasTracksOfItsOwn) {
  run({});
  EXPECT_NEAR(end(), step_us_, 1e-6 * step_us_) << said_.messages;
  for (const auto& [process, names] : names_)
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  for (auto& [track, bars] : tracks_)
    for (std::size_t i = 0; i < bars.size(); ++i) {
      EXPECT_GT(bars[i].end, bars[i].start);
      if (i == 0) continue;
      EXPECT_GE(bars[i].start, bars[i - 1].end - 1e-5);
    }
  for (const auto& [id, ends] : arrows_) EXPECT_EQ(ends, 2);
  EXPECT_TRUE(kinds_.contains("row_copy"));
  EXPECT_TRUE(kinds_.contains("collective"));
}

INSTANTIATE_TEST_SUITE_P(Strategies, Trace,
                         ::testing::Values("multi_worker_2x2", "mirrored_dgx_a100",
                                           "mirrored_hierarchical_copy", "central_storage_4_gpus", "tpu_v3_8",
                                           "tpu_v4_resnet50"));

}  // namespace
}  // namespace wt
