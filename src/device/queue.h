// device/: where work runs. A backend is what computes on this machine (the CPU; CUDA where it was found at
// configure time); a queue is an ordered stream of work on one of its devices. Knows nothing of kernels or
// plans: a task is a function and what it is called with. Read on in device/cpu/workers.h.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "device/memory.h"
#include "tensor/tensor.h"

namespace wt::device {

class Queue;
class Stopwatch;

// What computes on this machine.
enum class Backend : std::uint8_t { cpu, cuda };

// A piece of work. Plain data, so that enqueueing allocates nothing; `work` must outlive its execution.
struct Task {
  void (*run)(const void* work, Queue& queue) = nullptr;
  const void* work = nullptr;
};

// A moment in a queue: everything enqueued before it. Counted, so that an event is a value.
struct Event {
  const Queue* queue = nullptr;
  std::uint64_t sequence = 0;
};

// A sequence of tasks that its queue replays.
struct Captured {
  std::vector<Task> tasks{};
  std::shared_ptr<void>
      graph{};  // what the backend made of them, where it can do better than one after the other
};

// Tasks enqueued here run in the order of enqueueing; tasks of different queues run in any order that `wait`
// allows.
class Queue {
 public:
  virtual ~Queue() = default;

  virtual Backend backend() const = 0;
  virtual Memory& memory() = 0;  // of its device

  virtual void enqueue(Task task) = 0;
  virtual Event record() = 0;
  virtual void wait(const Event& event) = 0;  // later tasks here start after the event
  virtual void synchronize() = 0;             // returns when everything enqueued has run

  // Between the two calls tasks are noted down. A captured sequence replays as often as wanted, without
  // allocation; whatever changes from step to step must therefore lie in buffers. A backend may have run the tasks
  // once, in their order, when the capture ends (libraries load their kernels when they are first needed): what
  // they write means nothing then.
  virtual void begin_capture() = 0;
  virtual Captured end_capture() = 0;
  virtual void replay(const Captured& captured) = 0;

  // With so many marks, by the device's clock; a queue that runs tasks while they are enqueued has the host's.
  virtual std::unique_ptr<Stopwatch> stopwatch(std::size_t marks);
};

}  // namespace wt::device
