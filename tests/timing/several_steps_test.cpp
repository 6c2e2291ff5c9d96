// Claims: steps one after the other take what one takes where nothing can overlap; with a pipeline they take as
// long as the slower of compute and rows; a slow device costs its delay; a condensed plan ends when the whole
// one does.

#include "timing/several_steps.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "plan/unfold.h"
#include "platform/load.h"
#include "simulate/simulate.h"
#include "strategy/central_storage.h"
#include "strategy/mirrored.h"
#include "strategy/multi_worker_mirrored.h"
#include "strategy/several_replicas.h"
#include "timing/simulation.h"
#include "timing/step_clock.h"

namespace wt {
namespace {

void expect_close(Seconds a, Seconds b, const std::string& what) {
  EXPECT_LE(std::abs(a.count() - b.count()), 1e-9 * b.count())
      << what << ": " << a.count() << " s, not " << b.count();
}

// Workers with as many GPUs each, and what a scenario would have made of them.
struct Cluster {
  cluster::Machine machine{};
  std::vector<strategy::Place> places{};

  Cluster(int tasks, int devices, bool with_hosts) {
    platform::Parameters parameters{platform::parse_parameter(fmt::format("machines={}", tasks))};
    machine.platform = platform::load("dgx_a100", parameters).platform;
    machine.tasks = tasks;
    for (int task = 0; task < tasks; ++task)
      for (int i = 0; i < devices; ++i) {
        const device::Name name{
            .job = "worker", .replica = 0, .task = task, .kind = device::Kind::gpu, .index = i};
        const platform::Endpoint endpoint = machine.platform->device(task * 8 + i);
        machine.replicas.push_back({.device = {.name = name}, .task = task});
        machine.endpoints.emplace(print(name), endpoint);
        machine.endpoints.emplace(print(device::host_of(name)), machine.platform->host_of(endpoint));
        places.push_back({.device = {.name = print(name)}, .task = task, .kind = device::Kind::gpu});
        if (with_hosts) places.back().host = plan::Device{.name = print(device::host_of(name))};
      }
  }
};

struct Costed {
  plan::Plan plan{};
  plan::Costs costs{};
  Seconds alone{};  // one step's end
};

Costed costed(const Cluster& cluster, plan::Plan plan) {
  std::vector<platform::Endpoint> replicas;
  for (const cluster::Replica& replica : cluster.machine.replicas)
    replicas.push_back(cluster.machine.endpoint(print(replica.device.name)));
  const timing::StepTimeOptions plain;
  timing::StepTime step = timing::StepClock(*cluster.machine.platform, replicas)
                              .time(plan, timing::endpoints_of(plan, cluster.machine), plain);
  return {std::move(plan), std::move(step.costs), step.timeline.end};
}

// The first `represented` replicas stand for all, or all are expanded.
Costed training(const Cluster& cluster, std::int64_t rows, std::optional<std::size_t> represented = {}) {
  const Step step = test::small_net(rows);
  const std::size_t count = represented.value_or(cluster.places.size());
  const std::vector<const Step*> steps(count, &step);
  const std::span<const strategy::Place> places = std::span(cluster.places).first(count);
  strategy::StandFor stand_for;
  if (represented) stand_for = cluster.places.size();
  if (cluster.machine.replicas.size() == 1) {
    strategy::MirroredOptions options;
    return costed(cluster, strategy::lower_mirrored(steps, places, options));
  }
  if (cluster.machine.tasks > 1)
    return costed(cluster, strategy::lower_multi_worker_mirrored(
                               steps, places,
                               {.implementation = strategy::CommunicationImplementation::ring,
                                .stand_for = stand_for}));
  return costed(cluster, strategy::lower_mirrored(
                             steps, places, {.cross_device_ops = strategy::CrossDeviceOps::collective_ring}));
}

timing::SeveralSteps play(const Cluster& cluster, const Costed& step, const timing::StepsOptions& options,
                          plan::RowCopies copies = plan::RowCopies::in_the_step) {
  return timing::play_steps(step.plan, step.costs, cluster.machine, {}, copies, options);
}

const timing::StepsOptions eight{.count = 8};

// ---- Steps alone

TEST(Condensed, EndsWhenTheWholePlanDoes) {
  for (const auto& [tasks, devices] : {std::pair(1, 1), {1, 8}, {2, 2}})
    for (const std::int64_t rows : {4, 4096}) {
      const Cluster cluster(tasks, devices, true);
      const Costed step = training(cluster, rows);
      const plan::Condensed condensed = plan::condensed(step.plan, step.costs);
      EXPECT_LT(condensed.timed.plan.nodes.size(), step.plan.nodes.size());
      const plan::Timeline timeline =
          simulate::simulate(condensed.timed.plan, condensed.timed.costs, *cluster.machine.platform,
                             timing::endpoints_of(step.plan, cluster.machine));
      expect_close(timeline.end, step.alone, fmt::format("{} x {}", tasks, devices));
    }
}

TEST(SeveralSteps, TakeWhatOneTakesWhereNothingOverlaps) {
  for (const auto& [tasks, devices] : {std::pair(1, 1), {1, 4}})
    for (const bool with_hosts : {false, true}) {
      const Cluster cluster(tasks, devices, with_hosts);
      const Costed step = training(cluster, 4096);
      const timing::SeveralSteps steps = play(cluster, step, eight);
      ASSERT_EQ(steps.times.size(), 8u);
      for (const Seconds time : steps.times) expect_close(time, step.alone, "a step");
      ASSERT_TRUE(steps.steady);
      EXPECT_EQ(steps.steady->from, 0u);
    }
}

TEST(SeveralSteps, FoldedWorkersTakeWhatOneTakes) {
  const Cluster cluster(4, 2, false);
  const Costed step = training(cluster, 4096, 2);
  for (const Seconds time : play(cluster, step, eight).times) expect_close(time, step.alone, "a step");
}

TEST(SeveralSteps, TheLastStepIsToldNodeByNode) {
  const Cluster cluster(1, 4, true);
  const Costed step = training(cluster, 4096);
  const plan::Timeline whole = simulate::simulate(step.plan, step.costs, *cluster.machine.platform,
                                                  timing::endpoints_of(step.plan, cluster.machine));
  const timing::SeveralSteps steps = play(cluster, step, eight);
  ASSERT_EQ(steps.last.nodes.size(), whole.nodes.size());
  for (std::size_t i = 0; i < whole.nodes.size(); ++i) {
    EXPECT_NEAR(steps.last.nodes[i].start.count(), whole.nodes[i].start.count(), 1e-9 * whole.end.count())
        << i;
    EXPECT_NEAR(steps.last.nodes[i].end.count(), whole.nodes[i].end.count(), 1e-9 * whole.end.count()) << i;
  }
}

// ---- Rows

// Rows that are copied within the step: a step is the slower of that and of its rows.
TEST(SeveralSteps, TakeTheSlowerOfComputeAndRows) {
  const Cluster cluster(1, 1, true);
  const Costed step = training(cluster, 4096);
  for (const double share : {0.1, 0.99, 1.5, 20.0})
    for (const int prefetch : {0, 1, 2, 7}) {
      timing::StepsOptions options{.rows = {step.alone * share}, .prefetch = prefetch};
      const timing::SeveralSteps steps = play(cluster, step, options);
      const std::string what = fmt::format("{} of a step ahead by {}", share, prefetch);
      ASSERT_TRUE(steps.steady) << what;
      const Seconds together = step.alone + options.rows[0];
      expect_close(steps.times.front(), together, what);  // the first step waits for its rows, always
      expect_close(steps.step(), prefetch == 0 ? together : std::max(step.alone, options.rows[0]), what);
    }
}

// The step of such a plan whose rows are there from the start.
Seconds without_copies(const Cluster& cluster, Costed step) {
  for (std::size_t i = 0; i < step.plan.nodes.size(); ++i) {
    auto* move = std::get_if<plan::Move>(&step.plan.nodes[i].action);
    if (move == nullptr || !step.plan.nodes[i].scope.ends_with("input")) continue;
    move->source.spec.shape = move->target.spec.shape = Shape{0};
    step.costs.nodes[i].seconds = Seconds(-1);  // takes the route's latency back
  }
  return simulate::simulate(step.plan, step.costs, *cluster.machine.platform,
                            timing::endpoints_of(step.plan, cluster.machine))
      .end;
}

TEST(SeveralSteps, WithCopiesAheadTakeTheSlowerOfComputeAndRows) {
  for (const int devices : {1, 4}) {
    const Cluster cluster(1, devices, true);
    const Costed step = training(cluster, 4096);
    const Seconds compute = without_copies(cluster, step);
    ASSERT_LT(compute, step.alone);
    for (const double share : {0.1, 0.9, 1.5, 20.0}) {
      const timing::StepsOptions options{.rows = {compute * share}, .prefetch = 2};
      const timing::SeveralSteps steps = play(cluster, step, options, plan::RowCopies::ahead);
      ASSERT_TRUE(steps.steady);
      expect_close(steps.step(), std::max(compute, options.rows[0]), fmt::format("{} of a step", share));
    }
  }
}

// One step whose copies run beside it takes what each of many such steps takes in the long run, whether its
// compute or its copies are longer.
TEST(SeveralSteps, OneStepWithCopiesAheadTakesWhatSteadyOnesTake) {
  for (const int devices : {1, 2, 3, 8})
    for (const double slower_copies : {1.0, 1000.0}) {
      const Cluster cluster(1, devices, true);
      Costed step = training(cluster, 4096);
      for (std::size_t i = 0; i < step.plan.nodes.size(); ++i)
        if (plan::is_copy_of_rows(step.plan, step.plan.nodes[i])) step.costs.nodes[i].wire = slower_copies;
      const Seconds one =
          simulate::simulate(plan::with_rows_ahead(step.plan), step.costs, *cluster.machine.platform,
                             timing::endpoints_of(step.plan, cluster.machine))
              .end;
      EXPECT_EQ(one > step.alone, slower_copies > 1) << devices;
      const timing::SeveralSteps steps = play(cluster, step, {.count = 24}, plan::RowCopies::ahead);
      expect_close(steps.times[12], one, fmt::format("{} devices", devices));
    }
}

// Each socket's devices get their rows from its own memory: four devices of either socket take as long as four
// devices of one.
TEST(SeveralSteps, RowsComeFromTheMemoryOfTheirOwnSocket) {
  std::vector<Seconds> longest;
  for (const int devices : {4, 8}) {
    const Cluster cluster(1, devices, true);
    const Costed step = training(cluster, 1 << 20);
    const plan::Timeline timeline = simulate::simulate(step.plan, step.costs, *cluster.machine.platform,
                                                       timing::endpoints_of(step.plan, cluster.machine));
    Seconds& end = longest.emplace_back();
    for (std::size_t i = 0; i < step.plan.nodes.size(); ++i)
      if (plan::is_copy_of_rows(step.plan, step.plan.nodes[i])) end = std::max(end, timeline.nodes[i].end);
  }
  expect_close(longest[0], longest[1], "eight devices");
}

TEST(SeveralSteps, TheSlowestHostsRowsHoldAllWorkersBack) {
  const Cluster cluster(2, 2, true);
  const Costed step = training(cluster, 4096);
  const Seconds rows = step.alone * 3;
  const timing::SeveralSteps steps = play(cluster, step, {.rows = {rows / 2, rows}, .prefetch = 2});
  expect_close(steps.step(), rows, "two workers");
}

// ---- Slow devices, jitter

bool is_own(const plan::Plan& plan, const plan::Node& node) {
  const auto* move = std::get_if<plan::Move>(&node.action);
  if (move == nullptr) return plan::stream_device(node) == plan::DeviceId{0};
  return plan.buffer(move->source.buffer).device == plan::DeviceId{0} &&
         plan.buffer(move->target.buffer).device == plan::DeviceId{0};
}

// A step whose first device takes so many times as long for its kernels and copies.
Seconds slowed(const Cluster& cluster, Costed step, double factor) {
  for (std::size_t i = 0; i < step.plan.nodes.size(); ++i)
    if (is_own(step.plan, step.plan.nodes[i])) step.costs.nodes[i].seconds *= factor;
  return simulate::simulate(step.plan, step.costs, *cluster.machine.platform,
                            timing::endpoints_of(step.plan, cluster.machine))
      .end;
}

// A class of which one is slow steps as if all were: the collective begins with the last. Where it is expanded,
// what the other has sent meanwhile is there already, and hides a part of the delay.
TEST(SeveralSteps, ASlowDeviceCostsItsDelay) {
  const Cluster cluster(2, 1, false);
  const timing::StepsOptions options{.slow = {1, 1.5}};
  const Costed folded = training(cluster, 1 << 16, 1);
  const timing::SeveralSteps steps = play(cluster, folded, options);
  EXPECT_TRUE(steps.is_unfolded);
  ASSERT_TRUE(steps.steady);
  EXPECT_GT(steps.step(), folded.alone * 1.2);
  expect_close(steps.step(), slowed(cluster, folded, 1.5), "folded");

  const Costed expanded = training(cluster, 1 << 16);
  const Seconds delayed = slowed(cluster, expanded, 1.5);
  const Seconds step = play(cluster, expanded, {.slow = {1.5, 1}}).step();
  EXPECT_LE(step, delayed * (1 + 1e-9));
  EXPECT_GT(step, expanded.alone * 1.2);
}

TEST(SeveralSteps, JitterHasItsMeanAndItsDeviation) {
  for (const double jitter : {0.02, 0.3}) {
    const std::vector<double> factors = timing::jitter_factors(jitter, 1, 200'000);
    const auto count = static_cast<double>(factors.size());
    const double mean = std::accumulate(factors.begin(), factors.end(), 0.0) / count;
    double squares = 0;
    for (const double factor : factors) squares += (factor - mean) * (factor - mean);
    EXPECT_NEAR(mean, 1, 4 * jitter / std::sqrt(count));
    EXPECT_NEAR(std::sqrt(squares / count), jitter, 0.02 * jitter);
  }
}

// A step of devices that meet once lasts as long as the slowest: the expected maximum of n normal numbers (Harter,
// 1961: 1.0294 deviations for 4, 1.4236 for 8).
TEST(SeveralSteps, WithJitterAStepWaitsForTheSlowestOfAll) {
  for (const auto& [devices, maximum] : {std::pair(4, 1.0294), {8, 1.4236}}) {
    const Cluster cluster(devices, 1, false);
    const Costed step = training(cluster, 1 << 16, 1);
    const timing::SeveralSteps steps = play(cluster, step, {.count = 2000, .jitter = 0.01, .seed = 3});
    const Seconds compute = step.alone - slowed(cluster, step, 0);
    EXPECT_NEAR((steps.step() - step.alone) / (compute * 0.01), maximum, 0.08) << devices;
  }
}

TEST(SeveralSteps, TheSameSeedGivesTheSameSteps) {
  const Cluster cluster(2, 2, true);
  const Costed step = training(cluster, 4096, 2);
  const timing::StepsOptions options{.count = 20, .jitter = 0.1, .seed = 7};
  const std::vector<Seconds> first = play(cluster, step, options).times;
  EXPECT_EQ(first, play(cluster, step, options).times);
  EXPECT_NE(first, play(cluster, step, {.count = 20, .jitter = 0.1, .seed = 8}).times);
}

// ---- When steps repeat

TEST(SteadyState, IsFoundWhereStepsRepeatInTurns) {
  const auto steady = [](std::vector<double> times) {
    std::vector<Seconds> steps(times.begin(), times.end());
    return plan::steady_state(steps);
  };
  EXPECT_FALSE(steady({5, 4, 3, 2}));
  EXPECT_FALSE(steady({5, 2, 2}));
  const auto at_once = steady({2, 2, 2});
  ASSERT_TRUE(at_once);
  EXPECT_EQ(at_once->from, 0u);
  const auto later = steady({5, 4, 2, 2, 2, 2});
  ASSERT_TRUE(later);
  EXPECT_EQ(later->from, 2u);
  EXPECT_EQ(later->step, Seconds(2));
  const auto in_turns = steady({9, 1, 3, 1, 3, 1, 3});
  ASSERT_TRUE(in_turns);
  EXPECT_EQ(in_turns->from, 1u);
  EXPECT_EQ(in_turns->period, 2u);
  EXPECT_EQ(in_turns->step, Seconds(2));
}

}  // namespace
}  // namespace wt
