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

void CpuQueue::reserve_copies(Bytes size) {
  const auto wanted = static_cast<std::size_t>(size.count());
  if (wanted <= copies_bytes_) return;
  copies_ = allocate_numbers(size);
  copies_bytes_ = wanted;
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
