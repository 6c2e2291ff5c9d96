// Claims: devices to which rows are copied ahead hold one batch beside that of their step, in the memory plan, in the
// largest batch and in what is out of memory; no other device does.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "scenario/build.h"
#include "scenario/parse.h"
#include "session/training.h"

namespace wt::session {
namespace {

constexpr std::int64_t side = 1000, outputs = 2;

// A linear model, so that a batch is most of what a step holds.
scenario::Scenario scenario_of(std::string_view strategy, std::string_view platform, std::int64_t rows,
                               std::string_view more = {}) {
  return scenario::parse(fmt::format(R"({{
  "name": "ahead", "platform": {}, "strategy": {},
  "model": {{"layers": [{{"class_name": "Dense", "config": {{"units": {}, "batch_input_shape": [null, {}]}}}}]}},
  "dataset": {{"type": "synthetic", "rows": 4096, "repeat": -1}},
  "training": {{"loss": "mse", "optimizer": "sgd", "per_replica_batch": {}, "steps": 2}},
  "numerics": "none"{}}})",
                                     platform, strategy, outputs, side, rows, more),
                         "ahead.json");
}

// By device with a limit, so all GPUs.
std::vector<plan::DeviceMemory> memory_of(const scenario::Scenario& scenario) {
  std::vector<plan::DeviceMemory> devices =
      Training(scenario, scenario::build(scenario), {}).forecast().planned.memory.devices;
  std::erase_if(devices, [](const plan::DeviceMemory& device) { return !device.limit; });
  return devices;
}

std::string machines(int count, int gpus) {
  return fmt::format(R"({{"file": "dgx_a100", "set": {{"machines": {}, "devices": {}}}}})", count, gpus);
}

Bytes granules(std::int64_t bytes) { return Bytes((bytes + 255) / 256 * 256); }

TEST(RowsAhead, AreOneMoreBatchOnEachDevice) {
  constexpr std::int64_t rows = 100;
  const Bytes batch = granules(rows * side * 4) + granules(rows * outputs * 4);  // rows and labels
  struct Case {
    std::string strategy{}, platform{};
  };
  std::vector<Case> cases{{R"({"type": "one_device"})", machines(1, 1)},
                          {R"({"type": "multi_worker_mirrored"})", machines(2, 4)},
                          {R"({"type": "multi_worker_mirrored"})", machines(3, 1)}};
  for (const int gpus : {1, 2, 3, 8})
    for (const char* type : {"mirrored", "central_storage"})
      cases.push_back({fmt::format(R"({{"type": "{}"}})", type), machines(1, gpus)});
  for (const Case& each : cases) {
    const auto devices = memory_of(scenario_of(each.strategy, each.platform, rows));
    ASSERT_FALSE(devices.empty());
    for (const plan::DeviceMemory& device : devices) {
      EXPECT_GE(device.at_peak.by_kind.at(plan::BufferKind::input), batch) << each.strategy;
      EXPECT_EQ(device.at_peak.by_kind.at(plan::BufferKind::input_ahead), batch) << each.strategy;
    }
    for (const plan::DeviceMemory& device :
         memory_of(scenario_of(each.strategy, each.platform, rows, R"(, "input": {"on_device": true})")))
      EXPECT_FALSE(device.at_peak.by_kind.contains(plan::BufferKind::input_ahead)) << each.strategy;
  }
}

// A step without a strategy copies its own rows, and so do closures.
TEST(RowsAhead, AreNoneWhereAStepCopiesItsOwn) {
  const auto own_batch_alone = [](const scenario::Scenario& scenario) {
    const auto devices = memory_of(scenario);
    EXPECT_FALSE(devices.empty());
    for (const plan::DeviceMemory& device : devices) {
      EXPECT_TRUE(device.at_peak.by_kind.contains(plan::BufferKind::input));
      EXPECT_FALSE(device.at_peak.by_kind.contains(plan::BufferKind::input_ahead));
    }
  };
  own_batch_alone(scenario_of(R"({"type": "default"})", machines(1, 1), 100));
  own_batch_alone(
      scenario_of(R"({"type": "parameter_server"})", machines(3, 1), 100,
                  R"(, "cluster": {"worker": 1, "ps": 1, "chief": 1}, "devices": {"visible": ["GPU:0"]})"));
}

// Devices of 100 MiB: with one row more than the largest batch a step is out of memory, unless the rows are there from the
// start, so that there is no second batch.
TEST(RowsAhead, BoundTheLargestBatch) {
  const auto scenario = [](std::int64_t rows, std::string_view input) {
    return scenario_of(
        R"({"type": "mirrored"})", machines(1, 2), rows,
        fmt::format(R"(, "input": {}, "devices": {{"logical": {{"GPU:0": [{{"memory_limit": 100}}],
                                                                              "GPU:1": [{{"memory_limit": 100}}]}}}})",
                    input));
  };
  const auto fits = [&](std::int64_t rows, std::string_view input) {
    const scenario::Scenario given = scenario(rows, input);
    return !Training(given, scenario::build(given), {}).forecast().out_of_memory;
  };
  const scenario::Scenario given = scenario(100, "{}");
  Training training(given, scenario::build(given), {});
  const std::int64_t rows = *training.plans().largest_batch_that_fits() / 2;
  EXPECT_TRUE(fits(rows, "{}"));
  EXPECT_FALSE(fits(rows + 1, "{}"));
  EXPECT_TRUE(fits(rows * 5 / 4, R"({"on_device": true})"));
}

}  // namespace
}  // namespace wt::session
