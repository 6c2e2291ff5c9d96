#include "study/assumed.h"

#include <fmt/format.h>

#include "platform/constants_version.h"
#include "platform/platform.h"

namespace wt::study {

namespace {

Assumed precision(const scenario::Scenario& scenario, const timing::Simulated& simulated) {
  const bool is_given = scenario.training.precision.has_value();
  return {"precision", simulated.precision,
          is_given ? "the scenario" : "TensorFlow's default on such a device",
          is_given ? "" : "set training.precision"};
}

Assumed kernels(const scenario::Scenario& scenario, const cluster::Machine& machine,
                const timing::Simulated& simulated) {
  Assumed row{"times of kernels", simulated.basis, "generic constants: no published row of this device", ""};
  if (scenario.time.measured_step) row.source = "the scenario's time.measured_step";
  if (!scenario.time.compute.is_roofline()) row.source = "the scenario's time.compute";
  const device::DeviceType& type = machine.platform->type(machine.endpoint(print(machine.device().name)));
  for (const auto& [precision, efficiency] : type.efficiency)
    if (device::name(precision) == simulated.precision && !efficiency.source.empty())
      row.source = efficiency.source;
  return row;
}

Assumed input(const scenario::Scenario& scenario, const timing::Simulated& simulated) {
  if (simulated.copies == plan::RowCopies::none)
    return {"input", "rows are on the devices from the start", "the scenario's input", ""};
  const std::string copies = simulated.copies == plan::RowCopies::ahead
                                 ? "rows are copied to the devices ahead, from the memory of their own socket"
                                 : "each step copies its rows to the device before it computes";
  if (simulated.pipeline && !simulated.pipeline->decoders.empty())
    return {"input", copies + ", decoded by " + simulated.pipeline->decoders,
            "measured decoders of TensorFlow, on all cores of a host",
            "set the scenario's input.decode to what your hosts decode"};
  if (simulated.pipeline)
    return {"input", copies + ", after a pipeline of each worker's host", "the scenario's input", ""};
  const std::string strategy(scenario.strategy->name());
  if (simulated.has_encoded_rows)
    return {"input", copies + "; reading and decoding are assumed free",
            "as TensorFlow does under " + strategy, "describe them with the scenario's \"input\""};
  return {"input", copies + "; nothing is decoded", "as TensorFlow does under " + strategy,
          "describe storage and decoding with the scenario's \"input\""};
}

Assumed jitter(const scenario::Scenario& scenario) {
  const double jitter = scenario.time.jitter;
  if (jitter > 0) return {"jitter", fmt::format("{:.3g} %", 100 * jitter), "the scenario's time.jitter", ""};
  return {"jitter", "none", "none described",
          "set time.jitter, as 0.05, to have steps wait for the slowest device"};
}

}  // namespace

std::vector<Assumed> assumed(const scenario::Scenario& scenario, const cluster::Machine& machine,
                             const timing::Simulated& simulated) {
  return {precision(scenario, simulated),
          kernels(scenario, machine, simulated),
          {"bandwidth and latency of links", "as described", "the platform " + machine.platform->name(), ""},
          input(scenario, simulated),
          jitter(scenario),
          {"versions",
           fmt::format("constants {}, TensorFlow with {}", platform::constants_version,
                       model::name(scenario.semantics)),
           "this program, and the scenario's \"semantics\"", ""}};
}

}  // namespace wt::study
