// Times training steps on a GPU (forward, backward, Adam), as one CUDA graph and kernel by kernel. Prints
// lines of fields that are separated by tabs; run.sh makes tables of them.
//
//   bench_cuda            everything
//   bench_cuda WORD       the cases whose name contains it

#include <algorithm>
#include <chrono>

#include "cuda/gpu.h"
#include "execute/measure.h"

namespace wt {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// The median time of single steps, after each of which it waits. After a few warm-up steps it runs as many as
// fill a second.
double seconds_of_step(execute::Execution& execution) {
  constexpr int warm_up = 5, at_least = 20, at_most = 500;
  for (int i = 0; i < warm_up; ++i) execution.step();
  execution.wait();
  std::vector<double> seconds;
  const double begin = now();
  for (int i = 0; i < at_least || (i < at_most && now() - begin < 1); ++i) {
    const double start = now();
    execution.step();
    execution.wait();
    seconds.push_back(now() - start);
  }
  return median(std::move(seconds));
}

struct Case {
  std::string_view model{};
  std::int64_t rows = 0;  // of the batch of all replicas
  device::Precision precision{};
  std::size_t replicas = 1;
};

constexpr auto float32 = device::Precision::float32, tf32 = device::Precision::tf32;
constexpr Case cases[] = {
    {"fashion_cnn", 64, float32, 1}, {"fashion_cnn", 64, tf32, 1}, {"fashion_cnn", 1024, float32, 1},
    {"fashion_cnn", 1024, tf32, 1},  {"resnet50", 64, float32, 1}, {"resnet50", 64, tf32, 1},
    {"resnet50", 256, float32, 1},   {"resnet50", 256, tf32, 1},   {"resnet50", 256, float32, 4},
    {"resnet50", 256, tf32, 4},
};

// The time of a step as the sum of its kernels, each measured by the GPU's events, as `calibrate` measures
// it.
double seconds_by_events(const Case& one, const plan::Plan& plan) {
  device::CudaQueue queue(test::first_gpu());
  queue.set_precision(one.precision);
  const std::map<std::string, Seconds, std::less<>> none;
  double sum = 0;
  for (std::size_t i = 0; i < plan.devices.size(); ++i)
    sum += execute::measure(plan, static_cast<plan::DeviceId>(i), none, queue).expected.count();
  return sum;
}

double seconds(const Case& one, const plan::Plan& plan, const test::Values& given, bool as_graph) {
  device::CudaQueue queue(test::first_gpu());
  queue.set_precision(one.precision);
  queue.set_graphs(as_graph);
  execute::Execution execution(plan, queue);
  test::write_all(execution, plan, given);
  return seconds_of_step(execution);
}

void run(const Case& one) {
  const std::int64_t own = one.rows / static_cast<std::int64_t>(one.replicas);
  const test::Training made = test::training(*model::zoo_model(one.model).build(), own);
  const plan::Plan plan =
      one.replicas == 1 ? test::on_one(made.step) : test::mirrored(made.step, one.replicas);
  const test::Values given = test::starting_values(made);
  const double graph = seconds(one, plan, given, true), single = seconds(one, plan, given, false);
  Bytes memory{};
  for (const plan::Device& device : plan.devices) memory += device.arena;
  fmt::print("step\t{}\t{}\t{}\t{}\t{:.3f}\t{:.3f}\t{:.3f}\t{}\t{:.2f}\t{:.0f}\t{:.0f}\n", one.model,
             one.rows, one.replicas, name(one.precision), graph * 1e3, single * 1e3,
             seconds_by_events(one, plan) * 1e3, plan.nodes.size(),
             (single - graph) * 1e6 / static_cast<double>(plan.nodes.size()),
             static_cast<double>(one.rows) / graph, static_cast<double>(memory.count()) / (1 << 20));
  std::fflush(stdout);
}

}  // namespace
}  // namespace wt

int main(int argc, char** argv) {
  const std::string_view word = argc > 1 ? argv[1] : "";
  fmt::print("device\t{}\n", print(wt::test::first_gpu()));
  for (const wt::Case& one : wt::cases)
    if (one.model.find(word) != std::string_view::npos) wt::run(one);
}
