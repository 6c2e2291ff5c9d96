// device/ has two halves. One describes devices: their names, memory and rates, and how TensorFlow configures
// them (name.h, type.h, physical_device.h, logical_device.h, context.h, allocator.h). The other half, which
// begins in this file, computes on the devices of the computer that runs this program: the CPU, and NVIDIA
// GPUs if CUDA was found at configure time.
//
// A Queue is an ordered sequence of work on one device, like a CUDA stream, and a Task is a function pointer
// with an argument. Events order the tasks of different queues:
//
//   copies.enqueue(fetch_batch);
//   compute.wait(copies.record());    // later tasks of `compute` start after fetch_batch
//   compute.enqueue(train_step);
//   compute.synchronize();            // returns when everything has run
//
// Tasks that are repeated, such as those of a training step, are captured once and replayed, on a GPU as a
// CUDA graph. Queues depend neither on kernels nor on plans.
//
// Read next: memory.h, then cpu/workers.h and cpu/cpu_queue.h, then cuda/cuda_queue.h; for the first half,
// name.h and context.h.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "device/memory.h"
#include "tensor/tensor.h"

namespace wt::device {

class Queue;
class Stopwatch;

// The kinds of devices that this program can compute on.
enum class Backend : std::uint8_t { cpu, cuda };

// A piece of work. It is plain data, so that enqueueing doesn't allocate memory. `work` must live until the
// task has run, and until the last replay if the task is captured.
struct Task {
  void (*run)(const void* work, Queue& queue) = nullptr;
  const void* work = nullptr;
};

// A position in a queue. The event has happened when all tasks that were enqueued before it have run. It is a
// number, so that an event is a plain value.
struct Event {
  const Queue* queue = nullptr;
  std::uint64_t sequence = 0;
};

// A sequence of tasks that can be replayed on the queue that captured it.
struct Captured {
  std::vector<Task> tasks{};
  std::shared_ptr<void> graph{};  // a CUDA graph of the tasks, if the backend made one
};

// The tasks of a queue run in the order in which they were enqueued. Tasks of different queues may run in any
// order and at the same time, as far as `wait` allows.
class Queue {
 public:
  virtual ~Queue() = default;

  virtual Backend backend() const = 0;
  virtual Memory& memory() = 0;  // the memory of the queue's device

  virtual void enqueue(Task task) = 0;
  virtual Event record() = 0;
  virtual void wait(const Event& event) = 0;  // tasks that are enqueued here later start after the event
  virtual void synchronize() = 0;             // returns when everything enqueued has run

  // Between begin_capture and end_capture, enqueued tasks are recorded. The recorded sequence can be replayed
  // any number of times, without allocating memory. Data that changes between replays must therefore be in
  // buffers. A backend may run the tasks once, in their order, when the capture ends, because libraries load
  // their kernels at the first use. Buffers that these tasks write have undefined contents afterwards, so the
  // caller has to fill them after the capture.
  virtual void begin_capture() = 0;
  virtual Captured end_capture() = 0;
  virtual void replay(const Captured& captured) = 0;

  // A stopwatch with the given number of marks. It uses the clock of the device, or the clock of the host if
  // tasks run while they are enqueued.
  virtual std::unique_ptr<Stopwatch> stopwatch(std::size_t marks);
};

}  // namespace wt::device
