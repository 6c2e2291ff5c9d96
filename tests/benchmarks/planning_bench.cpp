// How long it takes to write a step down: ResNet-50 with SGD and momentum, of shapes alone, traced,
// differentiated, lowered and given memory on a device with a limit of 16 GiB. Scenarios plan such steps by
// the dozen: it should take less than 20 ms and 50 MB.
//
//   bench_planning [MODEL [BATCH]]    a model of the zoo; resnet50 and 64 if left out
#include <malloc.h>
#include <sys/resource.h>

#include "device/cpu/workers.h"
#include "model/zoo.h"
#include "plan/memory_report.h"
#include "plan/order.h"
#include "serve.h"
#include "strategy/default.h"
#include "train/model.h"

namespace wt::bench {
namespace {

double megabytes_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd) / 1e6;
}

double most_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;
}

struct Planned {
  double total = 0, lowering = 0, placing = 0;  // seconds
  std::size_t nodes = 0, buffers = 0;
  std::int64_t allocations = 0;
  plan::MemoryReport memory{};
  double kept = 0;  // MB, while the step and its plan live
};

plan::Device gpu() {
  return {.name = "gpu:0", .memory = device::MemoryOptions{.limit = Bytes(std::int64_t{16} << 30)}};
}

// Addresses alone, a second time.
double seconds_to_place(plan::Plan plan) {
  const std::vector<plan::Frontier> last = plan::order_accesses(plan);
  const double start = now();
  plan::plan_memory(plan, last);
  return now() - start;
}

Planned plan_once(const model::LayerPtr& layer, std::int64_t batch) {
  Planned planned;
  device::Workers workers(1);
  device::CpuQueue queue(workers);
  train::Resources machine{[&](strategy::Steps steps) {
                             const double start = now();
                             plan::Plan plan = strategy::lower_default(*steps.front(), gpu());
                             planned.lowering = now() - start;
                             return plan;
                           },
                           queue};
  train::State state(1);
  train::Model model(layer, state, machine);
  model::Optimizer optimizer = model::optimizer_named("sgd");
  optimizer.arguments.insert_or_assign("momentum", 0.9);
  model.compile({.loss = model::loss_named("sparse_categorical_crossentropy"),
                 .optimizer = optimizer,
                 .metrics = {{model::metric_named("accuracy")}}});
  const double before = megabytes_in_use(), start = now();
  const plan::Plan& plan = model.training_plan({Tensor::shape_only({Type::float32, {batch, 224, 224, 3}}),
                                                Tensor::shape_only({Type::int64, {batch}})});
  planned.total = now() - start;
  planned.kept = megabytes_in_use() - before;
  planned.nodes = plan.nodes.size();
  planned.buffers = plan.buffers.size();
  planned.allocations = plan.devices.front().statistics.allocations;
  planned.placing = seconds_to_place(plan);
  planned.memory = plan::report_memory(plan);
  return planned;
}

}  // namespace
}  // namespace wt::bench

int main(int argc, char** argv) {
  using namespace wt::bench;
  const std::string name = argc > 1 ? argv[1] : "resnet50";
  const std::int64_t batch = argc > 2 ? std::atoll(argv[2]) : 64;
  const wt::model::LayerPtr layer = wt::model::zoo_model(name).build();
  const double before = most_megabytes();
  const Planned first = plan_once(layer, batch);
  const double most = most_megabytes() - before;
  std::vector<double> totals, lowerings, placings;
  for (int run = 0; run < 21; ++run) {
    const Planned planned = plan_once(layer, batch);
    totals.push_back(planned.total), lowerings.push_back(planned.lowering);
    placings.push_back(planned.placing);
  }
  fmt::print("{} at batch {}: {} nodes, {} buffers, {} allocations\n", name, batch, first.nodes,
             first.buffers, first.allocations);
  fmt::print("{:28} {:8.2f} ms the first time, {:.2f} ms the median of {}\n", "traced, lowered and planned",
             1e3 * first.total, 1e3 * median(totals), totals.size());
  fmt::print("{:28} {:8.2f} ms\n", "of it lowered and planned", 1e3 * median(lowerings));
  fmt::print("{:28} {:8.2f} ms\n", "of it addresses", 1e3 * median(placings));
  fmt::print("{:28} {:8.2f} MB at most, {:.2f} MB kept\n", "memory", most, first.kept);
  fmt::print("{}", print(first.memory));
}
