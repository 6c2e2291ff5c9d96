#pragma once
// Simulates one step of a plan. Kernels take the time of the roofline or of a profile. Messages take the time
// of the links, with the costs that NCCL or TensorFlow add. A collective that is a single node
// (plan::Collective) is timed once for each algorithm and size, with all replicas beginning at the same time.

#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "communication/call.h"
#include "communication/known_times.h"
#include "communication/timing.h"
#include "plan/profiled.h"
#include "plan/rows.h"
#include "plan/step_end.h"
#include "plan/timeline.h"

namespace wt::timing {

struct StepTimeOptions {
  plan::RooflineOptions roofline{};
  const plan::Profile* profile = nullptr;  // replaces the roofline on the devices of its type; null: none
  std::vector<double> pace{};  // by device, a factor on its seconds, above 1 for a straggler; empty: 1
  plan::StepEnd end{};         // of the step
  double spread =
      0;  // share of the compute of the busiest device for which the others wait at the end of the step
  plan::RowCopies copies = plan::RowCopies::in_the_step;
};

// A simulated step.
struct StepTime {
  plan::Costs costs{};
  plan::StepEnd end{};        // with the spread of the devices
  Seconds work{};             // until when devices and links work, but for copies of the next step's rows
  plan::Timeline timeline{};  // its links include the load of collectives that are single nodes
  // The largest time between the first and the last replica to reach such a collective. The simulation lets
  // all replicas begin with the last one, while in a plan with single messages the others could begin
  // earlier.
  Seconds skew{};
};

// Whether the node is a message of a collective, the sum at its end, or a whole collective.
bool is_of_collective(const plan::Node& node);

// The types of the plan's devices. A switch that adds has a type without rates, because it runs no kernels.
std::vector<const device::DeviceType*> types_of(const platform::Platform& platform,
                                                std::span<const platform::Endpoint> where);

// Times plans on one platform. It keeps the times of whole collectives from one plan to the next.
class StepClock {
 public:
  // `replicas` lists all replicas in their order, including those that are not in a plan because another one
  // stands for them. `known` has the times of collectives from other clocks; null: none. Requires: the platform
  // and `known` outlive the clock.
  StepClock(const platform::Platform& platform, std::vector<platform::Endpoint> replicas,
            communication::KnownTimes* known = nullptr);

  // `where` gives the endpoint of each device of the plan, as for simulate::simulate.
  StepTime time(const plan::Plan& plan, std::span<const platform::Endpoint> where,
                const StepTimeOptions& options);

  // What the times of the plan's messages between machines rest on, if TensorFlow sends them itself; empty: a
  // library does, or the plan has none.
  std::string_view transport(const plan::Plan& plan) const;

  // The seconds of each node, for a plan that is simulated elsewhere.
  plan::Costs costs_of(const plan::Plan& plan, std::span<const platform::Endpoint> where,
                       const StepTimeOptions& options);

 private:
  using Known = std::tuple<std::string, collective::Operation, std::int64_t, Type>;

  // Calls use(node, timing) for every collective that is a single node.
  template <class Use>
  void for_whole(const plan::Plan& plan, Use use);
  void add_expanded(plan::Costs& costs, const plan::Plan& plan,
                    std::span<const platform::Endpoint> where) const;
  collective::Options options_of(const plan::Collective& collective) const;
  const communication::Timing& timing_of(const plan::Collective& collective, const communication::Call* call);

  communication::Group group_;
  communication::KnownTimes own_known_{};
  communication::KnownTimes& all_known_;
  std::map<Known, std::shared_ptr<const communication::Timing>> known_{};  // of this clock's group
};

}  // namespace wt::timing
