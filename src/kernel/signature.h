#pragma once
// Checks that the `outputs` functions of all families share. Each throws InputError in the name of its
// kernel, with the types and shapes that a reader needs to find the mistake:
//   [matmul] the inner extents differ: a is float32[32,20], b is float32[48,5]; the last extent of a must ...

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "kernel/kernel.h"

namespace wt {

// A kernel's name as a template argument. Rows can then share a function whose messages name the right
// kernel:
//   template <KernelName name> std::vector<TensorSpec> unary_outputs(Specs inputs, const Attributes&);
template <std::size_t size>
struct KernelName {
  char text[size]{};
  constexpr KernelName(const char (&from)[size]) { std::copy_n(from, size, text); }
  constexpr operator std::string_view() const { return {text, size - 1}; }
};

using Specs = std::span<const TensorSpec>;

// Throws InputError with the text "[kernel] fact; remedy".
[[noreturn]] void refuse(std::string_view kernel, std::string_view fact, std::string_view remedy = {});

// All of these throw InputError where the operand is not as required. `operand` is its name in the kernel's
// summary: "x", "dy", "gamma".
void require_count(std::string_view kernel, Specs inputs, std::size_t count);
void require_rank(std::string_view kernel, std::string_view operand, const TensorSpec& spec, int rank);
void require_rank_at_least(std::string_view kernel, std::string_view operand, const TensorSpec& spec,
                           int rank);
void require_type(std::string_view kernel, std::string_view operand, const TensorSpec& spec, Type type);
void require_type_among(std::string_view kernel, std::string_view operand, const TensorSpec& spec,
                        std::initializer_list<Type> types);
void require_floating(std::string_view kernel, std::string_view operand, const TensorSpec& spec);
void require_number(std::string_view kernel, std::string_view operand,
                    const TensorSpec& spec);  // floating, int32, int64
void require_index_type(std::string_view kernel, std::string_view operand,
                        const TensorSpec& spec);  // int32, int64
void require_same_type(std::string_view kernel, std::string_view a_name, const TensorSpec& a,
                       std::string_view b_name, const TensorSpec& b);
// Requires the same type and the same shape.
void require_same(std::string_view kernel, std::string_view a_name, const TensorSpec& a,
                  std::string_view b_name, const TensorSpec& b);
void require_shape(std::string_view kernel, std::string_view operand, const TensorSpec& spec,
                   const Shape& shape);
void require_axis(std::string_view kernel, std::int64_t axis, std::string_view operand,
                  const TensorSpec& spec);

// The shape of a result by numpy's broadcasting rule: shapes are aligned at their last axes, and an extent of
// 1 or a missing axis is repeated. Throws InputError where the shapes cannot be broadcast.
Shape broadcast_shape(std::string_view kernel, std::string_view a_name, const TensorSpec& a,
                      std::string_view b_name, const TensorSpec& b);

// One element for each row: x without its last axis.
inline TensorSpec per_row(const TensorSpec& x) { return {x.type, x.shape.without(x.shape.rank() - 1)}; }

// The bytes of all inputs and outputs.
Bytes operand_bytes(const Call& call);

// The work of a kernel that computes every element of its first output in the same way. As in XLA's cost
// analysis, each arithmetic step counts one, a comparison or a sign included; moving or converting a value
// counts nothing.
Work work_per_output(const Call& call, double flops);

}  // namespace wt
