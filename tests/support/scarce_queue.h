// Properties of a GPU on the CPU. ScarceMemory has a limited size and gives freed memory to other users.
// WarmingQueue runs captured tasks once when the capture ends.
#pragma once

#include <cstring>

#include "device/cpu/cpu_queue.h"

namespace wt::test {

class ScarceMemory final : public device::CpuMemory {
 public:
  explicit ScarceMemory(Bytes capacity) : capacity_(capacity) {}

  std::shared_ptr<std::byte> allocate(Bytes size) override {
    if (used_ + size > capacity_) return nullptr;
    used_ += size;
    ++allocations_;
    std::shared_ptr<std::byte> data = CpuMemory::allocate(size);
    // Freed memory is filled with NaN, so that a wrong access to it is visible in the results.
    return {data.get(), [this, size, data](std::byte* bytes) {
              std::memset(bytes, 0xff, static_cast<std::size_t>(size.count()));
              used_ -= size;
            }};
  }
  Bytes available() const override { return capacity_ - used_; }
  bool is_scarce() const override { return true; }

  int allocations() const { return allocations_; }

 private:
  Bytes capacity_;
  Bytes used_{};
  int allocations_ = 0;
};

class WarmingQueue final : public device::Queue {
 public:
  WarmingQueue(device::Workers& workers, device::Memory& memory) : queue_(workers, memory) {}

  device::Backend backend() const override { return queue_.backend(); }
  device::Memory& memory() override { return queue_.memory(); }
  void enqueue(device::Task task) override { queue_.enqueue(task); }
  device::Event record() override { return queue_.record(); }
  void wait(const device::Event& event) override { queue_.wait(event); }
  void synchronize() override { queue_.synchronize(); }
  void begin_capture() override { queue_.begin_capture(); }
  device::Captured end_capture() override {
    device::Captured captured = queue_.end_capture();
    queue_.replay(captured);
    captured.graph = std::make_shared<int>(0);
    return captured;
  }
  void replay(const device::Captured& captured) override { queue_.replay(captured); }

 private:
  device::CpuQueue queue_;
};

}  // namespace wt::test
