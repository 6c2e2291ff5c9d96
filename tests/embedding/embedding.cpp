// A program that contains Windtunnel: it trains a network on two GPUs of a described machine, which needn't exist, and
// prints the plan of a step, the simulated time of that step, and the losses that this CPU computed.
//
//   embedding dgx_a100

#include <fmt/core.h>

#include "data/synthetic.h"
#include "device/cpu/workers.h"
#include "model/zoo.h"
#include "platform/load.h"
#include "strategy/mirrored.h"
#include "timing/step_clock.h"
#include "train/model.h"

int main(int argc, char** argv) try {
  using namespace wt;
  const platform::Platform machine = platform::load(argc > 1 ? argv[1] : "dgx_a100").platform;
  const plan::Device host{.name = "/device:CPU:0"};
  const strategy::Place gpus[] = {{.device = {.name = "/device:GPU:0"}, .host = host},
                                  {.device = {.name = "/device:GPU:1"}, .host = host}};
  device::Workers threads(1);
  device::CpuQueue cpu(threads);
  train::Resources trainer{[&](strategy::Steps steps) { return strategy::lower_mirrored(steps, gpus); }, cpu,
                           data::Distribution{.replicas = 2}};

  train::State variables(1);
  train::Model model(model::zoo_model("mlp").build(), variables, trainer);
  model.compile({.loss = model::loss_named("sparse_categorical_crossentropy"),
                 .optimizer = model::optimizer_named("adam")});
  const auto rows =
      data::Dataset::from_rows(data::synthetic_rows(data::Classification{.rows = 640, .shape = {784}}))
          .batch(64);

  const plan::Plan& step =
      model.training_plan({Tensor::zeros({Type::float32, {64, 784}}), Tensor::zeros({Type::int32, {64}})});
  fmt::print("{}\n", plan::print(step));

  const std::vector<platform::Endpoint> replicas{machine.device(0), machine.device(1)};
  const std::vector<platform::Endpoint> where{replicas[0], replicas[1], machine.host_of(replicas[0])};
  const timing::StepTime time = timing::StepClock(machine, replicas).time(step, where, {});
  fmt::print("a step takes {:.1f} us, simulated\n", 1e6 * time.timeline.end.count());

  for (const train::EpochResult& epoch : model.fit(rows, {.epochs = 3}))
    fmt::print("epoch {}: loss {:.4f}\n", epoch.epoch + 1, epoch.loss);
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
