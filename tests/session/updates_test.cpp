// Claims: in Keras 3 an update runs a kernel for each of its operations, unless XLA or the scenario joins them, under
// every number of replicas; in Keras 2 it is one kernel.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "platform/device_types.h"
#include "scenario/build.h"
#include "scenario/parse.h"
#include "session/training.h"

namespace wt::session {
namespace {

constexpr int side = 4096;

// Of a dense layer without a bias, whose update moves most of the bytes.
Seconds step_of(int replicas, std::string_view semantics, std::string_view training = {},
                std::string_view time = {}) {
  const std::string text = fmt::format(R"({{
  "name": "updates",
  "platform": {{"virtual": {{"devices": {0}, "type": "v100_sxm2_16"}}}},
  "strategy": {{"type": "mirrored"}},
  "model": {{"layers": [{{"class_name": "Dense", "config": {{"units": {1}, "use_bias": false, "batch_input_shape": [null, {1}]}}}}]}},
  "dataset": {{"type": "synthetic", "rows": {2}}},
  "input": {{"on_device": true}},
  "training": {{"loss": "mse", "optimizer": "adam", "per_replica_batch": 64{3}}},
  "semantics": "{4}",
  "numerics": "none",
  "time": {{"software": false{5}}}
}})",
                                       replicas, side, 64 * replicas, training, semantics, time);
  const scenario::Scenario scenario = scenario::parse(text, "updates.json");
  return Training(scenario, scenario::build(scenario), {}).forecast().simulated->step;
}

// Adam by operations passes 30 times over a variable and launches 12 kernels; its one kernel reads the variable, the
// gradient and two moments, and writes three of them. Replicas also wait for the slowest, whose lag grows with the step.
TEST(Updates, OfKeras3AreOperations) {
  const device::DeviceType& type = platform::device_type_named("v100_sxm2_16");
  const double passes = (30 - 7) * 4.0 * side * side;
  const double memory =
      type.memory_bandwidth.count() * plan::efficiency_of(type, device::Precision::float32).memory;
  const double expected = passes / memory + 11 * type.launch_gap.count();
  for (const int replicas : {1, 2, 3, 8})
    EXPECT_NEAR((step_of(replicas, "keras3") - step_of(replicas, "keras2")).count() / expected, 1, 0.03)
        << replicas;
}

TEST(Updates, AreJoinedByXlaAndByTheScenario) {
  for (const int replicas : {1, 2, 3, 8}) {
    const Seconds fused = step_of(replicas, "keras2");
    EXPECT_EQ(step_of(replicas, "keras3", {}, R"(, "updates": "fused")"), fused) << replicas;
    EXPECT_LE(step_of(replicas, "keras3", R"(, "jit_compile": true)"), fused) << replicas;
    EXPECT_EQ(step_of(replicas, "keras2", {}, R"(, "updates": "operations")"), step_of(replicas, "keras3"))
        << replicas;
  }
}

}  // namespace
}  // namespace wt::session
