#pragma once
// Divides a step among computing, communication and waiting, as seen from each device that trains. A moment in
// which several are active counts once: as compute time if the device computes, else as communication, else as
// waiting for rows.

#include <string>
#include <vector>

#include "cluster/machine.h"
#include "plan/timeline.h"
#include "timing/several_steps.h"

namespace wt::timing {

// The part of a device's step to which a node belongs. The kernels of other devices are `elsewhere`.
enum class StepPart : std::uint8_t { compute, communication, input, elsewhere };
StepPart part_of(const plan::Plan& plan, const plan::Node& node);  // of the first device's step

// What one device does in a step. The step is the sum of `compute`, `exposed`, `input`, `software` and
// `waiting`.
struct StepSplit {
  std::string device{};
  Seconds step{};
  Seconds compute{};
  Seconds communication{};  // time during which values move between devices or are added
  Seconds exposed{};        // the part of `communication` during which the device computes nothing
  Seconds input{};          // time during which it waits for rows
  Seconds software{};  // time of the framework's software on the host, in which the device has nothing to do
  Seconds waiting{};   // for others
};

// For how many devices a step is divided: each takes a walk over all nodes.
enum class Divided : std::uint8_t { first, every };

// A row for each device of the plan that belongs to a replica; the first is that of the first replica.
std::vector<StepSplit> splits_of(const plan::Plan& plan, const plan::Timeline& timeline,
                                 const cluster::Machine& machine, Divided divided, Seconds software);
// The means over the reported steps.
std::vector<StepSplit> splits_of(const SeveralSteps& steps, const cluster::Machine& machine, Divided divided);

// Whether the move is one between two devices.
bool is_between_devices(const plan::Plan& plan, const plan::Move& move);

}  // namespace wt::timing
