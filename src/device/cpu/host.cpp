#include "device/cpu/host.h"

#include <unistd.h>

namespace wt::device {

Bytes host_memory() { return Bytes(::sysconf(_SC_PAGESIZE)) * ::sysconf(_SC_PHYS_PAGES); }

}  // namespace wt::device
