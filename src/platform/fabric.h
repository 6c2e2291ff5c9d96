#pragma once
// The interface of everything that joins ports of many machines. A port is a NIC (of a network) or a device
// (of an NVLink domain or a torus). With 4 ports behind one switch there are 8 links: link 2 p leads from
// port p up to the switch and link 2 p + 1 back down, so the route from port 1 to port 3 is the links 2 and
// 7.
//
// Implementations compute links and routes from the port numbers (platform/switches.h, platform/torus.h) and
// store nothing for each port, so that a platform of 65,536 chips takes no more memory than one of four.
// SimGrid's zones (platform/formats/zones.h) are the exception, because their files list every link.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "platform/platform.h"
#include "platform/shape.h"

namespace wt::platform {

// Composes a route: each added link contributes its latency, and the lowest bandwidth becomes the bottleneck.
class Trail {
 public:
  void add(LinkId id, const Link& link) {
    route_.links.push_back(id);
    route_.latency += link.latency;
    if (route_.links.size() == 1 || link.bandwidth < route_.bottleneck) route_.bottleneck = link.bandwidth;
  }
  // Adds only latency, for a link that limits no flow and so is not simulated.
  void wait(Seconds latency) { route_.latency += latency; }
  void reserve(std::size_t links) { route_.links.reserve(route_.links.size() + links); }
  Route route() && { return std::move(route_); }

 private:
  Route route_{};
};

// The name of a port, as in "machine 1/nic 0".
using PortName = std::function<std::string(std::int32_t port)>;

// Ports are numbered machine by machine from 0, and links from 0 to links() - 1.
class Fabric {
 public:
  virtual ~Fabric() = default;
  virtual std::int32_t links() const = 0;
  virtual const Link& link(std::int32_t link) const = 0;
  virtual std::string name(std::int32_t link, const PortName& port) const = 0;

  // Adds the links from one port to another to the trail. `first` is the platform's id of this fabric's link
  // 0. Requires: joins(from, to).
  virtual void route(std::int32_t from, std::int32_t to, LinkId first, Trail& trail) const = 0;
  virtual bool joins(std::int32_t, std::int32_t) const { return true; }
  // The number of links by which a port sends; of ports that differ, the highest.
  virtual std::int32_t links_of_port() const { return 1; }
  // Whether a flow must leave its machine by the same port index by which it enters the other machine,
  // because ports of different indices are on different rails.
  virtual bool keeps_rails() const { return false; }
  // Whether each machine sees the others as every other machine does: the machines may be exchanged with each
  // other without changing which links meet.
  virtual bool is_uniform() const { return false; }

 protected:
  Fabric() = default;
  Fabric(const Fabric&) = default;
  Fabric& operator=(const Fabric&) = default;
};

}  // namespace wt::platform
