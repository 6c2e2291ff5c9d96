#include "base/free_memory.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

#include "base/rough.h"

namespace wt {
namespace {

constexpr Bytes unlimited(std::numeric_limits<std::int64_t>::max());

// The first number in a file, or behind the word `label` in it. Unset if there is none, as in a control group
// whose limit is "max".
std::optional<std::int64_t> number_in(const std::string& path, std::string_view label = {}) {
  std::ifstream file(path);
  for (std::string word; file >> word;) {
    if (!label.empty() && word != label) continue;
    if (!label.empty() && !(file >> word)) return std::nullopt;
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    return error == std::errc() ? std::optional(number) : std::nullopt;
  }
  return std::nullopt;
}

Bytes left_on_machine() {
  const auto kibibytes = number_in("/proc/meminfo", "MemAvailable:");
  return kibibytes ? Bytes(1024) * *kibibytes : unlimited;
}

// Pages of files count as used by the group, although they are given up when memory is short.
Bytes left_in_group() {
  const std::string folder = "/sys/fs/cgroup/";
  const auto limit = number_in(folder + "memory.max"), used = number_in(folder + "memory.current");
  if (!limit || !used) return unlimited;
  const std::int64_t of_files = number_in(folder + "memory.stat", "file").value_or(0);
  return Bytes(std::max<std::int64_t>(0, *limit - std::max<std::int64_t>(0, *used - of_files)));
}

Bytes left_in_address_space() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
  const auto pages = number_in("/proc/self/statm");
  const std::int64_t used = pages.value_or(0) * ::sysconf(_SC_PAGESIZE);
  return Bytes(std::max<std::int64_t>(0, static_cast<std::int64_t>(limit.rlim_cur) - used));
}

}  // namespace

Bytes free_memory() { return std::min({left_on_machine(), left_in_group(), left_in_address_space()}); }

void require_memory(Bytes wanted, std::string_view what, std::string_view remedy, const Place& place) {
  constexpr Bytes always_there(std::int64_t{16} << 20);
  if (wanted > always_there) require_memory(wanted, free_memory(), what, remedy, place);
}

void require_memory(Bytes wanted, Bytes free, std::string_view what, std::string_view remedy,
                    const Place& place) {
  if (wanted <= free) return;
  throw InputError(Problem{
      place,
      fmt::format("{} needs {} of memory, and this machine has {} free", what, rough(wanted), rough(free)),
      std::string(remedy)});
}

}  // namespace wt
