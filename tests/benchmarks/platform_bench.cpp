// How long platforms take to load and routes to find. Links and routes of grids and switches are arithmetic,
// so 4,096 TPU chips should load in less than 0.2 s and 65,536 in less than 2 s; the counters say what was
// built.
#include <benchmark/benchmark.h>

#include "base/random.h"
#include "platform/load.h"

namespace wt::bench {
namespace {

using platform::Endpoint;
using platform::Loaded;
using platform::Platform;

// TPU v4 with a pod that was never built.
Loaded grown_pod() {
  return platform::from_json(json::parse(R"({"slice": "32x32x64", "network": {"type": "switch"},
    "machine": {"devices": {"type": "tpu_v4"}, "hosts": {"type": "epyc_7742"}, "pcie": {"bandwidth": "16 GB/s"},
                "nics": {"bandwidth": "25 GB/s", "gpu_direct": "none"}},
    "ici": {"bandwidth": "45 GB/s", "latency": "1 us", "pod": "32x32x64", "host": "2x2x1", "shapes": ["2x2x1"],
            "multiples_of": 4, "wrap": "multiples_of_4", "names": ["v4"], "counts": "cores", "cores": 2}})",
                                         "bench.json"));
}

Loaded named(const char* name, const char* parameter) {
  return platform::load(name, {platform::parse_parameter(parameter)});
}

void count(benchmark::State& state, const Platform& platform) {
  state.counters["devices"] = platform.devices();
  state.counters["machines"] = platform.machines();
  state.counters["links"] = platform.links();
}

template <class Make>
void load(benchmark::State& state, Make make) {
  for (auto _ : state) benchmark::DoNotOptimize(make());
  count(state, make().platform);
}

// Between random devices, so that nothing is found in a cache that a simulation would not find there either.
template <class Make>
void route(benchmark::State& state, Make make) {
  const Platform platform = make().platform;
  const auto devices = static_cast<std::uint32_t>(platform.devices());
  std::vector<std::uint32_t> words(1 << 14);
  fill_words(words, stream_of({1, 0}));
  std::size_t next = 0;
  std::size_t links = 0;
  for (auto _ : state) {
    const Endpoint from = platform.device(static_cast<std::int32_t>(words[next] % devices));
    const Endpoint to = platform.device(static_cast<std::int32_t>(words[next + 1] % devices));
    links += platform.route(from, to).links.size();
    next = (next + 2) % words.size();
  }
  count(state, platform);
  state.counters["hops"] = benchmark::Counter(static_cast<double>(links), benchmark::Counter::kAvgIterations);
}

const auto dgx1 = [] { return named("dgx1_v100", "machines=1"); };
const auto rails = [] { return named("dgx_h100", "machines=128"); };
const auto virtual_devices = [] { return named("ideal_switch", "ranks=4096"); };
const auto whole_pod = [] { return named("tpu_v4", "slice=16x16x16"); };

BENCHMARK_CAPTURE(load, dgx1_v100, dgx1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(load, dgx_h100_x128, rails)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(load, ideal_switch_4096, virtual_devices)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(load, tpu_v4_4096, whole_pod)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(load, tpu_65536, grown_pod)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(route, dgx1_v100, dgx1);
BENCHMARK_CAPTURE(route, dgx_h100_x128, rails);
BENCHMARK_CAPTURE(route, ideal_switch_4096, virtual_devices);
BENCHMARK_CAPTURE(route, tpu_v4_4096, whole_pod);
BENCHMARK_CAPTURE(route, tpu_65536, grown_pod);

}  // namespace
}  // namespace wt::bench

BENCHMARK_MAIN();
