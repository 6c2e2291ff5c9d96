#include "simulate/simulator/network.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>

#include "base/error.h"
#include "base/narrow.h"

namespace wt::simulate {
namespace {

namespace routing = simgrid::kernel::routing;

// SimGrid looks the route of a comm up once, while the comm is started, so the zone always returns the route
// of the comm that is being started.
class FlatZone : public routing::NetZoneImpl {
 public:
  explicit FlatZone(std::vector<simgrid::s4u::Link*>& route) : NetZoneImpl("flat"), route_(route) {}

  void get_local_route(const routing::NetPoint*, const routing::NetPoint*, routing::Route* into,
                       double*) override {
    WT_EXPECT(!route_.empty(), "SimGrid looks up a route while no comm is started");
    for (const simgrid::s4u::Link* link : route_) into->link_list_.push_back(link->get_impl());
    route_.clear();
  }
  void get_graph(const s_xbt_graph_t*, std::map<std::string, xbt_node_t, std::less<>>*,
                 std::map<std::string, xbt_edge_t, std::less<>>*) override {}

 private:
  std::vector<simgrid::s4u::Link*>& route_;
};

// SimGrid's model CM02 without cross traffic and without the window of TCP: a flow takes latency + bytes /
// bandwidth, and flows share links max-min fairly.
simgrid::s4u::Engine make_engine(double precision) {
  const std::vector<std::string> settings = {"windtunnel",
                                             "--log=root.thres:error",
                                             "--cfg=network/model:CM02",
                                             "--cfg=network/crosstraffic:0",
                                             "--cfg=network/TCP-gamma:0",
                                             fmt::format("--cfg={}:{}", timing_precision, precision),
                                             fmt::format("--cfg={}:1e-12", sharing_precision)};
  std::vector<char*> words;
  for (const std::string& setting : settings) words.push_back(const_cast<char*>(setting.c_str()));
  int count = narrow<int>(words.size());
  words.push_back(nullptr);
  return simgrid::s4u::Engine(&count, words.data());
}

// An upper bound of the end of the simulation. At every time a delay passes or some link is full, and the
// flows on a full link work off at least one second of this sum per second.
double horizon(const Job& job) {
  double seconds = 0;
  for (const Activity& activity : job.activities) {
    seconds += activity.delay;
    if (job.flows(activity)) seconds += static_cast<double>(activity.bytes) / job.bottleneck(activity);
  }
  double repeated = 1;
  if (job.tasks.runs > 0) repeated = static_cast<double>(job.tasks.runs);
  for (const double pace : job.tasks.paces)
    repeated = std::max(repeated, pace * static_cast<double>(job.tasks.runs));
  return repeated * seconds;
}

// SimGrid never handles an event whose date is behind the clock by a rounding error larger than its
// precision. So the precision is at least a few units in the last place of the latest date.
double precision_for(const Job& job) { return std::max(1e-15 * horizon(job), 1e-24); }

// SimGrid's amounts are whole numbers, while the rest of a flow that goes over to SimGrid is not. So amounts
// count pieces of a byte. A byte has as many pieces, a power of two, as a double holds exactly for the
// largest flow.
double pieces_for(const Job& job) {
  std::int64_t most = 1;
  for (const Activity& activity : job.activities) most = std::max(most, activity.bytes);
  return std::exp2(std::max(0, 51 - std::ilogb(static_cast<double>(most))));
}

}  // namespace

Network::Network(const Job& job, std::function<void(std::int32_t)> arrived)
    : job_(job),
      arrived_(std::move(arrived)),
      precision_(precision_for(job)),
      pieces_(pieces_for(job)),
      engine_(make_engine(precision_)),
      flowing_(job.activities.size()) {
  simgrid::s4u::NetZone* zone = (new FlatZone(route_))->get_iface();  // SimGrid owns its zones
#if SIMGRID_VERSION >= 40000
  zone->set_parent(engine_.get_netzone_root());
#endif
  source_ = add_host(*zone, "source");
  target_ = add_host(*zone, "target");
  for (std::size_t link = 0; link < job.bandwidths.size(); ++link)
    links_.push_back(add_link(*zone, std::to_string(link), job.bandwidths[link] * pieces_));
  zone->seal();
  on_each_end([this](simgrid::s4u::Activity& comm) { arrive(comm); });
  simgrid::s4u::Engine::on_time_advance_cb([this](double) { finished_.clear(); });
}

void Network::start(std::int32_t activity, double bytes) {
  const auto id = static_cast<std::size_t>(activity);
  route_.clear();
  for (const std::int32_t link : job_.route_of(job_.activities[id]))
    route_.push_back(links_[static_cast<std::size_t>(link)]);
  simgrid::s4u::CommPtr comm = simgrid::s4u::Comm::sendto_init(source_, target_);
  comm->set_payload_size(static_cast<std::uint64_t>(std::max(1.0, std::round(bytes * pieces_))));
  flowing_[id] = comm;
  comm->set_data(&flowing_[id]);
  simulate::start(*comm);
  WT_EXPECT(route_.empty(), "SimGrid started a comm without looking up its route");
}

double Network::left(std::int32_t activity) const {
  return flowing_[static_cast<std::size_t>(activity)]->get_remaining() / pieces_;
}

void Network::call_at(double date, std::function<void()> call) {
  simgrid::kernel::timer::Timer::set(std::max(date, now()), std::move(call));
}

void Network::arrive(simgrid::s4u::Activity& comm) {
  simgrid::s4u::CommPtr* flowing = comm.get_data<simgrid::s4u::CommPtr>();
  const auto id = static_cast<std::int32_t>(flowing - flowing_.data());
  WT_EXPECT(comm.get_state() == simgrid::s4u::Activity::State::FINISHED, "flow {} ended in the state {}", id,
            comm.get_state_str());
  finished_.push_back(std::move(*flowing));
  arrived_(id);
}

}  // namespace wt::simulate
