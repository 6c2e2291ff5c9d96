// A way of distributing a training that TensorFlow doesn't have, in a few lines on a mirrored strategy: local SGD (Stich,
// 2019). Each replica trains alone, on weights of its own, and after every few steps all of them take the average.
// Averaging after each step is ordinary synchronous training, and averaging less often saves communication.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "train/distributed/constructors.h"
#include "train/distributed/tape.h"
#include "train/tensor_operations.h"

using namespace wt;
using namespace wt::train;

class LocalSgd {
 public:
  using Loss = std::function<EagerTensor(const EagerTensor& weight, const EagerTensor& x)>;

  LocalSgd(const Strategy& strategy, int period, double learning_rate)
      : strategy_(strategy), period_(period), learning_rate_(learning_rate) {}

  // A variable that is read as the average of its copies; inside of a replica it is that replica's copy.
  Variable variable(float initial) const {
    const auto scope = strategy_.scope();
    return Variable(
        constant(initial),
        {.trainable = false, .synchronization = Synchronization::on_read, .aggregation = Aggregation::mean});
  }

  // A step of each replica on its own numbers. Averages the copies if it is their turn.
  void step(Variable& weight, const Loss& loss, const DistributedValues<EagerTensor>& batch) {
    const bool averages = ++steps_ % period_ == 0;
    strategy_.run(
        [&](const EagerTensor& x) {
          const EagerTensor own = weight.read_value();
          GradientTape tape;
          tape.watch(own);
          const auto gradient = tape.gradient(loss(own, x), std::vector{own});
          weight.assign_sub(dense(gradient[0]) * learning_rate_);
          if (averages) weight.assign(get_replica_context()->all_reduce(ReduceOp::mean, weight));
        },
        batch);
  }

 private:
  const Strategy& strategy_;
  int period_;
  double learning_rate_;
  int steps_ = 0;
};

constexpr std::size_t replicas = 4;
constexpr int steps = 10;
constexpr double learning_rate = 0.1;

// Replica r has the loss t (w - t)^2 with t = r + 1. The same training in plain numbers, without any strategy.
std::vector<double> expected(int period) {
  std::vector<double> weights(replicas, 0.0);
  for (int step = 1; step <= steps; ++step) {
    double mean = 0, target = 0;
    for (double& w : weights) {
      target += 1;
      w -= learning_rate * 2 * target * (w - target);
      mean += w / replicas;
    }
    if (step % period == 0) std::fill(weights.begin(), weights.end(), mean);
  }
  return weights;
}

bool trains_as_expected(const Strategy& strategy, int period) {
  LocalSgd sgd(strategy, period, learning_rate);
  Variable weight = sgd.variable(0);
  const auto targets =
      strategy.experimental_distribute_values_from_function([](const ReplicaContext& context) {
        return constant(static_cast<float>(context.replica_id_in_sync_group() + 1));
      });
  const auto loss = [](const EagerTensor& w, const EagerTensor& target) {
    return square(w - target) * target;
  };
  for (int step = 0; step < steps; ++step) sgd.step(weight, loss, targets);

  const std::vector<double> wanted = expected(period);
  double difference = 0;
  fmt::print("Average after every {} steps:", period);
  for (std::size_t r = 0; r < replicas; ++r) {
    const auto value = static_cast<double>(weight.copies()[r].value().numbers.values<float>()[0]);
    fmt::print(" {:.4f}", value);
    difference = std::max(difference, std::abs(value - wanted[r]));
  }
  fmt::print(", error {:.1e}\n", difference);
  return difference < 1e-5;
}

int main() {
  device::Context context;
  context.set_logical_device_configuration(context.list_physical_devices()[0],
                                           device::LogicalDeviceConfigurations(replicas));
  const Strategy strategy(mirrored(context));
  bool is_right = true;
  for (const int period : {1, 5, 4}) is_right = trains_as_expected(strategy, period) && is_right;
  return is_right ? 0 : 1;
}
