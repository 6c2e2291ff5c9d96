// Claims about the CUDA kernels, made where there is no GPU: their threads take turns on the CPU. What they compute, in
// which memory, and that no thread waits for ever; nothing of speed, and nothing of cuBLAS and cuDNN, for which a
// few lines stand in.
#include <gtest/gtest.h>

#include <set>

#include "device/cuda/cuda_queue.h"
#include "kernel/cuda/table.h"
#include "support/kernel_call.h"

namespace wt {
namespace {

using test::KernelCall;
using test::KernelCase;

template <class Wanted>
std::vector<KernelCase> cases_of(const Wanted& is_wanted) {
  std::vector<KernelCase> cases = test::kernel_cases();
  std::erase_if(cases, [&](const KernelCase& c) { return !is_wanted(*c.kernel); });
  return cases;
}

std::string name_of(const testing::TestParamInfo<KernelCase>& info) { return info.param.name; }

class EveryCudaKernel : public testing::TestWithParam<KernelCase> {};
INSTANTIATE_TEST_SUITE_P(Table, EveryCudaKernel, testing::ValuesIn(test::kernel_cases()), name_of);

class CudaKernelInPlace : public testing::TestWithParam<KernelCase> {};
INSTANTIATE_TEST_SUITE_P(Table, CudaKernelInPlace,
                         testing::ValuesIn(cases_of([](const Kernel& kernel) { return kernel.in_place; })),
                         name_of);

class CudaConvolution : public testing::TestWithParam<KernelCase> {};
INSTANTIATE_TEST_SUITE_P(Table, CudaConvolution, testing::ValuesIn(cases_of([](const Kernel& kernel) {
                           return kernel.name.starts_with("conv2d");
                         })),
                         name_of);

// Kernels that add in another order than the CPU's.
const std::set<std::string_view> sums{"batch_norm",
                                      "batch_norm_gradient",
                                      "batch_norm_inference",
                                      "binary_cross_entropy",
                                      "conv2d",
                                      "conv2d_filter_gradient",
                                      "conv2d_input_gradient",
                                      "layer_norm",
                                      "layer_norm_gradient",
                                      "matmul",
                                      "mean_squared_error",
                                      "reduce_mean",
                                      "reduce_sum",
                                      "softmax",
                                      "softmax_cross_entropy",
                                      "softmax_gradient",
                                      "sparse_softmax_cross_entropy"};

class CudaKernelWithoutSums : public testing::TestWithParam<KernelCase> {};
INSTANTIATE_TEST_SUITE_P(Table, CudaKernelWithoutSums, testing::ValuesIn(cases_of([](const Kernel& kernel) {
                           return !sums.contains(kernel.name);
                         })),
                         name_of);

// Behind the workspace lies a strip that nobody may touch.
void run_on_gpu(const KernelCall& call, device::CudaQueue& queue) {
  const auto inputs = KernelCall::specs(call.inputs), outputs = KernelCall::specs(call.outputs);
  const Bytes bytes = cuda::workspace_bytes(call.kernel->name, {inputs, outputs, call.attributes});
  const auto size = static_cast<std::size_t>(bytes.count());
  constexpr std::byte untouched{0x7b};
  std::vector<std::byte> memory(size + 256, untouched);
  cuda::find_row(call.kernel->name)
      ->apply({KernelCall::views(call.inputs), KernelCall::views(call.outputs), std::span(memory).first(size),
               call.attributes},
              queue);
  for (std::size_t i = size; i < memory.size(); ++i)
    ASSERT_EQ(memory[i], untouched) << "byte " << i - size << " behind the workspace of " << size;
}

KernelCall run_on_gpu(const KernelCase& c, Type floating) {
  KernelCall call(c, floating);
  device::CudaQueue queue;
  run_on_gpu(call, queue);
  return call;
}

KernelCall run_on_cpu(const KernelCase& c, Type floating) {
  KernelCall call(c, floating);
  test::run_on_cpu(call);
  return call;
}

TEST_P(EveryCudaKernel, AgreesWithTheCpu) {
  for (const auto& [floating, tolerance] : {std::pair{Type::float32, 1e-5}, {Type::float64, 1e-12}})
    EXPECT_LT(test::distance(run_on_gpu(GetParam(), floating), run_on_cpu(GetParam(), floating)), tolerance);
}

TEST_P(CudaKernelInPlace, GivesTheSameBitsAsApart) {
  KernelCall same(GetParam(), Type::float32);
  for (std::size_t i = 0; i < std::min(same.inputs.size(), same.outputs.size()); ++i)
    if (same.inputs[i].spec() == same.outputs[i].spec()) same.outputs[i] = same.inputs[i];
  device::CudaQueue queue;
  run_on_gpu(same, queue);
  const KernelCall apart = run_on_gpu(GetParam(), Type::float32);
  for (std::size_t i = 0; i < apart.outputs.size(); ++i)
    EXPECT_TRUE(test::same_bits(same.outputs[i], apart.outputs[i])) << "output " << i;
}

TEST_P(CudaConvolution, AgreesWithTheCpuWhereCudnnHasNoWay) {
  KernelCall call(GetParam(), Type::float32);
  device::CudaQueue queue;
  queue.has_dnn = false;
  run_on_gpu(call, queue);
  EXPECT_LT(test::distance(call, run_on_cpu(GetParam(), Type::float32)), 1e-5);
}

// Where every element is made alone, or added up in the CPU's order, the bits are the CPU's.
TEST_P(CudaKernelWithoutSums, HasTheCpusBits) {
  const KernelCall cpu = run_on_cpu(GetParam(), Type::float32), gpu = run_on_gpu(GetParam(), Type::float32);
  for (std::size_t i = 0; i < cpu.outputs.size(); ++i)
    EXPECT_TRUE(test::same_bits(gpu.outputs[i], cpu.outputs[i])) << "output " << i;
}

TEST(CudaTable, HasEveryKernelOfTheTable) {
  std::vector<std::string_view> wanted, found;
  for (const Kernel& kernel : kernels()) wanted.push_back(kernel.name);
  for (const cuda::Row& row : cuda::rows()) found.push_back(row.kernel);
  EXPECT_EQ(found, wanted);  // both are sorted
}

TEST(CudaProducts, ComputeInTheQueuesPrecision) {
  const KernelCase product{&kernel_named("matmul"), kernel_named("matmul").examples().front(), "matmul"};
  const std::pair<device::Precision, cublasComputeType_t> rows[] = {
      {device::Precision::float32, CUBLAS_COMPUTE_32F},
      {device::Precision::tf32, CUBLAS_COMPUTE_32F_FAST_TF32},
      {device::Precision::float16, CUBLAS_COMPUTE_32F_FAST_16F},
      {device::Precision::bfloat16, CUBLAS_COMPUTE_32F_FAST_16BF}};
  for (const auto& [precision, compute] : rows) {
    device::CudaQueue queue;
    queue.set_precision(precision);
    run_on_gpu(KernelCall(product, Type::float32), queue);
    EXPECT_EQ(queue.asked_for(), compute);
    run_on_gpu(KernelCall(product, Type::float64), queue);
    EXPECT_EQ(queue.asked_for(), CUBLAS_COMPUTE_64F);
  }
}

// Where the CPU refuses, naming the place, a GPU goes on as TensorFlow's does.
TEST(CudaKernels, GiveNanForALabelThatIsNoClassAndZerosForAnIdThatIsInNoTable) {
  device::CudaQueue queue;
  const KernelCase loss{&kernel_named("sparse_softmax_cross_entropy"),
                        {{test::operand({2, 3}), test::operand({2}, 0, 1, Type::int64)}},
                        "loss"};
  KernelCall labels(loss, Type::float32);
  labels.inputs[1].values<std::int64_t>()[1] = 3;
  run_on_gpu(labels, queue);
  EXPECT_FALSE(std::isnan(labels.outputs[0].values<float>()[0]));
  EXPECT_TRUE(std::isnan(labels.outputs[0].values<float>()[1]));

  const KernelCase look_up{&kernel_named("embedding"),
                           {{test::operand({2}, 0, 1, Type::int64), test::operand({3, 2}, 1, 2)}},
                           "embedding"};
  KernelCall ids(look_up, Type::float32);
  ids.inputs[0].values<std::int64_t>()[1] = -1;
  run_on_gpu(ids, queue);
  EXPECT_GE(ids.outputs[0].values<float>()[1], 1);
  EXPECT_EQ(ids.outputs[0].values<float>()[3], 0);
}

}  // namespace
}  // namespace wt
