// What a step of many replicas costs to be timed, from its traced program on: lowered, given memory, its
// collectives timed, simulated.
//
//   resnet50 on 256 GPUs     32 dgx_a100, NCCL's ring; one machine stands for all. Wanted: below 1 s
//   resnet50 on a v4 pod     4,096 chips; one host of 4 stands for all. Wanted: below 2 s and 1 GiB
//   50 all-reduces           of 4 MiB among 1,024, one behind the other. Wanted: below 0.5 s
#include <sys/resource.h>

#include "collective/catalog.h"
#include "device/cpu/workers.h"
#include "model/weights.h"
#include "model/zoo.h"
#include "platform/load.h"
#include "platform/slice.h"
#include "program/operations.h"
#include "serve.h"
#include "strategy/default.h"
#include "strategy/multi_worker_mirrored.h"
#include "strategy/tpu.h"
#include "timing/step_clock.h"
#include "train/model.h"

namespace wt::bench {
namespace {

using communication::Group;
using platform::Endpoint, platform::Platform;
using strategy::LibraryChoice, strategy::Place;

Platform machine(const std::string& name, const std::string& set) {
  return platform::load(name, {platform::parse_parameter(set)}).platform;
}

std::vector<Endpoint> devices(const Platform& platform) {
  std::vector<Endpoint> all;
  for (int i = 0; i < platform.devices(); ++i) all.push_back(platform.device(i));
  return all;
}

// The first replicas, all in one task.
std::vector<Place> places(int count, device::Kind kind) {
  std::vector<Place> all;
  for (int i = 0; i < count; ++i)
    all.push_back({.device = {.name = fmt::format("device:{}", i)},
                   .host = plan::Device{.name = "CPU:0"},
                   .kind = kind});
  return all;
}

// One replica's step of ResNet-50 among so many.
class Training {
 public:
  Training(std::int64_t replicas, std::int64_t rows)
      : machine_{[](strategy::Steps steps) { return strategy::lower_default(*steps.front(), {"device:0"}); },
                 queue_,
                 {.replicas = replicas}},
        layer_(model::zoo_model("resnet50", {}).build()),
        model_(layer_, state_, machine_) {
    model_.compile({.loss = model::loss_named("sparse_categorical_crossentropy"),
                    .optimizer = model::optimizer_named("SGD")});
    const TensorSpec images = model::batched(layer_->input_specs(), replicas * rows).front();
    step_ = &model_.training_step(
        {Tensor::shape_only(images), Tensor::shape_only({Type::int64, Shape{replicas * rows}})});
  }
  const Step& step() const { return *step_; }

 private:
  device::Workers workers_{1};
  device::CpuQueue queue_{workers_};
  train::State state_{0};
  train::Resources machine_;
  model::LayerPtr layer_;
  train::Model model_;
  const Step* step_ = nullptr;
};

void print_step(std::string_view name, const plan::Plan& plan, const timing::StepTime& step, double start) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("{:26} {:7.3f} s  {:8} nodes  a step takes {:9.3f} ms, {:7.3f} us apart  {:6.0f} MiB at most\n",
             name, now() - start, plan.nodes.size(), 1e3 * step.timeline.end.count(), 1e6 * step.skew.count(),
             static_cast<double>(usage.ru_maxrss) / 1024);
}

void time_gpus() {
  const Training training(256, 64);
  const double start = now();
  const Platform platform = machine("dgx_a100", "machines=32");
  const Group group{platform, devices(platform)};
  const timing::StepTimeOptions options{.roofline = {.precision = device::Precision::tf32}};
  const auto choose = [&](Bytes bytes) {
    const collective::Algorithm& ring =
        collective::algorithm_named(collective::Operation::all_reduce, "ring");
    const communication::Call call =
        communication::call_of(group, ring, {.ranks = group.size(), .elements = bytes.count() / 4}, {});
    return LibraryChoice{.algorithm = std::string(call.algorithm->name),
                         .options = call.request.options,
                         .orders = call.request.orders,
                         .call = call};
  };
  const std::vector<const Step*> steps(8, &training.step());
  const plan::Plan plan =
      strategy::lower_multi_worker_mirrored(steps, places(8, device::Kind::gpu),
                                            {.implementation = strategy::CommunicationImplementation::nccl,
                                             .nccl = {.choose = choose},
                                             .stand_for = 256});
  std::vector<Endpoint> where(group.ranks.begin(), group.ranks.begin() + 8);
  where.push_back(platform.host_of(where[0]));
  print_step("resnet50 on 256 GPUs", plan,
             timing::StepClock(platform, group.ranks).time(plan, where, options), start);
}

void time_pod() {
  const Training training(4096, 32);
  const double start = now();
  const Platform platform = machine("tpu_v4", "slice=16x16x16");
  const std::vector<const Step*> steps(4, &training.step());
  const plan::Plan plan =
      strategy::lower_tpu(steps, places(4, device::Kind::tpu), {.slice = {16, 16, 16}, .stand_for = 4096});
  const std::vector<Endpoint> all = devices(platform);
  std::vector<Endpoint> where(all.begin(), all.begin() + 4);
  where.push_back(platform.host_of(where[0]));
  const timing::StepTimeOptions options{
      .roofline = {.precision = device::Precision::bfloat16, .fusion = plan::Fusion::program}};
  print_step("resnet50 on 4,096 TPU v4", plan, timing::StepClock(platform, all).time(plan, where, options),
             start);
}

Step fifty_gradients() {
  return trace("50 x 4 MiB", [](Trace& trace) {
    for (int i = 0; i < 50; ++i) {
      const Symbol variable = trace.variable(fmt::format("w{}", i), {Type::float32, {1 << 20}});
      trace.result(fmt::format("sum{}", i), all_reduce(square(variable), Reduction::sum));
    }
  });
}

void time_fifty() {
  const Step step = fifty_gradients();
  const double start = now();
  const Platform platform = machine("ideal_ring", "ranks=1024");
  const std::vector<const Step*> steps(1, &step);
  const plan::Plan plan =
      strategy::lower_multi_worker_mirrored(steps, places(1, device::Kind::gpu),
                                            {.implementation = strategy::CommunicationImplementation::nccl,
                                             .packing = {.eager = true},
                                             .nccl = {.always = {.algorithm = "ring"}},
                                             .stand_for = 1024});
  std::vector<Endpoint> where{platform.device(0)};
  where.push_back(platform.host_of(where[0]));
  print_step("50 all-reduces among 1,024", plan,
             timing::StepClock(platform, devices(platform)).time(plan, where, {}), start);
}

}  // namespace
}  // namespace wt::bench

int main() {
  wt::bench::time_gpus();
  wt::bench::time_pod();
  wt::bench::time_fifty();
}
