// What a simulation costs: flows per second and bytes of memory per flow, for flows that share no link and for
// flows that share links, and what its own process costs on top.
//
//   rings        every rank sends to the next over a link of its own, round after round: no flow meets another
//   uplinks      the same, but two neighbours share an uplink: many components of two flows
//   incast       all send to one at once: one component, all end together
//   staggered    the same with sizes that differ: one component, every end changes all rates
//
// Counters: flows; s_flows, those that SimGrid played; flows/s per second of the player's CPU time, and
// B/flow of its memory; overhead_us: the time beside playing: for the fork, for the job and the dates on
// their way through the socket, and for the report that the process has ended.

#include <benchmark/benchmark.h>

#include <chrono>

#include "simulate/test_helper.h"
#include "simulate/transfer.h"

namespace {

using namespace wt::simulate;
using Clock = std::chrono::steady_clock;

// Rounds over the same n flows, each waiting for its left neighbour's of the round before.
Job rounds(std::int32_t ranks, std::int32_t count, auto route_of, auto bytes_of) {
  Job job;
  std::vector<Activity> flows;
  for (std::int32_t rank = 0; rank < ranks; ++rank)
    flows.push_back(job.flow(2e-6, bytes_of(rank), route_of(rank)));
  for (std::int32_t round = 0; round < count; ++round)
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
      const std::int32_t left = (round - 1) * ranks + (rank + ranks - 1) % ranks;
      round == 0 ? job.add(flows[rank]) : job.add(flows[rank], {{left}});
    }
  return job;
}

// About as many flows in every case, so that small ones aren't lost in the overhead.
std::int32_t rounds_for(std::int32_t ranks, std::int32_t flows) { return std::max(1, flows / ranks); }

constexpr auto same_size = [](std::int32_t) -> std::int64_t { return 1'000'000; };

Job rings(std::int32_t ranks) {
  Job job = rounds(
      ranks, rounds_for(ranks, 1 << 18), [](std::int32_t rank) { return std::vector{rank}; }, same_size);
  job.bandwidths.assign(static_cast<std::size_t>(ranks), 50e9);
  return job;
}

Job uplinks(std::int32_t ranks) {
  const auto route = [ranks](std::int32_t rank) { return std::vector{rank, ranks + rank / 2}; };
  Job job = rounds(ranks, rounds_for(ranks, 1 << 14), route, same_size);
  job.bandwidths.assign(static_cast<std::size_t>(ranks + ranks / 2), 25e9);
  return job;
}

Job incast(std::int32_t ranks, auto bytes_of) {
  const auto route = [ranks](std::int32_t rank) { return std::vector{rank, ranks}; };
  Job job = rounds(ranks, 1, route, bytes_of);
  job.bandwidths.assign(static_cast<std::size_t>(ranks + 1), 25e9);
  return job;
}

Job incast_of_equals(std::int32_t ranks) { return incast(ranks, same_size); }
Job incast_staggered(std::int32_t ranks) {
  return incast(ranks, [](std::int32_t rank) -> std::int64_t { return 1'000'000 + 1000 * rank; });
}

// Runs on a stream, one after another: nothing but passing through.
Job kernels(std::int32_t count) {
  Job job;
  for (std::int32_t id = 0; id < count; ++id) id == 0 ? job.add({1e-6}) : job.add({1e-6}, {{id - 1}});
  return job;
}

void simulate_job(benchmark::State& state, Job (*make)(std::int32_t)) {
  const Job job = make(static_cast<std::int32_t>(state.range(0)));
  Measured measured;
  std::vector<Interval> dates;
  double playing = 0, cpu = 0, all = 0;
  for (auto _ : state) {
    const auto start = Clock::now();
    test_helper().run("play_and_measure", [&](Channel& channel) {
      send(channel, job);
      channel.receive(measured);
      channel.receive(dates);
    });
    all += std::chrono::duration<double>(Clock::now() - start).count();
    playing += measured.seconds;
    cpu += measured.cpu_seconds;
  }
  const auto flows = static_cast<double>(job.activities.size()),
             runs = static_cast<double>(state.iterations());
  state.counters["flows"] = flows;
  state.counters["s_flows"] = static_cast<double>(measured.effort.shared + measured.effort.overtaken);
  state.counters["flows/s"] = flows * runs / cpu;
  state.counters["B/flow"] = (measured.bytes - measured.bytes_before) / flows;
  state.counters["overhead_us"] = 1e6 * (all - playing) / runs;
}

BENCHMARK_CAPTURE(simulate_job, kernels, kernels)->RangeMultiplier(100)->Range(1, 1'000'000);
BENCHMARK_CAPTURE(simulate_job, rings, rings)
    ->RangeMultiplier(8)
    ->Range(8, 65536)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulate_job, uplinks, uplinks)
    ->RangeMultiplier(8)
    ->Range(8, 16384)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulate_job, incast, incast_of_equals)
    ->RangeMultiplier(8)
    ->Range(8, 16384)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulate_job, staggered, incast_staggered)
    ->RangeMultiplier(8)
    ->Range(8, 4096)
    ->Unit(benchmark::kMillisecond);

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
