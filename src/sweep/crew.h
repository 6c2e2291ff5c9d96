#pragma once
// Those who compute the points of a sweep together: processes of this machine. A point goes to one of them as
// a number, and a line of text comes back. No one shares memory, so a point that crashes or runs out of
// memory takes nothing else with it.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace wt::sweep {

struct Work {
  std::vector<std::int64_t> numbers{};
  std::function<std::string(std::int64_t number)> line_of{};  // called in another process
  // The line of a point whose process ended before it had one.
  std::function<std::string(std::int64_t number, const std::string& why)> lost_line{};
  std::function<void(std::span<const std::string> lines)> deliver{};  // lines as they get finished
  std::function<bool()> is_stopped{};  // true: points that are not finished are given up
};

// Returns when all lines are delivered, or when the work is stopped. A process that ends early is replaced; the
// point that it was at is tried once more, and then is a lost line. Requires: this process has one thread.
void share(const Work& work, int processes);

}  // namespace wt::sweep
