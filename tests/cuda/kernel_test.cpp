// Claim: every kernel of the table gives the CPU's numbers on a GPU, touches no other memory than its own,
// and gives the same bits every time.
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "cuda/gpu.h"
#include "kernel/cuda/table.h"
#include "support/kernel_call.h"

namespace wt {
namespace {

using test::KernelCall;
using test::KernelCase;

// All tests share one queue, since CUDA's libraries start slowly. A test returns all memory that it
// allocates.
device::CudaQueue& queue_in(device::Precision precision) {
  static device::CudaQueue queue(test::first_gpu());
  queue.set_precision(precision);
  return queue;
}

// Copies the inputs to the GPU, runs the kernel and copies the outputs back. The strip behind the workspace
// must not change. If `in_place`, outputs are in the memory of inputs with the same type and shape.
void run_on_gpu(KernelCall& call, device::CudaQueue& queue, bool in_place = false) {
  device::Memory& memory = queue.memory();
  std::vector<std::shared_ptr<std::byte>> owners;
  const auto there = [&](const Tensor& tensor) {
    owners.push_back(memory.allocate(tensor.spec().bytes()));
    memory.write(owners.back().get(), tensor.bytes());
    return View{tensor.spec(), owners.back().get()};
  };
  std::vector<View> inputs, outputs;
  for (const Tensor& input : call.inputs) inputs.push_back(there(input));
  for (std::size_t i = 0; i < call.outputs.size(); ++i) {
    const bool is_alike = i < inputs.size() && inputs[i].spec == call.outputs[i].spec();
    outputs.push_back(in_place && is_alike ? inputs[i] : there(call.outputs[i]));
  }
  const auto input_specs = KernelCall::specs(call.inputs), output_specs = KernelCall::specs(call.outputs);
  const auto size = static_cast<std::size_t>(
      cuda::workspace_bytes(call.kernel->name, {input_specs, output_specs, call.attributes}).count());
  std::vector<std::byte> strip(256, std::byte{0x7b});
  const auto workspace = memory.allocate(Bytes(size + strip.size()));
  memory.write(workspace.get() + size, strip);
  cuda::find_row(call.kernel->name)
      ->apply({inputs, outputs, {workspace.get(), size}, call.attributes}, queue);
  for (std::size_t i = 0; i < call.outputs.size(); ++i) memory.read(call.outputs[i].bytes(), outputs[i].data);
  std::vector<std::byte> left(strip.size());
  memory.read(left, workspace.get() + size);
  EXPECT_EQ(left, strip) << "behind the workspace of " << size;
}

template <class Wanted>
std::vector<KernelCase> cases_of(const Wanted& is_wanted) {
  std::vector<KernelCase> cases = test::kernel_cases();
  std::erase_if(cases, [&](const KernelCase& c) { return !is_wanted(*c.kernel); });
  return cases;
}

std::string name_of(const testing::TestParamInfo<KernelCase>& info) { return info.param.name; }

class EveryKernelOnAGpu : public testing::TestWithParam<KernelCase> {
 protected:
  KernelCall run(device::Precision precision, Type floating, bool in_place = false) {
    KernelCall call(GetParam(), floating);
    run_on_gpu(call, queue_in(precision), in_place);
    return call;
  }
};
INSTANTIATE_TEST_SUITE_P(Table, EveryKernelOnAGpu, testing::ValuesIn(test::kernel_cases()), name_of);

class KernelInPlaceOnAGpu : public EveryKernelOnAGpu {};
INSTANTIATE_TEST_SUITE_P(Table, KernelInPlaceOnAGpu,
                         testing::ValuesIn(cases_of([](const Kernel& kernel) { return kernel.in_place; })),
                         name_of);

TEST_P(EveryKernelOnAGpu, AgreesWithTheCpu) {
  for (const auto& [floating, tolerance] : {std::pair{Type::float32, 1e-5}, {Type::float64, 1e-12}}) {
    KernelCall expected(GetParam(), floating);
    test::run_on_cpu(expected);
    EXPECT_LT(test::distance(run(device::Precision::float32, floating), expected), tolerance);
  }
}

// Inputs of numbers at which activations have their kinks, drawn again and again: zeros of both signs, ties in pools and
// reductions, and quotients of zeros, which are no numbers on either. In float64, as such large weights of a recurrent
// kernel multiply each rounding a thousand times.
KernelCall call_at_kinks(const KernelCase& of) {
  constexpr std::array<double, 14> kinks{0, -0.0, 0.5, -0.5, 1, -1, 2.5, -2.5, 3, -3, 6, -6, 0, 1};
  KernelCall call(of, Type::float64);
  std::mt19937_64 random(7);
  for (const Tensor& input : call.inputs)
    if (input.type() == Type::float64)
      for (double& value : input.values<double>()) value = kinks[random() % kinks.size()];
  return call;
}

TEST_P(EveryKernelOnAGpu, BreaksTiesAndBendsAtKinksAsTheCpuDoes) {
  const KernelCall expected = call_at_kinks(GetParam());
  KernelCall actual = call_at_kinks(GetParam());
  test::run_on_cpu(expected);
  run_on_gpu(actual, queue_in(device::Precision::float32));
  EXPECT_LT(test::distance(actual, expected), 1e-9);
}

TEST_P(EveryKernelOnAGpu, GivesTheSameBitsTwice) {
  const KernelCall once = run(device::Precision::float32, Type::float32);
  const KernelCall again = run(device::Precision::float32, Type::float32);
  for (std::size_t i = 0; i < once.outputs.size(); ++i)
    EXPECT_TRUE(test::same_bits(once.outputs[i], again.outputs[i])) << "output " << i;
}

TEST_P(KernelInPlaceOnAGpu, GivesTheSameBitsAsApart) {
  const KernelCall same = run(device::Precision::float32, Type::float32, true);
  const KernelCall apart = run(device::Precision::float32, Type::float32);
  for (std::size_t i = 0; i < apart.outputs.size(); ++i)
    EXPECT_TRUE(test::same_bits(same.outputs[i], apart.outputs[i])) << "output " << i;
}

// TF32 keeps 10 bits of each factor, bfloat16 keeps 7. Only products may be less accurate.
TEST_P(EveryKernelOnAGpu, IsAsCoarseAsItsPrecisionAndNoCoarser) {
  KernelCall expected(GetParam(), Type::float32);
  test::run_on_cpu(expected);
  const bool multiplies = GetParam().kernel->name.starts_with("conv2d") ||
                          GetParam().kernel->name == "matmul" ||
                          std::holds_alternative<RecurrentAttributes>(GetParam().example.attributes);
  EXPECT_LT(test::distance(run(device::Precision::tf32, Type::float32), expected), multiplies ? 2e-2 : 1e-5);
  EXPECT_LT(test::distance(run(device::Precision::bfloat16, Type::float32), expected),
            multiplies ? 1e-1 : 1e-5);
}

TEST(CudaTable, HasEveryKernelOfTheTable) {
  std::vector<std::string_view> wanted, found;
  for (const Kernel& kernel : kernels()) wanted.push_back(kernel.name);
  for (const cuda::Row& row : cuda::rows()) found.push_back(row.kernel);
  EXPECT_EQ(found, wanted);  // both are sorted
}

// Where the CPU throws an error that names the element, a GPU continues as TensorFlow's kernels do.
TEST(CudaKernels, GiveNanForALabelThatIsNoClassAndZerosForAnIdThatIsInNoTable) {
  device::CudaQueue& queue = queue_in(device::Precision::float32);
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
