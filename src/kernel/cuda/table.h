#pragma once
// kernel/cuda/: the kernels of the table, computed on an NVIDIA GPU.
//
// cuBLAS multiplies matrices and cuDNN convolves. Everything else is written here and follows one of three
// patterns: an element per thread (each.cuh), a row per team of threads (team.cuh), or a sum in a fixed tree
// (reduce.cuh). No float is ever added atomically, so a kernel gives the same bits every time and on every
// GPU.
//
//     {"argmax", apply_argmax, argmax_workspace}   a row: the kernel's name, its numbers, its scratch memory
//
// In a build without CUDA, kernel/none/ takes the place of this folder, with a table without rows. Read on in
// cut.h, which decides how sums are spread over threads.

#include <span>
#include <string_view>

#include "kernel/kernel.h"

namespace wt::device {
class CudaQueue;
}

namespace wt::cuda {

// Enqueues the computation of a kernel on the queue's stream. The function runs on the host, once for a
// captured step. It allocates nothing on the device and does not wait. Requires: all views and the workspace
// are in the memory of the device.
using Apply = void (*)(const Numbers& numbers, device::CudaQueue& queue);

// The GPU's part of a kernel. `outputs`, `work` and `examples` are those of the row in kernel/kernel.h.
struct Row {
  std::string_view kernel{};
  Apply apply = nullptr;
  Bytes (*workspace)(const Call& call) = nullptr;  // null if the kernel needs none
};

std::span<const Row> rows();                   // sorted by kernel
const Row* find_row(std::string_view kernel);  // null if a GPU does not have the kernel

// The scratch memory of a call. It follows from shapes alone, so a plan can be made on a machine without a
// GPU. 0 for a kernel without a row.
Bytes workspace_bytes(std::string_view kernel, const Call& call);

}  // namespace wt::cuda
