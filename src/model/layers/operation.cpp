#include "model/layers/operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/activation.h"
#include "model/axes.h"
#include "model/constants.h"
#include "model/layers/slicing.h"
#include "model/mask.h"
#include "model/operands.h"

namespace wt::model {

namespace {

using Call = OperationCall;

Symbol as_float(Symbol x) { return is_floating(x.spec().type) ? x : cast(x, Type::float32); }

const std::vector<double>* keyword(const Call& call, std::string_view name) {
  const auto found = call.keywords.find(name);
  return found == call.keywords.end() ? nullptr : &found->second;
}
bool flag(const Call& call, std::string_view name) {
  const std::vector<double>* value = keyword(call, name);
  return value != nullptr && !value->empty() && value->front() != 0;
}

void require_axes(const std::vector<double>& given) {
  if (given.size() > Shape::max_rank)
    throw InputError(fmt::format("there are {} axes", given.size()),
                     fmt::format("at most {} are offered", Shape::max_rank));
}

// "axis", in the order of the axes; without it all axes.
Shape axes_of(const Call& call) {
  const TensorSpec& spec = call.x[0].spec();
  std::vector<int> axes;
  const std::vector<double>* given = keyword(call, "axis");
  if (given != nullptr) require_axes(*given);
  if (given != nullptr)
    for (const double axis : *given) axes.push_back(axis_of(static_cast<int>(axis), spec));
  else
    for (int axis = 0; axis < spec.shape.rank(); ++axis) axes.push_back(axis);
  std::ranges::sort(axes);
  Shape all;
  for (const int axis : axes) all.append(axis);
  return all;
}

int axis_or(const Call& call, int otherwise, const TensorSpec& spec) {
  const std::vector<double>* given = keyword(call, "axis");
  return axis_of(given == nullptr || given->empty() ? otherwise : static_cast<int>(given->front()), spec);
}

template <Symbol (*reduce)(Symbol x, const Shape& axes, bool keep_dims)>
Symbol reduced(const Call& call) {
  return reduce(as_float(call.x[0]), axes_of(call), flag(call, "keepdims"));
}
Symbol reduced_any(const Call& call) { return any(call.x[0], axes_of(call), flag(call, "keepdims")); }
Symbol reduced_min(const Call& call) {
  return -reduce_max(-as_float(call.x[0]), axes_of(call), flag(call, "keepdims"));
}

template <Symbol (*function)(Symbol x)>
Symbol of_one(const Call& call) {
  return function(as_float(call.x[0]));
}
template <Symbol (*function)(Symbol a, Symbol b)>
Symbol of_two(const Call& call) {
  return function(call.x[0], call.x[1]);
}

Symbol plus(Symbol a, Symbol b) { return a + b; }
Symbol minus(Symbol a, Symbol b) { return a - b; }
Symbol times(Symbol a, Symbol b) { return a * b; }
Symbol quotient(Symbol a, Symbol b) { return as_float(a) / as_float(b); }
Symbol opposite(Symbol x) { return -x; }
Symbol differs(Symbol a, Symbol b) { return negated(equal(a, b)); }
Symbol at_least(Symbol a, Symbol b) { return negated(less(a, b)); }
Symbol at_most(Symbol a, Symbol b) { return negated(greater(a, b)); }
Symbol reciprocal_root(Symbol x) { return number_like(x, 1) / sqrt(x); }

// A power is offered with a number as its exponent.
Symbol power(const Call& call) {
  if (call.constants.size() != 1 || call.constants[0].first != 1)
    throw InputError("a power whose exponent is a tensor is not offered", "write a number as the exponent");
  return model::power(as_float(call.x[0]), call.constants[0].second);
}

Symbol softmax_along(const Call& call) {
  const MovedAxes moved(call.x[0], {axis_or(call, -1, call.x[0].spec())});
  return moved.back(wt::softmax(moved.last()));
}

Symbol product_of_matrices(const Call& call) {
  return matmul(call.x[0], call.x[1],
                {.transpose_a = flag(call, "transpose_a"), .transpose_b = flag(call, "transpose_b")});
}

// There is no kernel that concatenates truth values, so that masks are concatenated as numbers.
Symbol concatenated(const Call& call) {
  const int axis = axis_or(call, -1, call.x[0].spec());
  if (call.x[0].spec().type != Type::boolean) return concat(call.x, axis);
  std::vector<Symbol> numbers;
  for (const Symbol& mask : call.x) numbers.push_back(as_float(mask));
  return negated(equal(concat(numbers, axis), number_like(numbers[0], 0)));
}

Symbol zeros_like(const Call& call) {
  return fill(*call.x[0].trace, {as_float(call.x[0]).spec().type, call.x[0].shape()}, 0);
}

// The shape, in which -1 stands for what is left.
Symbol reshaped(const Call& call) {
  const std::vector<double>* given = keyword(call, "shape");
  if (given == nullptr) given = keyword(call, "newshape");
  if (given == nullptr) throw InputError("the new shape is missing", "write it as a list of numbers");
  require_axes(*given);
  const auto elements = static_cast<double>(call.x[0].shape().elements());
  Shape shape;
  double known = 1;
  for (const double extent : *given) {
    if (extent < -1) throw InputError(fmt::format("an extent is {}", extent), "write -1 for what is left");
    shape.append(static_cast<std::int64_t>(extent));
    if (extent > 0) known *= extent;
  }
  for (int axis = 0; axis < shape.rank(); ++axis)
    if (shape[axis] == -1) shape[axis] = static_cast<std::int64_t>(elements / known);
  return reshape(call.x[0], shape);
}

Symbol transposed(const Call& call) {
  const std::vector<double>* given = keyword(call, "perm");
  if (given == nullptr) given = keyword(call, "axes");
  Shape order;
  const int rank = call.x[0].shape().rank();
  for (int i = 0; i < rank; ++i) order.append(rank - 1 - i);  // numpy's default
  if (given != nullptr) {
    require_axes(*given);
    order = {};
    for (const double axis : *given) order.append(axis_of(static_cast<int>(axis), call.x[0].spec()));
  }
  return transpose(call.x[0], order);
}

Symbol with_axis(const Call& call) {
  TensorSpec wider = call.x[0].spec();
  if (wider.shape.rank() == Shape::max_rank)
    throw InputError(fmt::format("{} has no room for an axis", print(wider)),
                     fmt::format("at most {} axes are offered", Shape::max_rank));
  wider.shape.append(1);
  const int axis = axis_or(call, -1, wider);
  Shape shape;
  for (int i = 0; i <= call.x[0].shape().rank(); ++i)
    shape.append(i == axis ? 1 : call.x[0].shape()[i < axis ? i : i - 1]);
  return reshape(call.x[0], shape);
}

Symbol without_axis(const Call& call) {
  const Shape axes = keyword(call, "axis") == nullptr ? Shape{} : axes_of(call);
  Shape shape;
  for (int i = 0; i < call.x[0].shape().rank(); ++i) {
    const bool is_named = axes.rank() == 0 || std::ranges::count(axes, std::int64_t{i}) > 0;
    if (!is_named || call.x[0].shape()[i] != 1) shape.append(call.x[0].shape()[i]);
  }
  return reshape(call.x[0], shape);
}

Symbol element(const Call& call) { return sliced(call.x[0], call.slices); }

Symbol named(const Call& call, std::string_view activation) {
  return activate(as_float(call.x[0]), activation);
}

constexpr OperationClass rows[] = {
    {"Absolute", "math.abs", 1, of_one<wt::abs>},
    {"Add", "math.add __operators__.add", 2, of_two<plus>},
    {"Any", "math.reduce_any", 1, reduced_any},
    {"Concatenate", "concat", 0, concatenated},
    {"ConvertToTensor", "convert_to_tensor", 1, [](const Call& call) { return call.x[0]; }},
    {"Divide", "math.divide", 2, of_two<quotient>},
    {"Equal", "math.equal", 2, of_two<wt::equal>},
    {"Exp", "math.exp", 1, of_one<wt::exp>},
    {"ExpandDims", "expand_dims", 1, with_axis},
    {"GetItem", "__operators__.getitem", 1, element},
    {"Greater", "math.greater", 2, of_two<wt::greater>},
    {"GreaterEqual", "math.greater_equal", 2, of_two<at_least>},
    {"Less", "math.less", 2, of_two<wt::less>},
    {"LessEqual", "math.less_equal", 2, of_two<at_most>},
    {"Log", "math.log", 1, of_one<wt::log>},
    {"LogicalAnd", "math.logical_and", 2, of_two<both>},
    {"LogicalNot", "math.logical_not", 1, of_one<negated>},
    {"LogicalOr", "math.logical_or", 2, of_two<either>},
    {"Matmul", "linalg.matmul", 2, product_of_matrices},
    {"Max", "math.reduce_max", 1, reduced<wt::reduce_max>},
    {"Maximum", "math.maximum", 2, of_two<wt::maximum>},
    {"Mean", "math.reduce_mean", 1, reduced<wt::reduce_mean>},
    {"Min", "math.reduce_min", 1, reduced_min},
    {"Minimum", "math.minimum", 2, of_two<wt::minimum>},
    {"Multiply", "math.multiply", 2, of_two<times>},
    {"Negative", "math.negative", 1, of_one<opposite>},
    {"NotEqual", "math.not_equal", 2, of_two<differs>},
    {"Power", "math.pow", 2, power},
    {"Relu", "nn.relu", 1, of_one<wt::relu>},
    {"Reshape", "reshape", 1, reshaped},
    {"Rsqrt", "math.rsqrt", 1, of_one<reciprocal_root>},
    {"Sigmoid", "math.sigmoid", 1, of_one<wt::sigmoid>},
    {"Silu", "nn.silu", 1, [](const Call& call) { return named(call, "silu"); }},
    {"Softmax", "nn.softmax", 1, softmax_along},
    {"Softplus", "math.softplus", 1, [](const Call& call) { return named(call, "softplus"); }},
    {"Sqrt", "math.sqrt", 1, of_one<wt::sqrt>},
    {"Square", "math.square", 1, of_one<wt::square>},
    {"Squeeze", "squeeze compat.v1.squeeze", 1, without_axis},
    {"StopGradient", "stop_gradient", 1, of_one<wt::stop_gradient>},
    {"Subtract", "math.subtract", 2, of_two<minus>},
    {"Sum", "math.reduce_sum", 1, reduced<wt::reduce_sum>},
    {"Tanh", "math.tanh", 1, of_one<wt::tanh>},
    {"Transpose", "transpose compat.v1.transpose", 1, transposed},
    {"TrueDivide", "math.truediv", 2, of_two<quotient>},
    {"ZerosLike", "zeros_like", 1, zeros_like},
};

class OperationLayer final : public Layer {
 public:
  explicit OperationLayer(OperationConfig config)
      : Layer(config.name), config_(std::move(config)), row_(find_operation(config_.class_name)) {
    WT_EXPECT(row_ != nullptr, "there is no operation {}", config_.class_name);
  }
  std::string_view class_name() const override { return row_->class_name; }

 protected:
  WholeNumbers whole_numbers() const override { return WholeNumbers::joins; }
  UnderHalves under_halves() const override { return UnderHalves::follows; }
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    const CallOptions& options = building.options();
    OperationCall call{beside_constants(building, inputs), config_.keywords, options.slices,
                       options.constants};
    call.keywords.insert(options.keywords.begin(), options.keywords.end());
    for (const auto& [position, value] : options.constants)
      if (!inputs.empty() && position <= call.x.size())
        call.x.insert(call.x.begin() + static_cast<std::ptrdiff_t>(position), number_like(call.x[0], value));
    if (call.x.empty() || (row_->arguments > 0 && call.x.size() != row_->arguments))
      refuse(fmt::format("it is given {} arguments", call.x.size()),
             fmt::format("it takes {}", row_->arguments));
    return {row_->apply(call)};
  }

 private:
  // A constant with a fraction makes real numbers of integers.
  static std::vector<Symbol> beside_constants(const Building& building, std::vector<Symbol> inputs) {
    const bool has_fraction = std::ranges::any_of(building.options().constants, [](const auto& constant) {
      return constant.second != std::trunc(constant.second);
    });
    if (has_fraction && is_on(Switch::whole_numbers_join_real_ones, building.semantics()))
      for (Symbol& input : inputs)
        if (input.spec().type != Type::boolean) input = as_float(input);
    return inputs;
  }

  OperationConfig config_;
  const OperationClass* row_;
};

bool has_word(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

}  // namespace

bool is_axis_or_extent(double number) {
  constexpr double largest_extent = 1 << 24;
  return std::abs(number) <= largest_extent && number == std::trunc(number);
}

std::span<const OperationClass> operation_classes() { return rows; }

const OperationClass* find_operation(std::string_view class_name) {
  const auto* row = std::ranges::find(rows, class_name, &OperationClass::class_name);
  return row == std::end(rows) ? nullptr : row;
}

const OperationClass* find_operation_of_tf(std::string_view function) {
  const auto* row = std::ranges::find_if(
      rows, [&](const OperationClass& each) { return has_word(each.functions, function); });
  return row == std::end(rows) ? nullptr : row;
}

LayerPtr operation(OperationConfig config) { return std::make_shared<OperationLayer>(std::move(config)); }

}  // namespace wt::model
