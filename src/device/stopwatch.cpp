#include "device/stopwatch.h"

#include <chrono>
#include <utility>
#include <vector>

namespace wt::device {

namespace {

class ClockStopwatch final : public Stopwatch {
 public:
  ClockStopwatch(Clock clock, std::size_t marks) : clock_(std::move(clock)), marks_(marks, {this}) {}
  ClockStopwatch(const ClockStopwatch&) = delete;
  ClockStopwatch& operator=(const ClockStopwatch&) = delete;

  Task mark(std::size_t i) const override { return {note, &marks_.at(i)}; }
  Seconds between(std::size_t i, std::size_t j) const override { return marks_.at(j).at - marks_.at(i).at; }

 private:
  struct Mark {
    const ClockStopwatch* owner = nullptr;
    mutable Seconds at{};
  };
  static void note(const void* mark, Queue&) {
    const auto& noted = *static_cast<const Mark*>(mark);
    noted.at = noted.owner->clock_();
  }

  Clock clock_;
  std::vector<Mark> marks_;
};

}  // namespace

Clock steady_clock() {
  return [] {
    return Seconds(
        std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count());
  };
}

std::unique_ptr<Stopwatch> stopwatch_by(Clock clock, std::size_t marks) {
  return std::make_unique<ClockStopwatch>(std::move(clock), marks);
}

std::unique_ptr<Stopwatch> Queue::stopwatch(std::size_t marks) { return stopwatch_by(steady_clock(), marks); }

}  // namespace wt::device
