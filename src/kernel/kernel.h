// kernel/: one table of kernels. A kernel has three faces: its work (from shapes), its workspace (from
// shapes, per backend), and its numbers. Shapes come first, so that everything above runs without numbers.
// Kernels know nothing of programs, plans, devices' memory or time. Each family is one file (elementwise.cpp,
// convolution.cpp, ...) with its rows; kernel/cpu/ has what the rows point to. Read on in program/program.h.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "device/cpu/workers.h"
#include "kernel/attributes.h"
#include "kernel/work.h"

namespace wt {

// What a kernel is asked to do, without numbers.
struct Call {
  std::span<const TensorSpec> inputs{};
  std::span<const TensorSpec> outputs{};
  const Attributes& attributes;
};

// The same with numbers. The workspace is as large as the kernel asked for.
struct Numbers {
  std::span<const View> inputs{};
  std::span<const View> outputs{};
  std::span<std::byte> workspace{};
  const Attributes& attributes;
};

// An operand of an example: values are drawn evenly from [low, high); integers are floored.
struct ExampleOperand {
  TensorSpec spec{};
  double low = -1;
  double high = 1;
};

// A small call that every reader of the table can make: tests check gradients, work and backends with it.
struct Example {
  std::vector<ExampleOperand> inputs{};
  Attributes attributes{};
};

struct Kernel {
  std::string_view name{};
  std::string_view summary{};

  // The outputs that inputs give. Throws InputError with "[name] ..." when they don't fit together.
  std::vector<TensorSpec> (*outputs)(std::span<const TensorSpec> inputs,
                                     const Attributes& attributes) = nullptr;
  Work (*work)(const Call& call) = nullptr;
  std::vector<Example> (*examples)() = nullptr;

  // On the CPU. Requires: operands as `outputs` says; no two outputs overlap. Allocates nothing.
  void (*apply)(const Numbers& numbers, device::Workers& workers) = nullptr;
  Bytes (*workspace)(const Call& call) = nullptr;  // null: none

  // Output j may lie where input j lies (same spec): each element is read before it is written.
  bool in_place = false;
};

std::span<const Kernel> kernels();                  // sorted by name
const Kernel* find_kernel(std::string_view name);   // null: there is none
const Kernel& kernel_named(std::string_view name);  // Requires: it is in the table.

Bytes workspace_bytes(const Kernel& kernel, const Call& call);

// Attributes of the kind a kernel expects; anything else is our own fault.
template <class Expected>
const Expected& attributes_as(const Attributes& attributes) {
  const auto* expected = std::get_if<Expected>(&attributes);
  WT_EXPECT(expected != nullptr, "a kernel was given attributes of another kind: {}", print(attributes));
  return *expected;
}

}  // namespace wt
