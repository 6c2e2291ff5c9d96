// Claims: factors that calls were made with are found again; a system's own table of nccl-tests predicts those of its
// sizes better that had no part in the fit, over all published tables; and a step of one device and one of several
// machines tell how long other numbers of replicas take.

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "base/error.h"
#include "communication/collective_clock.h"
#include "communication/timing.h"
#include "platform/load.h"
#include "study/calibration/collectives.h"
#include "study/calibration/steps.h"
#include "study/evidence/measurements.h"
#include "study/evidence/nccl_study.h"
#include "study/evidence/prediction.h"

namespace wt::study {
namespace {

using communication::CollectiveClock, communication::Group;
using platform::Calibration, platform::CallFactors, platform::LibraryFactors;

const communication::ElementType float32{"float32", "float", 4, Type::float32};

CollectiveClock all_reduces(const Group& group) {
  return {{.operation = collective::Operation::all_reduce, .type = float32, .reduction = "sum"}, {group}};
}

std::vector<Bytes> sizes() {
  std::vector<Bytes> all;
  for (std::int64_t size = 1 << 10; size <= std::int64_t{1} << 30; size *= 4) all.emplace_back(size);
  return all;
}

struct Case {
  std::string platform{};
  std::string machines{};
  bool is_between = false;
};

TEST(CalibratedCollectives, FindsTheFactorsThatTheTimesWereMadeWith) {
  const CallFactors slower{.latency = 1.3, .rate = 0.8};
  const LibraryFactors all{.ll = slower, .ll128 = slower, .simple = slower, .switches = slower};
  for (const Case& each : {Case{"dgx_a100", "1"}, Case{"dgx_h100", "1"}, Case{"dgx_a100", "2", true},
                           Case{"workstation_2x4090", "1"}, Case{"dgx_h100", "3", true}}) {
    const platform::Platform described =
        platform::load(each.platform, {platform::parse_parameter("machines=" + each.machines)}).platform;
    const platform::Platform real = described.with_calibration(each.is_between ? Calibration{.between = all}
                                                                               : Calibration{.inside = all});
    const Group group = communication::first_devices(described, described.devices());
    const Group measured = communication::first_devices(real, real.devices());
    std::vector<MeasuredCall> calls;
    for (const Bytes size : sizes())
      calls.push_back(
          {&group, all_reduces(group).library_call(size), Type::float32,
           communication::time_of(all_reduces(measured).library_call(size), measured, Type::float32).time});
    const CollectiveFit fit = fit_collectives(calls);
    for (const FittedCalls& row : fit.calls) {
      EXPECT_EQ(row.is_between, each.is_between);
      EXPECT_LT(row.after, 0.02) << each.platform << " " << row.library;
      EXPECT_GT(row.before, 0.15) << each.platform << " " << row.library;
      if (row.rows < 4) continue;  // two sizes do not tell latencies and rates apart
      const double latency_or_rate =
          std::abs(row.factors.latency / 1.3 - 1) < 0.1 || std::abs(row.factors.rate / 0.8 - 1) < 0.1;
      EXPECT_TRUE(latency_or_rate) << each.platform << " " << row.library << " " << row.factors.latency << " "
                                   << row.factors.rate;
    }
  }
}

// Machines without a known library have a start instead of latencies.
TEST(CalibratedCollectives, FindsTheStartOfCallsWithoutALibrary) {
  const platform::Platform described = platform::load("ideal_switch").platform;
  const Group group = communication::first_devices(described, described.devices());
  std::vector<MeasuredCall> calls;
  for (const Bytes size : sizes()) {
    const communication::Call call = all_reduces(group).library_call(size);
    calls.push_back({&group, call, Type::float32,
                     Seconds(18e-6) + communication::time_of(call, group, Type::float32).time * 1.25});
  }
  const CollectiveFit fit = fit_collectives(calls);
  ASSERT_EQ(fit.calls.size(), 1u);
  ASSERT_EQ(fit.calls[0].library, "wires");
  EXPECT_NEAR(fit.calls[0].factors.start.count(), 18e-6, 3e-6);
  EXPECT_NEAR(fit.calls[0].factors.rate, 0.8, 0.03);
}

TEST(CalibratedCollectives, PredictOtherSizesOfPublishedTablesBetter) {
  const auto rows = evidence::read_measurements(std::string(WT_TEST_DATA) + "/measurements/nccl");
  double before = 0, held_out = 0;
  int tables = 0;
  for (const evidence::NcclTable& table : evidence::nccl_tables(rows)) {
    // Tables of all sizes, whose algorithm nobody forced upon NCCL; with further ones the fits would take minutes.
    const std::set<std::string> chosen{"A100 x8",       "V100 x8, cube mesh", "H100 x8",
                                       "H200 x8",       "DGX A100, 2 nodes",  "p5, 2 nodes, EFA",
                                       "B200, 2 nodes", "RTX 2080 Ti x8"};
    if (!chosen.contains(table.name)) continue;
    platform::Parameters parameters;
    for (const std::string& text : table.system.overrides)
      parameters.push_back(platform::parse_parameter(text));
    const platform::Platform described = platform::load(table.system.platform, parameters).platform;
    const Group group = communication::first_devices(described, described.devices());
    std::vector<MeasuredCall> calls;
    for (const evidence::NcclRow& row : table.rows)
      calls.push_back({&group, all_reduces(group).library_call(row.bytes), Type::float32, row.published});
    double sum_before = 0, sum_held_out = 0;
    std::size_t count = 0;
    for (const FittedCalls& fitted : fit_collectives(calls).calls) {
      EXPECT_LE(fitted.after, fitted.before + 0.01) << table.name << " " << fitted.library;
      if (fitted.held_out == 0) continue;
      const auto weight = static_cast<double>(fitted.rows);
      sum_before += fitted.before * weight, sum_held_out += fitted.held_out * weight;
      count += fitted.rows;
    }
    ASSERT_GT(count, 0u) << table.name;
    before += sum_before / static_cast<double>(count), held_out += sum_held_out / static_cast<double>(count);
    ++tables;
  }
  EXPECT_EQ(tables, 8);
  RecordProperty("before", std::to_string(before / tables));
  RecordProperty("held_out", std::to_string(held_out / tables));
  EXPECT_LT(held_out, 0.75 * before) << before / tables << " " << held_out / tables;
}

std::string scenario_file(const std::string& name) {
  return std::string(WT_SOURCE_DIR) + "/scenarios/" + name + ".json";
}

TEST(CalibratedSteps, RepeatTheStepsThatWereMeasured) {
  const std::vector<MeasuredStepOf> measured{{8, Seconds(0.12)}, {1, Seconds(0.115)}};
  const StepFit fit = fit_steps(scenario_file("mirrored_dgx_a100"), {}, measured);
  ASSERT_EQ(fit.steps.size(), 2u);
  EXPECT_EQ(fit.steps[0].measured.replicas, 1);
  for (const FittedStep& step : fit.steps)
    EXPECT_NEAR(step.after / step.measured.time, 1, 1e-3) << step.measured.replicas;
}

// Published steps of TensorFlow's own strategies (tests/measurements/tf2_strategies.csv): 321.8, 2399.6 images/s on 1
// and 8 V100, and 4543 on 16.
TEST(CalibratedSteps, PredictOtherNumbersOfReplicas) {
  const std::vector<std::string> v100{"platform=dgx1_v100", "training.per_replica_batch=128",
                                      R"(strategy={"type": "mirrored", "cross_device_ops": "nccl"})",
                                      "dataset.rows=10240"};
  const auto step = [](int replicas, double rate) {
    return MeasuredStepOf{replicas, Seconds(128 * replicas / rate)};
  };
  const auto rows = evidence::read_measurements(std::string(WT_TEST_DATA) + "/measurements");
  std::map<std::int64_t, double> published;
  for (const evidence::Measurement& row : rows)
    if (row.source.find("DLPerf TensorFlow/resnet50") != std::string::npos && row.type == "fp32" &&
        evidence::is_throughput(row))
      published[row.devices] = row.value;
  ASSERT_TRUE(published.contains(1) && published.contains(4) && published.contains(8));
  const StepFit fit = fit_steps(scenario_file("resnet50"), v100,
                                {step(1, published[1]), step(4, published[4]), step(8, published[8])});
  for (const FittedStep& each : fit.steps) EXPECT_NEAR(each.after / each.measured.time, 1, 0.04);
}

// Without a step of one replica, the first one has both in it: its kernels and what is lost by meeting.
TEST(CalibratedSteps, NeedNoStepOfOneReplica) {
  const StepFit fit =
      fit_steps(scenario_file("mirrored_dgx_a100"), {}, {{2, Seconds(0.117)}, {8, Seconds(0.1225)}});
  for (const FittedStep& each : fit.steps)
    EXPECT_NEAR(each.after / each.measured.time, 1, 2e-3) << each.measured.replicas;
}

TEST(CalibratedSteps, AreRefusedIfTheyCannotBe) {
  const std::string file = scenario_file("mirrored_dgx_a100");
  const auto said = [&](const std::vector<MeasuredStepOf>& measured,
                        const std::vector<std::string>& set = {}) {
    try {
      fit_steps(file, set, measured);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_NE(said({{1, Seconds(1e-3)}}).find("at its peak rates"), std::string::npos);
  EXPECT_NE(said({{1, Seconds(0.1)}, {1, Seconds(0.2)}}).find("two steps of 1 replica"), std::string::npos);
  EXPECT_NE(said({{1, Seconds(0.1)}, {9, Seconds(0.2)}}).find("9"), std::string::npos);
  EXPECT_NE(said({{1, Seconds(0.1)}}, {R"(time.measured_step="90 ms")"}).find("measured_step"),
            std::string::npos);
}

}  // namespace
}  // namespace wt::study
