#pragma once
// kernel/cuda/: the kernels of the table on an NVIDIA GPU. cuBLAS multiplies matrices, cuDNN convolves; everything
// else is ours and follows three patterns: an element per thread (each.cuh), a row per team of threads (team.cuh),
// a sum in a fixed tree (reduce.cuh). Where this program is built without CUDA, kernel/none/ answers instead: a
// table without rows.

#include <span>
#include <string_view>

#include "kernel/kernel.h"

namespace wt::device {
class CudaQueue;
}

namespace wt::cuda {

// Enqueues a kernel's numbers on the queue's stream. Runs on the host, once for a captured step; allocates nothing on
// the device and waits for nothing. All views and the workspace lie in the device's memory.
using Apply = void (*)(const Numbers& numbers, device::CudaQueue& queue);

// What a GPU has of a kernel. `outputs`, `work` and `examples` are the kernel's own.
struct Row {
  std::string_view kernel{};
  Apply apply = nullptr;
  Bytes (*workspace)(const Call& call) = nullptr;  // null: none
};

std::span<const Row> rows();                   // sorted by kernel
const Row* find_row(std::string_view kernel);  // null: there is none

// What a kernel needs besides its operands, from shapes alone: a plan can ask on a machine without GPU. 0 for a
// kernel without a row.
Bytes workspace_bytes(std::string_view kernel, const Call& call);

}  // namespace wt::cuda
