#include "program/placement.h"

#include <gtest/gtest.h>

namespace wt {
namespace {

using device::Name;
using device::parse_name;

const std::string task = "/job:localhost/replica:0/task:0";

std::vector<Name> names(std::initializer_list<const char*> short_names) {
  std::vector<Name> list;
  for (const char* name : short_names) list.push_back(canonical(parse_name(name)));
  return list;
}

PlacementRules rules(std::initializer_list<const char*> devices = {"CPU:0", "GPU:0"}) {
  return {.devices = names(devices)};
}

PlacedInput input(TensorSpec spec, const char* device) { return {spec, canonical(parse_name(device))}; }
const TensorSpec matrix{Type::float32, {2, 2}};

OperationRequest matmul(const char* where = "/") {
  return {"MatMul", Type::float32, parse_name(where), {input(matrix, "GPU:0"), input(matrix, "GPU:0")}};
}

std::string device_of(const OperationRequest& request, const PlacementRules& rules) {
  return print(place(request, rules).device);
}

template <class Error>
std::string refusal(const OperationRequest& request, const PlacementRules& rules) {
  try {
    place(request, rules);
  } catch (const Error& error) {
    return error.what();
  }
  return "not refused";
}

// ---- D2: names

TEST(Placement, D2_AnyFormOfANameAsksForTheSameDevice) {
  for (const char* name :
       {"/GPU:1", "GPU:1", "/gpu:1", "/device:GPU:1", "/job:localhost/replica:0/task:0/device:GPU:1"})
    EXPECT_EQ(device_of(matmul(name), rules({"CPU:0", "GPU:0", "GPU:1"})), task + "/device:GPU:1") << name;
  EXPECT_EQ(device_of(matmul("/device:CPU:0"), rules()), task + "/device:CPU:0");
}

TEST(Placement, D2_ATypeWithoutAnIndexIsTheFirstOfItsType) {
  EXPECT_EQ(device_of(matmul("/GPU"), rules({"CPU:0", "GPU:1", "GPU:0"})), task + "/device:GPU:0");
}

// ---- D3: best device

TEST(Placement, D3_AnOperationWithBothKernelsPrefersTheFirstGpu) {
  const Placement placement = place(matmul(), rules({"CPU:0", "CPU:1", "GPU:1", "GPU:0"}));
  EXPECT_EQ(print(placement.device), task + "/device:GPU:0");
  EXPECT_EQ(placement.why, "best device with a kernel");
  EXPECT_TRUE(placement.copies.empty());
  EXPECT_EQ(device_of(matmul(), rules({"CPU:0"})), task + "/device:CPU:0");
}

TEST(Placement, D3_ATpuIsUsedOnlyWhereItIsAskedFor) {
  EXPECT_EQ(device_of(matmul(), rules({"CPU:0", "TPU:0"})), task + "/device:CPU:0");
  EXPECT_EQ(device_of(matmul("/TPU:0"), rules({"CPU:0", "TPU:0"})), task + "/device:TPU:0");
}

TEST(Placement, D3_OnlyDevicesOfTheOwnTaskAreBest) {
  PlacementRules cluster;
  cluster.devices = {parse_name("/job:worker/replica:0/task:0/device:GPU:0"),
                     parse_name("/job:worker/replica:0/task:1/device:CPU:0")};
  cluster.task = parse_name("/job:worker/replica:0/task:1");
  EXPECT_EQ(device_of(matmul(), cluster), "/job:worker/replica:0/task:1/device:CPU:0");
  EXPECT_EQ(device_of(matmul("/job:worker/task:0"), cluster), "/job:worker/replica:0/task:0/device:GPU:0");
}

TEST(Placement, DevicesOfATypeAreOrderedByTheirNamesAsText) {
  std::vector<std::string> order;
  for (const Name& name : by_priority(names({"TPU:0", "GPU:10", "CPU:0", "GPU:2"})))
    order.push_back(print(name));
  const std::vector<std::string> expected{task + "/device:GPU:10", task + "/device:GPU:2",
                                          task + "/device:CPU:0", task + "/device:TPU:0"};
  EXPECT_EQ(order, expected);
}

// ---- D4: no kernel

// This is the example of TensorFlow's guide on GPUs. In TensorFlow 2.x, Cast has a GPU kernel.
constexpr OperationKernels cast_without_gpu[] = {{"Cast", {Type::float32}, {}, "SrcT"}};
OperationRequest cast(const char* where = "/") {
  return {"Cast", Type::float32, parse_name(where), {input(matrix, "GPU:0")}};
}

TEST(Placement, D4_AnOperationWithoutAGpuKernelFallsBackToTheCpu) {
  PlacementRules guide = rules();
  guide.kernels = cast_without_gpu;
  const Placement placement = place(cast(), guide);
  EXPECT_EQ(print(placement.device), task + "/device:CPU:0");
  EXPECT_EQ(placement.copies, (std::vector<InputCopy>{{0, guide.devices[1], guide.devices[0]}}));
  EXPECT_EQ(device_of(cast(), rules()), task + "/device:GPU:0");
}

TEST(Placement, D4_FallsBackEvenWhereTheGpuIsAskedFor) {
  PlacementRules guide = rules();
  guide.kernels = cast_without_gpu;
  const Placement placement = place(cast("/GPU:0"), guide);
  EXPECT_EQ(print(placement.device), task + "/device:CPU:0");
  EXPECT_EQ(placement.why, "soft placement: the requested device has no kernel");
}

TEST(Placement, D4_WithoutSoftPlacementAMissingKernelIsRefused) {
  PlacementRules guide = rules();
  guide.kernels = cast_without_gpu;
  guide.soft_placement = false;
  EXPECT_EQ(
      refusal<InvalidArgumentError>(cast("/GPU:0"), guide),
      "Could not satisfy device specification '/device:GPU:0'. enable_soft_placement=0. Supported device "
      "types [CPU]. All available devices [/job:localhost/replica:0/task:0/device:GPU:0, "
      "/job:localhost/replica:0/task:0/device:CPU:0].");
}

TEST(Placement, D4_AnOperationWithoutAnyKernelIsNotFound) {
  OperationRequest request = matmul();
  request.type = Type::boolean;
  EXPECT_EQ(refusal<NotFoundError>(request, rules()),
            "Could not find device for node: {{node MatMul}} = MatMul[T=DT_BOOL]\n"
            "All kernels registered for op MatMul:\n"
            "  device='CPU'; T in [DT_FLOAT]\n"
            "  device='CPU'; T in [DT_DOUBLE]\n"
            "  device='CPU'; T in [DT_INT32]\n"
            "  device='CPU'; T in [DT_INT64]\n"
            "  device='GPU'; T in [DT_FLOAT]\n"
            "  device='GPU'; T in [DT_DOUBLE]\n");
  request.operation = "Nothing";
  EXPECT_EQ(refusal<NotFoundError>(request, rules()),
            "Could not find device for node: {{node Nothing}} = Nothing[T=DT_BOOL]\n"
            "All kernels registered for op Nothing:\n"
            "  <no registered kernels>\n");
}

// ---- a device that does not exist

TEST(Placement, SoftPlacementGivesAnotherDeviceOfTheTask) {
  const Placement placement = place(matmul("/GPU:5"), rules());
  EXPECT_EQ(print(placement.device), task + "/device:GPU:0");
  EXPECT_EQ(placement.why, "soft placement: the requested device does not exist");
  EXPECT_EQ(device_of(matmul("/GPU:0"), rules({"CPU:0"})), task + "/device:CPU:0");
}

TEST(Placement, WithoutSoftPlacementAMissingDeviceIsRefused) {
  PlacementRules hard = rules();
  hard.soft_placement = false;
  EXPECT_EQ(refusal<InvalidArgumentError>(matmul((task + "/device:GPU:1").c_str()), hard),
            "Could not satisfy device specification '/job:localhost/replica:0/task:0/device:GPU:1'. "
            "enable_soft_placement=0. Supported device types [GPU, CPU]. All available devices "
            "[/job:localhost/replica:0/task:0/device:GPU:0, /job:localhost/replica:0/task:0/device:CPU:0].");
}

TEST(Placement, SoftPlacementKeepsTheTask) {
  EXPECT_EQ(
      refusal<InvalidArgumentError>(matmul("/job:worker/task:1/GPU:0"), rules({"CPU:0"})),
      "Could not satisfy device specification '/job:worker/task:1/device:GPU:0'. enable_soft_placement=1. "
      "Supported device types [CPU]. All available devices [/job:localhost/replica:0/task:0/device:CPU:0].");
}

// ---- resources and small integers

TEST(Placement, AResourceDecidesWhateverIsAskedFor) {
  OperationRequest request{"ReadVariableOp", Type::float32, parse_name("/CPU:0"), {input(matrix, "GPU:0")}};
  request.inputs[0].is_resource = true;
  const Placement placement = place(request, rules());
  EXPECT_EQ(print(placement.device), task + "/device:GPU:0");
  EXPECT_EQ(placement.why, "its resource is on this device");
  EXPECT_TRUE(placement.copies.empty());
}

OperationRequest add(TensorSpec spec, const char* device, std::string_view operation = "AddV2") {
  return {operation, spec.type, {}, {input(spec, device), input(spec, device)}};
}

TEST(Placement, SmallIntegersStayOnTheCpuWhereTheRulesSaySo) {
  PlacementRules pinning = rules();
  pinning.small_integers_on_cpu = true;
  const Placement placement = place(add({Type::int64, {64}}, "CPU:0"), pinning);
  EXPECT_EQ(print(placement.device), task + "/device:CPU:0");
  EXPECT_EQ(placement.why, "small integers stay on the CPU");
  EXPECT_EQ(device_of(add({Type::int64, {65}}, "CPU:0"), pinning), task + "/device:GPU:0");
  EXPECT_EQ(device_of(add({Type::int64, {64}}, "GPU:0"), pinning), task + "/device:GPU:0");
  EXPECT_EQ(device_of(add({Type::float32, {2}}, "CPU:0"), pinning), task + "/device:GPU:0");
  OperationRequest asked = add({Type::int32, {2}}, "CPU:0");
  asked.requested = parse_name("/GPU:0");
  EXPECT_EQ(device_of(asked, pinning), task + "/device:GPU:0");
  EXPECT_EQ(device_of(add({Type::int64, {2}}, "CPU:0"), rules()), task + "/device:GPU:0");  // TensorFlow 2.x
}

TEST(Placement, RandomNumbersAreMadeWhereTheyAreNeeded) {
  constexpr OperationKernels random[] = {{"RandomUniform", {Type::int32}, {Type::int32}}};
  PlacementRules pinning = rules();
  pinning.small_integers_on_cpu = true;
  pinning.kernels = random;
  EXPECT_EQ(device_of(add({Type::int32, {2}}, "CPU:0", "RandomUniform"), pinning), task + "/device:GPU:0");
}

// ---- D7: implicit copies

OperationRequest mixed() {
  return {"MatMul", Type::float32, {}, {input(matrix, "CPU:0"), input(matrix, "GPU:0")}};
}

TEST(Placement, D7_InputsOfAnotherDeviceAreCopied) {
  const Placement placement = place(mixed(), rules());
  EXPECT_EQ(print(placement.device), task + "/device:GPU:0");
  EXPECT_EQ(placement.copies, (std::vector<InputCopy>{{0, names({"CPU:0"})[0], names({"GPU:0"})[0]}}));
  EXPECT_TRUE(placement.warnings.empty());
}

TEST(Placement, D7_Int32LiesInTheHostsMemoryForAGpu) {
  EXPECT_TRUE(place(add({Type::int32, {500}}, "CPU:0"), rules()).copies.empty());
  EXPECT_EQ(place(add({Type::int64, {500}}, "CPU:0"), rules()).copies.size(), 2U);
  EXPECT_EQ(print(memory_of(parse_name("/device:GPU:1"), Type::int32)), "/device:CPU:0");
}

TEST(Placement, D7_TheExplicitPolicyRefusesCopies) {
  PlacementRules explicit_copies = rules();
  explicit_copies.policy = DevicePolicy::refuse;
  const std::string text =
      "Tensors on conflicting devices: cannot compute MatMul as input #0 was expected to be on "
      "/job:localhost/replica:0/task:0/device:GPU:0 but is actually on "
      "/job:localhost/replica:0/task:0/device:CPU:0 (operation running on "
      "/job:localhost/replica:0/task:0/device:GPU:0) Tensors can be copied explicitly using: `with "
      "tf.device(device_name): x = tf.identity(x)` or transparently copied by using "
      "tf.config.experimental.set_device_policy('silent'). Copying tensors between devices may slow down "
      "your "
      "model";
  EXPECT_EQ(refusal<InvalidArgumentError>(mixed(), explicit_copies), text);
  explicit_copies.policy = DevicePolicy::silent_for_int32;
  EXPECT_EQ(refusal<InvalidArgumentError>(mixed(), explicit_copies), text);
}

TEST(Placement, D7_IdentityAndConstantsMayCopyUnderEveryPolicy) {
  PlacementRules explicit_copies = rules();
  explicit_copies.policy = DevicePolicy::refuse;
  for (const char* operation : {"Identity", "_EagerConst"}) {
    const OperationRequest request{operation, Type::float32, {}, {input(matrix, "CPU:0")}};
    EXPECT_EQ(place(request, explicit_copies).copies.size(), 1U) << operation;
  }
}

TEST(Placement, D7_SilentForInt32CopiesInt32) {
  PlacementRules tpu = rules({"CPU:0", "TPU:0"});
  tpu.policy = DevicePolicy::silent_for_int32;
  OperationRequest request = add({Type::int32, {2}}, "CPU:0");
  request.requested = parse_name("/TPU:0");
  EXPECT_EQ(place(request, tpu).copies.size(), 2U);
}

TEST(Placement, D7_TheWarningPolicyCopiesAndWarns) {
  PlacementRules warning = rules();
  warning.policy = DevicePolicy::warn;
  const Placement placement = place(mixed(), warning);
  EXPECT_EQ(placement.copies.size(), 1U);
  EXPECT_EQ(
      placement.warnings,
      (std::vector<std::string>{
          "before computing MatMul input #0 was expected to be on "
          "/job:localhost/replica:0/task:0/device:GPU:0 but is actually on "
          "/job:localhost/replica:0/task:0/device:CPU:0 (operation running on "
          "/job:localhost/replica:0/task:0/device:GPU:0). This triggers a copy which can be a performance "
          "bottleneck."}));
}

TEST(DevicePolicy, IsNamedAsTensorFlowNamesIt) {
  for (const char* word : {"silent", "silent_for_int32", "warn", "explicit"})
    EXPECT_EQ(name(device_policy_named(word).value()), word);
  EXPECT_EQ(device_policy_named("loud"), std::nullopt);
}

}  // namespace
}  // namespace wt
