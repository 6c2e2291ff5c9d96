// Claim: every kernel of the table gives on a GPU what it gives on the CPU, and the same bits every time. The same
// examples run without a GPU in tests/emulation.
#include <gtest/gtest.h>

#include "cuda/gpu.h"
#include "kernel/launch.h"
#include "support/kernel_call.h"

namespace wt {
namespace {

using test::KernelCall;
using test::KernelCase;

class EveryKernelOnAGpu : public testing::TestWithParam<KernelCase> {
 protected:
  // Copies the inputs there, runs the kernel, copies the outputs back.
  KernelCall run(device::Precision precision, Type floating) {
    static device::CudaQueue queue(test::first_gpu());
    queue.set_precision(precision);
    KernelCall call(GetParam(), floating);
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
    queue.synchronize();
    return call;
  }
};

INSTANTIATE_TEST_SUITE_P(Table, EveryKernelOnAGpu, testing::ValuesIn(test::kernel_cases()),
                         [](const auto& one) { return one.param.name; });

TEST_P(EveryKernelOnAGpu, AgreesWithTheCpu) {
  for (const auto& [floating, tolerance] : {std::pair{Type::float32, 1e-5}, {Type::float64, 1e-12}}) {
    KernelCall expected(GetParam(), floating);
    test::run_on_cpu(expected);
    EXPECT_LT(test::distance(run(device::Precision::float32, floating), expected), tolerance);
  }
}

TEST_P(EveryKernelOnAGpu, GivesTheSameBitsTwice) {
  const KernelCall once = run(device::Precision::float32, Type::float32);
  const KernelCall again = run(device::Precision::float32, Type::float32);
  for (std::size_t i = 0; i < once.outputs.size(); ++i)
    EXPECT_TRUE(test::same_bits(once.outputs[i], again.outputs[i])) << "output " << i;
}

// TF32 keeps 10 bits of what is multiplied, bfloat16 7. Nothing but products may be coarser.
TEST_P(EveryKernelOnAGpu, IsAsCoarseAsItsPrecisionAndNoCoarser) {
  KernelCall expected(GetParam(), Type::float32);
  test::run_on_cpu(expected);
  const bool multiplies =
      GetParam().kernel->name.starts_with("conv2d") || GetParam().kernel->name == "matmul";
  EXPECT_LT(test::distance(run(device::Precision::tf32, Type::float32), expected), multiplies ? 2e-2 : 1e-5);
  EXPECT_LT(test::distance(run(device::Precision::bfloat16, Type::float32), expected),
            multiplies ? 1e-1 : 1e-5);
}

}  // namespace
}  // namespace wt
