// Claims about the CUDA kernels that an emulated GPU can make and a real one can't: its C library is the CPU's, what cuBLAS
// was asked for can be looked up, and cuDNN can be set to have no way.

#include <gtest/gtest.h>

#include <set>

#include "cuda/gpu.h"
#include "emulation/blas.h"
#include "emulation/machine.h"
#include "kernel/launch.h"
#include "support/kernel_call.h"

namespace wt {
namespace {

using test::KernelCall;
using test::KernelCase;

// By a task, with the queue's own workspace, as a step runs it.
KernelCall run_on_gpu(const KernelCase& c, Type floating, device::CudaQueue& queue) {
  KernelCall call(c, floating);
  Launch launch{call.kernel, call.attributes, {}, {}, {}, {}};
  std::vector<std::shared_ptr<std::byte>> owners;
  const auto there = [&](const Tensor& tensor) {
    owners.push_back(queue.memory().allocate(tensor.spec().bytes()));
    queue.memory().write(owners.back().get(), tensor.bytes());
    return View{tensor.spec(), owners.back().get()};
  };
  for (const Tensor& input : call.inputs) launch.inputs.push_back(there(input));
  for (const Tensor& output : call.outputs) launch.outputs.push_back(there(output));
  queue.enqueue(task_of(launch, queue));
  for (std::size_t i = 0; i < call.outputs.size(); ++i)
    queue.memory().read(call.outputs[i].bytes(), launch.outputs[i].data);
  return call;
}

KernelCall run_on_cpu(const KernelCase& c, Type floating) {
  KernelCall call(c, floating);
  test::run_on_cpu(call);
  return call;
}

// Kernels that add in another order than the CPU's.
const std::set<std::string_view> sums{"batch_norm",
                                      "batch_norm_gradient",
                                      "batch_norm_inference",
                                      "binary_cross_entropy",
                                      "conv2d",
                                      "conv2d_filter_gradient",
                                      "conv2d_input_gradient",
                                      "gru",
                                      "gru_gradient",
                                      "layer_norm",
                                      "layer_norm_gradient",
                                      "lstm",
                                      "lstm_gradient",
                                      "matmul",
                                      "mean_squared_error",
                                      "reduce_mean",
                                      "reduce_sum",
                                      "simple_rnn",
                                      "simple_rnn_gradient",
                                      "softmax",
                                      "softmax_cross_entropy",
                                      "softmax_gradient",
                                      "sparse_softmax_cross_entropy"};

// Where every element is made alone, or added up in the CPU's order, the bits are the CPU's.
TEST(EmulatedKernels, HaveTheCpusBitsWhereNothingIsSummed) {
  device::CudaQueue queue(test::first_gpu());
  for (const KernelCase& one : test::kernel_cases()) {
    if (sums.contains(one.kernel->name)) continue;
    const KernelCall cpu = run_on_cpu(one, Type::float32), gpu = run_on_gpu(one, Type::float32, queue);
    for (std::size_t i = 0; i < cpu.outputs.size(); ++i)
      EXPECT_TRUE(test::same_bits(gpu.outputs[i], cpu.outputs[i])) << one.name << ", output " << i;
  }
}

TEST(EmulatedKernels, ConvolveWhereCudnnHasNoWay) {
  emulation::Machine machine({.gpus = 1, .has_convolutions = false});
  device::CudaQueue queue(test::first_gpu());
  for (const KernelCase& one : test::kernel_cases()) {
    if (!one.kernel->name.starts_with("conv2d")) continue;
    const KernelCall cpu = run_on_cpu(one, Type::float32), gpu = run_on_gpu(one, Type::float32, queue);
    EXPECT_LT(test::distance(gpu, cpu), 1e-5) << one.name;
  }
}

TEST(EmulatedKernels, MultiplyInTheQueuesPrecision) {
  const KernelCase product{&kernel_named("matmul"), kernel_named("matmul").examples().front(), "matmul"};
  const std::pair<device::Precision, cublasComputeType_t> rows[] = {
      {device::Precision::float32, CUBLAS_COMPUTE_32F},
      {device::Precision::tf32, CUBLAS_COMPUTE_32F_FAST_TF32},
      {device::Precision::float16, CUBLAS_COMPUTE_32F_FAST_16F},
      {device::Precision::bfloat16, CUBLAS_COMPUTE_32F_FAST_16BF}};
  for (const auto& [precision, compute] : rows) {
    device::CudaQueue queue(test::first_gpu());
    queue.set_precision(precision);
    run_on_gpu(product, Type::float32, queue);
    EXPECT_EQ(emulation::asked_for(queue.blas()), compute);
    run_on_gpu(product, Type::float64, queue);
    EXPECT_EQ(emulation::asked_for(queue.blas()), CUBLAS_COMPUTE_64F);
  }
}

// The CPU refuses such a token, and so does a GPU, which can't name it.
TEST(EmulatedKernels, GiveUpWhereATokenHasNoIndex) {
  emulation::Machine machine({.gpus = 1});
  device::CudaQueue queue(test::first_gpu());
  KernelCase one{&kernel_named("known_index"), kernel_named("known_index").examples().front(), "known_index"};
  one.example.inputs.front().low = -2;
  one.example.inputs.front().high = -1;
  try {
    run_on_gpu(one, Type::float32, queue);
    FAIL() << "accepted";
  } catch (const MachineError& error) {
    EXPECT_NE(std::string(error.what()).find("device-side assert triggered; an IntegerLookup"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace wt
