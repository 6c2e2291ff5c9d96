#include "device/cpu/host.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>

namespace wt::device {

Bytes host_memory() { return Bytes(::sysconf(_SC_PAGESIZE)) * ::sysconf(_SC_PHYS_PAGES); }

// The model name from /proc/cpuinfo, which Linux has on x86, and otherwise the name of the architecture.
std::string host_product() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  utsname system{};
  return ::uname(&system) == 0 ? std::string(system.machine) + " CPU" : "CPU";
}

}  // namespace wt::device
