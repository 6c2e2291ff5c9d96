#pragma once
// SimGrid's platform XML (DTD 4 and 4.1): hosts with a speed, and the routes between them. Each host becomes
// a machine of one device, a CPU unless a property names a device type:
//
//   <prop id="windtunnel:type" value="rtx4090"/>    the device, by its id in devices.json
//   <prop id="windtunnel:host" value="xeon_8168"/>  the CPU whose memory the machine has
//   <prop id="windtunnel:pcie" value="26 GB/s"/>    between a device that is no CPU and that memory
//
// They stand at the host, at its cluster or at a zone around it; parameters `type`, `host` and `pcie` stand
// for all. A SHARED link is one link for both directions, a SPLITDUPLEX one is two.

#include "platform/build.h"
#include "platform/formats/xml.h"
#include "platform/load.h"

namespace wt::platform {

// Everything that is wrong goes to `problems`; then there is no topology.
Built build_simgrid(const xml::Document& document, const Parameters& parameters, Problems& problems);

}  // namespace wt::platform
