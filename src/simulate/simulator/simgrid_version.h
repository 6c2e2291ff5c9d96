#pragma once
// The differences between SimGrid 3.32 and later versions that concern this code. Version 3.32 is tested; the
// branches for the others follow the ChangeLogs of 3.34 and 4.0.

#include <simgrid/s4u.hpp>

#include <simgrid/version.h>  // needs macros of s4u.hpp

namespace wt::simulate {

#if SIMGRID_VERSION < 33400
inline constexpr const char* timing_precision = "surf/precision";
inline constexpr const char* sharing_precision = "maxmin/precision";
#else
inline constexpr const char* timing_precision = "precision/timing";
inline constexpr const char* sharing_precision = "precision/work-amount";
#endif

inline void start(simgrid::s4u::Comm& comm) {
#if SIMGRID_VERSION < 33400
  comm.vetoable_start();  // start() of 3.32 doesn't look at what the comm depends on
#else
  comm.start();
#endif
}

// Passes every comm that ends to `call`, in whatever state it ends.
template <class Call>
void on_each_end(Call call) {
#if SIMGRID_VERSION < 33400
  simgrid::s4u::Activity::on_completion_cb([call](const simgrid::s4u::Activity& activity) {
    call(const_cast<simgrid::s4u::Activity&>(activity));
  });
#else
  simgrid::s4u::Comm::on_completion_cb(
      [call](const simgrid::s4u::Comm& comm) { call(const_cast<simgrid::s4u::Comm&>(comm)); });
#endif
}

inline simgrid::s4u::Host* add_host(simgrid::s4u::NetZone& zone, const char* name) {
#if SIMGRID_VERSION < 40000
  return zone.create_host(name, 1.0);
#else
  return zone.add_host(name, 1.0);
#endif
}

inline simgrid::s4u::Link* add_link(simgrid::s4u::NetZone& zone, const std::string& name, double bandwidth) {
#if SIMGRID_VERSION < 40000
  return zone.create_link(name, bandwidth)->set_latency(0);
#else
  return zone.add_link(name, bandwidth)->set_latency(0);
#endif
}

}  // namespace wt::simulate
