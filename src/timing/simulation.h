#pragma once

#include <optional>

#include "cluster/machine.h"
#include "communication/call.h"
#include "communication/timing.h"
#include "plan/profiled.h"
#include "plan/roofline.h"
#include "plan/timeline.h"
#include "timing/overdue.h"
#include "timing/several_steps.h"
#include "timing/simulated.h"

namespace wt::timing {

// A plan's step on the machine that a scenario describes, and its summary.
struct Simulation {
  plan::Timeline timeline{};
  double scale = 1;  // of what is computed
  Simulated summary{};
  plan::Costs costs{};
  plan::RooflineOptions roofline{};  // that they were made with
  std::optional<Overdue> overdue{};  // the job ends there
};

// A source of kernel times other than the roofline: measured, or read from a profile.
class KernelTimes {
 public:
  virtual ~KernelTimes() = default;

  // The profile that holds for the plan's devices of the first one's type. Null: the roofline holds.
  virtual const plan::Profile* of(const plan::Plan& plan, std::span<const device::DeviceType* const> types,
                                  const plan::RooflineOptions& roofline) = 0;
};

struct SimulationOptions {
  std::int64_t rows = 0;                         // of the step
  std::optional<device::Precision> precision{};  // absent: the device's default
  std::optional<plan::Fusion> fusion{};          // absent: the device's usual one
  std::optional<Seconds> measured_step{};        // scales what is computed
  Place measured_at{};
  double scale = 1;                  // of what is computed, where a measurement of one device says so
  double compute = 1;                // so many times as fast as described, or measured
  bool has_rows_on_devices = false;  // from the start: a step copies none
  bool is_brought_together = true;   // by collectives that every device's kernel has to enter
  KernelTimes* times = nullptr;      // null: the roofline
  StepsOptions steps{};
  Seconds dispatch{};                      // of a TPU's step, by its host
  std::optional<RowsPipeline> pipeline{};  // as the steps have it
  communication::Folding folding{};        // of collectives that stay whole
  Place folding_at{};
  std::optional<Seconds> timeout{};  // of a collective
};

// What a node is to the first device's step; other devices' kernels are nothing to it.
enum class StepPart : std::uint8_t { compute, communication, input, elsewhere };
StepPart part_of(const plan::Plan& plan, const plan::Node& node);

// On which endpoint of the platform each device of the plan lies.
std::vector<platform::Endpoint> endpoints_of(const plan::Plan& plan, const cluster::Machine& machine);

// Requires: the machine has a platform, and the plan's first device is its first replica's.
Simulation simulate_step(const plan::Plan& plan, const cluster::Machine& machine,
                         const SimulationOptions& options);

}  // namespace wt::timing
