// Runs the same plan on different queues and compares the results.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "execute/execution.h"
#include "plan/order.h"
#include "support/step.h"

namespace wt::test {

// Writes the given values to all replicas.
inline void write_all(execute::Execution& execution, const plan::Plan& plan, const Values& given) {
  for (const auto* ports : {&plan.inputs, &plan.variables})
    for (const plan::Port& port : *ports) {
      const auto found = given.find(port.name.substr(0, port.name.find("/replica_")));
      if (found != given.end()) execution.write(port.name, found->second);
    }
}

enum class Launching { captured, one_by_one };

inline Values run_on(const execute::Queues& queues, const plan::Plan& plan, const Values& given, int steps,
                     Launching launching = Launching::captured) {
  execute::Execution execution(plan, queues);
  write_all(execution, plan, given);
  for (int step = 0; step < steps; ++step)
    launching == Launching::captured ? execution.step() : execution.step(plan::canonical_order(plan));
  Values answered;
  for (const auto* ports : {&plan.variables, &plan.results})
    for (const plan::Port& port : *ports) answered[port.name] = execution.read(port.name);
  return answered;
}

// The largest difference in any tensor, relative to the largest number of that tensor, but at least to 1e-6.
// Tensors of smaller numbers contain rounding errors only: the bias of an attention's key, for example,
// doesn't change the softmax, so its exact gradient is zero.
inline double difference(const Values& ours, const Values& theirs) {
  double worst = 0;
  for (const auto& [name, tensor] : theirs) {
    if (tensor.type() != Type::float32) continue;
    const auto a = ours.at(name).values<float>(), b = tensor.values<float>();
    double largest = 0, apart = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
      if (!std::isfinite(a[i]) || !std::isfinite(b[i])) return HUGE_VAL;
      largest = std::max(largest, std::abs(static_cast<double>(b[i])));
      apart = std::max(apart, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    }
    if (apart > 0) worst = std::max(worst, apart / std::max(largest, 1e-6));
  }
  return worst;
}

inline bool same_bits(const Values& ours, const Values& theirs) {
  return std::all_of(theirs.begin(), theirs.end(), [&](const auto& entry) {
    const auto a = ours.at(entry.first).bytes(), b = entry.second.bytes();
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  });
}

}  // namespace wt::test
