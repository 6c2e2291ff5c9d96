#pragma once
// Single operations, as TensorFlow's eager mode runs them: each is placed on a device of the context, logged,
// its inputs copied there, and computed at once. What is described is the device; the numbers come from this
// machine's CPU.
//
//   device::Context context(device::devices_of(t4));
//   Eager tf(context);
//   tf.set_log_device_placement(true);
//   const EagerTensor a = tf.constant<float>({1, 2, 3, 4, 5, 6}, {2, 3});
//   const auto on_cpu = tf.device("/CPU:0");  // until the end of the block
//   fmt::print("{}\n", print(tf.matmul(a, tf.constant<float>({1, 2, 3, 4, 5, 6}, {3, 2}))));

#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/context.h"
#include "device/cpu/cpu_queue.h"
#include "kernel/kernel.h"
#include "program/placement.h"

namespace wt::train {

struct EagerTensor {
  Tensor numbers{};
  device::Name device{};  // where the operation ran that made it, nothing open
  std::shared_ptr<const void>
      place{};  // in that device's memory, where it has a limit; freed with the last copy

  // Where its numbers lie: an int32 made by a GPU lies in the host's memory.
  device::Name backing_device() const { return memory_of(device, numbers.type()); }
};

// As Python prints it: "tf.Tensor([1. 2.], shape=(2,), dtype=float32)", the numbers below the first line
// where they take several.
std::string print(const EagerTensor& tensor);

// Numbers that an operation found on another device than the one it runs on.
struct EagerCopy {
  std::string operation{};
  std::size_t input = 0;
  device::Name from{};
  device::Name to{};
  Bytes bytes{};
};

class Eager {
 public:
  using Sink = std::function<void(const std::string& line)>;

  // The first operation initialises the context. Requires: the context outlives this; any number may share
  // one.
  explicit Eager(device::Context& context, int threads = 1);
  Eager(const Eager&) = delete;
  Eager& operator=(const Eager&) = delete;

  // tf.constant: is made on the host, and copied to the device it is wanted on by the operation _EagerConst.
  EagerTensor constant(const Tensor& numbers);
  template <class T>
  EagerTensor constant(const std::vector<T>& values, const Shape& shape) {
    return constant(Tensor::of(shape, values));
  }
  template <class T>
  EagerTensor constant(T value) {
    return constant<T>({value}, {});
  }

  EagerTensor matmul(const EagerTensor& a, const EagerTensor& b, ProductAttributes attributes = {});
  EagerTensor identity(const EagerTensor& x);  // inside a scope: the way to copy to a device

  // Any kernel of the table. Placed and logged first, as in TensorFlow; then its operands are checked.
  std::vector<EagerTensor> apply(std::string_view kernel, const Attributes& attributes,
                                 std::span<const EagerTensor> inputs);

  // tf.device: until it is destroyed. Inner scopes override what they name and keep the rest; the outermost
  // begins from CPU:0 of the own task, so that "/GPU" is GPU:0.
  class Scope {
   public:
    Scope(Eager& eager, std::string_view name);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Eager& eager_;
    device::Name outer_;
  };
  [[nodiscard]] Scope device(std::string_view name) { return Scope(*this, name); }

  void set_log_device_placement(bool enabled) { logs_placement_ = enabled; }
  void set_soft_device_placement(bool enabled) { soft_placement_ = enabled; }
  void set_device_policy(std::string_view policy);  // "silent", "silent_for_int32", "warn" or "explicit"
  void set_small_integers_on_cpu(bool enabled) { small_integers_on_cpu_ = enabled; }
  void set_sink(Sink sink) { sink_ = std::move(sink); }  // of lines; at first they go to standard error

  const std::vector<EagerCopy>& copies() const { return copies_; }

  // tf.config.experimental.get_memory_info and reset_memory_stats. Devices without a limit aren't counted.
  device::MemoryStatistics get_memory_info(std::string_view device);
  void reset_memory_stats(std::string_view device);

 private:
  // The tensors that an operation allocates live in its device's memory. Throws device::ResourceExhaustedError.
  std::shared_ptr<const void> allocate(const device::Name& device, const TensorSpec& spec,
                                       std::string_view operation);
  std::shared_ptr<device::BfcAllocator> allocator_of(const device::Name& device);  // null: no limit
  device::BfcAllocator& counted_allocator(std::string_view device);

  PlacementRules rules();
  device::Name run(std::string_view operation, Type type, std::span<const EagerTensor> inputs);
  std::vector<Tensor> compute(const Kernel& kernel, const Attributes& attributes,
                              std::span<const EagerTensor> inputs);

  device::Context& context_;
  device::Workers workers_;
  device::CpuQueue queue_{workers_};
  device::Name scope_{};  // full, or nothing given: free
  bool logs_placement_ = false;
  bool soft_placement_ = true;
  bool small_integers_on_cpu_ = false;
  DevicePolicy policy_ = DevicePolicy::silent;
  Sink sink_;
  std::vector<EagerCopy> copies_{};
  std::map<std::string, std::shared_ptr<device::BfcAllocator>>
      allocators_{};  // by device; tensors share them
};

}  // namespace wt::train
