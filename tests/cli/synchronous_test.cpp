// Claims about synchronous training as the glossary and the guide state it: every replica computes on its own slice,
// no replica goes on before all have, the same update is made to every copy, and a step takes the slowest replica and
// then the all-reduce.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "platform/load.h"
#include "simulate/simulate.h"
#include "strategy/mirrored.h"
#include "strategy/several_replicas.h"

namespace wt {
namespace {

using plan::NodeId;
using test::floats, test::places, test::ReplicaSteps, test::Values;

constexpr std::int64_t elements = 24'000;

// One variable, whose gradient takes two kernels and whose update takes one; a replica's own sum beside it.
Step short_step(std::int64_t rows) {
  return trace("train", [&](Trace& trace) {
    const Symbol x = trace.input("x", floats({rows, elements}));
    const Symbol w = trace.variable("w", floats({elements}));
    const Symbol weighted = x * w;
    const Symbol gradient = trace.in_scope("gradient", [&] { return reduce_sum(square(weighted), {0}); });
    trace.result("own", reduce_sum(weighted));
    const Symbol sum = all_reduce(gradient, Reduction::sum);
    trace.in_scope("optimizer", [&] { trace.update(w, w - sum); });
  });
}

plan::Plan mirrored(const std::vector<std::int64_t>& rows, bool with_host) {
  const ReplicaSteps steps(rows, short_step);
  std::vector<strategy::Place> where = places(rows.size());
  if (!with_host)
    for (strategy::Place& place : where) place.host.reset();
  return strategy::lower_mirrored(steps, where);
}

bool is_in(const plan::Node& node, std::string_view scope) {
  return node.scope.find(scope) != std::string::npos;
}
bool is_update(const plan::Node& node) {
  return std::holds_alternative<plan::Run>(node.action) && is_in(node, "optimizer");
}
bool is_gradient(const plan::Node& node) {
  return std::holds_alternative<plan::Run>(node.action) && is_in(node, "gradient");
}
plan::DeviceId device_of(const plan::Node& node) { return std::get<plan::Run>(node.action).device; }

// All that a node waits for, and what that waits for.
std::vector<bool> waits_for(const plan::Plan& plan, std::size_t node) {
  std::vector<bool> before(plan.nodes.size(), false);
  before[node] = true;
  for (std::size_t i = node + 1; i-- > 0;)
    if (before[i])
      for (const NodeId id : plan.nodes[i].after) before[index(id)] = true;
  return before;
}

struct Timed {
  plan::Plan plan{};
  std::vector<double> busy{};  // by replica: its kernels before the all-reduce
  double update = 0;           // each replica's kernel behind it
  plan::Timeline timeline{};
  const plan::Span& span(std::size_t node) const { return timeline.nodes[node]; }
};

// Kernels take a time by chance, the slow replica's ten times as long.
Timed timed(const platform::Platform& platform, std::size_t replicas, std::size_t slow, std::uint64_t seed) {
  Timed step{.plan = mirrored(std::vector<std::int64_t>(replicas, 1), false)};
  std::mt19937_64 random(seed);
  step.busy.resize(replicas);
  step.update = 3e-6;
  plan::Costs costs;
  for (const plan::Node& node : step.plan.nodes) {
    plan::Cost& cost = costs.nodes.emplace_back();
    if (!std::holds_alternative<plan::Run>(node.action)) continue;
    const std::size_t replica = index(device_of(node));
    cost.seconds = Seconds(step.update);
    if (is_update(node)) continue;
    cost.seconds = Seconds(1e-6 * static_cast<double>(1 + random() % 100) * (replica == slow ? 10 : 1));
    step.busy[replica] += cost.seconds.count();
  }
  std::vector<platform::Endpoint> where;
  for (std::size_t i = 0; i < replicas; ++i) where.push_back(platform.device(static_cast<int>(i)));
  step.timeline = simulate::simulate(step.plan, costs, platform, where);
  return step;
}

// A ring among n, each on its own link: 2 (n - 1) latencies and 2 (n - 1) / n of the bytes (Patarasuk and Yuan, 2009).
TEST(G3, AStepTakesTheSlowestReplicaAndThenTheAllReduce) {
  for (const std::size_t n : {2U, 3U, 4U, 8U})
    for (std::size_t slow = 0; slow < n; ++slow) {
      const platform::Platform platform =
          platform::load("ideal_switch", {platform::parse_parameter(fmt::format("ranks={}", n))}).platform;
      const platform::Route route = platform.route(platform.device(0), platform.device(1));
      const auto ranks = static_cast<double>(n);
      const double ring =
          2 * (ranks - 1) * (route.latency.count() + 4.0 * elements / ranks / route.bottleneck.count());
      const Timed step = timed(platform, n, slow, slow + 1);
      const double slowest = *std::ranges::max_element(step.busy);
      EXPECT_EQ(slowest, step.busy[slow]);
      const double wanted = slowest + ring + step.update;
      EXPECT_NEAR(step.timeline.end.count(), wanted, 1e-9 * wanted) << n << " replicas, slow " << slow;
    }
}

TEST(G3, NobodyUpdatesBeforeEverybodyHasItsGradient) {
  const platform::Platform platform =
      platform::load("ideal_switch", {platform::parse_parameter("ranks=4")}).platform;
  const Timed step = timed(platform, 4, 2, 9);
  const auto& nodes = step.plan.nodes;
  std::size_t updates = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!is_update(nodes[i])) continue;
    ++updates;
    const std::vector<bool> before = waits_for(step.plan, i);
    for (std::size_t j = 0; j < nodes.size(); ++j) {
      if (!is_gradient(nodes[j])) continue;
      EXPECT_TRUE(before[j]) << "update " << i << " doesn't wait for gradient " << j;
      EXPECT_GE(step.span(i).start, step.span(j).end);
    }
  }
  EXPECT_EQ(updates, 4U);
}

// Numbers whose sums round: copies are equal because one sum reaches all, not because sums are exact.
TEST(G3, EveryCopyGetsTheSameUpdate) {
  for (const std::size_t n : {2U, 3U, 5U, 8U}) {
    const plan::Plan plan = mirrored(std::vector<std::int64_t>(n, 2), true);
    std::mt19937_64 random(n);
    std::uniform_real_distribution<float> draw(-0.3F, 0.3F);
    Values given{{"w", Tensor::zeros(floats({elements}))}};
    for (float& value : given.at("w").values<float>()) value = draw(random);
    for (std::size_t r = 0; r < n; ++r) {
      Tensor x = Tensor::zeros(floats({2, elements}));
      for (float& value : x.values<float>()) value = draw(random);
      given[strategy::port_name("x", r)] = x;
    }
    const Values after = test::run_plan(plan, given, {.steps = 3});
    EXPECT_FALSE(test::same_bits(after.at("w"), given.at("w")));
    for (std::size_t r = 1; r < n; ++r)
      EXPECT_TRUE(test::same_bits(after.at(strategy::port_name("w", r)), after.at("w"))) << r << " of " << n;
  }
}

// Whole numbers, so that a slice's own sum is exact.
TEST(G17, EachReplicaComputesOnItsSliceWhatOneDeviceComputesOnThatSlice) {
  const std::vector<std::int64_t> rows{3, 2, 1};
  const plan::Plan plan = mirrored(rows, true);
  const Tensor batch = test::whole_numbers({6, elements}, -2, 2, 1),
               w = test::whole_numbers({elements}, -1, 1, 2);
  Values given{{"w", w}};
  std::vector<Tensor> slices;
  std::int64_t begin = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    slices.push_back(test::rows_of(batch, begin, begin + rows[r]));
    given[strategy::port_name("x", r)] = slices.back();
    begin += rows[r];
  }
  const Values together = test::run_plan(plan, given);
  const Values whole = test::run(short_step(6), {{"x", batch}, {"w", w}});
  float sum = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const Values alone = test::run(short_step(rows[r]), {{"x", slices[r]}, {"w", w}});
    const Tensor& own = together.at(strategy::port_name("own", r));
    EXPECT_TRUE(test::same_bits(own, alone.at("own"))) << r;
    EXPECT_TRUE(test::same_bits(together.at(strategy::port_name("w", r)), whole.at("w"))) << r;
    sum += own.values<float>()[0];
  }
  EXPECT_EQ(sum, whole.at("own").values<float>()[0]);
}

// ---- The steps of MirroredStrategy, one by one

class ST7 : public testing::Test {
 protected:
  static constexpr std::size_t replicas = 3;
  static std::vector<std::int64_t> rows() { return {3, 3, 2}; }

  // A replica's kernels in their order, by name and scope without the replica's own.
  std::vector<std::string> graph_of(std::size_t replica) const {
    std::vector<std::string> kernels;
    const std::string own = fmt::format("replica_{}", replica);
    for (const plan::Node& node : plan_.nodes) {
      if (!std::holds_alternative<plan::Run>(node.action) || index(device_of(node)) != replica) continue;
      std::string scope = node.scope;
      if (scope.starts_with(own)) scope = scope.size() > own.size() ? scope.substr(own.size() + 1) : "";
      kernels.push_back(fmt::format("{} {}", kernel_name(node), scope));
    }
    return kernels;
  }

  // First and last node of a replica that the predicate holds for.
  template <class Predicate>
  std::pair<std::size_t, std::size_t> nodes_of(std::size_t replica, Predicate predicate) const {
    std::pair<std::size_t, std::size_t> found{plan_.nodes.size(), 0};
    for (std::size_t i = 0; i < plan_.nodes.size(); ++i) {
      if (!predicate(plan_.nodes[i]) || index(device_of(plan_.nodes[i])) != replica) continue;
      found = {std::min(found.first, i), i};
    }
    return found;
  }

  const plan::Plan plan_ = mirrored(rows(), true);
};

TEST_F(ST7, VariablesAndTheGraphAreOnEachDevice) {
  std::vector<std::size_t> copies(replicas, 0);
  for (const plan::Buffer& buffer : plan_.buffers) {
    if (buffer.kind != plan::BufferKind::variable) continue;
    ASSERT_LT(index(buffer.device), replicas) << buffer.name;  // none on the host
    ++copies[index(buffer.device)];
    EXPECT_EQ(buffer.bytes, Bytes(4 * elements));
  }
  EXPECT_EQ(copies, std::vector<std::size_t>(replicas, 1));
  EXPECT_FALSE(graph_of(0).empty());
  for (std::size_t r = 1; r < replicas; ++r) EXPECT_EQ(graph_of(r), graph_of(0)) << r;
}

TEST_F(ST7, TheInputIsSplitAndEachDeviceGetsItsRows) {
  std::vector<Bytes> got(replicas);
  for (const plan::Node& node : plan_.nodes) {
    if (!is_in(node, "input")) continue;
    const auto& move = std::get<plan::Move>(node.action);
    EXPECT_EQ(index(plan_.buffer(move.source.buffer).device), replicas);  // the host
    got[index(plan_.buffer(move.target.buffer).device)] += payload(move);
  }
  for (std::size_t r = 0; r < replicas; ++r) EXPECT_EQ(got[r], Bytes(rows()[r] * elements * 4)) << r;
}

TEST_F(ST7, EachDevicesGradientIsItsOwnTheirSumIsEverybodysAndThenComesTheUpdate) {
  for (std::size_t r = 0; r < replicas; ++r) {
    const std::size_t gradient = nodes_of(r, is_gradient).second, update = nodes_of(r, is_update).first;
    ASSERT_LT(update, plan_.nodes.size());
    const std::vector<bool> of_gradient = waits_for(plan_, gradient), of_update = waits_for(plan_, update);
    for (std::size_t i = 0; i < plan_.nodes.size(); ++i) {
      const plan::Node& node = plan_.nodes[i];
      EXPECT_FALSE(of_gradient[i] && is_in(node, "all_reduce")) << r;
      if (std::holds_alternative<plan::Run>(node.action) && index(device_of(node)) != r) {
        EXPECT_FALSE(of_gradient[i]) << r;
        EXPECT_FALSE(of_update[i] && is_update(node)) << r;
      }
      EXPECT_TRUE(of_update[i] || !is_gradient(node)) << r;
    }
    EXPECT_EQ(nodes_of(r, is_update).second, update);  // one for the one variable
  }
}

}  // namespace
}  // namespace wt
