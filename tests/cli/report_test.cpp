// Claims: a report holds the figures of the results that it draws, to the last digit, for every strategy, on one
// machine and several, whatever a run came to; it obeys its schema; and text of a user stays text.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "cli/scenario_runs.h"
#include "report/page/page.h"

namespace wt {
namespace {

using test::call, test::number_at, test::Said;

// Equal values, whatever their layout.
std::string text_of(const json::Value& value) { return json::compact(value); }

class Report : public test::ScenarioRuns {
 protected:
  // The only entry of the report of a folder, which obeys the schema.
  json::Value entry(const std::string& out) const {
    const json::Value report = json::parse_file(base_ / out / "report.json");
    const json::Value rules = json::parse_file(std::string(WT_SOURCE_DIR) + "/scenarios/schema/report.json");
    EXPECT_TRUE(SchemaCheck(rules).accepts(report)) << out;
    EXPECT_EQ(report.find("results")->elements().size(), 1u);
    return report.find("results")->elements().front();
  }

  // Every figure that a run and its report share.
  void expect_same(const std::string& out) const {
    const json::Value run = entry(out), found = results(out);
    for (const std::string_view key :
         {"name", "strategy", "semantics", "numerics", "outcome", "model", "message", "job", "cost",
          "failures", "lost_worker", "timed_out", "turns"}) {
      ASSERT_EQ(run.find(key) == nullptr, found.find(key) == nullptr) << key;
      if (run.find(key) == nullptr) continue;
      EXPECT_EQ(text_of(*run.find(key)), text_of(*found.find(key))) << key;
    }
    for (const json::Member& member : found.find("planned")->members()) {
      if (member.key == "memory") continue;
      EXPECT_EQ(text_of(*run.find("planned")->find(member.key)), text_of(member.value)) << member.key;
    }
    expect_same_training(run, found);
    expect_same_memory(run, found);
    if (const json::Value* simulated = found.find("simulated")) expect_same_step(run, *simulated);
  }

 private:
  static void expect_same_training(const json::Value& run, const json::Value& found) {
    const json::Value* training = run.find("training");
    ASSERT_EQ(training == nullptr, found.find("steps") == nullptr);
    if (training == nullptr) return;
    const auto& steps = found.find("steps")->elements();
    const json::Value& columns = *training->find("steps");
    for (const std::string_view key : {"epoch", "step", "rows", "loss"}) {
      ASSERT_EQ(columns.find(key)->elements().size(), steps.size());
      for (std::size_t i = 0; i < steps.size(); ++i)
        EXPECT_EQ(text_of(columns.find(key)->elements()[i]), text_of(*steps[i].find(key)))
            << key << " of " << i;
    }
    const auto& epochs = found.find("epochs")->elements();
    for (std::size_t i = 0; i < epochs.size(); ++i)
      EXPECT_EQ(text_of(training->find("epochs")->find("loss")->elements().at(i)),
                text_of(*epochs[i].find("loss")));
  }

  static void expect_same_memory(const json::Value& run, const json::Value& found) {
    const auto& devices = run.find("memory")->elements();
    const auto& stated = found.find("planned")->find("memory")->elements();
    ASSERT_EQ(devices.size(), stated.size());
    for (std::size_t i = 0; i < devices.size(); ++i) {
      EXPECT_EQ(devices[i].find("device")->string(), stated[i].find("device")->string());
      const json::Value* course = devices[i].find("over_step");
      if (course == nullptr) continue;
      // The course of the memory reaches the peak that the results state.
      std::int64_t peak = 0, most = 0;
      for (const json::Member& kind : devices[i].find("bytes_at_peak")->members())
        peak += kind.value.integer();
      const auto& series = course->find("bytes")->elements();
      for (std::size_t at = 0; at < series.front().elements().size(); ++at) {
        std::int64_t sum = 0;
        for (const json::Value& kind : series) sum += kind.elements()[at].integer();
        most = std::max(most, sum);
      }
      EXPECT_EQ(most, peak) << devices[i].find("device")->string();
    }
  }

  static void expect_same_step(const json::Value& run, const json::Value& simulated) {
    for (const json::Member& member : simulated.members()) {
      if (member.key == "links") continue;
      EXPECT_EQ(text_of(*run.find("simulated")->find(member.key)), text_of(member.value)) << member.key;
    }
    const json::Value& split = *run.find("split");
    for (const char* key : {"step_time_s", "compute_s", "exposed_communication_s", "input_s", "waiting_s"})
      EXPECT_NEAR(split.find(key)->elements().front().real(), number_at(simulated, {key}), 1e-12) << key;
    const json::Value& bars = *run.find("timeline")->find("bars");
    double end = 0;
    for (std::size_t i = 0; i < bars.find("start_us")->elements().size(); ++i) {
      const double length = bars.find("duration_us")->elements()[i].real();
      EXPECT_GT(length, 0);
      end = std::max(end, bars.find("start_us")->elements()[i].real() + length);
    }
    EXPECT_NEAR(end * 1e-6, number_at(simulated, {"step_time_s"}), 2e-12);
  }
};

// ---- Every strategy with several numbers of replicas, with and without numbers

struct Case {
  friend void PrintTo(const Case& shown, std::ostream* out) { *out << shown.name; }
  std::string name{};
  std::string strategy{};
  std::vector<std::string> overrides{};
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"one_device", "default", {"platform.virtual.devices=1"}},
      {"one_device_of_two", "one_device", {"platform.virtual.devices=2"}},
      {"mirrored_1", "mirrored", {"platform.virtual.devices=1"}},
      {"mirrored_2", "mirrored", {"platform.virtual.devices=2"}},
      {"mirrored_3", "mirrored", {"platform.virtual.devices=3"}},
      {"mirrored_8", "mirrored", {"platform.virtual.devices=8"}},
      {"central_storage_2", "central_storage", {"platform.virtual.devices=2"}},
      {"central_storage_3", "central_storage", {"platform.virtual.devices=3"}},
      {"central_storage_8", "central_storage", {"platform.virtual.devices=8"}},
      {"multi_worker_1", "multi_worker_mirrored", {"platform.virtual.devices=1"}},
      {"multi_worker_2x1",
       "multi_worker_mirrored",
       {"platform.virtual.devices=2", "platform.virtual.workers=2", R"(cluster={"worker": 2})"}},
      {"multi_worker_3x1",
       "multi_worker_mirrored",
       {"platform.virtual.devices=3", "platform.virtual.workers=3", R"(cluster={"worker": 3})"}},
      {"multi_worker_2x4",
       "multi_worker_mirrored",
       {"platform.virtual.devices=8", "platform.virtual.workers=2", R"(cluster={"worker": 2})"}},
      {"tpu_8", "tpu", {"platform=tpu_v3"}}};
  return all;
}

constexpr std::string_view small = R"({
  "name": "one of each",
  "platform": { "virtual": { "devices": 1 } },
  "strategy": { "type": "default" },
  "model": "mlp",
  "dataset": { "type": "synthetic", "rows": 72, "drop_remainder": true },
  "training": {
    "loss": "sparse_categorical_crossentropy",
    "loss_scale": "global_rows",
    "optimizer": "adam",
    "metrics": ["accuracy"],
    "global_batch": 24,
    "epochs": 2
  },
  "seed": 5
})";

class ReportOfStrategy : public Report, public ::testing::WithParamInterface<Case> {};

TEST_P(ReportOfStrategy, HoldsTheFiguresOfTheResults) {
  for (const std::string numerics : {"cpu", "none"}) {
    SCOPED_TRACE(numerics);
    std::vector<std::string> overrides = GetParam().overrides;
    overrides.push_back("strategy.type=" + GetParam().strategy);
    overrides.push_back("numerics=" + numerics);
    const Said said = run_text(small, numerics, overrides, {"--report"});
    ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
    expect_same(numerics);
  }
}

INSTANTIATE_TEST_SUITE_P(Strategies, ReportOfStrategy, ::testing::ValuesIn(cases()),
                         [](const auto& each) { return each.param.name; });

class ReportOfScenario : public Report, public ::testing::WithParamInterface<std::string> {};

TEST_P(ReportOfScenario, HoldsTheFiguresOfTheResults) {
  run(GetParam(), "out", {"numerics=none"});
  ASSERT_EQ(call({"report", (base_ / "out").string()}).exit, cli::Exit::done);
  expect_same("out");
}

INSTANTIATE_TEST_SUITE_P(Shipped, ReportOfScenario,
                         ::testing::Values("multi_worker_2x2", "mirrored_dgx_a100", "central_storage_4_gpus",
                                           "tpu_v3_8", "tpu_v3_model_parallel", "mirrored_hierarchical_copy",
                                           "multi_worker_32_dgx_a100", "quickstart", "two_virtual_gpus"));

// ---- All shipped scenarios

std::vector<std::string> shipped_scenarios() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(WT_SOURCE_DIR) + "/scenarios"))
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

// When the bars of a drawn step begin and end, in microseconds, in the order of their beginnings.
using DrawnSpans = std::multiset<std::pair<double, double>>;

DrawnSpans spans_of_trace(const json::Value& trace) {
  DrawnSpans spans;
  for (const json::Value& event : trace.find("traceEvents")->elements())
    if (event.find("ph")->string() == "X") {
      const double start = number_at(event, {"ts"});
      spans.emplace(start, start + number_at(event, {"dur"}));
    }
  return spans;
}

DrawnSpans spans_of_report(const json::Value& bars) {
  DrawnSpans spans;
  const auto &starts = bars.find("start_us")->elements(), &lengths = bars.find("duration_us")->elements();
  for (std::size_t i = 0; i < starts.size(); ++i)
    spans.emplace(starts[i].real(), starts[i].real() + lengths[i].real());
  return spans;
}

// Every scenario whose step is drawn: the page and the trace show the same bars.
TEST_F(Report, DrawsTheBarsOfTheTraceForAllShippedScenarios) {
  int drawn = 0;
  for (const std::string& name : shipped_scenarios()) {
    SCOPED_TRACE(name);
    run(name, name, {"numerics=none"}, {"--report"});
    if (!std::filesystem::exists(base_ / name / "trace.json")) continue;
    const DrawnSpans trace = spans_of_trace(json::parse_file(base_ / name / "trace.json"));
    const DrawnSpans page = spans_of_report(*entry(name).find("timeline")->find("bars"));
    ASSERT_EQ(trace.size(), page.size());
    for (auto each = trace.begin(), other = page.begin(); each != trace.end(); ++each, ++other) {
      EXPECT_NEAR(each->first, other->first, 2e-6);
      EXPECT_NEAR(each->second, other->second, 2e-6);
    }
    ++drawn;
  }
  EXPECT_GE(drawn, 20) << "scenarios with a trace";
}

// ---- What went wrong, and what there is none of

TEST_F(Report, OfAStepThatDoesNotFitHoldsTheReason) {
  ASSERT_EQ(run("resnet50_memory", "out", {}, {"--report"}).exit, cli::Exit::job_failed);
  expect_same("out");
  const json::Value run = entry("out");
  EXPECT_EQ(run.find("outcome")->string(), "out_of_memory");
  EXPECT_EQ(run.find("timeline"), nullptr);
}

TEST_F(Report, OfALostWorkerHoldsTheReason) {
  ASSERT_EQ(run("lost_worker", "out", {}, {"--report"}).exit, cli::Exit::job_failed);
  expect_same("out");
  EXPECT_EQ(entry("out").find("outcome")->string(), "worker_lost");
}

TEST_F(Report, OfASweepHoldsItsTable) {
  const Said said =
      call({"sweep", test::scenario_file("mirrored_dgx_a100"), "--axis", "devices=1,2,3,8", "--axis",
            "batch=64,100000", "--out", (base_ / "out").string(), "--report", "--processes", "1"});
  ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
  const json::Value sweep = entry("out"), table = json::parse_file(base_ / "out/sweep.json");
  const auto& rows = table.find("rows")->elements();
  ASSERT_EQ(rows.size(), 8u);
  std::size_t out_of_memory = 0;
  for (const json::Member& column : sweep.find("values")->members()) {
    ASSERT_EQ(column.value.elements().size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const json::Value* stated = rows[i].find(column.key);
      ASSERT_NE(stated, nullptr) << column.key;
      EXPECT_EQ(text_of(column.value.elements()[i]), text_of(*stated)) << column.key;
      if (column.key == "outcome" && stated->string() == "out_of_memory") ++out_of_memory;
    }
  }
  EXPECT_EQ(out_of_memory, 4u);
}

TEST_F(Report, OfASweepWithoutATimedPointIsWritten) {
  call({"sweep", test::scenario_file("mirrored_dgx_a100"), "--axis", "batch=100000", "--out",
        (base_ / "out").string(), "--report", "--processes", "1"});
  EXPECT_EQ(entry("out").find("headline")->elements().size(), 1u);
}

TEST_F(Report, OfARecommendationIsTheAnswer) {
  const std::string out = (base_ / "out").string();
  const Said said =
      call({"recommend", test::scenario_file("resnet50"), "--target", "1500", "--max-global-batch", "8192",
            "--platforms", "dgx_a100,tpu_v3", "--json", "--report", "--out", out, "--processes", "1"});
  ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
  const json::Value answer = json::parse(said.results, "answer"), shown = entry("out");
  for (const json::Member& member : answer.members()) {
    if (member.key == "format") continue;
    EXPECT_EQ(text_of(*shown.find(member.key)), text_of(member.value)) << member.key;
  }
  EXPECT_EQ(call({"recommend", test::scenario_file("resnet50"), "--target", "1e12", "--max-global-batch",
                  "8192", "--platforms", "dgx_a100", "--report", "--out", out, "--processes", "1"})
                .exit,
            cli::Exit::job_failed);
  EXPECT_TRUE(entry("out").find("choices")->elements().empty());
}

TEST_F(Report, OfACollectiveHoldsItsTable) {
  for (const std::string ranks : {"2", "3", "8", "16"}) {
    SCOPED_TRACE(ranks);
    const Said said = call({"collective", "--platform", "dgx_a100", "--set", "machines=2", "--ranks", ranks,
                            "--algorithm", "auto,ring", "--sizes", "1KiB,1MiB,64MiB", "--json", "--report",
                            "--out", (base_ / "out").string()});
    ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
    const json::Value table = json::parse(said.results, "table"), shown = entry("out");
    const auto& rows = table.find("rows")->elements();
    const auto column = [&](const char* key) { return shown.find("rows")->find(key)->elements(); };
    ASSERT_EQ(column("bytes").size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(column("bytes")[i].integer(), rows[i].find("bytes")->integer());
      EXPECT_EQ(column("algorithm")[i].string(), rows[i].find("algorithm")->string());
      EXPECT_DOUBLE_EQ(column("time_s")[i].real() * 1e6, number_at(rows[i], {"time_us"}));
      EXPECT_EQ(column("busbw_gb_per_s")[i].real(), number_at(rows[i], {"busbw"}));
    }
    if (const json::Value* schedule = shown.find("schedule")) {
      // The picture ends when the row of its size does.
      double end = 0;
      const json::Value& moves = *schedule->find("moves");
      for (std::size_t i = 0; i < moves.find("from")->elements().size(); ++i)
        end = std::max(end, moves.find("start_us")->elements()[i].real() +
                                moves.find("duration_us")->elements()[i].real());
      double stated = 0;
      for (const json::Value& row : rows)
        if (row.find("bytes")->integer() == schedule->find("bytes")->integer() && stated == 0)
          stated = number_at(row, {"time_us"});
      EXPECT_NEAR(end, stated, 0.02 * stated);
    }
  }
}

TEST_F(Report, OfSeveralFoldersHoldsAllOfThem) {
  run("two_virtual_gpus", "a", {"numerics=none"}, {"--report"});
  call({"collective", "--platform", "dgx_a100", "--sizes", "1MiB", "--report", "--out",
        (base_ / "b").string()});
  const auto report = [&](const std::string& out) {
    return call({"report", (base_ / "a").string(), (base_ / "b").string(), "--out", (base_ / out).string()});
  };
  ASSERT_EQ(report("both").exit, cli::Exit::done);
  ASSERT_EQ(report("both").exit, cli::Exit::done);  // again
  const json::Value both = json::parse_file(base_ / "both/report.json");
  const auto& results = both.find("results")->elements();
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(text_of(results[0]), text_of(entry("a")));
  EXPECT_EQ(text_of(results[1]), text_of(entry("b")));
  const Said said = report("a");
  EXPECT_EQ(said.exit, cli::Exit::input_wrong);
  EXPECT_TRUE(test::has(said.messages, "has results, which a report of its own would replace"));
  EXPECT_TRUE(std::filesystem::exists(base_ / "a/results.json"));
}

// ---- The page

// Data of an installation with a page and a renderer that are a few lines, and a `node` that says what it was
// called with.
class ReportPage : public Report {
 protected:
  ReportPage() {
    namespace fs = std::filesystem;
    fs::create_directories(base_ / "data/viz");
    for (const char* name : {"platforms", "scenarios"})
      fs::create_directory_symlink(fs::path(WT_SOURCE_DIR) / name, base_ / "data" / name);
    write_text(base_ / "data/viz/report.html", before + "{}" + after);
    write_text(base_ / "data/viz/render.js", "");
    fs::create_directories(base_ / "bin");
    write_text(base_ / "bin/node",
               "#!/bin/sh\nprintf '%s\\n' \"$@\" > \"$0.calls\"\nfor last; do :; done\nmkdir -p \"$last\"\n"
               "echo '<svg/>' > \"$last/loss.svg\"\necho loss.svg\n");
    fs::permissions(base_ / "bin/node", fs::perms::owner_all);
    path_ = std::getenv("PATH");
    ::setenv("WINDTUNNEL_DATA", (base_ / "data").c_str(), 1);
    ::setenv("PATH", ((base_ / "bin").string() + ":" + path_).c_str(), 1);
  }
  ~ReportPage() override {
    ::unsetenv("WINDTUNNEL_DATA");
    ::setenv("PATH", path_.c_str(), 1);
  }

  std::string data_in_page(const std::string& out) const {
    const std::string page = read_text(base_ / out / "report.html");
    EXPECT_TRUE(page.starts_with(before) && page.ends_with(after));
    return page.substr(before.size(), page.size() - before.size() - after.size());
  }

  const std::string before = R"(<p><script type="application/json" id="report-data">)";
  const std::string after = "</script></p>\n";
  std::string path_{};
};

TEST_F(ReportPage, ContainsTheReport) {
  ASSERT_EQ(run("two_virtual_gpus", "out", {"numerics=none"}, {"--report"}).exit, cli::Exit::done);
  EXPECT_EQ(text_of(json::parse(data_in_page("out"), "page")),
            text_of(json::parse_file(base_ / "out/report.json")));
  // The manifest knows both files: the next run replaces the folder.
  EXPECT_EQ(run("two_virtual_gpus", "out", {"numerics=none"}).exit, cli::Exit::done);
  EXPECT_FALSE(std::filesystem::exists(base_ / "out/report.html"));
}

TEST_F(ReportPage, HoldsHostileNamesAsText) {
  const std::string name = R"(</script><script>alert(1)</script><!-- \" ' & \\u202e)";
  std::string text(small);
  text.replace(text.find("one of each"), 11, name);
  const Said said = run_text(text, "out", {"training.optimizer=sgd"}, {"--report"});
  ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
  const std::string data = data_in_page("out");
  EXPECT_EQ(data.find('<'), std::string::npos);
  EXPECT_EQ(text_of(*json::parse(data, "page").find("title")),
            text_of(*test::results_in(base_ / "out").find("name")));
  expect_same("out");
}

// A report may have been written by hand or by another program.
TEST_F(ReportPage, HoldsControlCharactersOfAReportAsText) {
  std::filesystem::create_directories(base_ / "a");
  write_text(
      base_ / "a/report.json",
      R"({"format": "windtunnel report", "results": [{"kind": "x", "name": "\u0000\u001b[31m\u2028</script>"}]})");
  ASSERT_EQ(call({"report", (base_ / "a").string(), "--out", (base_ / "b").string()}).exit, cli::Exit::done);
  const json::Value page = json::parse(data_in_page("b"), "page");
  EXPECT_EQ(page.find("title")->string(), std::string("\0\x1b[31m\u2028</script>", 18));
}

TEST_F(ReportPage, IsLeftOutWithAWordWhereItIsNotBuilt) {
  std::filesystem::remove_all(base_ / "data/viz");
  const Said said = run("two_virtual_gpus", "out", {"numerics=none"}, {"--report"});
  EXPECT_EQ(said.exit, cli::Exit::done);
  EXPECT_TRUE(test::has(said.messages, "./windtunnel get report builds it"));
  EXPECT_TRUE(std::filesystem::exists(base_ / "out/report.json"));
  EXPECT_FALSE(std::filesystem::exists(base_ / "out/report.html"));
  const Said pictures = call({"report", (base_ / "out").string(), "--svg"});
  EXPECT_EQ(pictures.exit, cli::Exit::input_wrong);
  EXPECT_TRUE(test::has(pictures.messages, "build it: ./windtunnel get report"));
}

TEST_F(ReportPage, PicturesAreDrawnWithoutAShell) {
  const std::string out = "a b; touch owned; $(touch owned) 'x'";
  run("two_virtual_gpus", out, {"numerics=none"});
  const Said said = call({"report", (base_ / out).string(), "--svg"});
  ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
  EXPECT_EQ(read_text(base_ / out / "loss.svg"), "<svg/>\n");
  std::istringstream calls(read_text(base_ / "bin/node.calls"));
  std::vector<std::string> words;
  for (std::string word; std::getline(calls, word);) words.push_back(word);
  ASSERT_EQ(words.size(), 4u);
  EXPECT_EQ(words[0], std::filesystem::canonical(base_ / "data/viz/render.js").string());
  EXPECT_EQ(words[2], "--svg");
  EXPECT_FALSE(std::filesystem::exists(words[3])) << "temporary files stay";
  EXPECT_EQ(run("two_virtual_gpus", out, {"numerics=none"}).exit, cli::Exit::done);  // the manifest names all
}

TEST_F(ReportPage, PicturesNameWhatTheyLack) {
  run("two_virtual_gpus", "out", {"numerics=none"});
  ::setenv("PATH", (base_ / "nothing").c_str(), 1);
  const Said without = call({"report", (base_ / "out").string(), "--png"});
  EXPECT_EQ(without.exit, cli::Exit::input_wrong);
  EXPECT_TRUE(test::has(without.messages, "install Node.js 18 or newer: ./windtunnel get report"));
  ::setenv("PATH", ((base_ / "bin").string() + ":" + path_).c_str(), 1);
  write_text(base_ / "bin/node", "#!/bin/sh\necho 'Error: no fonts' >&2\nexit 2\n");
  std::filesystem::permissions(base_ / "bin/node", std::filesystem::perms::owner_all);
  const Said failed = call({"report", (base_ / "out").string(), "--png"});
  EXPECT_EQ(failed.exit, cli::Exit::input_wrong);
  EXPECT_TRUE(test::has(failed.messages, "Error: no fonts"));
}

TEST(PageWith, DataCannotEndItsElement) {
  const std::string page =
      report::page_with(R"(<p><script type="application/json" id="report-data">{}</script></p>)",
                        R"({"name": "</script><b>"})");
  EXPECT_EQ(
      page,
      R"(<p><script type="application/json" id="report-data">{"name": "\u003c/script>\u003cb>"}</script></p>)");
  EXPECT_THROW(report::page_with("<p></p>", "{}"), InputError);
}

TEST(ReportCommand, RefusesAFolderWithoutResults) {
  const test::TestFolder folder;
  EXPECT_EQ(call({"report", folder.path().string()}).exit, cli::Exit::input_wrong);
  write_text(folder.path() / "report.json", "[]");
  EXPECT_EQ(call({"report", folder.path().string()}).exit, cli::Exit::input_wrong);
  write_text(folder.path() / "report.json", R"({"format": "windtunnel report", "results": [1]})");
  EXPECT_EQ(call({"report", folder.path().string()}).exit, cli::Exit::input_wrong);
}

}  // namespace
}  // namespace wt
