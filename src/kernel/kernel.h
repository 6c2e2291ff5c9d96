// kernel/: the numerical operations of a training step, as one table with a row for each kernel.
//
// A row is a handful of functions. From the types and shapes of the operands alone follow the shapes of the
// results, the cost and the scratch memory; only `apply` needs numbers. So a step can be traced, planned and
// simulated without being computed:
//
//     matmul.outputs({float32[32,20], float32[20,10]}, {})   float32[32,10]
//     matmul.work(call)                                      12800 flops, 4640 bytes
//     matmul.workspace(call)                                 bytes of scratch memory, here and on this CPU
//     matmul.apply(numbers, workers)                         fills the result
//
// What must hold: `apply` gives the same bits on any number of threads and allocates nothing. A value that
// changes from step to step (a learning rate, a dropout's seed) is an operand and never an attribute. Files
// in this folder do not depend on programs, plans or simulated time.
//
// The names and meanings of the kernels are those of TensorFlow's operations (kernel/operation_name.h). Each
// family has one file with its rows (elementwise.cpp, convolution.cpp, ...). cpu/ holds their `apply`
// functions and cuda/ those for NVIDIA GPUs; element/ holds the formulas that both share; none/ stands in for
// cuda/ in a build without CUDA. kernel/README.md shows how to add a kernel. Read on in program/program.h.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "kernel/attributes.h"
#include "kernel/work.h"

namespace wt::device {
class Workers;
}

namespace wt {

// A call of a kernel without numbers. It is enough for cost models and for planning memory.
struct Call {
  std::span<const TensorSpec> inputs{};
  std::span<const TensorSpec> outputs{};
  const Attributes& attributes;
};

// A call of a kernel with numbers: every operand is a view of memory. Requires: the workspace is at least as
// large as `workspace_bytes` of this call.
struct Numbers {
  std::span<const View> inputs{};
  std::span<const View> outputs{};
  std::span<std::byte> workspace{};
  const Attributes& attributes;
};

// An operand of an example. Tests draw its values uniformly from [low, high) and round integers down.
struct ExampleOperand {
  TensorSpec spec{};
  double low = -1;
  double high = 1;
};

// A small legal call. Tests check the gradient, the work, the threads and the GPU version of every kernel
// with the examples of its row, so a new kernel is tested without a new test.
struct Example {
  std::vector<ExampleOperand> inputs{};
  Attributes attributes{};
};

// A row of the table.
struct Kernel {
  std::string_view name{};     // "matmul"
  std::string_view summary{};  // the operands in their order, the results and the formula

  // Types and shapes of the results. Throws InputError, whose text begins with "[name]", where the inputs and
  // the attributes do not fit together.
  std::vector<TensorSpec> (*outputs)(std::span<const TensorSpec> inputs,
                                     const Attributes& attributes) = nullptr;
  Work (*work)(const Call& call) = nullptr;
  std::vector<Example> (*examples)() = nullptr;  // at least one

  // Computes the results on the CPU. Requires: `outputs` has accepted the operands, and no two outputs
  // overlap. Allocates nothing.
  void (*apply)(const Numbers& numbers, device::Workers& workers) = nullptr;
  // Scratch memory that `apply` needs beside its operands; null if it needs none.
  Bytes (*workspace)(const Call& call) = nullptr;

  // Whether output j may lie in the memory of input j where both have the same type and shape. Such a kernel
  // reads every element before it writes that element.
  bool in_place = false;

  // Whether `apply` takes float16 and bfloat16 as they are. All other kernels are given copies in float32
  // (kernel/halves.h).
  bool takes_halves = false;
};

std::span<const Kernel> kernels();                  // sorted by name
const Kernel* find_kernel(std::string_view name);   // null if the table has no such kernel
const Kernel& kernel_named(std::string_view name);  // Requires: the table has it.

// The workspace of a call on the CPU, 0 for a kernel that needs none. A GPU's is in kernel/cuda/table.h.
Bytes workspace_bytes(const Kernel& kernel, const Call& call);

// The attributes as the kind that a kernel expects. Requires: they are of that kind. A user's input cannot
// cause another kind, so that is an internal error.
template <class Expected>
const Expected& attributes_as(const Attributes& attributes) {
  const auto* expected = std::get_if<Expected>(&attributes);
  WT_EXPECT(expected != nullptr, "these attributes are not of the kind that the kernel expects: {}",
            print(attributes));
  return *expected;
}

}  // namespace wt
