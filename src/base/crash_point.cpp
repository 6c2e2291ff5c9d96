#include "base/crash_point.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <string>

namespace wt {
namespace {

struct Crashes {
  long at = 0;  // the number of the place that kills the process; 0: none
  const char* log = nullptr;
};

Crashes crashes_of_the_environment() {
  const char* at = std::getenv("WINDTUNNEL_CRASH_AT");
  return {.at = at == nullptr ? 0 : std::strtol(at, nullptr, 10), .log = std::getenv("WINDTUNNEL_CRASH_LOG")};
}

void append(const char* log, std::string_view place) {
  const int descriptor = ::open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0) return;
  const std::string line = std::string(place) + "\n";
  [[maybe_unused]] const ssize_t written = ::write(descriptor, line.data(), line.size());
  ::close(descriptor);
}

}  // namespace

void crash_point(std::string_view place) {
  static const Crashes crashes = crashes_of_the_environment();
  static std::atomic<long> passed{0};
  if (crashes.at == 0 && crashes.log == nullptr) return;
  const long number = ++passed;
  if (crashes.log != nullptr) append(crashes.log, place);
  if (number == crashes.at) ::kill(::getpid(), SIGKILL);
}

}  // namespace wt
