// A linear regression that is trained operation by operation, as in TensorFlow's eager mode: a step with a gradient tape,
// which a mirrored strategy runs on 1, 2, 3 and 8 logical CPUs. Whatever the number of replicas, the weights are those
// that one device learns, because each replica's loss is divided by the size of the global batch.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "train/distributed/constructors.h"
#include "train/distributed/loss.h"
#include "train/distributed/tape.h"

using namespace wt;
using namespace wt::train;

constexpr std::int32_t global_batch_size = 24;  // has 1, 2, 3 and 8 equal parts
constexpr int steps = 20;

// The rows of one replica: numbers between -1 and 1, and points near a line.
std::pair<EagerTensor, EagerTensor> rows_of(const ReplicaContext& context) {
  const auto rows = global_batch_size / static_cast<std::int32_t>(context.num_replicas_in_sync());
  const auto first = rows * static_cast<std::int32_t>(context.replica_id_in_sync_group());
  std::vector<float> x, y;
  for (std::int32_t row = first; row < first + rows; ++row) {
    x.push_back(static_cast<float>(row * 7 % global_batch_size) / 12 - 1);
    y.push_back(3 * x.back() + 2 + 0.1f * static_cast<float>(row % 5));
  }
  return {constant(x, {rows, 1}), constant(y, {rows, 1})};
}

float number(const EagerTensor& tensor) { return tensor.numbers.values<float>()[0]; }

struct Trained {
  std::int64_t replicas = 0;
  float w = 0, b = 0, loss = 0;
};

Trained trained_on(int replicas) {
  device::Context context;
  context.set_logical_device_configuration(
      context.list_physical_devices()[0],
      device::LogicalDeviceConfigurations(static_cast<std::size_t>(replicas)));
  const Strategy strategy(mirrored(context));

  const auto scope = strategy.scope();
  Variable w(zeros({1, 1}), {.name = "w", .aggregation = Aggregation::sum});
  Variable b(zeros({1}), {.name = "b", .aggregation = Aggregation::sum});

  const auto train_step = [&](const std::pair<EagerTensor, EagerTensor>& batch) {
    GradientTape tape;
    const EagerTensor predictions = matmul(batch.first, w) + b;
    const EagerTensor loss = compute_average_loss(square(predictions - batch.second), global_batch_size);
    const std::vector<Gradient> gradients = tape.gradient(loss, std::vector{w, b});
    // Each replica subtracts its part; the aggregation adds these up, so that all copies remain the same.
    w.assign_sub(dense(gradients[0]) * 0.5);
    b.assign_sub(dense(gradients[1]) * 0.5);
    return get_replica_context()->all_reduce(ReduceOp::sum, loss);
  };

  const auto batch = strategy.experimental_distribute_values_from_function(rows_of);
  Trained trained{.replicas = strategy.num_replicas_in_sync()};
  for (int step = 0; step < steps; ++step) trained.loss = number(strategy.run(train_step, batch)[0]);
  trained.w = number(w);
  trained.b = number(b);
  return trained;
}

int main() {
  const Trained alone = trained_on(1);
  bool agrees = std::abs(alone.w - 3) < 0.1f && std::abs(alone.b - 2.2f) < 0.1f;
  for (const int replicas : {1, 2, 3, 8}) {
    const Trained trained = trained_on(replicas);
    const float difference = std::max(std::abs(trained.w - alone.w), std::abs(trained.b - alone.b));
    fmt::print("{} replicas: y = {:.5f} x + {:.5f}, loss {:.5f}, difference from one device {:.1e}\n",
               trained.replicas, trained.w, trained.b, trained.loss, difference);
    agrees = agrees && trained.replicas == replicas && difference < 1e-5f;
  }
  return agrees ? 0 : 1;
}
