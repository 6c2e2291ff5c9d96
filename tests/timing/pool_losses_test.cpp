// Claims: whenever workers of a pool are lost, every closure is completed exactly once or reported as never executed;
// nothing takes effect twice without being counted; and the numbers are those of a replay of what took effect.

#include "timing/pool_losses.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/json.h"
#include "base/random.h"
#include "device/cpu/cpu_queue.h"
#include "timing/server_cluster.h"
#include "train/closures.h"
#include "train/state.h"

namespace wt {
namespace {

using plan::Absence;
using test::Cluster;

// What a run of the closures computed, and which batches it read.
struct Numbers {
  std::map<std::string, std::vector<float>> variables{};
  std::vector<std::int32_t> completed{};  // executions, in the order of their results
  double sum_of_results = 0;
  std::map<std::int32_t, std::vector<std::int64_t>> read{};  // by worker, the numbers of its batches
  std::map<std::int32_t, std::vector<std::int64_t>>
      read_before{};  // by worker, what it had read when it came back
};

// Batch i of each worker is numbers[i].
Numbers compute(const Cluster& cluster, const timing::PlayedPool& played,
                const std::vector<std::vector<float>>& numbers) {
  train::State state(1);
  for (const StepVariable& variable : cluster.step.variables) {
    const TensorSpec spec = cluster.step.program.spec(variable.value);
    state.add({{.name = variable.name, .spec = spec, .initializer = {}}});
    state.write(variable.name, Tensor::zeros(spec));
  }
  device::Workers threads(2);
  device::CpuQueue queue(threads);
  Numbers found;
  {
    train::ClosureExecution execution({&played.pooled, &played.timeline}, 1, state, queue);
    std::map<std::int32_t, std::int64_t> next;
    execution.run(
        [&](std::int32_t worker) {
          const std::int64_t batch = next[worker]++;
          found.read[worker].push_back(batch);
          return train::PerReplica{{Tensor::of<float>({8}, numbers[static_cast<std::size_t>(batch)])}};
        },
        [&](std::int32_t closure, const train::PerReplica& results) {
          found.completed.push_back(closure);
          found.sum_of_results += results.front().front().values<float>().front();
          return true;
        },
        [&](std::int32_t worker) {
          found.read_before[worker].push_back(next[worker]);
          next[worker] = 0;
        });
  }
  for (const StepVariable& variable : cluster.step.variables) {
    const Tensor tensor = state.read(variable.name);
    const auto values = tensor.values<float>();
    found.variables[variable.name].assign(values.begin(), values.end());
  }
  return found;
}

// Each closure adds 1 to each element of each variable.
Step counting(int variables) {
  return trace("train", [&](Trace& trace) {
    const Symbol x = trace.input("argument 0", test::floats({8}));
    std::vector<Symbol> all, gradients;
    for (int i = 0; i < variables; ++i)
      all.push_back(trace.variable(fmt::format("w{}", i), test::floats({8})));
    for (const Symbol& variable : all) gradients.push_back((variable - variable) - 1.0);
    trace.in_scope("optimizer", [&] {
      for (Symbol& gradient : gradients) gradient = all_reduce(gradient, Reduction::sum);
      apply_sgd(all, {}, gradients, fill(trace, test::floats({}), 1.0), {});
    });
    trace.result("result 0", reduce_sum(x));
  });
}

std::vector<std::vector<float>> batches(std::size_t count) {
  std::vector<std::vector<float>> all(count, std::vector<float>(8));
  for (std::size_t batch = 0; batch < count; ++batch)
    for (std::size_t i = 0; i < 8; ++i) all[batch][i] = static_cast<float>((batch * 7 + i * 3) % 11) - 5;
  return all;
}

// A pool of workers that drift apart, and moments between 0 and the end of a pool without losses.
struct Trial {
  int workers = 1, servers = 1;
  plan::Pool pool{};
};

std::string describe(const Trial& trial) {
  std::string text =
      fmt::format("{} workers, {} servers, dispatch {} of {}, joins of {}:", trial.workers, trial.servers,
                  trial.pool.dispatch.count(), trial.pool.at_once, trial.pool.join_every);
  for (const Absence& absence : trial.pool.absences)
    text += fmt::format(" {} from {} to {}", absence.worker, absence.from.count(),
                        absence.until ? absence.until->count() : -1);
  return text;
}

Cluster::Times times_of(int workers) {
  Cluster::Times times{.pull = 0.05, .update = 0.2};
  for (int i = 0; i < workers; ++i) times.compute.push_back(1 + 0.37 * i);
  return times;
}

void expect_each_closure_once(const timing::PlayedPool& played, std::int64_t closures) {
  std::vector<int> completed(static_cast<std::size_t>(closures));
  for (const plan::Closure& closure : played.timeline.closures)
    if (!closure.lost) ++completed.at(static_cast<std::size_t>(closure.number));
  EXPECT_EQ(std::ranges::count(completed, 1), closures - played.timeline.never_executed);
  EXPECT_EQ(std::ranges::count(completed, 0), played.timeline.never_executed);
}

// A worker begins nothing while it is away, and completes nothing in that time.
void expect_nothing_of_an_absent_worker(const timing::PlayedPool& played) {
  for (const Absence& absence : played.timeline.absences)
    for (const plan::Closure& closure : played.timeline.closures) {
      if (closure.worker != absence.worker) continue;
      const Seconds until = absence.until.value_or(Seconds(1e9));
      EXPECT_FALSE(closure.taken > absence.from && closure.taken < until) << closure.taken.count();
      EXPECT_FALSE(!closure.lost && closure.end > absence.from && closure.end < until) << closure.end.count();
      EXPECT_FALSE(!closure.lost && closure.taken < absence.from && closure.end > absence.from);
    }
}

void expect_the_counts(const Trial& trial, const timing::PlayedPool& played, const Numbers& numbers,
                       std::size_t variables) {
  const timing::PoolLosses losses = timing::losses_of(played);
  EXPECT_EQ(losses.closures, trial.pool.closures - losses.never_executed);
  EXPECT_EQ(std::ssize(numbers.completed), losses.closures);
  double updates = 0;
  for (const auto& [name, values] : numbers.variables) {
    EXPECT_EQ(values, std::vector<float>(8, values.front())) << name;
    updates += values.front();
  }
  EXPECT_EQ(updates, static_cast<double>(losses.closures) * static_cast<double>(variables) +
                         static_cast<double>(losses.updates));
  std::int64_t read = 0;
  for (const auto& [worker, all] : numbers.read) read += std::ssize(all);
  EXPECT_EQ(read, losses.closures + losses.batches);
}

std::vector<Trial> trials() {
  std::vector<Trial> all;
  PhiloxStream stream = stream_of({26, 4});
  std::uint64_t block = 0;
  const auto drawn = [&] { return static_cast<double>(stream.block(block++)[0]) / 4'294'967'296.0; };
  for (const int workers : {1, 2, 3, 8})
    for (const int servers : {1, 2, 3, 4})
      for (int kind = 0; kind < 8; ++kind) {
        Trial trial{.workers = workers, .servers = servers, .pool = {.closures = 24}};
        if (kind % 2 == 1) trial.pool.dispatch = Seconds(0.1);
        if (kind >= 4) trial.pool.at_once = 1 + kind % 3;
        if (kind >= 6) trial.pool.join_every = 5;
        const double end = 24 * 2.0 / workers;
        const auto lose = [&](int worker, double from, double away) {
          Absence absence{.worker = worker % workers, .from = Seconds(from)};
          if (away > 0) absence.until = absence.from + Seconds(away);
          trial.pool.absences.push_back(absence);
        };
        switch (kind) {
          case 0:  // before the first closure
            lose(0, 0, 1 + drawn());
            break;
          case 1:
          case 4:  // in the middle
            lose(workers - 1, end * drawn(), 3 * drawn() + 0.1);
            break;
          case 2:  // at the end
            lose(workers - 1, end * (0.9 + 0.1 * drawn()), 1);
            break;
          case 3:
          case 6:  // twice, and again before the worker is back
            lose(1, end * 0.3 * drawn(), 2), lose(1, end * (0.3 + 0.3 * drawn()), 2);
            lose(1, trial.pool.absences.back().from.count() + 1, 2);
            break;
          case 5:  // several at once
            for (int worker = 0; worker < workers; worker += 2) lose(worker, end / 3, 1 + drawn());
            break;
          default:  // all of them, one after the other, for ever
            for (int worker = 0; worker < workers; ++worker) lose(worker, end * drawn(), 0);
        }
        all.push_back(std::move(trial));
      }
  return all;
}

TEST(ST22, EachClosureIsCompletedOnceAndWhatTookEffectTwiceIsCounted) {
  std::int64_t lost = 0, twice = 0, never = 0;
  for (const Trial& trial : trials()) {
    SCOPED_TRACE(describe(trial));
    const Cluster cluster(trial.workers, trial.servers, counting(3));
    const timing::PlayedPool played{.pooled = cluster.pooled,
                                    .timeline = cluster.play(times_of(trial.workers), trial.pool)};
    expect_each_closure_once(played, trial.pool.closures);
    expect_nothing_of_an_absent_worker(played);
    expect_the_counts(trial, played, compute(cluster, played, batches(60)), 3);
    const timing::PoolLosses losses = timing::losses_of(played);
    lost += losses.executions, twice += losses.updates, never += losses.never_executed;
  }
  EXPECT_GT(lost, 60);
  EXPECT_GT(twice, 10);
  EXPECT_GT(never, 10);
}

TEST(ST22, NumbersWithLostWorkersAreThoseOfAReplayOfWhatTookEffect) {
  for (const Trial& trial : trials()) {
    if (trial.pool.at_once > 1) continue;
    SCOPED_TRACE(describe(trial));
    plan::Pool pool = trial.pool;
    pool.closures = 10;  // 24 bits hold all quarters
    const Cluster cluster(trial.workers, trial.servers);
    const timing::PlayedPool played{.pooled = cluster.pooled,
                                    .timeline = cluster.play(times_of(trial.workers), pool)};
    const Numbers numbers = compute(cluster, played, batches(60));
    EXPECT_EQ(numbers.variables, compute(cluster, played, batches(60)).variables);
    // The batch of each execution that read one, in the order of the worker's executions.
    std::vector<std::vector<float>> inputs(played.timeline.closures.size());
    std::map<std::int32_t, std::size_t> next;
    std::vector<bool> has_read(inputs.size());
    for (const plan::Occurrence& each : played.timeline.occurrences) {
      const auto closure = static_cast<std::size_t>(each.closure);
      if (has_read[closure]) continue;
      has_read[closure] = true;
      const std::int32_t worker = played.timeline.closures[closure].worker;
      inputs[closure] = batches(60)[static_cast<std::size_t>(numbers.read.at(worker)[next[worker]++])];
    }
    const test::Replay replay(cluster, played, inputs);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_EQ(numbers.variables.at(fmt::format("w{}", i)), replay.weights(i)) << i;
  }
}

// Worker 0 of 1 s is away from 2.5 s to 4 s: it has read three batches, of which the third was that of the lost
// closure, and reads the first one again.
TEST(ST22, AWorkerThatIsBackReadsItsDatasetFromTheBeginning) {
  const Cluster cluster(2, 1);
  const timing::PlayedPool played{
      .pooled = cluster.pooled,
      .timeline =
          cluster.play({.compute = {1, 1.6}}, {.closures = 8, .absences = {{0, Seconds(2.5), Seconds(4)}}})};
  const Numbers numbers = compute(cluster, played, batches(20));
  EXPECT_EQ(numbers.read.at(0), (std::vector<std::int64_t>{0, 1, 2, 0, 1}));
  EXPECT_EQ(numbers.read.at(1), (std::vector<std::int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(numbers.read_before.at(0), (std::vector<std::int64_t>{3}));
  const timing::PoolLosses losses = timing::losses_of(played);
  EXPECT_EQ(losses.executions, 1);
  EXPECT_EQ(losses.batches, 1);
  EXPECT_EQ(losses.updates, 0);
  EXPECT_EQ(losses.away, Seconds(1.5));
}

// Three updates of 0.2 s follow the kernel of 1 s. Worker 0 is lost at 1.3 s, when its first update has been made and
// its second one has begun: both take effect, and worker 1 makes all three again.
TEST(ST22, UpdatesOfALostClosureStayMade) {
  const Cluster cluster(2, 1, counting(3));
  const timing::PlayedPool played{
      .pooled = cluster.pooled,
      .timeline = cluster.play({.compute = {1, 2}, .update = 0.2},
                               {.closures = 2, .absences = {{0, Seconds(1.3), {}}}})};
  const timing::PoolLosses losses = timing::losses_of(played);
  EXPECT_EQ(losses.updates, 2);
  const Numbers numbers = compute(cluster, played, batches(4));
  std::vector<float> values;
  for (const auto& [name, all] : numbers.variables) values.push_back(all.front());
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0.F), 3 + 3 + 2);
  EXPECT_NEAR(played.timeline.end.count(), 2 * 2.6, 1e-4);
}

// A loss after so many closures comes when these have ended, which a play without it says. Of losses at once, each
// finds the others.
TEST(ST22, ALossAfterSoManyClosuresComesWhenTheseHaveEnded) {
  const Cluster cluster(3, 2);
  const Cluster::Times times{.compute = {1, 1.7, 2.9}, .update = 0.1};
  plan::Pool queue{.closures = 30};
  int plays = 0;
  const auto play = [&](std::vector<Absence> absences) {
    ++plays;
    queue.absences = std::move(absences);
    return cluster.play(times, queue);
  };
  const timing::PoolOptions options{.losses = {{.worker = 1, .closures = 20},
                                               {.worker = 0, .closures = 10, .back_after = Seconds(2)},
                                               {.worker = 1, .closures = 10, .back_after = Seconds(3)},
                                               {.worker = 2, .time = Seconds(1), .back_after = Seconds(1)},
                                               {.worker = 2, .closures = 31}}};
  const plan::PoolTimeline timeline = timing::play_with_losses(options, play);
  EXPECT_EQ(plays, 3);
  ASSERT_EQ(timeline.absences.size(), 4U);
  EXPECT_EQ(timeline.absences[1].from, timeline.absences[2].from);
  for (const auto& [absence, closures] : {std::pair(1, 10), std::pair(3, 20)}) {
    const Seconds from = timeline.absences[static_cast<std::size_t>(absence)].from;
    EXPECT_EQ(std::ranges::count_if(
                  timeline.closures,
                  [&](const plan::Closure& closure) { return !closure.lost && closure.end <= from; }),
              closures);
  }
}

// The program of the recordings: one closure, then 40 of which each returns 1 and adds 1 to a variable; worker 1 is
// killed after they were scheduled, and started again after 3 s.
TEST(ST22, AKilledWorkerLosesNoResultAsRecorded) {
  for (const char* version : {"keras2", "keras3"}) {
    const json::Value recording =
        json::parse_file(fmt::format("{}/timing/servers_killed_worker/{}.json", WT_TEST_DATA, version));
    const auto returned = [&](const char* name) {
      return recording.find("errors")->find(name)->find("returned")->string();
    };
    const Cluster cluster(2, 1, counting(1));
    for (const double after : {0.0, 0.3, 1.05, 2.6}) {
      const timing::PlayedPool played{
          .pooled = cluster.pooled,
          .timeline = cluster.play({.compute = {1, 1}, .update = 0.1},
                                   {.closures = 40, .absences = {{1, Seconds(after), Seconds(after + 3)}}})};
      const Numbers numbers = compute(cluster, played, std::vector(60, std::vector<float>(8, 0.125F)));
      EXPECT_EQ(fmt::format("{:.1f}", numbers.sum_of_results), returned("values"));
      EXPECT_EQ(1 + numbers.variables.at("w0").front() >= 41 ? "True" : "False", returned("at_least_once"));
    }
  }
}

// Recorded of TensorFlow 2.15 with three workers, of which 1 and 2 were killed at once: worker 1 was started after 3 s
// and worker 2 after 40 s, and both executed their next closure after 40 s, with the first batch of their datasets.
TEST(ST22, ACoordinatorTakesWorkersUpAgainWhenAllAreThere) {
  std::vector<Absence> given;
  const auto play = [&](std::vector<Absence> absences) {
    given = std::move(absences);
    return plan::PoolTimeline{};
  };
  const auto untils = [&](std::vector<timing::WorkerLoss> losses, bool together) {
    timing::play_with_losses({.losses = std::move(losses), .recover_together = together}, play);
    std::vector<double> all;
    for (const Absence& absence : given) all.push_back(absence.until ? absence.until->count() : -1);
    return all;
  };
  const std::vector<timing::WorkerLoss> recorded{
      {.worker = 1, .time = Seconds(2), .back_after = Seconds(3)},
      {.worker = 2, .time = Seconds(2), .back_after = Seconds(40)}};
  EXPECT_EQ(untils(recorded, true), (std::vector<double>{42, 42}));
  EXPECT_EQ(untils(recorded, false), (std::vector<double>{5, 42}));
  // A chain: worker 0 waits for worker 1, which is lost meanwhile, and both for worker 2. Worker 3 was back before.
  const std::vector<timing::WorkerLoss> chain{{.worker = 3, .time = Seconds(0), .back_after = Seconds(1)},
                                              {.worker = 0, .time = Seconds(2), .back_after = Seconds(2)},
                                              {.worker = 1, .time = Seconds(3), .back_after = Seconds(2)},
                                              {.worker = 2, .time = Seconds(4.5), .back_after = Seconds(5)}};
  EXPECT_EQ(untils(chain, true), (std::vector<double>{1, 9.5, 9.5, 9.5}));
  EXPECT_EQ(untils({{.worker = 0, .time = Seconds(2), .grace = Seconds(3), .back_after = Seconds(4)}}, true),
            (std::vector<double>{9}));
  EXPECT_EQ(
      untils({{.worker = 0, .time = Seconds(2), .back_after = Seconds(2)}, {.worker = 1, .time = Seconds(3)}},
             true),
      (std::vector<double>{-1, -1}));
}

// While a network stalls, no bytes of its worker begin to flow. Nothing is lost, and the pool ends at most so much later
// as the stall is long.
TEST(ST22, AStallLosesNothing) {
  for (const int workers : {1, 2, 3, 8})
    for (const int servers : {1, 3})
      for (const double from : {0.0, 2.3, 7.1})
        for (const double length : {0.4, 5.0}) {
          SCOPED_TRACE(
              fmt::format("{} workers, {} servers, from {} for {} s", workers, servers, from, length));
          const Cluster cluster(workers, servers, counting(3));
          plan::Pool queue{.closures = 24};
          const Seconds without = cluster.play(times_of(workers), queue).end;
          queue.absences = {{.worker = workers - 1,
                             .from = Seconds(from),
                             .until = Seconds(from + length),
                             .is_stall = true}};
          const timing::PlayedPool played{.pooled = cluster.pooled,
                                          .timeline = cluster.play(times_of(workers), queue)};
          expect_each_closure_once(played, 24);
          expect_the_counts({.workers = workers, .servers = servers, .pool = queue}, played,
                            compute(cluster, played, batches(60)), 3);
          const timing::PoolLosses losses = timing::losses_of(played);
          EXPECT_EQ(losses.executions + losses.losses, 0);
          EXPECT_EQ(losses.stalls, played.timeline.end > Seconds(from) ? 1 : 0);
          EXPECT_LE(played.timeline.end.count(), without.count() + length + 1e-9);
          // Longer than any kernel, so that the only worker waits.
          if (workers == 1 && length > 1) {
            EXPECT_GT(played.timeline.end, without);
          }
          for (const plan::Occurrence& each : played.timeline.occurrences) {
            const bool is_of_worker =
                played.timeline.closures[static_cast<std::size_t>(each.closure)].worker == workers - 1;
            const bool is_move =
                std::holds_alternative<plan::Move>(cluster.pooled.plan.nodes[index(each.node)].action);
            if (is_of_worker && is_move) {
              EXPECT_FALSE(each.start >= Seconds(from) && each.start < Seconds(from + length))
                  << each.start.count();
            }
          }
        }
}

// Losses are drawn until the end of the pool, which they put off. Where workers are lost faster than they execute a
// closure, no end would come.
TEST(ST22, RandomLossesAreDrawnUntilTheEnd) {
  const Cluster cluster(2, 1);
  plan::Pool queue{.closures = 20};
  const auto play = [&](std::vector<Absence> absences) {
    queue.absences = std::move(absences);
    return cluster.play({.compute = {1, 1}}, queue);
  };
  const auto every = [](double seconds) {
    return [seconds](Seconds end) {
      std::vector<timing::WorkerLoss> losses;
      for (int i = 1; Seconds(i * seconds) < end; ++i)
        losses.push_back({.worker = i % 2, .time = Seconds(i * seconds), .back_after = Seconds(0.1)});
      return losses;
    };
  };
  timing::PoolOptions options{.random_losses = every(2.5)};
  const plan::PoolTimeline timeline = timing::play_with_losses(options, play);
  EXPECT_EQ(timeline.never_executed, 0);
  EXPECT_EQ(std::ssize(timeline.absences), static_cast<std::ptrdiff_t>(timeline.end.count() / 2.5));
  options.random_losses = every(0.4);
  EXPECT_THROW(timing::play_with_losses(options, play), InputError);
}

}  // namespace
}  // namespace wt
