#pragma once
// SimGrid's clock, and its sharing of links, for the routes of a job. SimGrid sees one flat zone with two
// hosts, and every flow between the two hosts takes the route that the job gives it. So no platform
// description of SimGrid has to agree with ours: nested zones of SimGrid 3.32 lose hops, and its torus lacks
// unwrapped, twisted and size-2 dimensions. SimGrid's links have no latency, because SimGrid gives a flow
// with less latency more of a link. The latency of a flow passes before SimGrid starts it
// (simulate/simulator/player.h).

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "simulate/job.h"
#include "simulate/simulator/simgrid_version.h"

namespace wt::simulate {

// Requires: the process constructs one object only. SimGrid's clock can't be reset.
class Network {
 public:
  // Calls `arrived` with the activity whose bytes have all flowed. Requires: the job outlives this.
  Network(const Job& job, std::function<void(std::int32_t)> arrived);
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  // From now on, bytes flow over the activity's route and share each link max-min fairly with the other
  // flows.
  void start(std::int32_t activity, double bytes);
  double left(std::int32_t activity) const;  // bytes. Requires: the flow was started and hasn't arrived.

  double now() const { return simgrid::s4u::Engine::get_clock(); }
  void call_at(double date, std::function<void()> call);  // at once when the date is in the past
  void run() { engine_.run(); }                           // until no flow and no call is left

  double precision() const { return precision_; }  // SimGrid merges events that are fewer seconds apart

 private:
  void arrive(simgrid::s4u::Activity& comm);

  const Job& job_;
  const std::function<void(std::int32_t)> arrived_;
  const double precision_;
  const double pieces_;  // of a byte: the unit of SimGrid's amounts
  simgrid::s4u::Engine engine_;
  std::vector<simgrid::s4u::Link*> links_{};
  simgrid::s4u::Host* source_ = nullptr;
  simgrid::s4u::Host* target_ = nullptr;
  std::vector<simgrid::s4u::Link*> route_{};       // of the comm that is being started
  std::vector<simgrid::s4u::CommPtr> flowing_;     // by activity
  std::vector<simgrid::s4u::CommPtr> finished_{};  // SimGrid 3.32 uses a comm after the callback of its end
};

}  // namespace wt::simulate
