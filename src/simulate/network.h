#pragma once
// SimGrid's clock and network under our routes: one flat zone with two hosts between which every flow takes
// the route it is given. So no platform of SimGrid's has to agree with ours: its nested zones lose hops and
// its torus lacks unwrapped, twisted and size-2 dimensions. Links have no latency here: a flow's is paid
// before it starts, as SimGrid would give flows of less latency more of a link.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "simulate/job.h"
#include "simulate/simgrid_version.h"

namespace wt::simulate {

// One per process: SimGrid's clock doesn't reset.
class Network {
 public:
  // Calls `arrived` with the activity whose bytes have all flowed.
  Network(const Job& job, std::function<void(std::int32_t)> arrived);
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  // Bytes begin to flow over the activity's route, max-min fair among all that do.
  void start(std::int32_t activity, double bytes);
  double left(std::int32_t activity) const;  // bytes. Requires: it was started and hasn't arrived.

  double now() const { return simgrid::s4u::Engine::get_clock(); }
  void call_at(double date, std::function<void()> call);  // at once where the date is past
  void run() { engine_.run(); }                           // until nothing is left to happen

  double precision() const { return precision_; }  // events this many seconds apart are one

 private:
  void arrive(simgrid::s4u::Activity& comm);

  const Job& job_;
  const std::function<void(std::int32_t)> arrived_;
  const double precision_;
  const double pieces_;  // of a byte, in which SimGrid counts
  simgrid::s4u::Engine engine_;
  std::vector<simgrid::s4u::Link*> links_{};
  simgrid::s4u::Host* source_ = nullptr;
  simgrid::s4u::Host* target_ = nullptr;
  std::vector<simgrid::s4u::Link*> route_{};        // of the comm that is being started
  std::vector<simgrid::s4u::CommPtr> flowing_;      // by activity
  std::vector<simgrid::s4u::CommPtr> graveyard_{};  // SimGrid 3.32 uses a comm after the callback of its end
};

}  // namespace wt::simulate
