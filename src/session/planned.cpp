#include "session/planned.h"

#include <algorithm>

namespace wt::session {

Bytes peak_memory(const Planned& planned) {
  Bytes limited, any;
  for (const plan::DeviceMemory& device : planned.memory.devices) {
    any = std::max(any, device.arena);
    if (device.limit) limited = std::max(limited, device.arena);
  }
  return limited > Bytes(0) ? limited : any;
}

}  // namespace wt::session
