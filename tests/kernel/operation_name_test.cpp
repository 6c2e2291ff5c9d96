#include "kernel/operation_name.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace wt {
namespace {

using device::Kind;

std::vector<TensorSpec> specs(const Example& example) {
  std::vector<TensorSpec> list;
  for (const ExampleOperand& operand : example.inputs) list.push_back(operand.spec);
  return list;
}

TEST(OperationName, IsKnownForEveryExampleOfEveryKernel) {
  for (const Kernel& kernel : kernels())
    for (const Example& example : kernel.examples()) {
      const std::string_view name = operation_name(kernel.name, specs(example), example.attributes);
      EXPECT_FALSE(name.empty()) << kernel.name;
      EXPECT_NE(find_operation(operation_kernels(), name), nullptr) << kernel.name << " is " << name;
    }
}

// TensorFlow must have a kernel on some device for every example of every kernel here.
TEST(OperationName, HasAKernelOnTheCpuForEveryExampleOfEveryKernel) {
  for (const Kernel& kernel : kernels())
    for (const Example& example : kernel.examples()) {
      const std::string_view name = operation_name(kernel.name, specs(example), example.attributes);
      const Type type = operation_type(kernel.name, specs(example), example.attributes);
      const OperationKernels* row = find_operation(operation_kernels(), name);
      ASSERT_NE(row, nullptr) << kernel.name;
      EXPECT_TRUE(has_kernel(*row, Kind::cpu, type)) << name << " " << type_enumerator(type);
    }
}

TEST(OperationName, IsTensorFlows) {
  EXPECT_EQ(operation_name("matmul"), "MatMul");
  EXPECT_EQ(operation_name("conv2d"), "Conv2D");
  EXPECT_EQ(operation_name("conv2d_input_gradient"), "Conv2DBackpropInput");
  EXPECT_EQ(operation_name("batch_norm"), "FusedBatchNormV3");
  EXPECT_EQ(operation_name("adam_update"), "ResourceApplyAdam");
  EXPECT_EQ(operation_name("nothing"), "");
}

TEST(OperationName, FollowsOperandsAndAttributes) {
  const std::vector<TensorSpec> batches{{Type::float32, {2, 3, 4}}, {Type::float32, {2, 4, 5}}};
  const std::vector<TensorSpec> integers{{Type::int32, {3}}, {Type::int32, {3}}};
  EXPECT_EQ(operation_name("matmul", batches), "BatchMatMulV2");
  EXPECT_EQ(operation_name("divide", integers), "TruncateDiv");
  EXPECT_EQ(operation_name("divide", batches), "RealDiv");
  EXPECT_EQ(operation_name("sgd_update", {}, SgdAttributes{}), "ResourceApplyGradientDescent");
  EXPECT_EQ(operation_name("sgd_update", {}, SgdAttributes{.momentum = 0.9}), "ResourceApplyKerasMomentum");
  EXPECT_EQ(operation_name("rmsprop_update", {}, RmsPropAttributes{.centered = true}),
            "ResourceApplyCenteredRMSProp");
}

TEST(OperationName, TakesTheTypeFromTheOperandThatDecides) {
  const std::vector<TensorSpec> looked_up{{Type::int32, {3}}, {Type::float64, {9, 2}}};
  EXPECT_EQ(operation_type("embedding", looked_up, {}), Type::float64);
  EXPECT_EQ(operation_type("cast", looked_up, CastAttributes{Type::boolean}), Type::int32);
  EXPECT_EQ(operation_type("fill", {}, FillAttributes{{Type::int64, {2}}, 1}), Type::int64);
  EXPECT_EQ(operation_type("embedding", {}, {}), Type::float32);  // `outputs` reports the missing operands
}

TEST(OperationKernels, AreSortedAndHaveACpuKernelEachButXlasOwn) {
  const auto rows = operation_kernels();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_TRUE(i == 0 || rows[i - 1].operation < rows[i].operation) << rows[i].operation;
    EXPECT_EQ(rows[i].cpu == TypeSet{}, rows[i].operation == "CollectivePermute") << rows[i].operation;
  }
}

TEST(OperationKernels, KnowWhereAGpuHasNone) {
  const auto has = [](std::string_view operation, Kind kind, Type type) {
    return has_kernel(*find_operation(operation_kernels(), operation), kind, type);
  };
  EXPECT_TRUE(has("MatMul", Kind::gpu, Type::float32));
  EXPECT_FALSE(has("MatMul", Kind::gpu, Type::int32));
  EXPECT_TRUE(has("MatMul", Kind::cpu, Type::int32));
  EXPECT_FALSE(has("TruncateDiv", Kind::gpu, Type::int32));
  EXPECT_TRUE(has("TruncateDiv", Kind::gpu, Type::int64));
  EXPECT_FALSE(has("VarHandleOp", Kind::gpu, Type::int32));  // int32 variables are on the host
  EXPECT_FALSE(has("FusedBatchNormV3", Kind::gpu, Type::float64));
  EXPECT_TRUE(has("Cast", Kind::gpu, Type::float32));
  EXPECT_TRUE(has("MatMul", Kind::tpu, Type::int32));
}

TEST(OperationKernels, ArePrintedAsTensorFlowListsThem) {
  EXPECT_EQ(print_kernels(operation_kernels(), "BiasAdd"),
            "  device='CPU'; T in [DT_FLOAT]\n"
            "  device='CPU'; T in [DT_DOUBLE]\n"
            "  device='CPU'; T in [DT_INT32]\n"
            "  device='CPU'; T in [DT_INT64]\n"
            "  device='CPU'; T in [DT_UINT8]\n"
            "  device='GPU'; T in [DT_FLOAT]\n"
            "  device='GPU'; T in [DT_DOUBLE]\n"
            "  device='GPU'; T in [DT_INT32]\n");
  EXPECT_EQ(print_kernels(operation_kernels(), "Nothing"), "  <no registered kernels>\n");
}

}  // namespace
}  // namespace wt
