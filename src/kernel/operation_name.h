#pragma once
// What TensorFlow calls the operation of each kernel, and on which device types it has kernels of its own for
// it. Programs here are placed and logged as TensorFlow's are, so its names and registrations are what
// counts, not where our kernels can compute: that is always the CPU, or a backend that was found.

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "device/name.h"
#include "kernel/kernel.h"

namespace wt {

class TypeSet {
 public:
  constexpr TypeSet() = default;
  constexpr TypeSet(std::initializer_list<Type> types) {
    for (const Type type : types) bits_ = static_cast<std::uint8_t>(bits_ | bit(type));
  }
  constexpr bool has(Type type) const { return (bits_ & bit(type)) != 0; }
  friend constexpr bool operator==(TypeSet, TypeSet) = default;

 private:
  static constexpr std::uint8_t bit(Type type) {
    return static_cast<std::uint8_t>(1U << static_cast<int>(type));
  }
  std::uint8_t bits_ = 0;
};

// An operation and for which element types each device type has a kernel. A TPU's kernels are compiled when
// they are needed, for all types.
struct OperationKernels {
  std::string_view operation{};
  TypeSet cpu{};
  TypeSet gpu{};
  std::string_view attribute = "T";  // the one that holds the element type
  bool tpu = true;
};

// By REGISTER_KERNEL_BUILDER in tensorflow/core/kernels, 2.x, for the element types there are here; sorted.
std::span<const OperationKernels> operation_kernels();
const OperationKernels* find_operation(std::span<const OperationKernels> table, std::string_view operation);

bool has_kernel(const OperationKernels& row, device::Kind kind, Type type);
std::string_view type_enumerator(Type type);  // "DT_FLOAT"

// "  device='CPU'; T in [DT_FLOAT]\n" for every kernel, as TensorFlow's errors list them; it lists them in
// the order of a hash table, here the CPU's come first.
std::string print_kernels(std::span<const OperationKernels> table, std::string_view operation);

// What an operation is called depends on its operands for some: a matmul of batches is a BatchMatMulV2. Where
// Keras composes a kernel of several operations, it is the last of them. "": a kernel that is not in the
// table.
std::string_view operation_name(std::string_view kernel, std::span<const TensorSpec> inputs = {},
                                const Attributes& attributes = NoAttributes{});

// The element type by which its kernel is looked up.
Type operation_type(std::string_view kernel, std::span<const TensorSpec> inputs,
                    const Attributes& attributes);

}  // namespace wt
