// What a collective costs us, from the request to its timeline: a ring all-reduce of 64 MiB over n ranks on a
// switch of 50 GiB/s and 500 ns per link, all its 2 n (n - 1) moves played. 256 ranks should take less than
// 0.4 s, 1024 less than 6 s and 3 GiB.
//
// Counters, by phase: seconds, and the most MiB that its process held meanwhile, earlier phases' results
// included. `expand` makes the moves and what they wait for, `lower` a plan's nodes, `translate` a job; `play`
// is in a process of its own, and its MiB are that one's. Most of the time is the system's, for fresh memory.
#include <benchmark/benchmark.h>

#include <chrono>
#include <fstream>

#include "collective/catalog.h"
#include "collective/expand.h"
#include "plan/collective.h"
#include "platform/load.h"
#include "simulate/test_helper.h"
#include "simulate/transfer.h"
#include "simulate/translate.h"

namespace {

using namespace wt;

constexpr std::int64_t elements = std::int64_t{64} << 18;  // of 4 bytes

platform::Platform ideal_switch(int ranks) {
  platform::Parameters set;
  for (const std::string& text : {fmt::format("ranks={}", ranks), std::string("fabric.bandwidth=50 GiB/s"),
                                  std::string("fabric.latency=500 ns")})
    set.push_back(platform::parse_parameter(text));
  return platform::load("ideal_switch", set).platform;
}

// Since the last call of forget_peak, where the system records it.
void forget_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }
double peak_mebibytes() {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;)
    if (double kibibytes = 0; word == "VmHWM:" && file >> kibibytes) return kibibytes / 1024;
  return 0;
}

// Measures what a benchmark's phases take.
class Phases {
 public:
  explicit Phases(benchmark::State& state) : state_(state) {}

  auto measure(const std::string& phase, auto work) {
    forget_peak();
    const auto start = std::chrono::steady_clock::now();
    auto result = work();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    state_.counters[phase + "_s"] = seconds.count();
    state_.counters[phase + "_MiB"] = peak_mebibytes();
    return result;
  }

 private:
  benchmark::State& state_;
};

plan::Plan lowered(const collective::Expanded& schedule) {
  plan::Plan plan;
  std::vector<plan::Member> members;
  const TensorSpec spec{Type::float32, {elements}};
  for (int rank = 0; rank < schedule.contract.ranks; ++rank) {
    const auto device = plan::DeviceId(rank);
    plan.devices.push_back({fmt::format("{}", rank)});
    const plan::BufferId buffer =
        plan.add_buffer({"value", device, spec.bytes(), plan::BufferKind::gradient, {}});
    members.push_back({device, plan::Operand{buffer, spec}});
  }
  std::vector<plan::Frontier> frontiers;
  plan::add_collective(plan, frontiers, schedule, members);
  return plan;
}

simulate::Measured played(const simulate::Job& job) {
  simulate::Measured result;
  std::vector<simulate::Interval> dates;
  simulate::test_helper().run("play_and_measure", [&](simulate::Channel& channel) {
    send(channel, job);
    channel.receive(result);
    channel.receive(dates);
  });
  return result;
}

void ring_all_reduce(benchmark::State& state) {
  const auto ranks = static_cast<int>(state.range(0));
  const platform::Platform platform = ideal_switch(ranks);
  std::vector<platform::Endpoint> where;
  for (int rank = 0; rank < ranks; ++rank) where.push_back(platform.device(rank));
  Phases phases(state);
  for (auto _ : state) {
    const collective::Expanded schedule = phases.measure("expand", [&] {
      const auto& ring = collective::algorithm_named(collective::Operation::all_reduce, "ring");
      return collective::expand(collective::make_schedule(ring, {.ranks = ranks, .elements = elements}));
    });
    const plan::Plan plan = phases.measure("lower", [&] { return lowered(schedule); });
    const simulate::Translation translation = phases.measure("translate", [&] {
      return simulate::translate(plan, {std::vector<plan::Cost>(plan.nodes.size()), {}}, platform, where);
    });
    const simulate::Measured result = phases.measure("play", [&] { return played(translation.job); });
    state.counters["moves"] = static_cast<double>(schedule.steps.size());
    state.counters["play_MiB"] = result.bytes / 1048576;
    state.counters["simulated_us"] = 1e6 * result.end;
  }
}
BENCHMARK(ring_all_reduce)->Arg(64)->Arg(256)->Arg(1024)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
