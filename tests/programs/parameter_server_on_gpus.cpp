// The same closure as numbers and as time: a coordinator trains a small classifier with parameter servers on described
// machines, one GPU in each worker, and prints how many updates a second the servers would apply, for more and more
// workers. The scheduled function runs a step on the worker's replica and reduces what it returns, as in TensorFlow's
// tutorial.
#include <fmt/format.h>

#include <algorithm>

#include "distribute/parameter_server.h"
#include "model/loss.h"
#include "model/optimizer.h"

namespace {

using namespace wt;
using Symbols = std::vector<Symbol>;

constexpr std::int64_t features = 8, classes = 3, rows = 32;

// The class is the largest of the first features.
std::vector<Tensor> batch(std::int64_t number) {
  std::vector<float> x;
  std::vector<std::int32_t> y;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t i = 0; i < features; ++i)
      x.push_back(static_cast<float>((number * 31 + row * 17 + i * 29 + i * i * row) % 13) / 13);
    const auto own = x.end() - features;
    y.push_back(static_cast<std::int32_t>(std::max_element(own, own + classes) - own));
  }
  return {Tensor::of<float>({rows, features}, x), Tensor::of<std::int32_t>({rows}, y)};
}

Symbols train_step(model::Building& building, const Symbols& batch) {
  const Symbol kernel = building.weight(
      {"kernel", {Type::float32, {features, classes}}, {model::Uniform{-0.1, 0.1}, {}}, {}, {}});
  const Symbol loss = reduce_mean(sparse_softmax_cross_entropy(matmul(batch[0], kernel), batch[1]));
  const model::Optimizer adam = model::optimizer_named("adam");
  model::apply_gradients(building, adam, {kernel}, building.trace().gradient(loss, {{kernel}}),
                         fill(building.trace(), {Type::float32, {}}, 0.05));
  return {loss};
}

cluster::SimpleClusterResolver cluster_of(int workers) {
  std::vector<std::string> addresses;
  for (int i = 0; i < workers; ++i) addresses.push_back(fmt::format("worker{}:2222", i));
  return cluster::SimpleClusterResolver(
      cluster::ClusterSpec({cluster::job_of("chief", {"chief:2222"}), cluster::job_of("worker", addresses),
                            cluster::job_of("ps", {"ps0:2222", "ps1:2222"})}));
}

}  // namespace

int main() {
  bool is_right = true;
  double before = 0;
  for (const int workers : {1, 2, 4, 8}) {
    const cluster::SimpleClusterResolver resolver = cluster_of(workers);
    auto strategy = distribute::parameter_server({.platform = "dgx_a100",
                                                  .cluster_resolver = &resolver,
                                                  .variable_partitioner = model::FixedShardsPartitioner{2},
                                                  .visible_devices = {"GPU:0"}});
    train::State state(1);
    train::Function step = strategy.function("step", state, train::Function::Mode::training, train_step);
    train::ClusterCoordinator coordinator(strategy);

    double first = 0, last = 0;
    for (int i = 0; i < 120; ++i) {
      const train::RemoteValue loss = coordinator.schedule([&](std::int64_t) {
        const train::PerReplica losses = strategy.run(step, {batch(i)});
        return train::Values{strategy.reduce(train::ReduceOp::mean, losses, 0)};
      });
      coordinator.join();
      last = static_cast<double>(loss.fetch()[0].values<float>()[0]);
      if (i == 0) first = last;
    }
    const timing::Simulated time = strategy.simulate(step, {batch(0)}, {.closures = 400});
    const double rate = time.pool->updates_per_second();
    fmt::print(
        "{} workers: loss {:.3f} to {:.3f}; simulated: {:.0f} us a closure, {:.0f} updates/s, bounded by "
        "{}\n",
        workers, first, last, time.step.count() * 1e6, rate, time.pool->bottleneck());
    is_right = is_right && last < 0.8 * first && rate >= before;
    before = rate;
  }
  return is_right ? 0 : 1;
}
