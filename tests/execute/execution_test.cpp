// Claim: the results of a step do not depend on the number of threads, on the order among legal ones, or on
// repetition.
#include "execute/execution.h"
#include "device/cpu/workers.h"

#include <gtest/gtest.h>

#include <set>

#include "execute/allocations.h"
#include "execute/checked_step.h"
#include "program/operations.h"
#include "support/step.h"

namespace wt {
namespace {

using test::Values;

TensorSpec floats(const Shape& shape) { return {Type::float32, shape}; }

Tensor numbers(const TensorSpec& spec, std::uint64_t seed, double low = -1, double high = 1) {
  std::mt19937_64 random(seed);
  return test::random_tensor({spec, low, high}, Type::float32, random);
}

TEST(Execution, ReadsWithinAStepSeeTheOldValueOfAVariable) {
  const Step step = trace("t", [](Trace& trace) {
    const Symbol w = trace.variable("w", floats({2}));
    const Symbol old = trace.variable("old", floats({2}));
    trace.update(w, w + w);
    trace.update(old, w);
    trace.result("before", w);
  });
  const Tensor initial = Tensor::of<float>({2}, {1, 3});
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Values after = test::run(step, {{"w", initial}}, {.order_seed = seed, .steps = 3});
    EXPECT_EQ(after.at("w").values<float>()[1], 24);
    EXPECT_EQ(after.at("old").values<float>()[1], 12);
    EXPECT_EQ(after.at("before").values<float>()[1], 12);
  }
}

TEST(Execution, RefusesUnknownNamesAndWrongShapes) {
  const Step step = trace("t", [](Trace& trace) { trace.result("y", exp(trace.input("x", floats({2})))); });
  const plan::Plan plan = strategy::lower_default(step, {"cpu:0"});
  device::Workers workers(1);
  device::CpuQueue queue(workers);
  execute::Execution execution(plan, queue);
  const auto refusal = [](const auto& action) -> std::string {
    try {
      action();
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refusal([&] { execution.write("z", Tensor::zeros(floats({2}))); }),
            "[write] the step has no \"z\"\nknown: x");
  EXPECT_EQ(refusal([&] { execution.read("x"); }), "[read] the step has no \"x\"\nknown: y");
  EXPECT_EQ(refusal([&] { execution.write("x", Tensor::zeros(floats({3}))); }),
            "[write] \"x\" is float32[2], the tensor is float32[3]\n"
            "a step is traced for exact shapes, so trace it again for another one");
}

// A program that uses every kernel, most of them on the way to one loss, with an optimizer of each kind.
class EveryKernelStep {
 public:
  static Step make() {
    return trace("every kernel", [](Trace& trace) { EveryKernelStep(trace).write(); });
  }

 private:
  explicit EveryKernelStep(Trace& trace) : trace_(trace) {}

  Symbol variable(const std::string& name, const Shape& shape) {
    trainable_.push_back(trace_.variable(name, floats(shape)));
    return trainable_.back();
  }

  void write() {
    const Symbol images = trace_.input("images", floats({8, 13, 13, 3}));
    const Symbol labels = trace_.input("labels", {Type::int32, {8}});
    const Symbol targets = trace_.input("targets", floats({8, 10}));
    const Symbol features = sequence(convolutions(images), labels);
    const Symbol logits = head(features);
    optimize(loss(logits, labels, targets));
    trace_.result("predicted", argmax(logits));
  }

  Symbol convolutions(Symbol x) {
    WindowAttributes same{.strides = {2, 2}, .padding = Padding::same};
    x = bias_add(conv2d(x, variable("conv/kernel", {3, 3, 3, 16}), same), variable("conv/bias", {16}));
    const Symbol mean = trace_.variable("norm/mean", floats({16}), {.trainable = false});
    const Symbol variance = trace_.variable("norm/variance", floats({16}), {.trainable = false});
    const Normalized normalized =
        batch_norm(x, variable("norm/gamma", {16}), variable("norm/beta", {16}), mean, variance);
    trace_.update(mean, normalized.moving_mean);
    trace_.update(variance, normalized.moving_variance);
    trace_.result("inference", batch_norm_inference(x, trainable_[2], trainable_[3], mean, variance));
    for (const std::string activation : {"gelu", "relu", "sigmoid", "tanh"})
      trace_.result(activation, trace_.apply("bias_add_" + activation, std::vector{x, trainable_[2]})[0]);
    x = trace_.apply("relu6", std::vector{relu(normalized.y)})[0];
    x = max_pool(x, {.size = {2, 2}, .strides = {2, 2}});
    x = conv2d(x, variable("pointwise/kernel", {1, 1, 16, 16}));
    x = x + average_pool(x, {.size = {3, 3}, .padding = Padding::same});
    return reshape(transpose(x, {0, 3, 1, 2}), {8, 16, 9});
  }

  Symbol sequence(Symbol x, Symbol labels) {
    x = layer_norm(x, variable("layer_norm/gamma", {9}), variable("layer_norm/beta", {9}));
    x = gelu(x) * 0.5 - sigmoid(x) / 3.0;
    const Symbol seed = trace_.input("seed", {Type::int64, {2}});
    x = dropout(x, seed, {.rate = 0.25});
    x = x + trace_.apply("uniform", std::vector{seed}, FillAttributes{x.spec(), 0.125})[0];
    x = matmul(x, resize_shares(trace_, {.given = 9, .rows = 9}));
    const Symbol scores = softmax(matmul(x, x, {.transpose_b = true}));
    x = reduce_mean(matmul(scores, x), {1});
    const Symbol counted = labels + cast(range(trace_, {Type::float32, {8}}, 0.125), Type::int32);
    const Symbol bucket = hash_bucket(counted, {.buckets = 10});
    const Symbol ids = cast(trace_.apply("known_index", {{bucket, bucket}})[0], Type::int32);
    const Symbol embedded = embedding(ids, variable("embedding", {10, 7}));
    const Symbol table = trace_.variable("table", floats({10, 7}), {.trainable = false});
    const Symbol rate = fill(trace_, floats({}), 0.125);
    trace_.update(table, trace_.apply("sgd_update_rows", {{table, ids, embedded, rate}})[0]);
    x = concat({x, embedded}, 1);
    const std::vector<Symbol> parts = split(x, 1, {4, 12});
    return recurrent(concat({tanh(parts[1]), square(parts[0])}, 1));
  }

  // All three recurrent kernels on the same numbers.
  Symbol recurrent(Symbol x) {
    const Symbol h0 = fill(trace_, floats({8, 3}), 0.25);
    const auto kernel = [&](std::string_view name, std::int64_t gates, std::vector<Symbol> states) {
      const Shape shape{1, gates * 3};
      const Symbol z = reshape(matmul(reshape(x, {8 * 16, 1}), variable(std::string(name) + "/in", shape)),
                               {8, 16, gates * 3});
      states.insert(states.begin(), {z, variable(std::string(name) + "/recurrent", {3, gates * 3})});
      return trace_.apply(name, states, RecurrentAttributes{.reset_after = false})[0];
    };
    const Symbol y = kernel("lstm", 4, {h0, h0}) + kernel("gru", 3, {h0}) + kernel("simple_rnn", 1, {h0});
    return x + reduce_mean(y, {2});
  }

  Symbol head(Symbol x) {
    x = maximum(x, -x) + minimum(abs(x), x) * sign(x);
    x = select(greater(x, broadcast_to(reduce_max(x, {1}, true), {8, 16}) * 0.5), x, sqrt(abs(x) + 1.0));
    x = select(less(x, x * 2.0), x, log(abs(x) + 1.5));
    return bias_add(matmul(x, variable("dense/kernel", {16, 10})), variable("dense/bias", {10}));
  }

  Symbol loss(Symbol logits, Symbol labels, Symbol targets) {
    const Symbol hit = cast(equal(argmax(logits), cast(labels, Type::int64)), Type::float32);
    trace_.result("accuracy", reduce_mean(hit));
    Symbol per_row =
        sparse_softmax_cross_entropy(logits, labels) + softmax_cross_entropy(logits, softmax(targets));
    per_row = per_row + mean_squared_error(logits, targets) + binary_cross_entropy(logits, sigmoid(targets));
    const Symbol loss = reduce_sum(exp(per_row * 0.01)) / 8.0;
    trace_.result("loss", loss);
    return loss;
  }

  void optimize(Symbol loss) {
    const std::vector<Symbol> gradients = trace_.gradient(loss, trainable_);
    const Symbol rate = trace_.input("rate", floats({}));
    const auto part = [](const std::vector<Symbol>& all, std::size_t from, std::size_t to) {
      return std::vector<Symbol>(all.begin() + static_cast<std::ptrdiff_t>(from),
                                 all.begin() + static_cast<std::ptrdiff_t>(to));
    };
    const auto slots = [&](const std::vector<Symbol>& variables, const std::string& name) {
      std::vector<Symbol> made;
      for (const Symbol& v : variables)
        made.push_back(trace_.variable(name + std::to_string(made.size()), v.spec(), {.trainable = false}));
      return made;
    };
    const std::size_t third = trainable_.size() / 3;
    const auto a = part(trainable_, 0, third), b = part(trainable_, third, 2 * third),
               c = part(trainable_, 2 * third, trainable_.size());
    apply_sgd(a, {slots(a, "sgd/m")}, part(gradients, 0, third), rate, {.momentum = 0.9, .nesterov = true});
    const Symbol iterations = trace_.variable("iterations", {Type::int64, {}}, {.trainable = false});
    apply_adam(b, {slots(b, "adam/m"), slots(b, "adam/v")}, iterations, part(gradients, third, 2 * third),
               rate, {});
    apply_rmsprop(c, {{}, slots(c, "rmsprop/v")}, part(gradients, 2 * third, trainable_.size()), rate, {});
  }

  Trace& trace_;
  std::vector<Symbol> trainable_{};
};

Values inputs_of(const Step& step) {
  Values values{
      {"images", numbers(floats({8, 13, 13, 3}), 1)}, {"labels", numbers({Type::int32, {8}}, 2, 0, 10)},
      {"targets", numbers(floats({8, 10}), 3)},       {"seed", Tensor::of<std::int64_t>({2}, {5, 1})},
      {"rate", Tensor::of<float>({}, {0.01f})},
  };
  for (const StepVariable& variable : step.variables)
    if (variable.trainable) values[variable.name] = numbers(step.program.spec(variable.value), values.size());
  return values;
}

TEST(EveryKernelInOneStep, ReallyUsesEveryKernel) {
  std::set<std::string_view> used;
  for (const wt::Node& node : EveryKernelStep::make().program.nodes) used.insert(name(node.operation));
  for (const Kernel& kernel : kernels()) EXPECT_TRUE(used.contains(kernel.name)) << kernel.name;
}

void expect_same(const Values& one, const Values& other, const std::string& how) {
  ASSERT_EQ(one.size(), other.size());
  for (const auto& [name, tensor] : one)
    EXPECT_TRUE(test::same_bits(tensor, other.at(name))) << name << " " << how;
}

TEST(EveryKernelInOneStep, GivesTheSameBitsOnAnyNumberOfThreads) {
  const Step step = EveryKernelStep::make();
  const Values once = test::run(step, inputs_of(step), {.steps = 3});
  for (const auto& [name, tensor] : once)
    for (std::size_t i = 0; i < static_cast<std::size_t>(tensor.spec().elements()); ++i)
      ASSERT_TRUE(std::isfinite(test::value_at(tensor, i))) << name;
  for (const int threads : {1, 2, 8})
    expect_same(once, test::run(step, inputs_of(step), {.threads = threads, .steps = 3}),
                "on " + std::to_string(threads) + " threads");
}

TEST(EveryKernelInOneStep, GivesTheSameBitsInFiftyLegalOrders) {
  const Step step = EveryKernelStep::make();
  const Values once = test::run(step, inputs_of(step), {.steps = 2});
  for (std::uint64_t seed = 0; seed < 50; ++seed)
    expect_same(once, test::run(step, inputs_of(step), {.threads = 2, .order_seed = seed * 1000, .steps = 2}),
                "in order " + std::to_string(seed));
}

// Runs the same steps in checked mode, in which the test reads all memory.
class EveryKernelInMemory : public testing::Test {
 protected:
  EveryKernelInMemory() {
    for (const auto& [name, tensor] : inputs_of(step_)) execution_.write(name, tensor);
  }

  Step step_ = EveryKernelStep::make();
  plan::Plan plan_ = strategy::lower_default(step_, {"cpu:0"});
  device::Workers workers_{1};
  device::CpuQueue queue_{workers_};
  execute::Execution execution_{plan_, queue_};
};

TEST_F(EveryKernelInMemory, ChangesOnlyWhatItMayAndDependsOnlyOnWhatItMay) {
  test::CheckedStep(plan_, execution_).run();
}

TEST_F(EveryKernelInMemory, AllocatesNothing) {
  const long before = test::allocations;
  for (int step = 0; step < 3; ++step) execution_.step();
  EXPECT_EQ(test::allocations, before);
}

}  // namespace
}  // namespace wt
