#include "program/step_placement.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "program/operations.h"

namespace wt {
namespace {

using device::Name;
using device::parse_name;

PlacementRules rules(std::initializer_list<const char*> devices = {"CPU:0", "GPU:0", "GPU:1"}) {
  PlacementRules rules;
  for (const char* name : devices) rules.devices.push_back(canonical(parse_name(name)));
  return rules;
}

const TensorSpec number{Type::float32, {}};

// A dense layer, trained by Adam.
Step dense_step() {
  return trace("train", [](Trace& trace) {
    const Symbol x = trace.input("x", {Type::float32, {8, 4}});
    const Symbol rate = trace.input("learning_rate", number);
    const Symbol kernel = trace.variable("dense/kernel", {Type::float32, {4, 2}});
    const Symbol m = trace.variable("Adam/m/dense/kernel", kernel.spec(), {.trainable = false});
    const Symbol v = trace.variable("Adam/v/dense/kernel", kernel.spec(), {.trainable = false});
    const Symbol count = trace.variable("iterations", {Type::int64, {}}, {.trainable = false});
    const Symbol y = trace.in_scope("dense", [&] { return matmul(x, kernel); });
    const Symbol loss = reduce_sum(y);
    const auto gradient = trace.gradient(loss, {{kernel}});
    trace.in_scope("Adam", [&] { apply_adam({kernel}, {{m}, {v}, {}}, count, gradient, rate, {}); });
    trace.result("loss", loss);
  });
}

Step one_node(const std::function<Symbol(Trace&)>& make) {
  return trace("step", [&](Trace& trace) { trace.result("y", make(trace)); });
}

const PlacedNode& row(const StepPlacement& placement, std::string_view name) {
  const auto found = std::find_if(placement.nodes.begin(), placement.nodes.end(),
                                  [&](const PlacedNode& node) { return node.name == name; });
  if (found == placement.nodes.end()) throw std::runtime_error("no row " + std::string(name));
  return *found;
}

std::string given(const StepPlacement& placement, std::string_view name) {
  const Name& device = row(placement, name).given;
  return print(Name{.kind = device.kind, .index = device.index});
}

std::string refusal(const Step& step, const PlacementRules& rules, std::span<const DeviceScope> scopes = {}) {
  try {
    place(step, rules, scopes);
  } catch (const InvalidArgumentError& error) {
    return error.what();
  }
  return "not refused";
}

// ---- the whole table

TEST(StepPlacement, D5_IsPrintedWithRequestGiftAndReason) {
  const std::vector<DeviceScope> scopes{{"dense", parse_name("/GPU:1")}};
  EXPECT_EQ(
      print(place(dense_step(), rules(), scopes)),
      R"(node                                        operation            requested      given          why
dense/kernel                                VarHandleOp          /device:GPU:1  /device:GPU:1  variable, requested
Adam/m/dense/kernel                         VarHandleOp          -              /device:GPU:1  colocated with variable dense/kernel
Adam/v/dense/kernel                         VarHandleOp          -              /device:GPU:1  colocated with variable dense/kernel
iterations                                  VarHandleOp          -              /device:GPU:0  variable, best device with a kernel
x                                           _Arg                 -              /device:CPU:0  input, from the host
learning_rate                               _Arg                 -              /device:CPU:0  input, from the host
dense/kernel/Read/ReadVariableOp            ReadVariableOp       -              /device:GPU:1  colocated with variable dense/kernel
dense/MatMul                                MatMul               /device:GPU:1  /device:GPU:1  requested
Sum                                         Sum                  -              /device:GPU:0  best device with a kernel
gradient/Fill                               Fill                 -              /device:GPU:0  colocated with its reader
gradient/Reshape                            Reshape              -              /device:GPU:0  best device with a kernel
gradient/BroadcastTo                        BroadcastTo          -              /device:GPU:0  best device with a kernel
gradient/dense/MatMul                       MatMul               -              /device:GPU:0  best device with a kernel
iterations/Read/ReadVariableOp              ReadVariableOp       -              /device:GPU:0  colocated with variable iterations
Adam/update_dense/kernel/ResourceApplyAdam  ResourceApplyAdam    -              /device:GPU:1  colocated with variable dense/kernel
Adam/AssignAddVariableOp                    AssignAddVariableOp  -              /device:GPU:0  colocated with variable iterations
loss_RetVal                                 _Retval              -              /device:GPU:0  colocated with its input
copies
  x float32[8,4]: /device:CPU:0 -> /device:GPU:1
  dense/MatMul float32[8,2]: /device:GPU:1 -> /device:GPU:0
  x float32[8,4]: /device:CPU:0 -> /device:GPU:0
  gradient/dense/MatMul float32[4,2]: /device:GPU:0 -> /device:GPU:1
  learning_rate float32[]: /device:CPU:0 -> /device:GPU:1
  iterations/Read/ReadVariableOp int64[]: /device:GPU:0 -> /device:GPU:1
)");
}

TEST(StepPlacement, D5_LogsALinePerNodeAsThePlacerDoes) {
  const auto lines = log_lines(place(dense_step(), rules({"CPU:0"})));
  EXPECT_EQ(lines.size(), 17U);
  EXPECT_EQ(lines[7], "dense/MatMul: (MatMul): /job:localhost/replica:0/task:0/device:CPU:0");
}

TEST(StepPlacement, D3_NothingIsCopiedOnOneDevice) {
  EXPECT_TRUE(place(dense_step(), rules({"CPU:0"})).copies.empty());
}

TEST(StepPlacement, D7_AValueIsCopiedOnceToEachDeviceThatReadsIt) {
  const Step step = one_node([](Trace& trace) {
    const Symbol x = trace.input("x", number);
    return trace.in_scope("a", [&] { return x * x + x; }) + x * x;
  });
  const std::vector<DeviceScope> scopes{{"a", parse_name("/GPU:1")}};
  std::vector<std::string> sent;
  for (const DeviceCopy& copy : place(step, rules(), scopes).copies)
    sent.push_back(copy.name + " " + print(copy.to).substr(print(copy.to).rfind('/')));
  std::sort(sent.begin(), sent.end());
  EXPECT_EQ(sent, (std::vector<std::string>{"a/AddV2 /device:GPU:0", "x /device:GPU:0", "x /device:GPU:1"}));
}

// ---- names

TEST(StepPlacement, D5_NamesAreMadeUniqueAsTensorFlowMakesThem) {
  const Step step = one_node([](Trace& trace) {
    const Symbol x = trace.input("mul", number);
    // A statement of its own, since C++ does not fix the order in which the operands of a sum are evaluated.
    const Symbol cube = x * x * x;
    return trace.in_scope("a", [&] { return x * x; }) + cube;
  });
  const StepPlacement placement = place(step, rules());
  std::vector<std::string> names;
  for (const PlacedNode& node : placement.nodes) names.push_back(node.name);
  EXPECT_EQ(names, (std::vector<std::string>{"mul", "Mul_1", "Mul_2", "a/Mul", "AddV2", "y_RetVal"}));
}

// ---- scopes

TEST(StepPlacement, D7_InnerScopesOverrideWhatTheyNameAndKeepTheRest) {
  const Step step = one_node([](Trace& trace) {
    const Symbol x = trace.input("x", number);
    return trace.in_scope("a", [&] { return trace.in_scope("b", [&] { return x * x; }) + x; }) - x;
  });
  const std::vector<DeviceScope> scopes{{"a/b", parse_name("/device:GPU:1")},
                                        {"", parse_name("/device:CPU:0")},
                                        {"a", parse_name("/job:localhost")}};
  const StepPlacement placement = place(step, rules(), scopes);
  EXPECT_EQ(given(placement, "a/b/Mul"), "/device:GPU:1");
  EXPECT_EQ(print(row(placement, "a/b/Mul").requested), "/job:localhost/device:GPU:1");
  EXPECT_EQ(given(placement, "a/AddV2"), "/device:CPU:0");
  EXPECT_EQ(given(placement, "Sub"), "/device:CPU:0");
}

TEST(StepPlacement, D7_AScopeIsAPathAndNoPrefixOfLetters) {
  const Step step = one_node([](Trace& trace) {
    const Symbol x = trace.input("x", number);
    return trace.in_scope("dense_1", [&] { return x * x; });
  });
  const std::vector<DeviceScope> scopes{{"dense", parse_name("/device:CPU:0")}};
  EXPECT_EQ(given(place(step, rules(), scopes), "dense_1/Mul"), "/device:GPU:0");
}

// ---- kernels

TEST(StepPlacement, D4_AnOperationWithoutAGpuKernelFallsBackToTheCpu) {
  const Step step = one_node([](Trace& trace) {
    return cast(trace.input("x", number), Type::int32) + trace.variable("offset", {Type::int32, {}});
  });
  std::vector<OperationKernels> guide(operation_kernels().begin(), operation_kernels().end());
  for (OperationKernels& kernels : guide)
    if (kernels.operation == "Cast") kernels.gpu = {};
  PlacementRules without = rules();
  without.kernels = guide;
  const StepPlacement placement = place(step, without);
  EXPECT_EQ(given(placement, "Cast"), "/device:CPU:0");
  EXPECT_EQ(given(placement, "AddV2"), "/device:GPU:0");
  EXPECT_EQ(given(placement, "offset"), "/device:CPU:0");  // int32 variables have no kernel on a GPU
  EXPECT_TRUE(placement.copies.empty());                   // int32 is in the host's memory in any case
}

TEST(StepPlacement, SmallIntegersStayOnTheCpuWhereTheRulesSaySo) {
  const Step step = one_node([](Trace& trace) {
    const Symbol x = trace.input("x", {Type::int64, {3}});
    return x + x;
  });
  PlacementRules pinning = rules();
  EXPECT_EQ(given(place(step, pinning), "AddV2"), "/device:GPU:0");
  pinning.small_integers_on_cpu = true;
  EXPECT_EQ(row(place(step, pinning), "AddV2").why, "small integers stay on the CPU");
  EXPECT_EQ(given(place(step, pinning), "AddV2"), "/device:CPU:0");
}

TEST(StepPlacement, WhatHasNoInputsGoesWhereItIsRead) {
  const Step step = one_node([](Trace& trace) {
    const Symbol ones = fill(trace, number, 1);
    return trace.in_scope("a", [&] { return ones * ones; });
  });
  const std::vector<DeviceScope> scopes{{"a", parse_name("/GPU:1")}};
  EXPECT_EQ(given(place(step, rules(), scopes), "Fill"), "/device:GPU:1");
  EXPECT_TRUE(place(step, rules(), scopes).copies.empty());
}

TEST(StepPlacement, AnAssignmentIsColocatedWithItsVariable) {
  const Step step = trace("step", [](Trace& trace) {
    const Symbol total = trace.variable("mean/total", number);
    trace.update(total, total + trace.input("x", number));
  });
  const std::vector<DeviceScope> scopes{{"mean", parse_name("/CPU:0")}};
  const StepPlacement placement = place(step, rules(), scopes);
  EXPECT_EQ(given(placement, "AddV2"), "/device:GPU:0");
  EXPECT_EQ(given(placement, "AssignVariableOp"), "/device:CPU:0");
  EXPECT_EQ(row(placement, "AssignVariableOp").why, "colocated with variable mean/total");
  EXPECT_EQ(placement.copies.size(), 3U);  // the variable and x to the GPU, the sum back
}

// ---- refusals

const std::vector<DeviceScope> missing{{"dense", parse_name("/GPU:5")}};

TEST(StepPlacement, SoftPlacementGivesAnotherDevice) {
  const StepPlacement placement = place(dense_step(), rules(), missing);
  EXPECT_EQ(given(placement, "dense/MatMul"), "/device:GPU:0");
  EXPECT_EQ(row(placement, "dense/MatMul").why, "soft placement: the requested device does not exist");
}

TEST(StepPlacement, WithoutSoftPlacementAMissingDeviceIsRefused) {
  PlacementRules hard = rules({"GPU:0", "CPU:0"});
  hard.soft_placement = false;
  EXPECT_EQ(
      refusal(dense_step(), hard, missing),
      "Cannot assign a device for operation dense/kernel: {{node dense/kernel}} was explicitly assigned to "
      "/device:GPU:5 but available devices are [ /job:localhost/replica:0/task:0/device:CPU:0, "
      "/job:localhost/replica:0/task:0/device:GPU:0 ]. Make sure the device specification refers to a valid "
      "device.");
}

TEST(StepPlacement, WithoutSoftPlacementAMissingKernelIsRefused) {
  PlacementRules hard = rules();
  hard.soft_placement = false;
  const std::vector<DeviceScope> scopes{{"", parse_name("/GPU:0")}};
  const Step step = one_node([](Trace& trace) {
    const Symbol x = trace.input("x", {Type::uint8, {2}});
    return concat({x, x}, 0);
  });
  std::vector<OperationKernels> few{{"ConcatV2", {Type::uint8}, {Type::float32}}, {"_Arg", {}, {}}};
  hard.kernels = few;
  EXPECT_EQ(
      refusal(step, hard, scopes),
      "Cannot assign a device for operation ConcatV2: Could not satisfy explicit device specification "
      "'/device:GPU:0' because no supported kernel for GPU devices is available.\nOp: ConcatV2\nNode attrs: "
      "T=DT_UINT8\nRegistered kernels:\n  device='CPU'; T in [DT_UINT8]\n  device='GPU'; T in [DT_FLOAT]\n");
}

TEST(StepPlacement, AnOperationWithoutAnyKernelIsRefused) {
  const Step step = one_node([](Trace& trace) { return square(trace.input("x", {Type::float64, {2}})); });
  constexpr OperationKernels few[] = {{"Square", {}, {Type::float64}}};
  PlacementRules without = rules({"CPU:0"});
  without.kernels = few;
  EXPECT_EQ(
      refusal(step, without),
      "No OpKernel was registered to support Op 'Square' used by {{node Square}} with these attrs: "
      "[T=DT_DOUBLE]\nRegistered devices: [CPU]\nRegistered kernels:\n  device='GPU'; T in [DT_DOUBLE]\n");
}

}  // namespace
}  // namespace wt
