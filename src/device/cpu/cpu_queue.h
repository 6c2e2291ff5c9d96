#pragma once

#include <memory>
#include <span>
#include <vector>

#include "device/cpu/cpu_memory.h"
#include "device/cpu/workers.h"
#include "device/queue.h"

namespace wt::device {

// A queue on the CPU. A task runs within the call of enqueue(), on the calling thread and the workers. A
// separate thread for the queue would compete with the workers, which already use all cores. Every event has
// therefore happened when it is recorded, and wait() has nothing to do.
class CpuQueue final : public Queue {
 public:
  explicit CpuQueue(Workers& workers, Memory& memory = cpu_memory()) : workers_(workers), memory_(memory) {}

  Workers& workers() { return workers_; }

  // Memory for copies that a task makes of its operands. It is as large as the largest reservation and is shared by all
  // tasks, which run one after the other.
  void reserve_copies(Bytes size);
  std::span<std::byte> copies() const { return {copies_.get(), copies_bytes_}; }

  Backend backend() const override { return Backend::cpu; }
  Memory& memory() override { return memory_; }

  void enqueue(Task task) override;
  Event record() override { return {this, sequence_}; }
  void wait(const Event& event) override;
  void synchronize() override {}

  void begin_capture() override;
  Captured end_capture() override;
  void replay(const Captured& captured) override;

 private:
  Workers& workers_;
  Memory& memory_;
  std::uint64_t sequence_ = 0;
  std::shared_ptr<std::byte> copies_{};
  std::size_t copies_bytes_ = 0;
  bool capturing_ = false;
  std::vector<Task> captured_{};
};

}  // namespace wt::device
