// What the time of a collective costs us, expanded and folded: an all-reduce of 64 MiB on links of 50 GiB/s and
// 500 ns, each as one call of communication::time_of, from the request to the answer.
//
// Counters: s, the seconds of one call; MiB, at most in use by this process until its end (what plays is a process
// of its own and isn't counted here; for expanded rings bench_collective has it);
// moves of the schedule, and played of them; simulated_us. ASTRA-sim's figures stand in the label: main 518bd51
// (2026-03), its analytical backend without congestion, on two cores; wall seconds and MiB.
//
// Aims: a ring of 256 expanded < 0.4 s; of 1,024 folded < 0.05 s; of 4,096 folded < 0.5 s and 300 MiB; a torus of
// 65,536 chips folded < 10 s and 4 GiB. How cost grows with n is the table in README.md here.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <string>

#include "communication/timing.h"
#include "platform/load.h"

namespace {

using namespace wt;
using communication::Call, communication::Folding, communication::Group, communication::Timing;

constexpr std::int64_t elements = std::int64_t{64} << 18;  // of 4 bytes

// Since the last call of forget_peak, where the system records it.
void forget_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }
double peak_mebibytes() {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;)
    if (double kibibytes = 0; word == "VmHWM:" && file >> kibibytes) return kibibytes / 1024;
  return 0;
}

platform::Platform ideal(const std::string& kind, int ranks, const std::string& shape) {
  platform::Parameters set;
  for (const std::string& text : {fmt::format("ranks={}", ranks), std::string("fabric.bandwidth=50 GiB/s"),
                                  std::string("fabric.latency=500 ns")})
    set.push_back(platform::parse_parameter(text));
  if (!shape.empty()) set.push_back(platform::parse_parameter("fabric.shape=" + shape));
  return platform::load("ideal_" + kind, set).platform;
}

struct Case {
  std::string_view algorithm{};
  Folding folding{};
  std::string_view peer{};
  int edge = 0;  // of a cubic torus; 0: ranks on a switch
};

void measure(benchmark::State& state, const Case& wanted) {
  const auto ranks = static_cast<int>(state.range(0));
  std::string shape;
  collective::Request request{.ranks = ranks, .elements = elements};
  if (wanted.algorithm == "torus_3d") {
    const int last = ranks / (wanted.edge * wanted.edge);
    shape = fmt::format("{}x{}x{}", last, wanted.edge, wanted.edge);
    request.options.shape = {wanted.edge, wanted.edge, last};  // the innermost first
  }
  const platform::Platform platform = ideal(shape.empty() ? "switch" : "torus", ranks, shape);
  const Group group = communication::first_devices(platform, ranks);
  const Call call{
      .algorithm = &collective::algorithm_named(collective::Operation::all_reduce, wanted.algorithm),
      .request = request,
      .adds_in_passing = true};
  Timing timing;
  double seconds = 0;
  forget_peak();
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    timing = communication::time_of(call, group, Type::float32, wanted.folding);
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  state.counters["s"] = seconds;
  state.counters["MiB"] = peak_mebibytes();
  state.counters["moves"] = static_cast<double>(timing.moves);
  state.counters["played"] = static_cast<double>(timing.played);
  state.counters["simulated_us"] = 1e6 * timing.time.count();
  state.SetLabel(wanted.peer.empty() ? "ASTRA-sim: not run" : fmt::format("ASTRA-sim: {}", wanted.peer));
}

void add(const std::string& name, int ranks, Case wanted) {
  benchmark::RegisterBenchmark(name.c_str(), measure, wanted)
      ->Arg(ranks)
      ->Iterations(1)
      ->Unit(benchmark::kMillisecond);
}

void add_all() {
  using enum Folding;
  add("ring folded", 64, {"ring", automatic, "0.01 s, 13 MiB"});
  add("ring folded", 256, {"ring", automatic, "0.14 s, 35 MiB"});
  add("ring folded", 1024, {"ring", automatic, "2.50 s, 354 MiB"});
  add("ring folded", 4096, {"ring", automatic, "63.2 s, 5449 MiB"});
  add("ring folded", 16384, {"ring", automatic, {}});
  add("ring folded", 65536, {"ring", automatic, {}});
  add("torus folded", 4096, {"torus_3d", automatic, "1.84 s, 167 MiB", 16});
  add("torus folded", 16384, {"torus_3d", automatic, "19.7 s, 824 MiB", 32});
  add("torus folded", 65536, {"torus_3d", automatic, "fails at 32768: an open file for each rank", 32});
  add("ring expanded", 64, {"ring", expanded, "0.01 s, 13 MiB"});
  add("ring expanded", 256, {"ring", expanded, "0.14 s, 35 MiB"});
  add("ring expanded", 1024, {"ring", expanded, "2.50 s, 354 MiB"});
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  add_all();
  benchmark::RunSpecifiedBenchmarks();
}
