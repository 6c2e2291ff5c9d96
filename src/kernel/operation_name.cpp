#include "kernel/operation_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace wt {

namespace {

constexpr Type f32 = Type::float32;
constexpr Type f64 = Type::float64;
constexpr Type i32 = Type::int32;
constexpr Type i64 = Type::int64;
constexpr Type bit = Type::boolean;
constexpr Type u8 = Type::uint8;
constexpr Type f16 = Type::float16;
constexpr Type b16 = Type::bfloat16;

constexpr TypeSet all{f32, f64, f16, b16, i32, i64, bit, u8};
constexpr TypeSet all_numbers{f32, f64, f16, b16, i32, i64, u8};
constexpr TypeSet signed_numbers{f32, f64, f16, b16, i32, i64};
constexpr TypeSet floats{f32, f64, f16, b16};

// For int32, TensorFlow registers many GPU kernels that compute on the host and keep their operands there
// (HostMemory). They are in this table, since TensorFlow places such an operation on the GPU.
constexpr OperationKernels kernels_by_name[] = {
    {"Abs", signed_numbers, signed_numbers},
    {"AddV2", all_numbers, all_numbers},
    {"ArgMax", all, {f32, f64, f16, b16, bit}},
    {"Assert", all, all},
    {"AssignAddVariableOp", all_numbers, {f32, f64, f16, b16, i64}, "dtype"},
    {"AssignVariableOp", all, {f32, f64, f16, b16, i64, bit, u8}, "dtype"},
    {"AvgPool", floats, floats},
    {"AvgPoolGrad", floats, floats},
    {"BatchMatMulV2", signed_numbers, floats},
    {"BiasAdd", all_numbers, {f32, f64, f16, b16, i32}},
    {"BroadcastTo", all, {f32, f64, f16, b16, i32, i64, bit}},
    {"Cast", all, all, "SrcT"},
    {"CollectiveBcastSendV2", all, {f32, f64, f16, b16, i32, i64, bit}},
    {"CollectiveGatherV2", signed_numbers, signed_numbers},
    {"CollectivePermute", {}, {}},
    {"CollectiveReduceV2", signed_numbers, signed_numbers},
    {"ConcatV2", all, all},
    {"Conv2D", {f32, f64, f16, b16, i32}, {f32, f64, f16, b16, i32}},
    {"Conv2DBackpropFilter", floats, floats},
    {"Conv2DBackpropInput", {f32, f64, f16, b16, i32}, {f32, f64, f16, b16, i32}},
    {"Equal", all, all},
    {"Exp", floats, floats},
    {"Fill", all, all},
    {"FusedBatchNormGradV3", {f32}, {f32}},
    {"FusedBatchNormV3", {f32}, {f32}},
    {"GatherV2", all, {f32, f64, f16, b16, i32, i64, bit}, "Tparams"},
    {"Greater", all_numbers, all_numbers},
    {"Identity", all, all},
    {"Less", all_numbers, all_numbers},
    {"Log", floats, floats},
    {"MatMul", signed_numbers, floats},
    {"Max", all_numbers, signed_numbers},
    {"MaxPool", all_numbers, floats},
    {"MaxPoolGrad", all_numbers, floats},
    {"Maximum", all_numbers, all_numbers},
    {"Mean", all_numbers, floats},
    {"Minimum", all_numbers, all_numbers},
    {"Mul", all_numbers, all_numbers},
    {"Neg", signed_numbers, signed_numbers},
    {"Range", signed_numbers, signed_numbers, "Tidx"},
    {"ReadVariableOp", all, all, "dtype"},
    {"RealDiv", floats, floats},
    {"Relu", all_numbers, floats},
    {"Relu6", all_numbers, floats},
    {"Relu6Grad", all_numbers, floats},
    {"ReluGrad", all_numbers, floats},
    {"Reshape", all, all},
    {"ResourceApplyAdam", floats, floats},
    {"ResourceApplyCenteredRMSProp", floats, floats},
    {"ResourceApplyGradientDescent", floats, floats},
    {"ResourceApplyKerasMomentum", floats, floats},
    {"ResourceApplyRMSProp", floats, floats},
    {"ResourceScatterSub", all_numbers, floats},
    {"SelectV2", all, {f32, f64, f16, b16, i32, i64, bit}},
    {"Sigmoid", floats, floats},
    {"SigmoidGrad", floats, floats},
    {"Sign", signed_numbers, signed_numbers},
    {"Softmax", floats, floats},
    {"SoftmaxCrossEntropyWithLogits", floats, floats},
    {"SparseSoftmaxCrossEntropyWithLogits", floats, floats},
    {"SplitV", all, {f32, f64, f16, b16, i32}},
    {"Sqrt", floats, floats},
    {"Square", signed_numbers, signed_numbers},
    {"StatelessRandomUniformV2", floats, floats, "dtype"},
    {"StopGradient", all, all},
    {"StringToHashBucketFast", all, {}, "", false},
    {"Sub", all_numbers, all_numbers},
    {"Sum", all_numbers, signed_numbers},
    {"Tanh", floats, floats},
    {"TanhGrad", floats, floats},
    {"Transpose", all, all},
    {"TruncateDiv", {i32, i64, u8}, {i64, u8}},
    {"UnsortedSegmentSum", all_numbers, {f32, f64, f16, b16, i32}},
    {"VarHandleOp", all, {f32, f64, f16, b16, i64, bit, u8}, "dtype"},
    {"_Arg", all, all},
    {"_EagerConst", all, all},
    {"_Retval", all, all},
};

// The operation of a kernel, and the operand whose element type selects TensorFlow's kernel.
constexpr int of_result = -1;

struct KernelRow {
  std::string_view kernel{};
  std::string_view operation{};
  int type_of = 0;  // number of an input, or of_result
};

constexpr KernelRow names[] = {
    {"abs", "Abs"},
    {"adam_update", "ResourceApplyAdam"},
    {"add", "AddV2"},
    {"argmax", "ArgMax"},
    {"average_pool", "AvgPool"},
    {"average_pool_gradient", "AvgPoolGrad"},
    {"batch_norm", "FusedBatchNormV3"},
    {"batch_norm_gradient", "FusedBatchNormGradV3"},
    {"batch_norm_inference", "FusedBatchNormV3"},
    {"bias_add", "BiasAdd"},
    {"bias_add_gelu", "Mul"},
    {"bias_add_relu", "Relu"},
    {"bias_add_sigmoid", "Sigmoid"},
    {"bias_add_tanh", "Tanh"},
    {"binary_cross_entropy", "Mean"},
    {"binary_cross_entropy_gradient", "Mul"},
    {"broadcast_to", "BroadcastTo"},
    {"cast", "Cast"},
    {"concat", "ConcatV2"},
    {"conv2d", "Conv2D"},
    {"conv2d_filter_gradient", "Conv2DBackpropFilter"},
    {"conv2d_input_gradient", "Conv2DBackpropInput"},
    {"divide", "RealDiv"},
    {"dropout", "SelectV2"},
    {"dropout_gradient", "Mul"},
    {"embedding", "GatherV2", 1},
    {"embedding_gradient", "UnsortedSegmentSum", 1},
    {"equal", "Equal"},
    {"exp", "Exp"},
    {"fill", "Fill", of_result},
    {"gelu", "Mul"},
    {"gelu_gradient", "Mul"},
    {"greater", "Greater"},
    {"gru", "AddV2"},
    {"gru_gradient", "AddV2"},
    {"hash_bucket", "StringToHashBucketFast"},
    {"known_index", "Assert"},
    {"layer_norm", "AddV2"},
    {"layer_norm_gradient", "FusedBatchNormGradV3"},
    {"less", "Less"},
    {"log", "Log"},
    {"lstm", "Mul"},
    {"lstm_gradient", "AddV2"},
    {"matmul", "MatMul"},
    {"max_pool", "MaxPool"},
    {"max_pool_gradient", "MaxPoolGrad"},
    {"maximum", "Maximum"},
    {"mean_squared_error", "Mean"},
    {"mean_squared_error_gradient", "Mul"},
    {"minimum", "Minimum"},
    {"multiply", "Mul"},
    {"negate", "Neg"},
    {"range", "Range", of_result},
    {"reduce_max", "Max"},
    {"reduce_mean", "Mean"},
    {"reduce_sum", "Sum"},
    {"relu", "Relu"},
    {"relu6", "Relu6"},
    {"relu6_gradient", "Relu6Grad"},
    {"relu_gradient", "ReluGrad"},
    {"resize_shares", "Fill", of_result},
    {"rmsprop_update", "ResourceApplyRMSProp"},
    {"select", "SelectV2", 1},
    {"sgd_update", "ResourceApplyGradientDescent"},
    {"sgd_update_rows", "ResourceScatterSub"},
    {"sigmoid", "Sigmoid"},
    {"sigmoid_gradient", "SigmoidGrad"},
    {"sign", "Sign"},
    {"simple_rnn", "Tanh"},
    {"simple_rnn_gradient", "AddV2"},
    {"softmax", "Softmax"},
    {"softmax_cross_entropy", "SoftmaxCrossEntropyWithLogits"},
    {"softmax_gradient", "Mul"},
    {"sparse_softmax_cross_entropy", "SparseSoftmaxCrossEntropyWithLogits"},
    {"split", "SplitV"},
    {"sqrt", "Sqrt"},
    {"square", "Square"},
    {"subtract", "Sub"},
    {"tanh", "Tanh"},
    {"tanh_gradient", "TanhGrad"},
    {"transpose", "Transpose"},
    {"uniform", "StatelessRandomUniformV2", of_result},
};

// A kernel that is another TensorFlow operation for some operands or attributes.
struct Variant {
  std::string_view kernel{};
  std::string_view operation{};
  bool (*applies)(std::span<const TensorSpec> inputs, const Attributes& attributes) = nullptr;
};

bool is_batched(std::span<const TensorSpec> inputs, const Attributes&) {
  return std::any_of(inputs.begin(), inputs.end(),
                     [](const TensorSpec& spec) { return spec.shape.rank() > 2; });
}
bool is_integer(std::span<const TensorSpec> inputs, const Attributes&) {
  return !inputs.empty() && !is_floating(inputs[0].type);
}
bool has_momentum(std::span<const TensorSpec>, const Attributes& attributes) {
  const auto* sgd = std::get_if<SgdAttributes>(&attributes);
  return sgd != nullptr && sgd->momentum != 0;
}
bool is_centered(std::span<const TensorSpec>, const Attributes& attributes) {
  const auto* rmsprop = std::get_if<RmsPropAttributes>(&attributes);
  return rmsprop != nullptr && rmsprop->centered;
}

constexpr Variant variants[] = {
    {"matmul", "BatchMatMulV2", is_batched},
    {"divide", "TruncateDiv", is_integer},
    {"sgd_update", "ResourceApplyKerasMomentum", has_momentum},
    {"rmsprop_update", "ResourceApplyCenteredRMSProp", is_centered},
};

const KernelRow* find_row(std::string_view kernel) {
  const auto row = std::lower_bound(std::begin(names), std::end(names), kernel,
                                    [](const KernelRow& a, std::string_view key) { return a.kernel < key; });
  return row != std::end(names) && row->kernel == kernel ? row : nullptr;
}

constexpr std::array<std::string_view, 6> enumerators{"DT_FLOAT", "DT_DOUBLE", "DT_INT32",
                                                      "DT_INT64", "DT_BOOL",   "DT_UINT8"};  // by Type
constexpr std::array<Type, 6> types{f32, f64, i32, i64, bit, u8};

std::string print_kernels(const OperationKernels& row, std::string_view device, TypeSet registered) {
  std::string text;
  for (const Type type : types)
    if (registered.has(type))
      text += fmt::format("  device='{}'; {} in [{}]\n", device, row.attribute, type_enumerator(type));
  return text;
}

}  // namespace

std::span<const OperationKernels> operation_kernels() { return kernels_by_name; }

const OperationKernels* find_operation(std::span<const OperationKernels> table, std::string_view operation) {
  const auto row = std::find_if(table.begin(), table.end(),
                                [&](const OperationKernels& entry) { return entry.operation == operation; });
  return row == table.end() ? nullptr : &*row;
}

bool has_kernel(const OperationKernels& row, device::Kind kind, Type type) {
  switch (kind) {
    case device::Kind::cpu:
      return row.cpu.has(type);
    case device::Kind::gpu:
      return row.gpu.has(type);
    case device::Kind::tpu:
      return row.tpu;
  }
  return false;
}

std::string_view type_enumerator(Type type) { return enumerators[static_cast<std::size_t>(type)]; }

std::string print_kernels(std::span<const OperationKernels> table, std::string_view operation) {
  const OperationKernels* row = find_operation(table, operation);
  const std::string text =
      row == nullptr ? "" : print_kernels(*row, "CPU", row->cpu) + print_kernels(*row, "GPU", row->gpu);
  return text.empty() ? "  <no registered kernels>\n" : text;
}

std::string_view operation_name(std::string_view kernel, std::span<const TensorSpec> inputs,
                                const Attributes& attributes) {
  for (const Variant& variant : variants)
    if (variant.kernel == kernel && variant.applies(inputs, attributes)) return variant.operation;
  const KernelRow* row = find_row(kernel);
  return row == nullptr ? std::string_view{} : row->operation;
}

Type operation_type(std::string_view kernel, std::span<const TensorSpec> inputs,
                    const Attributes& attributes) {
  const KernelRow* row = find_row(kernel);
  const int from = row == nullptr ? 0 : row->type_of;
  if (const auto* fill = std::get_if<FillAttributes>(&attributes); from == of_result && fill != nullptr)
    return fill->spec.type;
  const auto at = static_cast<std::size_t>(std::max(from, 0));
  return at < inputs.size() ? inputs[at].type : Type::float32;
}

}  // namespace wt
