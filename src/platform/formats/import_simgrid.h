#pragma once
// The importer of SimGrid's platform XML (DTD 4 and 4.1), which describes hosts with a speed and the routes
// between them. Each host becomes a machine of one device. The device is a CPU unless a property names a
// device type:
//
//   <prop id="windtunnel:type" value="rtx4090"/>    the device, by its id in devices.json
//   <prop id="windtunnel:host" value="xeon_8168"/>  the CPU of the machine, which determines its memory
//   <prop id="windtunnel:pcie" value="26 GB/s"/>    the bandwidth between a GPU or TPU and that memory
//
// A property applies to the host, cluster or zone in which it is written, and to everything inside. The
// parameters `type`, `host` and `pcie` apply to all hosts. A SHARED link is one link for both directions; a
// SPLITDUPLEX link is two links, one for each direction.
//
// The reader is divided by the kinds of elements: simgrid_members.h (hosts, routers, zones by name),
// simgrid_links.h, simgrid_routes.h and simgrid_hosts.h (device types). They fill a Zones (zones.h), from
// which routes are composed.

#include "platform/build.h"
#include "platform/formats/xml.h"
#include "platform/load.h"

namespace wt::platform {

// Adds everything that is wrong to `problems`. The topology is null if there was a problem.
Built build_simgrid(const xml::Document& document, const Parameters& parameters, Problems& problems);

}  // namespace wt::platform
