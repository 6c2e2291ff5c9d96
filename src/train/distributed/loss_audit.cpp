#include "train/distributed/loss_audit.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "train/distributed/tape.h"

namespace wt::train {

// The weights are gradients of float32.
bool LossAudit::is_even() const {
  for (const std::vector<double>& own : weights)
    for (const double weight : own)
      if (std::abs(weight / of_one_device - 1) > 1e-5) return false;
  return true;
}

LossAudit audited(const Strategy& strategy, const std::vector<std::int64_t>& sizes,
                  const std::function<EagerTensor(const EagerTensor&)>& loss) {
  WT_EXPECT(std::ssize(sizes) == strategy.num_replicas_in_sync(), "{} sizes are given for {} replicas",
            sizes.size(), strategy.num_replicas_in_sync());
  const InsideFunction function;  // under TPUStrategy, too
  const auto gradients = strategy.run(
      [&](std::int64_t size) {
        const EagerTensor losses = ones({size});
        if (size == 0) return losses;
        GradientTape tape;
        tape.watch(losses);
        return dense(tape.gradient(loss(losses), {losses})[0]);
      },
      DistributedValues(sizes));
  LossAudit audit;
  audit.of_one_device =
      1.0 / static_cast<double>(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}));
  for (const EagerTensor& own : gradients.values()) {
    const auto values = own.numbers.values<float>();
    audit.weights.emplace_back(values.begin(), values.end());
  }
  return audit;
}

// A line has the mean of the weights of a replica's examples.
std::string print(const LossAudit& audit) {
  std::string text = "replica  examples  weight of each  of a single device's\n";
  for (std::size_t i = 0; i < audit.weights.size(); ++i) {
    const std::vector<double>& own = audit.weights[i];
    if (own.empty()) {
      text += fmt::format("{:>7}{:>10}\n", i, 0);
      continue;
    }
    const double mean = std::accumulate(own.begin(), own.end(), 0.0) / static_cast<double>(own.size());
    text += fmt::format("{:>7}{:>10}{:>16.6f}{:>19.1f} %\n", i, own.size(), mean,
                        100 * mean / audit.of_one_device);
  }
  return text;
}

}  // namespace wt::train
