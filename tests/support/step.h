// Runs a traced step in a test.
#pragma once

#include <map>
#include <optional>
#include <random>
#include <string>

#include "device/cpu/cpu_queue.h"
#include "execute/execution.h"
#include "kernel/kernel.h"
#include "plan/order.h"
#include "strategy/default.h"
#include "support/numbers.h"

namespace wt::test {

using Values = std::map<std::string, Tensor>;

// How a step is run. None of these options may change a bit of the results.
struct Running {
  int threads = 1;
  std::optional<std::uint64_t> order_seed{};  // of a random legal order instead of the canonical one
  int steps = 1;
};

// `given` contains inputs and variables by name. The result contains results and variables by name.
inline Values run(const Step& step, const Values& given, const Running& running = {}) {
  const plan::Plan plan = strategy::lower_default(step, {"cpu:0"});
  device::Workers workers(running.threads);
  device::CpuQueue queue(workers);
  execute::Execution execution(plan, queue);
  for (const auto& [name, tensor] : given) execution.write(name, tensor);
  for (int i = 0; i < running.steps; ++i) {
    if (running.order_seed)
      execution.step(plan::random_legal_order(plan, *running.order_seed + static_cast<std::uint64_t>(i)));
    else
      execution.step();
  }
  Values answered;
  for (const plan::Port& port : plan.variables) answered[port.name] = execution.read(port.name);
  for (const plan::Port& port : plan.results) answered[port.name] = execution.read(port.name);
  return answered;
}

}  // namespace wt::test
