#include "study/evidence/neighbours.h"

#include <cmath>
#include <limits>
#include <random>

#include "strategy/default.h"

namespace wt::evidence {

namespace {

// Moves each number up or down by an ulp, or not at all. Zeros stay, since the floats next to 0 are subnormal
// and far smaller than the rounding of any sum.
void nudge(Tensor& tensor, std::mt19937_64& random) {
  constexpr float end = std::numeric_limits<float>::infinity();
  if (tensor.spec().type != Type::float32) return;
  for (float& value : tensor.values<float>()) {
    const auto way = random() % 3;
    if (value != 0 && way != 0) value = std::nextafter(value, way == 1 ? end : -end);
  }
}

}  // namespace

Standard standard_of(const Oracle& oracle, const execute::Queues& queues) {
  WT_EXPECT(!oracle.job.initial_weights.empty(), "{} has no first weights", oracle.name);
  const auto on_one_device = [](strategy::Steps steps) {
    return strategy::lower_default(*steps.front(), {"device"});
  };
  return {.first_weights = oracle.job.initial_weights,
          .losses = oracle.losses,
          .weights = oracle.weights,
          .again = [&oracle, &queues, on_one_device](const std::map<std::string, Tensor>& first) {
            scenario::Job job = oracle.job;
            job.initial_weights = first;
            return session::rehearse(oracle.scenario, job, {on_one_device, queues}, {});
          }};
}

const session::Rehearsal& Neighbours::neighbour(std::size_t number) {
  while (known_.size() <= number) {
    std::mt19937_64 random(known_.size() + 1);
    std::map<std::string, Tensor> first = standard_.first_weights;
    for (auto& [name, tensor] : first) nudge(tensor = tensor.copy(), random);
    known_.push_back(standard_.again(first));
  }
  return known_[number];
}

std::optional<Neighbours::Followed> Neighbours::followed_by(const session::Rehearsal& run) {
  for (std::size_t number = 0; number < most; ++number) {
    const session::Rehearsal& each = neighbour(number);
    const Deviation from = deviation(run, session::losses_of(each), each.weights);
    if (from.is_within()) return Followed{number, from, deviation(each, standard_.losses, standard_.weights)};
  }
  return std::nullopt;
}

}  // namespace wt::evidence
