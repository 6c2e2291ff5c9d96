#pragma once
// The name of each kernel's operation in TensorFlow, and the device types for which TensorFlow registers that
// operation. Placement follows TensorFlow's registrations and logs TensorFlow's names (program/placement.h).
// It does not depend on where our own kernels can compute, which is the CPU or a backend that was found.

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "device/name.h"
#include "kernel/kernel.h"

namespace wt {

// A set of element types.
class TypeSet {
 public:
  constexpr TypeSet() = default;
  constexpr TypeSet(std::initializer_list<Type> types) {
    for (const Type type : types) bits_ = static_cast<std::uint16_t>(bits_ | bit(type));
  }
  constexpr bool has(Type type) const { return (bits_ & bit(type)) != 0; }
  friend constexpr bool operator==(TypeSet, TypeSet) = default;

 private:
  static constexpr std::uint16_t bit(Type type) {
    return static_cast<std::uint16_t>(1U << static_cast<int>(type));
  }
  std::uint16_t bits_ = 0;
};

// A TensorFlow operation and the element types for which each device type has a kernel. XLA compiles kernels
// for a TPU on demand, for all types.
struct OperationKernels {
  std::string_view operation{};
  TypeSet cpu{};
  TypeSet gpu{};
  std::string_view attribute = "T";  // the operation's attribute that holds the element type
  bool tpu = true;
};

// All operations, sorted by name. From the REGISTER_KERNEL_BUILDER lines in tensorflow/core/kernels of
// TensorFlow 2.x, for the element types of tensor/type.h.
std::span<const OperationKernels> operation_kernels();
// Null if the table has no such operation.
const OperationKernels* find_operation(std::span<const OperationKernels> table, std::string_view operation);

bool has_kernel(const OperationKernels& row, device::Kind kind, Type type);
std::string_view type_enumerator(Type type);  // "DT_FLOAT"

// A line "  device='CPU'; T in [DT_FLOAT]\n" for every kernel of an operation, as in TensorFlow's errors. The
// CPU's kernels come first; TensorFlow lists them in the order of a hash table.
std::string print_kernels(std::span<const OperationKernels> table, std::string_view operation);

// The TensorFlow operation of a kernel. For some kernels it depends on the operands or attributes: a matmul
// of batches is a BatchMatMulV2. Where Keras composes a kernel of several operations, the name is that of the
// last one. Empty if the kernel has no row.
std::string_view operation_name(std::string_view kernel, std::span<const TensorSpec> inputs = {},
                                const Attributes& attributes = NoAttributes{});

// The element type by which TensorFlow looks up the operation's kernel.
Type operation_type(std::string_view kernel, std::span<const TensorSpec> inputs,
                    const Attributes& attributes);

}  // namespace wt
