#include "device/cpu/cpu_queue.h"

#include <utility>

namespace wt::device {

void CpuQueue::enqueue(Task task) {
  if (capturing_) {
    captured_.push_back(task);
    return;
  }
  ++sequence_;
  task.run(task.work, *this);
}

void CpuQueue::wait(const Event& event) {
  WT_EXPECT(event.queue != nullptr, "a queue waits for an event that was never recorded");
}

void CpuQueue::begin_capture() {
  WT_EXPECT(!capturing_, "a capture has begun already");
  capturing_ = true;
}

Captured CpuQueue::end_capture() {
  WT_EXPECT(capturing_, "no capture has begun");
  capturing_ = false;
  return {.tasks = std::exchange(captured_, {})};
}

void CpuQueue::replay(const Captured& captured) {
  for (const Task& task : captured.tasks) enqueue(task);
}

}  // namespace wt::device
