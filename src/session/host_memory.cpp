#include "session/host_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/free_memory.h"
#include "base/rough.h"

namespace wt::session {

namespace {

Bytes bytes_of(const std::vector<plan::Port>& ports) {
  Bytes sum;
  for (const plan::Port& port : ports) sum += port.operand.spec.bytes();
  return sum;
}

Bytes variables_of(const Step& step) {
  Bytes sum;
  for (const StepVariable& variable : step.variables) sum += step.program.spec(variable.value).bytes();
  return sum;
}

}  // namespace

Bytes bytes_on_host(const plan::Plan& plan, bool on_gpus) {
  Bytes sum = bytes_of(plan.inputs);
  for (const plan::Device& device : plan.devices)
    if (!on_gpus || device.is_parked) sum += device.arena;
  return sum;
}

// The state reads back every copy of a variable as soon as a second plan needs them.
std::vector<Held> held_beside_plans(const scenario::Scenario& scenario, const Step& step,
                                    const plan::Plan& plan, std::size_t plans) {
  const Bytes once = variables_of(step);
  const scenario::Training& training = scenario.training;
  std::vector<Held> held{{"variables between steps", plans > 1 ? bytes_of(plan.variables) : once}};
  if (training.checkpointing || training.save_weights) held.push_back({"a saved copy", once});
  if (training.evaluation && training.evaluation->from_checkpoint)
    held.push_back({"the evaluated checkpoint", once});
  return held;
}

void require_host_memory(const scenario::Scenario& scenario, std::span<const Held> held, Bytes free) {
  Bytes sum;
  std::string parts;
  for (const Held& each : held) {
    sum += each.bytes;
    parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", each.what, rough(each.bytes));
  }
  const std::string key =
      fmt::format("training.{}", scenario.training.per_replica_batch ? "per_replica_batch" : "global_batch");
  require_memory(sum, free, fmt::format("computing this training ({})", parts),
                 "use smaller batches or fewer replicas; with \"host\": {\"logical_devices\": ...} replicas "
                 "take turns, and \"numerics\": \"none\" only simulates",
                 scenario.place(key));
}

}  // namespace wt::session
