// Claims about every kernel of the table. They are tested with the examples of the kernel's row, so a new
// kernel is tested without a new test.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "device/cpu/workers.h"
#include "program/gradient_rules.h"
#include "program/operations.h"
#include "support/step.h"

namespace wt {
namespace {

using test::Values;

struct Case {
  const Kernel* kernel = nullptr;
  Example example{};
  std::size_t number = 0;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Kernel& kernel : kernels()) {
    std::size_t number = 0;
    for (Example& example : kernel.examples()) all.push_back({&kernel, std::move(example), number++});
  }
  return all;
}

void PrintTo(const Case& c, std::ostream* out) { *out << c.kernel->name << " example " << c.number; }

std::string input_name(std::size_t i) { return "x" + std::to_string(i); }

// The operands of a kernel are inputs of the step, which nothing overwrites, or values of the step, which a
// kernel that works in place may overwrite.
enum class Operands : std::uint8_t { inputs, temporaries };

// A step with this kernel alone, on operands of these types and shapes. Its inputs are x0, x1, ... and its results y0,
// y1, ...
Step step_of(const Case& c, const std::vector<TensorSpec>& specs, Type floating,
             Operands operands = Operands::inputs) {
  return trace(std::string(c.kernel->name), [&](Trace& trace) {
    std::vector<Symbol> inputs;
    for (const TensorSpec& spec : specs) {
      inputs.push_back(trace.input(input_name(inputs.size()), spec));
      if (operands == Operands::temporaries) inputs.back() = cast(inputs.back(), spec.type);
    }
    Attributes attributes = c.example.attributes;
    if (auto* fill = std::get_if<FillAttributes>(&attributes);
        fill != nullptr && is_floating(fill->spec.type))
      fill->spec.type = floating;
    const std::vector<Symbol> outputs = trace.apply(c.kernel->name, inputs, attributes);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const bool copied = operands == Operands::temporaries;
      trace.result("y" + std::to_string(i), copied ? cast(outputs[i], outputs[i].spec().type) : outputs[i]);
    }
  });
}

Step step_of(const Case& c, Type floating, Operands operands = Operands::inputs) {
  std::vector<TensorSpec> specs;
  for (const ExampleOperand& operand : c.example.inputs)
    specs.push_back({is_floating(operand.spec.type) ? floating : operand.spec.type, operand.spec.shape});
  return step_of(c, specs, floating, operands);
}

Values random_inputs(const Case& c, Type floating) {
  std::mt19937_64 random(std::hash<std::string_view>{}(c.kernel->name) + c.number);
  Values values;
  for (const ExampleOperand& operand : c.example.inputs)
    values[input_name(values.size())] = test::random_tensor(operand, floating, random);
  return values;
}

class EveryKernel : public testing::TestWithParam<Case> {};

std::string case_name(const testing::TestParamInfo<Case>& info) {
  return std::string(info.param.kernel->name) + "_" + std::to_string(info.param.number);
}
INSTANTIATE_TEST_SUITE_P(Table, EveryKernel, testing::ValuesIn(cases()), case_name);

TEST_P(EveryKernel, GivesTheSameBitsOnAnyNumberOfThreadsAndTwiceInARow) {
  const Step step = step_of(GetParam(), Type::float32);
  const Values inputs = random_inputs(GetParam(), Type::float32);
  const Values once = test::run(step, inputs, {.threads = 1});
  for (const int threads : {1, 2, 8})
    for (const auto& [name, tensor] : test::run(step, inputs, {.threads = threads, .steps = 2}))
      EXPECT_TRUE(test::same_bits(tensor, once.at(name))) << name << " on " << threads << " threads";
}

TEST_P(EveryKernel, GivesTheSameBitsWhenOutputsTakeTheirInputsPlace) {
  const Values inputs = random_inputs(GetParam(), Type::float32);
  const Values apart = test::run(step_of(GetParam(), Type::float32), inputs);
  for (const auto& [name, tensor] :
       test::run(step_of(GetParam(), Type::float32, Operands::temporaries), inputs))
    EXPECT_TRUE(test::same_bits(tensor, apart.at(name))) << name;
}

// float32 has tuned loops and float64 has plain ones. Their results must agree within the precision of
// float32.
TEST_P(EveryKernel, AgreesWithItselfInFloat64) {
  const Values inputs = random_inputs(GetParam(), Type::float32);
  Values wide;
  for (const auto& [name, tensor] : inputs) {
    wide[name] = tensor;
    if (tensor.type() != Type::float32) continue;
    wide[name] = Tensor::zeros({Type::float64, tensor.shape()});
    for (std::size_t i = 0; i < tensor.values<float>().size(); ++i)
      wide[name].values<double>()[i] = static_cast<double>(tensor.values<float>()[i]);
  }
  const Values narrow_results = test::run(step_of(GetParam(), Type::float32), inputs);
  const Values wide_results = test::run(step_of(GetParam(), Type::float64), wide);
  for (const auto& [name, tensor] : narrow_results) {
    const Tensor& reference = wide_results.at(name);
    for (std::size_t i = 0; i < static_cast<std::size_t>(tensor.spec().elements()); ++i) {
      const double expected = test::value_at(reference, i);
      EXPECT_NEAR(test::value_at(tensor, i), expected, 1e-5 * std::max(1.0, std::abs(expected)))
          << name << "[" << i << "]";
    }
  }
}

template <class Half>
Tensor rounded_tensor(const Tensor& wide) {
  Tensor halves = Tensor::zeros({type_of<Half>, wide.shape()});
  std::ranges::transform(wide.values<float>(), halves.values<Half>().begin(), rounded<Half>);
  return halves;
}

template <class Half>
Tensor widened_tensor(const Tensor& halves) {
  Tensor wide = Tensor::zeros({Type::float32, halves.shape()});
  std::ranges::transform(halves.values<Half>(), wide.values<float>().begin(),
                         [](Half half) { return widened(half); });
  return wide;
}

// Statistics, scales and shifts of normalizations are float32 beside halves: where a kernel refuses halves for all
// operands, those of a lower rank than the first keep their type.
bool accepts(const Case& c, const std::vector<TensorSpec>& specs) {
  try {
    c.kernel->outputs(specs, c.example.attributes);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

std::vector<TensorSpec> specs_with_halves(const Case& c, Type half) {
  std::vector<TensorSpec> all, some;
  for (const ExampleOperand& operand : c.example.inputs) {
    TensorSpec spec = operand.spec;
    if (spec.type == Type::float32) spec.type = half;
    all.push_back(spec);
    some.push_back(spec.shape.rank() < c.example.inputs[0].spec.shape.rank() ? operand.spec : spec);
  }
  return accepts(c, all) ? all : some;
}

template <class Half>
void expect_float32_rounded(const Case& c) {
  const std::vector<TensorSpec> specs = specs_with_halves(c, type_of<Half>);
  Values halves = random_inputs(c, Type::float32), wide = halves;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].type != type_of<Half>) continue;
    Tensor& tensor = halves.at(input_name(i));
    tensor = rounded_tensor<Half>(tensor);
    wide.at(input_name(i)) = widened_tensor<Half>(tensor);
  }
  const Values expected = test::run(step_of(c, Type::float32), wide);
  for (const auto& [name, tensor] : test::run(step_of(c, specs, type_of<Half>), halves)) {
    const bool is_rounded = tensor.type() == type_of<Half>;
    const Tensor wanted = is_rounded ? rounded_tensor<Half>(expected.at(name)) : expected.at(name);
    EXPECT_TRUE(test::same_bits(tensor, wanted)) << name;
  }
}

TEST_P(EveryKernel, OfHalvesIsThatOfFloat32Rounded) {
  expect_float32_rounded<Float16>(GetParam());
  expect_float32_rounded<BFloat16>(GetParam());
}

// Every operand counts once, except that an embedding's table counts with the rows that are looked up.
TEST_P(EveryKernel, HasAsManyBytesOfWorkAsOperands) {
  const Step step = step_of(GetParam(), Type::float32);
  const wt::Node& node = step.program.nodes.at(0);
  std::vector<TensorSpec> inputs;
  std::vector<TensorSpec> outputs;
  Bytes bytes{};
  for (const ValueId input : node.inputs) bytes += inputs.emplace_back(step.program.spec(input)).bytes();
  for (const ValueId output : node.outputs) bytes += outputs.emplace_back(step.program.spec(output)).bytes();
  const Work work = GetParam().kernel->work({inputs, outputs, std::get<Apply>(node.operation).attributes});
  if (GetParam().kernel->name == "embedding")
    EXPECT_LE(work.bytes, bytes);
  else
    EXPECT_EQ(work.bytes, bytes);
  EXPECT_GE(work.flops.count(), 0);
}

// ---- gradients against central differences, in float64

// The sum of all outputs times fixed random numbers, and its gradients "d<i>" for every floating input.
Step loss_of(const Case& c) {
  return trace("loss", [&](Trace& trace) {
    std::vector<Symbol> inputs;
    std::vector<Symbol> floating;
    std::vector<std::string> names;
    for (const ExampleOperand& operand : c.example.inputs) {
      TensorSpec spec = operand.spec;
      if (is_floating(spec.type)) spec.type = Type::float64;
      inputs.push_back(trace.input(input_name(inputs.size()), spec));
      if (!is_floating(spec.type)) continue;
      floating.push_back(inputs.back());
      names.push_back("d" + std::to_string(inputs.size() - 1));
    }
    const std::vector<Symbol> outputs = trace.apply(c.kernel->name, inputs, c.example.attributes);
    // The other outputs have no gradient: a normalisation's are statistics, a dropout's is the mask, and a
    // loss's is its saved gradient.
    const bool all_outputs = c.kernel->name == "split";
    const bool is_recurrent = std::holds_alternative<RecurrentAttributes>(c.example.attributes);
    // A recurrent kernel's last output is its reserve; the states before it have gradients.
    const std::size_t counted = all_outputs ? outputs.size() : is_recurrent ? outputs.size() - 1 : 1;
    Symbol loss = fill(trace, {Type::float64, {}}, 0);
    for (std::size_t j = 0; j < counted; ++j) {
      const Symbol weights = trace.input("w" + std::to_string(j), outputs[j].spec());
      loss = loss + reduce_sum(outputs[j] * weights);
    }
    trace.result("loss", loss);
    const std::vector<Symbol> gradients = trace.gradient(loss, floating);
    for (std::size_t i = 0; i < gradients.size(); ++i) trace.result(names[i], gradients[i]);
  });
}

class EveryGradient : public testing::TestWithParam<Case> {};

std::vector<Case> differentiable() {
  std::vector<Case> found;
  for (Case& c : cases()) {
    const bool floating_inputs =
        std::any_of(c.example.inputs.begin(), c.example.inputs.end(),
                    [](const auto& operand) { return is_floating(operand.spec.type); });
    const auto* cast = std::get_if<CastAttributes>(&c.example.attributes);
    const bool floating_output = cast == nullptr || is_floating(cast->type);
    if (find_gradient_rule(c.kernel->name) != nullptr && floating_inputs && floating_output)
      found.push_back(std::move(c));
  }
  for (Case& c : found)
    if (auto* cast = std::get_if<CastAttributes>(&c.example.attributes)) cast->type = Type::float64;
  return found;
}
INSTANTIATE_TEST_SUITE_P(Table, EveryGradient, testing::ValuesIn(differentiable()), case_name);

TEST_P(EveryGradient, AgreesWithCentralDifferences) {
  const Step step = loss_of(GetParam());
  Values inputs = random_inputs(GetParam(), Type::float64);
  std::mt19937_64 random(7);
  for (const NamedValue& input : step.inputs)
    if (!inputs.contains(input.name))
      inputs[input.name] = test::random_tensor({step.program.spec(input.value)}, Type::float64, random);

  const plan::Plan plan = strategy::lower_default(step, {"cpu:0"});
  device::Workers workers(1);
  device::CpuQueue queue(workers);
  execute::Execution execution(plan, queue);
  const auto loss_with = [&](const std::string& name) {
    execution.write(name, inputs.at(name));
    execution.step();
    return execution.read("loss").values<double>()[0];
  };
  for (const auto& [name, tensor] : inputs) execution.write(name, tensor);
  execution.step();
  int compared = 0;
  for (const NamedValue& result : step.results) {
    if (result.name == "loss") continue;
    const std::string name = "x" + result.name.substr(1);
    execution.write(name, inputs.at(name));
    execution.step();
    const Tensor gradient = execution.read(result.name);
    const std::span<double> values = inputs.at(name).values<double>();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double x = values[i];
      const double h = 1e-6;
      values[i] = x + h;
      const double above = loss_with(name);
      values[i] = x - h;
      const double below = loss_with(name);
      values[i] = x;
      const double expected = (above - below) / (2 * h);
      EXPECT_NEAR(gradient.values<double>()[i], expected, 1e-7 * std::max(1.0, std::abs(expected)) + 2e-8)
          << result.name << "[" << i << "]";
      ++compared;
    }
    execution.write(name, inputs.at(name));
  }
  EXPECT_GT(compared, 0);
}

// The kernels without a gradient. Every other kernel needs a rule.
TEST(Gradients, AreMissingOnlyWhereThereIsNone) {
  const std::set<std::string_view> without{"argmax",      "equal", "fill",  "greater",       "hash_bucket",
                                           "known_index", "less",  "range", "resize_shares", "uniform"};
  for (const Kernel& kernel : kernels()) {
    // Layers compute a transposed convolution, too, which is the gradient of one.
    const bool is_gradient = kernel.name.ends_with("_gradient") && kernel.name != "conv2d_input_gradient";
    const bool is_update = kernel.name.ends_with("_update") || kernel.name == "sgd_update_rows";
    const bool is_fused = kernel.name.starts_with("bias_add_");  // steps are traced with its two kernels
    const bool expected = !without.contains(kernel.name) && !is_gradient && !is_update && !is_fused;
    EXPECT_EQ(find_gradient_rule(kernel.name) != nullptr, expected) << kernel.name;
  }
}

TEST(Gradients, EveryRuleIsForAKernelAndHasAnExample) {
  std::set<std::string_view> tried;
  for (const Case& c : differentiable()) tried.insert(c.kernel->name);
  for (const GradientRule& rule : gradient_rules()) {
    EXPECT_NE(find_kernel(rule.kernel), nullptr) << rule.kernel;
    EXPECT_TRUE(tried.contains(rule.kernel)) << rule.kernel;
  }
}

}  // namespace
}  // namespace wt
