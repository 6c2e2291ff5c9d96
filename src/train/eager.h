#pragma once
// Single operations, as TensorFlow executes them in eager mode. Each operation is placed on a device of the
// context and logged, its inputs are copied to that device, and it is computed at once. The devices are
// described and need not exist: placement, copies and memory are those of the described devices, and the CPU
// of this host computes the numbers.
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
#include <optional>
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
  device::Name device{};  // full name of the device on which the tensor was computed
  // The tensor's allocation in the memory of that device, freed with the last copy of this pointer. Null if
  // the device has no memory limit.
  std::shared_ptr<const void> place{};

  // The device whose memory holds the numbers. As in TensorFlow, an int32 computed by a GPU is held by the
  // host.
  device::Name backing_device() const { return memory_of(device, numbers.type()); }
};

// Prints a tensor as Python does: "tf.Tensor([1. 2.], shape=(2,), dtype=float32)". Numbers that take several
// lines begin on a line of their own.
std::string print(const EagerTensor& tensor);

// An input that was copied, because it was on another device than the operation.
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

  // The first operation initialises the context. Several Eager objects may share a context. Requires: the
  // context outlives this object.
  explicit Eager(device::Context& context, int threads = 1);
  Eager(const Eager&) = delete;
  Eager& operator=(const Eager&) = delete;

  // tf.constant. The tensor is created on the host. Unless the current scope names CPU:0, the operation
  // _EagerConst then copies it to the device on which the constant is placed, as in TensorFlow.
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
  EagerTensor identity(const EagerTensor& x);  // in a scope, copies x to the device of that scope

  // Runs a kernel of kernel/kernel.h by its name. As in TensorFlow, the operation is placed and logged before
  // its operands are checked. Throws InputError for an unknown kernel or operands that do not fit.
  std::vector<EagerTensor> apply(std::string_view kernel, const Attributes& attributes,
                                 std::span<const EagerTensor> inputs);

  // Places and logs an operation of a variable, such as AssignVariableOp, which is executed where the variable's
  // resource is. Without a resource, it is the VarHandleOp that makes one, placed as any operation is.
  device::Name variable_operation(std::string_view operation, Type type,
                                  const std::optional<device::Name>& resource = {},
                                  std::span<const EagerTensor> inputs = {});
  // Runs a kernel of one result as a part of an operation that has been placed and logged.
  Tensor compute_part(std::string_view kernel, std::span<const EagerTensor> inputs);

  // tf.device, whose names device/spec.h reads. The scope lasts until it is destroyed. An inner scope overrides the parts of the device name
  // that it states and inherits the others. Parts that the outermost scope leaves out are those of the
  // context's own task, with the device number 0, so that "/GPU" is GPU:0.
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
  bool get_soft_device_placement() const { return soft_placement_; }
  void set_device_policy(std::string_view policy);  // "silent", "silent_for_int32", "warn" or "explicit"
  std::string_view get_device_policy() const { return name(policy_); }
  void set_small_integers_on_cpu(bool enabled) { small_integers_on_cpu_ = enabled; }
  void set_sink(Sink sink) { sink_ = std::move(sink); }  // receives log lines; initially standard error

  const std::vector<EagerCopy>& copies() const { return copies_; }  // all copies so far, in order
  const device::Name& scope_device() const { return scope_; }       // an empty name outside of all scopes

  // tf.config.experimental.get_memory_info and reset_memory_stats. Throws device::ValueError for a device
  // without a memory limit, whose allocations are not recorded.
  device::MemoryStatistics get_memory_info(std::string_view device);
  void reset_memory_stats(std::string_view device);

 private:
  // Allocates a tensor in the memory of the operation's device. Throws device::ResourceExhaustedError.
  std::shared_ptr<const void> allocate(const device::Name& device, const TensorSpec& spec,
                                       std::string_view operation);
  std::shared_ptr<device::BfcAllocator> allocator_of(const device::Name& device);  // null: no memory limit
  device::BfcAllocator& counted_allocator(std::string_view device);

  PlacementRules rules();
  device::Name run(std::string_view operation, Type type, std::span<const EagerTensor> inputs);
  device::Name run(const OperationRequest& request);
  std::vector<Tensor> compute(const Kernel& kernel, const Attributes& attributes,
                              std::span<const EagerTensor> inputs);

  device::Context& context_;
  device::Workers workers_;
  device::CpuQueue queue_{workers_};
  device::Name scope_{};  // a full name, or an empty one outside of all scopes
  bool logs_placement_ = false;
  bool soft_placement_ = true;
  bool small_integers_on_cpu_ = false;
  DevicePolicy policy_ = DevicePolicy::silent;
  Sink sink_;
  std::vector<EagerCopy> copies_{};
  // By device. Tensors share ownership, since they free their memory when they are destroyed.
  std::map<std::string, std::shared_ptr<device::BfcAllocator>> allocators_{};
};

}  // namespace wt::train
