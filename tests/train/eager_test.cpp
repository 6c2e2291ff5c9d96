#include "train/eager.h"

#include <gtest/gtest.h>

#include "device/error.h"

namespace wt::train {
namespace {

using Lines = std::vector<std::string>;
using Floats = std::vector<float>;

const std::string gpu = "/job:localhost/replica:0/task:0/device:GPU:0";
const std::string gpu_1 = "/job:localhost/replica:0/task:0/device:GPU:1";
const std::string cpu = "/job:localhost/replica:0/task:0/device:CPU:0";

std::vector<device::PhysicalDevice> machine(int gpus) {
  device::DeviceType card;
  card.id = "card";
  card.memory = Bytes(std::int64_t{16} << 30);
  card.compute_capability = device::ComputeCapability{8, 0};
  return gpus == 0 ? std::vector<device::PhysicalDevice>{} : device::devices_of(card, gpus);
}

// A process on a machine with a number of GPUs. It records the lines that are logged.
struct Process {
  explicit Process(int gpus = 1) : context(machine(gpus)), tf(context) {
    tf.set_log_device_placement(true);
    tf.set_sink([this](const std::string& line) { lines.push_back(line); });
  }
  device::Context context;
  Eager tf;
  Lines lines{};
};

EagerTensor a(Eager& tf) { return tf.constant<float>({1, 2, 3, 4, 5, 6}, {2, 3}); }
EagerTensor b(Eager& tf) { return tf.constant<float>({1, 2, 3, 4, 5, 6}, {3, 2}); }

std::string executing(const std::string& operation, const std::string& device) {
  return "Executing op " + operation + " in device " + device;
}

template <class Error, class Body>
std::string refusal(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "not refused";
}

// ---- D18, D5, D6

TEST(Eager, D18_ConstantMatmulAndPrinting) {
  Process process;
  const EagerTensor c = process.tf.matmul(a(process.tf), b(process.tf));
  EXPECT_EQ(print(c), "tf.Tensor(\n[[22. 28.]\n [49. 64.]], shape=(2, 2), dtype=float32)");
  EXPECT_EQ(print(process.tf.constant(3.0f)), "tf.Tensor(3.0, shape=(), dtype=float32)");
  EXPECT_EQ(print(process.tf.constant<std::int32_t>({1, -2}, {2})),
            "tf.Tensor([ 1 -2], shape=(2,), dtype=int32)");
  EXPECT_EQ(print(process.tf.constant(true)), "tf.Tensor(True, shape=(), dtype=bool)");
}

TEST(Eager, D6_TwoConstantsAndAMatmulAreLoggedOnTheGpu) {
  Process process;
  process.tf.matmul(a(process.tf), b(process.tf));
  EXPECT_EQ(process.lines,
            (Lines{executing("_EagerConst", gpu), executing("_EagerConst", gpu), executing("MatMul", gpu)}));
}

TEST(Eager, D5_NothingIsLoggedUnlessLoggingIsOn) {
  Process process;
  process.tf.set_log_device_placement(false);
  process.tf.matmul(a(process.tf), b(process.tf));
  EXPECT_TRUE(process.lines.empty());
}

TEST(Eager, D3_WithoutAGpuEverythingRunsOnTheCpu) {
  Process process(0);
  process.tf.matmul(a(process.tf), b(process.tf));
  EXPECT_EQ(process.lines,
            (Lines{executing("_EagerConst", cpu), executing("_EagerConst", cpu), executing("MatMul", cpu)}));
  EXPECT_TRUE(process.tf.copies().empty());
}

TEST(Eager, D11_TheFirstOperationInitialisesTheContext) {
  Process process;
  EXPECT_FALSE(process.context.is_initialised());
  process.tf.constant(1.0f);
  EXPECT_TRUE(process.context.is_initialised());
}

TEST(Eager, ProcessesStandSideBySide) {
  Process one(1);
  Process none(0);
  EXPECT_EQ(print(a(one.tf).device), gpu);
  EXPECT_EQ(print(a(none.tf).device), cpu);
  EXPECT_EQ(print(a(one.tf).device), gpu);
}

// ---- D7: manual placement and implicit copies

TEST(Eager, D7_AMatmulOutsideTheScopeGoesToTheGpuAndItsInputsAreCopied) {
  Process process;
  const auto [left, right] = [&] {
    const auto on_cpu = process.tf.device("/CPU:0");
    return std::pair(a(process.tf), b(process.tf));
  }();
  EXPECT_EQ(print(left.device), cpu);
  EXPECT_TRUE(process.lines.empty());  // a constant for the host runs no operation
  const EagerTensor c = process.tf.matmul(left, right);
  EXPECT_EQ(process.lines, Lines{executing("MatMul", gpu)});
  ASSERT_EQ(process.tf.copies().size(), 2U);
  EXPECT_EQ(process.tf.copies()[1].operation, "MatMul");
  EXPECT_EQ(process.tf.copies()[1].input, 1U);
  EXPECT_EQ(print(process.tf.copies()[1].from), cpu);
  EXPECT_EQ(print(process.tf.copies()[1].to), gpu);
  EXPECT_EQ(process.tf.copies()[1].bytes, Bytes(24));
  EXPECT_EQ(std::vector<float>(c.numbers.values<float>().begin(), c.numbers.values<float>().end()),
            (Floats{22, 28, 49, 64}));
}

TEST(Eager, D7_ScopesNest) {
  Process process(2);
  const auto outer = process.tf.device("/GPU:1");
  {
    const auto inner = process.tf.device("/CPU:0");
    EXPECT_EQ(print(a(process.tf).device), cpu);
    const auto task = process.tf.device("/job:localhost");
    EXPECT_EQ(print(a(process.tf).device), cpu);
  }
  EXPECT_EQ(print(a(process.tf).device), gpu_1);
}

TEST(Eager, D7_AnInnerTypeKeepsTheOuterIndex) {
  Process process(2);
  process.tf.set_soft_device_placement(false);
  const auto outer = process.tf.device("/GPU:1");
  const auto inner = process.tf.device("/CPU");
  EXPECT_EQ(refusal<InvalidArgumentError>([&] { a(process.tf); }),
            "Could not satisfy device specification '/job:localhost/replica:0/task:0/device:CPU:1'. "
            "enable_soft_placement=0. Supported device types [GPU, CPU]. All available devices "
            "[/job:localhost/replica:0/task:0/device:GPU:0, /job:localhost/replica:0/task:0/device:GPU:1, "
            "/job:localhost/replica:0/task:0/device:CPU:0].");
}

TEST(Eager, D7_ThePolicyDecidesAboutCopies) {
  Process process;
  const EagerTensor left = a(process.tf);
  const auto on_cpu = process.tf.device("/CPU:0");
  process.tf.set_device_policy("warn");
  process.lines.clear();
  process.tf.matmul(left, b(process.tf));
  EXPECT_EQ(process.lines, (Lines{"before computing MatMul input #0 was expected to be on " + cpu +
                                      " but is actually on " + gpu + " (operation running on " + cpu +
                                      "). This triggers a copy which can be a performance bottleneck.",
                                  executing("MatMul", cpu)}));
  process.tf.set_device_policy("explicit");
  EXPECT_EQ(
      refusal<InvalidArgumentError>([&] { process.tf.matmul(left, b(process.tf)); }),
      "Tensors on conflicting devices: cannot compute MatMul as input #0 was expected to be on " + cpu +
          " but is actually on " + gpu + " (operation running on " + cpu +
          ") Tensors can be copied explicitly using: `with tf.device(device_name): x = tf.identity(x)` or "
          "transparently copied by using tf.config.experimental.set_device_policy('silent'). Copying tensors "
          "between devices may slow down your model");
  EXPECT_EQ(print(process.tf.matmul(process.tf.identity(left), b(process.tf)).device), cpu);
}

TEST(Eager, D7_AnUnknownPolicyIsRefused) {
  Process process;
  EXPECT_EQ(refusal<device::ValueError>([&] { process.tf.set_device_policy("loud"); }),
            "Invalid argument `device_policy`: 'loud'. Please refer to "
            "https://www.tensorflow.org/api_docs/python/tf/config/experimental/set_device_policy for valid "
            "`device_policy` arguments.");
}

// ---- D2, D4: names, missing kernels and missing devices

TEST(Eager, D2_AScopeTakesAnyFormOfAName) {
  Process process(2);
  for (const char* name :
       {"/GPU:1", "gpu:1", "/device:GPU:1", "/job:localhost/replica:0/task:0/device:GPU:1"}) {
    const auto scope = process.tf.device(name);
    EXPECT_EQ(print(a(process.tf).device), gpu_1) << name;
  }
  const auto scope = process.tf.device("/GPU");
  EXPECT_EQ(print(a(process.tf).device), gpu);
}

TEST(Eager, D4_AnElementTypeWithoutAGpuKernelFallsBackToTheCpu) {
  Process process;
  const auto scope = process.tf.device("/GPU:0");
  const Attributes halves = PartsAttributes{0, {1, 1}};
  const std::vector<EagerTensor> floats{process.tf.constant<float>({1, 2}, {2})};
  const std::vector<EagerTensor> bytes{process.tf.constant<std::uint8_t>({1, 2}, {2})};
  EXPECT_EQ(print(process.tf.apply("split", halves, floats)[0].device), gpu);
  EXPECT_EQ(print(process.tf.apply("split", halves, bytes)[1].device), cpu);
  process.tf.set_soft_device_placement(false);
  EXPECT_EQ(refusal<InvalidArgumentError>([&] { process.tf.apply("split", halves, bytes); }),
            "Could not satisfy device specification '/job:localhost/replica:0/task:0/device:GPU:0'. "
            "enable_soft_placement=0. Supported device types [CPU]. All available devices "
            "[/job:localhost/replica:0/task:0/device:GPU:0, /job:localhost/replica:0/task:0/device:CPU:0].");
}

TEST(Eager, D4_AnOperationWithoutAnyKernelIsNotFound) {
  Process process;
  const std::vector<EagerTensor> inputs{process.tf.constant(true), process.tf.constant(false)};
  EXPECT_EQ(refusal<NotFoundError>([&] { process.tf.apply("relu_gradient", {}, inputs); }),
            "Could not find device for node: {{node ReluGrad}} = ReluGrad[T=DT_BOOL]\n"
            "All kernels registered for op ReluGrad:\n"
            "  device='CPU'; T in [DT_FLOAT]\n"
            "  device='CPU'; T in [DT_DOUBLE]\n"
            "  device='CPU'; T in [DT_INT32]\n"
            "  device='CPU'; T in [DT_INT64]\n"
            "  device='CPU'; T in [DT_UINT8]\n"
            "  device='GPU'; T in [DT_FLOAT]\n"
            "  device='GPU'; T in [DT_DOUBLE]\n");
}

TEST(Eager, AMissingDeviceIsReplacedOrRefused) {
  Process process;
  const auto scope = process.tf.device("/GPU:2");
  EXPECT_EQ(print(a(process.tf).device), gpu);
  process.tf.set_soft_device_placement(false);
  EXPECT_EQ(refusal<InvalidArgumentError>([&] { a(process.tf); }),
            "Could not satisfy device specification '/job:localhost/replica:0/task:0/device:GPU:2'. "
            "enable_soft_placement=0. Supported device types [GPU, CPU]. All available devices "
            "[/job:localhost/replica:0/task:0/device:GPU:0, /job:localhost/replica:0/task:0/device:CPU:0].");
}

TEST(Eager, AConstantForAnUnknownHostIsRefused) {
  Process process;
  const auto scope = process.tf.device("/job:worker/CPU:0");
  EXPECT_EQ(refusal<InvalidArgumentError>([&] { a(process.tf); }),
            "/job:worker/replica:0/task:0/device:CPU:0 unknown device.");
}

// ---- integers

TEST(Eager, Int32OfAGpuLiesInTheHostsMemory) {
  Process process;
  const EagerTensor x = process.tf.constant<std::int32_t>({1, 2}, {2});
  EXPECT_EQ(print(x.device), gpu);
  EXPECT_EQ(print(x.backing_device()), cpu);
  EXPECT_TRUE(process.tf.copies().empty());
}

TEST(Eager, SmallIntegersStayOnTheCpuOnlyWhereThatIsSwitchedOn) {
  Process process;
  const auto x = [&] {
    const auto on_cpu = process.tf.device("/CPU:0");
    return process.tf.constant<std::int32_t>({1, 2}, {2});
  }();
  EXPECT_EQ(print(process.tf.apply("add", {}, std::vector{x, x})[0].device), gpu);
  process.tf.set_small_integers_on_cpu(true);
  EXPECT_EQ(print(process.tf.apply("add", {}, std::vector{x, x})[0].device), cpu);
}

// ---- wrong calls

TEST(Eager, AnUnknownOperationIsRefusedWithTheNearestName) {
  Process process;
  const std::string text = refusal<InputError>([&] { process.tf.apply("matmull", {}, {}); });
  EXPECT_TRUE(text.starts_with("unknown operation \"matmull\"\ndid you mean \"matmul\"? known: abs, "));
}

TEST(Eager, OperandsThatDontFitAreRefusedAfterPlacement) {
  Process process;
  const EagerTensor x = a(process.tf);
  process.lines.clear();
  const std::string text = refusal<InputError>([&] { process.tf.matmul(x, x); });
  EXPECT_TRUE(text.starts_with("[matmul] the inner extents differ")) << text;
  EXPECT_EQ(process.lines, Lines{executing("MatMul", gpu)});
}

TEST(Eager, AConstantKeepsItsOwnNumbers) {
  Process process;
  Tensor numbers = Tensor::of<float>({2}, {1, 2});
  const EagerTensor x = process.tf.constant(numbers);
  numbers.values<float>()[0] = 9;
  EXPECT_EQ(print(x), "tf.Tensor([1. 2.], shape=(2,), dtype=float32)");
}

// A process with two logical GPUs of 1 MiB each on one physical GPU, and tensors of 256 KiB.
struct SmallProcess : Process {
  SmallProcess() {
    const device::PhysicalDevice gpu_0 = context.list_physical_devices(device::Kind::gpu)[0];
    context.set_logical_device_configuration(
        gpu_0, {{.memory_limit = Bytes(1 << 20)}, {.memory_limit = Bytes(1 << 20)}});
    tf.set_log_device_placement(false);
  }
  EagerTensor quarter() { return tf.constant(Tensor::zeros({Type::float32, {256, 256}})); }
};

TEST(Eager, D14_TensorsTakeMemoryUntilTheLastOneOfThemIsGone) {
  SmallProcess process;
  EXPECT_EQ(process.tf.get_memory_info("GPU:0").current, Bytes(0));
  {
    const EagerTensor first = process.quarter();
    const EagerTensor same = process.tf.identity(first);  // on the same device, so it shares the allocation
    EXPECT_EQ(process.tf.get_memory_info("GPU:0").current, Bytes(1 << 18));
    const EagerTensor sum = process.tf.apply("add", {}, std::vector{first, same})[0];
    EXPECT_EQ(process.tf.get_memory_info("GPU:0").current, Bytes(1 << 19));
  }
  EXPECT_EQ(process.tf.get_memory_info("GPU:0").current, Bytes(0));
  EXPECT_EQ(process.tf.get_memory_info("GPU:0").peak, Bytes(1 << 19));
  process.tf.reset_memory_stats("GPU:0");
  EXPECT_EQ(process.tf.get_memory_info("GPU:0").peak, Bytes(0));
  EXPECT_EQ(process.tf.get_memory_info("GPU:1").peak, Bytes(0));  // its memory is separate
}

TEST(Eager, D14_OneTensorTooManyIsRefusedInTensorFlowsWords) {
  SmallProcess process;
  std::vector<EagerTensor> held;
  for (int i = 0; i < 4; ++i) held.push_back(process.quarter());
  EXPECT_EQ(
      refusal<device::ResourceExhaustedError>([&] { process.quarter(); }),
      "OOM when allocating tensor with shape[256,256] and type float on " + gpu + " by allocator GPU_0_bfc");
  ASSERT_EQ(process.lines.size(), 1u);
  EXPECT_TRUE(
      process.lines[0].starts_with("Allocator (GPU_0_bfc) ran out of memory trying to allocate 256.0KiB "
                                   "(rounded to 262144)requested by op _EagerConst"))
      << process.lines[0];
  held.pop_back();
  EXPECT_NO_THROW(process.quarter());
}

TEST(Eager, D7_CopiesOfInputsTakeMemoryWhileTheOperationRuns) {
  SmallProcess process;
  const EagerTensor on_second = [&] {
    const auto scope = process.tf.device("/GPU:1");
    return process.quarter();
  }();
  process.tf.apply("negate", {}, std::vector{on_second});  // GPU:0 holds a copy of the input and the result
  EXPECT_EQ(process.tf.get_memory_info("GPU:0").peak, Bytes(1 << 19));
  EXPECT_EQ(process.tf.get_memory_info("GPU:0").current, Bytes(0));
}

TEST(Eager, TheHostsMemoryIsNotCounted) {
  SmallProcess process;
  EXPECT_EQ(refusal<device::ValueError>([&] { process.tf.get_memory_info("CPU:0"); }),
            "Allocator stats not available for device 'CPU:0'");
  EXPECT_EQ(refusal<device::ValueError>([&] { process.tf.get_memory_info("GPU:7"); }),
            "No matching devices found for 'GPU:7'");
}

}  // namespace
}  // namespace wt::train
