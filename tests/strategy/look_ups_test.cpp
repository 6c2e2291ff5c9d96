// Claims: of a table on servers only the rows that are looked up are sent, and of a table in shards each
// server sends its part of them; memory and bytes are those of a pencil. Numbers are claimed in
// cli/servers_test.cpp and timing/pool_test.cpp.

#include "strategy/look_ups.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "several_replicas.h"
#include "strategy/shards.h"
#include "strategy/variable_servers.h"

namespace wt::strategy {
namespace {

using test::floats;

constexpr std::int64_t table_rows = 1'000'000'000, width = 64, ids = 26, rows = 4096;

// A table that no worker could hold, summed up row by row.
Step recommender() {
  return trace("train", [](Trace& trace) {
    const Symbol looked_up = trace.input("ids", {Type::int32, {rows, ids}});
    const Symbol table = trace.variable("table", floats({table_rows, width}));
    const Symbol loss = reduce_sum(square(embedding(looked_up, table)));
    std::vector<Symbol> gradients = trace.gradient(loss, {{table}});
    gradients[0] = all_reduce(gradients[0], Reduction::sum);
    apply_sgd({table}, {}, gradients, fill(trace, floats({}), 0.5), {});
    trace.result("loss", loss);
  });
}

plan::Plan lowered(const Step& step, int servers, int shards, int replicas, const RowShare& share = {}) {
  const Step placed = with_look_ups_at_tables(
      with_shards(step, model::partition_by(model::FixedShardsPartitioner{shards})), replicas, share);
  VariableServers storage{.strategy = "test",
                          .server_of = in_turn(placed, static_cast<std::size_t>(servers)),
                          .adds_on_host = true,
                          .look_ups = LookUps::at_tables};
  for (int i = 0; i < servers; ++i) storage.servers.push_back({.name = fmt::format("ps:{}", i)});
  const std::vector<const Step*> steps(static_cast<std::size_t>(replicas), &placed);
  return lower_with_servers(steps, test::places(static_cast<std::size_t>(replicas)), storage);
}

bool is_server(const plan::Plan& plan, const plan::Operand& operand) {
  return plan.devices[index(plan.buffer(operand.buffer).device)].name.starts_with("ps:");
}

// Bytes of all messages from servers, and to them.
struct Sent {
  double from = 0, to = 0;
};
Sent sent(const plan::Plan& plan) {
  Sent all;
  for (const plan::Node& node : plan.nodes) {
    const auto* move = std::get_if<plan::Move>(&node.action);
    if (move == nullptr || is_server(plan, move->source) == is_server(plan, move->target)) continue;
    (is_server(plan, move->source) ? all.from : all.to) += static_cast<double>(payload(node).count());
  }
  return all;
}

TEST(LookUps, ST24_OnlyTheRowsThatAreLookedUpAreSent) {
  constexpr double numbers = rows * ids * width * 4.0, all_ids = rows * ids * 4.0;
  for (const auto& [servers, shards] : std::vector<std::pair<int, int>>{{1, 1}, {1, 4}, {4, 4}, {3, 20}}) {
    const Sent found = sent(lowered(recommender(), servers, shards, 1));
    EXPECT_NEAR(found.from, numbers, numbers * 1e-6) << shards;
    EXPECT_NEAR(found.to, numbers + 2 * all_ids, numbers * 1e-6) << shards;  // ids go there for the rows, too
  }
}

// Nine of ten look-ups are in the first shard: so are nine tenths of the bytes of its server.
TEST(LookUps, ST24_AShardThatIsAskedMoreSendsMore) {
  constexpr double numbers = rows * ids * width * 4.0;
  const plan::Plan plan = lowered(recommender(), 2, 2, 1, [](std::int64_t first, std::int64_t, std::int64_t) {
    return first == 0 ? 0.9 : 0.1;
  });
  std::map<std::string, double> from;
  for (const plan::Node& node : plan.nodes) {
    const auto* move = std::get_if<plan::Move>(&node.action);
    if (move != nullptr && is_server(plan, move->source))
      from[plan.devices[index(plan.buffer(move->source.buffer).device)].name] +=
          static_cast<double>(payload(node).count());
  }
  EXPECT_NEAR(from["ps:0"], 0.9 * numbers, numbers * 1e-6);
  EXPECT_NEAR(from["ps:1"], 0.1 * numbers, numbers * 1e-6);
}

// Two GPUs of a worker look their rows up apart, and their host sends the gradients of both behind each other.
TEST(LookUps, G5_TheReplicasOfAWorkerSendTheirGradientsTogether) {
  constexpr double numbers = rows * ids * width * 4.0;
  const plan::Plan plan = lowered(recommender(), 1, 1, 2);
  EXPECT_NEAR(sent(plan).from, 2 * numbers, numbers * 1e-6);
  std::vector<double> pushes;
  for (const plan::Node& node : plan.nodes) {
    const auto* move = std::get_if<plan::Move>(&node.action);
    if (move != nullptr && node.role.purpose == plan::Purpose::push && is_server(plan, move->target))
      pushes.push_back(static_cast<double>(payload(node).count()));
  }
  EXPECT_EQ(std::ranges::max(pushes), 2 * numbers);
}

// Plain gradient descent needs nothing of the table's size beside the table.
TEST(LookUps, ST24_EachServerHoldsItsShardsAndLittleElse) {
  const plan::Plan plan = lowered(recommender(), 4, 4, 1);
  constexpr double shard = table_rows / 4 * width * 4.0;
  for (const plan::Device& device : plan.devices) {
    const double arena = static_cast<double>(device.arena.count());
    if (device.name.starts_with("ps:"))
      EXPECT_NEAR(arena, shard, shard * 0.01) << device.name;
    else
      EXPECT_LT(arena, shard * 0.01) << device.name;
  }
}

// 100 shards are more than one split has parts.
TEST(LookUps, ST24_AVariableHasNoMoreShardsThanRows) {
  const Step step = with_shards(recommender(), model::partition_by(model::FixedShardsPartitioner{100}));
  EXPECT_EQ(step.variables.size(), 100U);
  EXPECT_EQ(step.variables.back().name, "table/part_99");
  std::int64_t all = 0;
  for (const StepVariable& variable : step.variables) all += step.program.spec(variable.value).shape[0];
  EXPECT_EQ(all, table_rows);
  const Step small = trace("train", [](Trace& trace) {
    const Symbol w = trace.variable("w", floats({3, 2}));
    trace.result("sum", reduce_sum(w));
    trace.update(w, w * 2.0);
  });
  EXPECT_EQ(with_shards(small, model::partition_by(model::FixedShardsPartitioner{100})).variables.size(), 3U);
}

}  // namespace
}  // namespace wt::strategy
