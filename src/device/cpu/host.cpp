#include "device/cpu/host.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>

namespace wt::device {

Bytes host_memory() { return Bytes(::sysconf(_SC_PAGESIZE)) * ::sysconf(_SC_PHYS_PAGES); }

// Linux tells it on x86; elsewhere the architecture's name must do.
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
