// Claims: what a training without common steps takes, and how stale its updates are, is what a pencil says;
// and executing the nodes in the order of their effects computes, bit for bit, what a sequential replay of
// the versions that were read and written computes.

#include "timing/pool.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "base/id.h"
#include "base/json.h"
#include "device/cpu/cpu_queue.h"
#include "platform/load.h"
#include "simulate/simulate.h"
#include "strategy/look_ups.h"
#include "strategy/several_replicas.h"
#include "strategy/shards.h"
#include "strategy/variable_servers.h"
#include "support/folder.h"
#include "timing/server_cluster.h"
#include "train/closures.h"
#include "train/state.h"

namespace wt {
namespace {

using platform::Platform;
using test::Cluster;
using test::Replay;
using test::towards;

// Each closure moves the rows that it looks up towards its input: row = row - (row - x) / 4, for as many ids
// as name the row.
Step towards_in_table() {
  return trace("train", [](Trace& trace) {
    const Symbol ids = trace.input("argument 0", {Type::int32, {6}});
    const Symbol x = trace.input("argument 1", test::floats({6, 2}));
    const Symbol table = trace.variable("table", test::floats({7, 2}));
    const Symbol loss = reduce_sum(square(embedding(ids, table) - x));
    std::vector<Symbol> gradients = trace.gradient(loss, {{table}});
    trace.in_scope("optimizer", [&] {
      gradients[0] = all_reduce(gradients[0], Reduction::sum);
      apply_sgd({table}, {}, gradients, fill(trace, test::floats({}), 0.125), {});
    });
    trace.result("result 0", loss);
  });
}

std::map<std::int32_t, std::vector<std::int32_t>> staleness_by_worker(const timing::PlayedPool& played) {
  std::map<std::int32_t, std::vector<std::int32_t>> all;
  for (const timing::Update& update : timing::updates_of(played))
    all[played.timeline.closures[static_cast<std::size_t>(update.closure)].worker].push_back(
        update.staleness);
  return all;
}

// A worker of 1 s and one of 2.5 s, three variables. The fast one ends at 1, 2, 3, 4, 5 s, the slow one at
// 2.5 and 5 s: it finds two updates of the fast one, whose closure from 2 s to 3 s in turn finds the slow
// one's.
TEST(Servers, G19_StalenessIsWhatTheTimesOfTheWorkersMakeIt) {
  const Cluster cluster(2, 1);
  const timing::PlayedPool played = cluster.played({.compute = {1, 2.5}}, 6);
  auto staleness = staleness_by_worker(played);
  const std::vector<std::int32_t> fast{0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0}, slow{2, 2, 2};
  EXPECT_EQ(std::vector(staleness[0].begin(), staleness[0].begin() + 12), fast);
  EXPECT_EQ(std::vector(staleness[1].begin(), staleness[1].begin() + 3), slow);
}

// The same with a table, whose rows are read when they are looked up.
TEST(Servers, G19_ALookUpReadsItsTable) {
  const Cluster cluster(2, 1, strategy::with_look_ups_at_tables(towards_in_table(), 1));
  auto staleness = staleness_by_worker(cluster.played({.compute = {1, 2.5}}, 6));
  EXPECT_EQ(staleness[1].front(), 2);
}

// Doubling the slow worker's compute doubles what others do meanwhile: it ends at 5 s and finds four updates.
TEST(Servers, G19_AWorkerThatIsTwiceAsSlowIsTwiceAsStale) {
  const Cluster cluster(2, 1);
  const timing::PlayedPool played = cluster.played({.compute = {1, 4.5}}, 6);
  EXPECT_EQ(staleness_by_worker(played)[1].front(), 4);
}

// Two machines whose links carry 100 GB/s, and one whose link carries `bandwidth`.
Platform with_server_link(std::string_view bandwidth) {
  const test::TestFolder folder;
  for (const auto& [name, link] :
       {std::pair<std::string, std::string_view>{"worker", "100 GB/s"}, {"server", bandwidth}})
    folder.write(name + ".json", fmt::format(R"({{"source": "made up", "machine": {{
      "devices": {{"type": "epyc_7742"}}, "hosts": {{"type": "epyc_7742"}},
      "pcie": {{"bandwidth": "900 GB/s", "latency": "1 us"}}, "nics": {{"bandwidth": "{}", "latency": "1 us"}}}}}})",
                                             link));
  const std::string text =
      fmt::format(R"({{"source": "made up", "network": {{"type": "switch"}}, "machines": [
      {{"file": "{0}/worker.json", "count": 2}}, {{"file": "{0}/server.json", "count": 1}}]}})",
                  folder.path().string());
  return platform::from_json(json::parse(text, "made up")).platform;
}

// A fast worker of 1 s and a slow one of 6.3 s, one variable. A push takes 0.25 s: the fast worker's updates
// are at 1.25, 2.5, 3.75, 5 and 6.25 s, the slow one's is at 6.55 s and finds all five, and the closure that
// the fast worker began at 6.25 s finds the slow one's. With half of the server's bandwidth a push takes 0.5 s:
// updates are at 1.5, 3, 4.5 and 6 s, and the slow worker's at 6.8 s finds four. The fast worker's closure
// from 6 s to 7.5 s finds that one, and is found by the slow worker's second closure, which begins at 6.8 s.
TEST(Servers, G19_HalvingTheServersLinkMovesTheStalenessAsComputedByHand) {
  Cluster cluster(2, 1, towards(1));
  const auto histogram = [&](std::string_view bandwidth) {
    cluster.platform = with_server_link(bandwidth);
    std::vector<std::int64_t> counts;
    for (const timing::Update& update :
         timing::updates_of(cluster.played({.compute = {1, 6.3}, .push = 0.25}, 7))) {
      const auto staleness = static_cast<std::size_t>(update.staleness);
      counts.resize(std::max(counts.size(), staleness + 1));
      ++counts[staleness];
    }
    return counts;
  };
  EXPECT_EQ(histogram("100 GB/s"), (std::vector<std::int64_t>{5, 1, 0, 0, 0, 1}));
  EXPECT_EQ(histogram("50 GB/s"), (std::vector<std::int64_t>{4, 2, 0, 0, 1}));
}

// Three equal workers: the server updates one variable after the other, 3 x 0.1 s a closure, and the workers
// fall into line behind it. Each then finds the updates of the two others.
TEST(Servers, G19_EqualWorkersAreAsStaleAsThereAreOthers) {
  const Cluster cluster(3, 1);
  const timing::PlayedPool played = cluster.played({.compute = {2, 2, 2}, .update = 0.1}, 30);
  const std::vector<timing::Update> updates = timing::updates_of(played);
  for (std::size_t i = 30; i < updates.size(); ++i) EXPECT_EQ(updates[i].staleness, 2) << i;
}

TEST(Servers, ST21_OneClosureAtATimeIsDispatched) {
  const Cluster cluster(3, 1);
  const plan::PoolTimeline timeline = cluster.play({.compute = {1, 1, 1}}, 6, 0.25);
  const std::vector<double> ends{1.25, 1.5, 1.75, 2.5, 2.75, 3.0};
  for (std::size_t i = 0; i < ends.size();
       ++i)  // messages without bytes take a latency of a few microseconds
    EXPECT_NEAR(timeline.closures[i].end.count(), ends[i], 1e-5) << i;
  // Ten workers would be bound by it: 4 closures a second, whatever they compute.
  const plan::PoolTimeline bound = Cluster(10, 1).play({.compute = std::vector<double>(10, 1.0)}, 50, 0.25);
  EXPECT_NEAR(bound.end.count(), 50 * 0.25 + 1, 1e-5);
}

// Closed form: ten workers of 1 s are bound by a dispatch of 0.25 s, and k steps a dispatch make it k times
// as fast, until a worker's own steps take longer: k = 4 has 10 workers / (0.25 + 4 x 1 s) x 4 steps a
// second.
TEST(Servers, ST21_SeveralStepsADispatchRelieveTheCoordinator) {
  const Cluster cluster(10, 1);
  const auto interval = [&](std::int64_t at_once) {
    const timing::PoolOptions options{.workers = cluster.devices_of_workers(),
                                      .closures = 400,
                                      .dispatch = Seconds(0.25),
                                      .at_once = at_once};
    const timing::PlayedPool played =
        cluster.played({.compute = std::vector<double>(10, 1.0)}, options.closures, 0.25, at_once);
    const timing::PlayedPool alone = Cluster(1, 1).played({.compute = {1.0}}, at_once, 0.25, at_once);
    const timing::PoolTime time = timing::summary_of(played, alone, options);
    EXPECT_NEAR(time.coordinator, 0.25 / static_cast<double>(at_once) / time.interval.count(), 1e-12);
    return time.interval.count();
  };
  EXPECT_NEAR(interval(1), 0.25, 1e-4);
  EXPECT_NEAR(interval(2), 0.125, 1e-4);
  EXPECT_NEAR(interval(4), (0.25 + 4) / 40, 1e-2 * (0.25 + 4) / 40);
}

// Closed forms. Ten workers of 1 s with a dispatch of 0.25 s: the coordinator alone would let a closure end
// every 0.25 s, and workers that are busy for 1.25 s every 0.125 s. They get one every 2.5 s, so 5 of 10 are
// busy. In the beginning the last of them waits behind 9 others. All but the first ten wait for 1.25 s each
// time.
TEST(Servers, G19_TheLargestLimitBoundsAndTheOthersWait) {
  const Cluster cluster(10, 1);
  const timing::PoolOptions options{
      .workers = cluster.devices_of_workers(), .closures = 400, .dispatch = Seconds(0.25)};
  const timing::PlayedPool alone = Cluster(1, 1).played({.compute = {1.0}}, 1, 0.25);
  const timing::PoolTime time = timing::summary_of(
      cluster.played({.compute = std::vector<double>(10, 1.0)}, 400, 0.25), alone, options);
  EXPECT_EQ(time.bottleneck(), "the coordinator");
  EXPECT_NEAR(time.limits[0].alone.count(), 0.25, 1e-4);
  EXPECT_EQ(time.limits[1].name, "the workers");
  EXPECT_NEAR(time.limits[1].alone.count(), 0.125, 1e-4);
  EXPECT_NEAR(time.waiting_workers, 5, 0.01);
  EXPECT_EQ(time.queues[0].name, "the coordinator");
  EXPECT_NEAR(time.queues[0].mean, (0.25 * 45 + 390 * 1.25) / (400 * 0.25 + 1), 0.01);
  EXPECT_EQ(time.queues[0].longest, 9);
}

// A closure's three updates of 0.1 s come together, and the server applies one after the other: one waits for
// 0.1 s and one for 0.2 s in each closure of 1.3 s. With three workers of 0.2 s the server's 0.3 s a closure
// bound, a worker is busy for 0.5 s of every 0.9 s, and at most two closures wait behind another.
TEST(Servers, G19_UpdatesQueueAtTheirServer) {
  const Cluster one(1, 1);
  const timing::PlayedPool alone = one.played({.compute = {1}, .update = 0.1}, 30);
  const timing::PoolTime single = timing::summary_of(alone, one.played({.compute = {1}, .update = 0.1}, 1),
                                                     {.workers = one.devices_of_workers()});
  EXPECT_EQ(single.bottleneck(), "the workers");
  EXPECT_NEAR(single.waiting_workers, 0, 1e-3);
  EXPECT_EQ(single.queues.at(0).name, "the CPU of ps:0");
  EXPECT_NEAR(single.queues[0].mean, 0.3 / 1.3, 1e-3);
  EXPECT_EQ(single.queues[0].longest, 2);

  const Cluster three(3, 1);
  const timing::PoolTime time = timing::summary_of(
      three.played({.compute = {0.2, 0.2, 0.2}, .update = 0.1}, 300),
      one.played({.compute = {0.2}, .update = 0.1}, 1), {.workers = three.devices_of_workers()});
  EXPECT_EQ(time.bottleneck(), "the CPU of ps:0");
  EXPECT_NEAR(time.limits[0].alone.count(), 0.3, 1e-3);
  EXPECT_NEAR(time.limits[1].alone.count(), 0.5 / 3, 1e-3);
  EXPECT_NEAR(time.waiting_workers, 3 - 0.5 / 0.3, 0.01);
}

// Three workers of 2 s. Joined after each closure, they take turns, and no update is stale. Joined after four, one
// worker executes two and the others wait for it; after three, nobody waits. After many, a round has the steady
// interval, and what the last closures of a round leave idle: 4,000 of them, of which 300 are played, take 1,333
// turns of three and one more turn for the last.
TEST(Servers, ST21_JoinsBoundAsTheirRoundsDo) {
  const Cluster three(3, 1);
  const timing::PlayedPool alone = Cluster(1, 1).played({.compute = {2}}, 1);
  const auto joined = [&](std::int64_t join_every, std::int64_t closures) {
    return timing::summary_of(three.played({.compute = {2, 2, 2}}, closures, 0, 1, join_every), alone,
                              {.workers = three.devices_of_workers(), .join_every = join_every});
  };
  const timing::PoolTime turns = joined(1, 60);
  EXPECT_NEAR(turns.interval.count(), 2, 1e-4);
  EXPECT_EQ(turns.bottleneck(), "the joins of the coordinator");
  EXPECT_NEAR(turns.limits[0].alone.count(), 2, 1e-4);
  EXPECT_NEAR(turns.waiting_workers, 2, 1e-3);
  EXPECT_EQ(turns.mean_staleness, 0);

  EXPECT_NEAR(joined(4, 60).interval.count(), 4.0 / 4, 1e-4);
  EXPECT_NEAR(joined(4, 60).limits[0].alone.count(), 1, 1e-4);
  EXPECT_NEAR(joined(3, 60).interval.count(), 2.0 / 3, 1e-4);
  EXPECT_EQ(joined(3, 60).bottleneck(), "the workers");
  EXPECT_NEAR(joined(4000, 300).interval.count(), 2 * 1334.0 / 4000, 1e-3);
}

// What TensorFlow's version 1 does: no program dispatches, so each worker takes its next step at once.
TEST(Servers, ST19_WorkersWithLoopsOfTheirOwnNeverWaitForADispatch) {
  const plan::PoolTimeline timeline = Cluster(3, 1).play({.compute = {1, 1, 1}}, 9);
  for (std::size_t i = 0; i < 9; ++i)
    EXPECT_NEAR(timeline.closures[i].end.count(), static_cast<double>(1 + i / 3), 1e-4) << i;  // latencies
}

TEST(Servers, G8_NumbersAreThoseOfASequentialReplayOfTheVersions) {
  constexpr std::int64_t closures = 12;  // 24 bits hold all quarters
  // Without a dispatch it is version 1 of the strategy.
  struct Case {
    int workers = 1, servers = 1;
    double dispatch = 0;
    std::int64_t at_once = 1;
  };
  for (const auto& [workers, servers, dispatch, at_once] : std::vector<Case>{
           {1, 1}, {2, 1}, {3, 2}, {8, 3}, {3, 2, 0.3}, {8, 3, 0.1}, {2, 1, 0.3, 2}, {3, 2, 0.1, 4}}) {
    const Cluster cluster(workers, servers);
    std::vector<double> compute;
    for (int i = 0; i < workers; ++i) compute.push_back(1 + 0.37 * i);
    const timing::PlayedPool played =
        cluster.played({.compute = compute, .pull = 0.05, .update = 0.2}, closures, dispatch, at_once);
    std::vector<std::vector<float>> inputs;
    for (std::int64_t closure = 0; closure < closures; ++closure) {
      inputs.emplace_back();
      for (int i = 0; i < 8; ++i) inputs.back().push_back(static_cast<float>((closure * 7 + i * 3) % 11 - 5));
    }
    train::State state(1);
    for (int i = 0; i < 3; ++i)
      state.add({{.name = fmt::format("w{}", i), .spec = test::floats({8}), .initializer = {}}});
    for (int i = 0; i < 3; ++i) state.write(fmt::format("w{}", i), Tensor::zeros(test::floats({8})));
    device::Workers threads(2);
    device::CpuQueue queue(threads);
    {
      train::ClosureExecution execution({&played.pooled, &played.timeline}, 1, state, queue);
      std::map<std::int32_t, std::size_t> next;
      std::vector<std::vector<std::size_t>> of_worker(static_cast<std::size_t>(workers));
      for (std::size_t i = 0; i < played.timeline.closures.size(); ++i)
        of_worker[static_cast<std::size_t>(played.timeline.closures[i].worker)].push_back(i);
      execution.run(
          [&](std::int32_t worker) {
            const std::size_t closure = of_worker[static_cast<std::size_t>(worker)][next[worker]++];
            return train::PerReplica{{Tensor::of<float>({8}, inputs[closure])}};
          },
          [](std::int32_t, const train::PerReplica&) { return true; });
    }
    const Replay replay(cluster, played, inputs);
    for (std::size_t i = 0; i < 3; ++i) {
      const Tensor found = state.read(fmt::format("w{}", i));
      EXPECT_TRUE(std::ranges::equal(found.values<float>(), replay.weights(i)))
          << workers << " workers, " << servers << " servers, variable " << i;
    }
  }
}

// The table's replay. A closure reads the rows of a shard when it looks them up there, and computes with what
// it has read.
class TableReplay {
 public:
  struct Batch {
    std::vector<std::int32_t> ids{};
    std::vector<float> x{};
  };
  TableReplay(const Cluster& cluster, const timing::PlayedPool& played, const std::vector<Batch>& batches)
      : plan_(cluster.pooled.plan), table_(14) {
    std::int64_t first = 0;
    for (const StepVariable& variable : cluster.step.variables) {
      first_[variable.name] = first;
      first += rows_[variable.name] = cluster.step.program.spec(variable.value).shape[0];
    }
    for (const plan::Occurrence& each : played.timeline.occurrences) {
      const auto* run = std::get_if<plan::Run>(&plan_.node(each.node).action);
      if (run == nullptr) continue;
      const auto closure = static_cast<std::size_t>(each.closure);
      if (run->kernel->name == "embedding") read_[{closure, name(run->inputs[1])}] = table_;
      if (run->kernel->name == "sgd_update_rows") update(closure, name(run->outputs[0]), batches[closure]);
    }
  }
  const std::vector<float>& table() const { return table_; }

 private:
  std::string name(const plan::Operand& operand) const { return plan_.buffer(operand.buffer).name; }

  void update(std::size_t closure, const std::string& shard, const Batch& batch) {
    const std::vector<float>& old = read_.at({closure, shard});
    for (std::size_t i = 0; i < batch.ids.size(); ++i) {
      const std::int64_t id = batch.ids[i];
      if (id < first_.at(shard) || id >= first_.at(shard) + rows_.at(shard)) continue;
      for (std::size_t c = 0; c < 2; ++c) {
        const std::size_t at = static_cast<std::size_t>(id) * 2 + c;
        table_[at] -= 0.25F * (old[at] - batch.x[i * 2 + c]);
      }
    }
  }

  const plan::Plan& plan_;
  std::vector<float> table_;
  std::map<std::string, std::int64_t> first_{}, rows_{};
  std::map<std::pair<std::size_t, std::string>, std::vector<float>> read_{};
};

TEST(Servers, ST24_LookUpsReadTheVersionThatTheServerHas) {
  constexpr std::size_t closures = 10;
  std::vector<TableReplay::Batch> batches(closures);
  for (std::size_t closure = 0; closure < closures; ++closure)
    for (std::size_t i = 0; i < 6; ++i) {
      batches[closure].ids.push_back(static_cast<std::int32_t>((closure * 5 + i * i) % 7));
      for (std::size_t c = 0; c < 2; ++c)
        batches[closure].x.push_back(static_cast<float>((closure * 7 + i * 3 + c) % 11) - 5);
    }
  for (const auto& [workers, servers, shards] :
       std::vector<std::array<int, 3>>{{1, 1, 1}, {2, 1, 1}, {3, 2, 3}, {8, 3, 7}}) {
    const Cluster cluster(
        workers, servers,
        strategy::with_look_ups_at_tables(
            strategy::with_shards(towards_in_table(),
                                  model::partition_by(model::FixedShardsPartitioner{shards})),
            1));
    std::vector<double> compute;
    for (int i = 0; i < workers; ++i) compute.push_back(1 + 0.37 * i);
    const timing::PlayedPool played = cluster.played({.compute = compute, .update = 0.2}, closures);
    train::State state(1);
    state.add({{.name = "table", .spec = test::floats({7, 2}), .initializer = {}}});
    state.write("table", Tensor::zeros(test::floats({7, 2})));
    device::Workers threads(2);
    device::CpuQueue queue(threads);
    {
      train::ClosureExecution execution({&played.pooled, &played.timeline}, 1, state, queue);
      std::vector<std::vector<std::size_t>> of_worker(static_cast<std::size_t>(workers));
      for (std::size_t i = closures; i-- > 0;)
        of_worker[static_cast<std::size_t>(played.timeline.closures[i].worker)].push_back(i);
      execution.run(
          [&](std::int32_t worker) {
            std::vector<std::size_t>& left = of_worker[static_cast<std::size_t>(worker)];
            const TableReplay::Batch& batch = batches[left.back()];
            left.pop_back();
            return train::PerReplica{
                {Tensor::of<std::int32_t>({6}, batch.ids), Tensor::of<float>({6, 2}, batch.x)}};
          },
          [](std::int32_t, const train::PerReplica&) { return true; });
    }
    const TableReplay replay(cluster, played, batches);
    const Tensor found = state.read("table");
    EXPECT_TRUE(std::ranges::equal(found.values<float>(), replay.table()))
        << workers << " workers, " << servers << " servers, " << shards << " shards";
  }
}

// As TensorFlow 2.15 places them (recording servers_placement_1_3_min5, without its shards).
TEST(Servers, ST20_VariablesAreOnServersInTurn) {
  const Step step = towards(3);
  EXPECT_EQ(strategy::in_turn(step, 1), (std::vector<std::size_t>{0, 0, 0}));
  EXPECT_EQ(strategy::in_turn(step, 2), (std::vector<std::size_t>{0, 1, 0}));
  EXPECT_EQ(strategy::in_turn(step, 8), (std::vector<std::size_t>{0, 1, 2}));
}

}  // namespace
}  // namespace wt
