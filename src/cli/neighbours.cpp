#include "cli/neighbours.h"

#include <cmath>
#include <limits>
#include <random>

#include "strategy/default.h"

namespace wt {

namespace {

// Zeros stay: the numbers beside them are not an ulp of anything else.
void nudge(Tensor& tensor, std::mt19937_64& random) {
  constexpr float end = std::numeric_limits<float>::infinity();
  if (tensor.spec().type != Type::float32) return;
  for (float& value : tensor.values<float>()) {
    const auto way = random() % 3;
    if (value != 0 && way != 0) value = std::nextafter(value, way == 1 ? end : -end);
  }
}

std::vector<double> losses_of(const Rehearsal& run) {
  std::vector<double> losses;
  for (const train::StepResult& step : run.steps) losses.push_back(step.loss);
  return losses;
}

}  // namespace

const Rehearsal& Neighbours::neighbour(std::size_t number) {
  expect(!oracle_.job.initial_weights.empty(), "{} has no first weights", oracle_.name);
  while (known_.size() <= number) {
    std::mt19937_64 random(known_.size() + 1);
    scenario::Job job = oracle_.job;
    for (auto& [name, tensor] : job.initial_weights) nudge(tensor = tensor.copy(), random);
    const auto on_one_device = [](strategy::Steps steps) {
      return strategy::lower_default(*steps.front(), {"device"});
    };
    known_.push_back(rehearse(oracle_.scenario, job, on_one_device, {}, queue_, {}));
  }
  return known_[number];
}

std::optional<Neighbours::Followed> Neighbours::followed_by(const Rehearsal& run) {
  for (std::size_t number = 0; number < most; ++number) {
    const Rehearsal& each = neighbour(number);
    const Deviation from = deviation(run, losses_of(each), each.weights);
    if (from.is_within()) return Followed{number, from, deviation(each, oracle_.losses, oracle_.weights)};
  }
  return std::nullopt;
}

}  // namespace wt
