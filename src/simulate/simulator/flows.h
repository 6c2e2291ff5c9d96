#pragma once
// Selects the flows that SimGrid has to simulate, and answers for the others. A flow that is alone on all of
// its links gets the bandwidth of the narrowest one, so it ends after bytes / bandwidth and needs no
// simulation. Of equal flow groups that begin together (simulate/simulator/component.h), SimGrid simulates
// one, the leader; the flows of the followers end with the corresponding flows of the leader. When a new flow
// enters a link of such a flow or group, this one goes over to SimGrid with the bytes that it has left. The
// dates are the same as if SimGrid simulated all flows.
//
// Example: an all-reduce over 64 machines, where the flows of each machine's 8 GPUs meet in its network card.
// SimGrid simulates one flow group of 8 flows instead of 64.

#include <functional>
#include <span>
#include <vector>

#include "simulate/simulator/component.h"
#include "simulate/simulator/network.h"

namespace wt::simulate {

class Flows {
 public:
  // Calls `foresee` with a flow and the date of its end as soon as that is known. The date may turn out wrong
  // when another flow enters a link; at that date, is_over returns whether it was right. Requires: job and
  // network outlive this.
  Flows(const Job& job, Folding folding, Network& network, std::function<void(std::int32_t, double)> foresee);

  // Requires: ascending ids; all flows that begin at this date, in one call.
  void begin(std::span<const std::int32_t> flows, double now);
  bool is_over(std::int32_t flow) const;
  void end(std::int32_t flow, double now);       // the flow leaves its links
  void arrive(std::int32_t flow, double clock);  // for each flow that the network reports as arrived

  const std::vector<LinkLoad>& loads() const { return loads_; }
  const Effort& effort() const { return effort_; }

 private:
  enum class Phase : std::uint8_t { before, alone, following, shared, arrived, done };

  struct Progress {
    double begun{};
    std::int32_t equals = none;  // the EqualGroups that the flow belongs to
    std::int32_t group{};        // the number of its group in them
    Phase phase = Phase::before;
  };

  // Equal flow groups that began together. SimGrid simulates the leader. A group that leaves, because another
  // flow enters one of its links, becomes empty.
  struct EqualGroups {
    std::vector<std::vector<std::int32_t>> groups{};  // flows, ascending
    std::size_t leader = 0;                           // the first group that isn't empty
    std::size_t flowing = 0;                          // flows of the leader that haven't arrived
  };

  struct Occupancy {
    double since{};
    std::int32_t flows{};
    std::int32_t folded =
        none;  // a flow on this link that is alone or in equal groups; then all flows here are
  };

  Progress& progress(std::int32_t flow) { return progress_[static_cast<std::size_t>(flow)]; }
  const Activity& activity(std::int32_t flow) const {
    return job_.activities[static_cast<std::size_t>(flow)];
  }
  std::span<const std::int32_t> route(std::int32_t flow) const { return job_.route_of(activity(flow)); }
  Occupancy& occupancy(std::int32_t link) { return occupancy_[static_cast<std::size_t>(link)]; }
  bool meets_others(std::span<const std::int32_t> flows);

  void begin_component(std::size_t component, std::vector<std::size_t>& apart);
  void begin_alone(std::int32_t flow);
  void begin_shared(std::int32_t flow);
  void begin_apart(const std::vector<std::size_t>& components);
  void begin_equals(const std::vector<std::size_t>& components);
  void enter(std::int32_t flow);
  void leave(std::int32_t flow);
  void mark(std::int32_t flow, std::int32_t folded);

  void expand(std::int32_t flow);
  void overtake(std::int32_t flow);
  void leave_equals(EqualGroups& equals, std::size_t group);
  void go_on_as(std::span<const std::int32_t> leading, std::span<const std::int32_t> followers);
  void share(std::int32_t flow, double bytes);
  void land(std::int32_t flow, double clock);

  const Job& job_;
  const Folding folding_;
  Network& network_;
  const std::function<void(std::int32_t, double)> foresee_;
  Components components_;
  std::vector<Progress> progress_;    // by activity
  std::vector<Occupancy> occupancy_;  // by link
  std::vector<EqualGroups> equals_{};
  std::vector<LinkLoad> loads_;  // by link
  Effort effort_{};
  double now_ = 0;
};

}  // namespace wt::simulate
