#pragma once
// When everything in a lowered step happens: what devices compute costs what the roofline or a profile says, what
// replicas exchange what their library, or TensorFlow itself, makes of the wires. Collectives that stay whole
// (plan::Collective) are timed once for each algorithm and size, by all replicas beginning together.

#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "communication/call.h"
#include "communication/timing.h"
#include "plan/profiled.h"
#include "plan/timeline.h"

namespace wt {

struct StepTimeOptions {
  plan::RooflineOptions roofline{};
  const plan::Profile* profile = nullptr;  // instead of the roofline, for the devices of its type
  // Of the plan's "all_reduce/0" and so on: how the library carries them out. Empty: TensorFlow does it itself.
  std::vector<const communication::Call*> calls{};
  std::vector<double> pace{};        // by device: its seconds are multiplied by it (a straggler); absent: 1
  Seconds synchronization{};         // once, when all else is done
  bool has_rows_on_devices = false;  // from the start: a step copies none
  // Of collectives that stay whole. Folded: where nothing in them is alike, that is refused, at its key.
  communication::Folding folding{};
  Place folding_at{};
};

struct StepTime {
  plan::Costs costs{};
  plan::Timeline timeline{};  // its links with what whole collectives put on them, between all replicas
  // Between the first and the last of the replicas in the plan that a collective has to wait for, the most there
  // is. It took them all to begin with the last; expanded ones let the others go ahead.
  Seconds skew{};
};

// A collective's message, the sum at its end, or the whole of it.
bool is_of_collective(const plan::Node& node);

// Of a plan's devices. What adds in a switch has no rates, and nothing to compute.
std::vector<const device::DeviceType*> types_of(const platform::Platform& platform,
                                                std::span<const platform::Endpoint> where);

// What a process that drives several devices spends on bringing them together once a step: MXNet's published
// throughput of a DGX-1 with V100s loses 0.5 ms for each of 4 and 8 GPUs, in float32 and in float16 alike, beside
// what its links explain. One fit, of one framework.
Seconds synchronization_of(int devices_per_process);

// Nouns that stay the same from step to step, and collectives' times once they are known.
class StepClock {
 public:
  // `replicas`: all of them in their order, also those that a plan's stand for. Requires: the platform outlives it.
  StepClock(const platform::Platform& platform, std::vector<platform::Endpoint> replicas);

  // `where` as for simulate.
  StepTime time(const plan::Plan& plan, std::span<const platform::Endpoint> where,
                const StepTimeOptions& options);

 private:
  using Known = std::tuple<std::string, collective::Operation, std::int64_t, Type>;

  plan::Costs costs_of(const plan::Plan& plan, std::span<const platform::Endpoint> where,
                       const StepTimeOptions& options);
  // Of every collective that stays whole, with its node.
  template <class Use>
  void for_whole(const plan::Plan& plan, const StepTimeOptions& options, Use use);
  void add_expanded(plan::Costs& costs, const plan::Plan& plan, std::span<const platform::Endpoint> where,
                    const StepTimeOptions& options) const;
  void require_folded(const plan::Plan& plan, const StepTimeOptions& options);
  collective::Options options_of(const plan::Collective& collective) const;
  const communication::Timing& timing_of(const plan::Collective& collective, const communication::Call* call,
                                         communication::Folding folding);

  communication::Group group_;
  std::map<Known, communication::Timing> known_{};
};

}  // namespace wt
