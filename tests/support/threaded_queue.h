// A queue on the CPU that behaves like a GPU's stream: its tasks run in its own thread and on its own
// workers, at the same time as those of other queues. A missing wait is a data race, which ThreadSanitizer
// reports. With a random pause before each task, it also changes the results.
#pragma once

#include <condition_variable>
#include <cstring>
#include <functional>
#include <mutex>
#include <thread>

#include "device/cpu/cpu_queue.h"

namespace wt::test {

class ThreadedQueue final : public device::Queue {
 public:
  using Pause = std::function<void()>;

  explicit ThreadedQueue(Pause pause = {}, int workers = 1)
      : workers_(workers), pause_(std::move(pause)), memory_(*this), items_(capacity) {
    thread_ = std::thread([this] { serve(); });
  }
  ~ThreadedQueue() override {
    synchronize();
    {
      const std::lock_guard lock(mutex_);
      is_closing_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  device::Backend backend() const override { return device::Backend::cpu; }
  device::Memory& memory() override { return memory_; }

  // A task may enqueue further tasks on its own queue. Like on a GPU's queue, they run at its place.
  void enqueue(device::Task task) override {
    if (is_capturing_) return captured_.push_back(task);
    is_own_thread() ? run(task) : put({task, {}});
  }
  device::Event record() override {
    const std::lock_guard lock(mutex_);
    return {this, is_own_thread() ? finished_ : issued_};
  }
  void wait(const device::Event& event) override {
    WT_EXPECT(event.queue != nullptr, "a queue waits for an event that was never recorded");
    if (event.queue == this) return;
    is_own_thread() ? await(event) : put({{}, event});
  }
  void synchronize() override { await(record()); }
  bool is_idle() const {
    const std::lock_guard lock(mutex_);
    return issued_ == finished_;
  }

  void begin_capture() override { is_capturing_ = true; }
  device::Captured end_capture() override {
    is_capturing_ = false;
    return {.tasks = std::exchange(captured_, {})};
  }
  void replay(const device::Captured& captured) override {
    for (const device::Task& task : captured.tasks) enqueue(task);
  }

 private:
  // A caller that enqueues more tasks has to wait, so that enqueueing allocates no memory.
  static constexpr std::size_t capacity = 256;

  struct Item {
    device::Task task{};
    device::Event awaited{};  // is awaited if there is no task
  };

  // Like the memory of a GPU: it is scarce, and writes run in the order of the queue.
  class Memory final : public device::CpuMemory {
   public:
    explicit Memory(ThreadedQueue& queue) : queue_(queue) {}
    bool is_scarce() const override { return true; }
    void write(std::byte* target, std::span<const std::byte> bytes) override {
      queue_.enqueue({finish_write, new Write{target, {bytes.begin(), bytes.end()}}});
    }
    void read(std::span<std::byte> bytes, const std::byte* source) override {
      queue_.synchronize();
      CpuMemory::read(bytes, source);
    }
    void clear(std::byte* target, Bytes size) override {
      queue_.synchronize();
      CpuMemory::clear(target, size);
    }

   private:
    struct Write {
      std::byte* target = nullptr;
      std::vector<std::byte> bytes{};
    };
    static void finish_write(const void* work, device::Queue&) {
      const std::unique_ptr<const Write> write(static_cast<const Write*>(work));
      std::memcpy(write->target, write->bytes.data(), write->bytes.size());
    }
    ThreadedQueue& queue_;
  };

  bool is_own_thread() const { return std::this_thread::get_id() == thread_.get_id(); }

  void run(device::Task task) {
    if (pause_) pause_();
    task.run(task.work, kernels_);
  }

  static void await(const device::Event& event) {
    const auto* queue = dynamic_cast<const ThreadedQueue*>(event.queue);
    if (queue == nullptr) return;  // the event of a CpuQueue has always happened
    std::unique_lock lock(queue->mutex_);
    queue->changed_.wait(lock, [&] { return queue->finished_ >= event.sequence; });
  }

  void put(const Item& item) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return issued_ - finished_ < capacity; });
      items_[issued_++ % capacity] = item;
    }
    changed_.notify_all();
  }

  void serve() {
    for (;;) {
      Item item;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return is_closing_ || issued_ > finished_; });
        if (issued_ == finished_) return;
        item = items_[finished_ % capacity];
      }
      item.task.run != nullptr ? run(item.task) : await(item.awaited);
      {
        const std::lock_guard lock(mutex_);
        ++finished_;
      }
      changed_.notify_all();
    }
  }

  device::Workers workers_;
  device::CpuQueue kernels_{workers_};
  Pause pause_;
  Memory memory_;
  std::vector<Item> items_;  // a ring buffer, indexed by the number of the item
  std::vector<device::Task> captured_{};
  bool is_capturing_ = false;
  mutable std::mutex mutex_{};
  mutable std::condition_variable changed_{};
  std::uint64_t issued_ = 0, finished_ = 0;
  bool is_closing_ = false;
  std::thread thread_{};
};

}  // namespace wt::test
