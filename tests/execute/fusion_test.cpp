// Claim: on random steps, a bias and the activation behind it are one launch wherever nothing else reads the
// value between them, and the results have the same bits as with two launches.
#include "execute/fusion.h"
#include "device/cpu/workers.h"

#include <gtest/gtest.h>

#include "program/operations.h"
#include "support/training_step.h"
#include "support/two_queues.h"

namespace wt {
namespace {

using test::Launching;
using test::run_on;
using test::Values;

TensorSpec floats(const Shape& shape) { return {Type::float32, shape}; }

using Activation = Symbol (*)(Symbol);
struct Named {
  Activation apply = nullptr;
  bool has_fused = false;
};
const Named activations[] = {{relu, true}, {sigmoid, true}, {tanh, true}, {gelu, true}, {exp, false}};

// A few layers of random shapes. The value between bias and activation sometimes has a second reader.
class RandomLayers {
 public:
  explicit RandomLayers(std::uint64_t seed) : random_(seed) {}

  Step make() {
    return trace("layers", [&](Trace& trace) {
      Symbol x = trace.input("x", floats({draw(1, 5), draw(1, 6), draw(1, 6), draw(1, 40)}));
      for (std::int64_t i = draw(1, 4); i > 0; --i) x = layer(trace, x);
      trace.result("y", x);
    });
  }
  std::size_t fusible() const { return fusible_; }

 private:
  std::int64_t draw(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }

  Symbol layer(Trace& trace, Symbol x) {
    const std::string name = std::to_string(layers_++);
    const std::int64_t in = x.spec().shape.last(), out = draw(1, 70);
    const Symbol bias = trace.variable(name + "/bias", floats({out}));
    if (draw(0, 1) == 1) {
      x = conv2d(x, trace.variable(name + "/kernel", floats({1, 1, in, out})));
    } else {
      const Shape& shape = x.spec().shape;
      const Symbol product =
          matmul(reshape(x, {shape.elements(0, 3), in}), trace.variable(name + "/kernel", floats({in, out})));
      x = reshape(product, {shape[0], shape[1], shape[2], out});
    }
    const Symbol between = bias_add(x, bias);
    const Named& activation = activations[static_cast<std::size_t>(draw(0, std::ssize(activations) - 1))];
    const bool is_read_again = draw(0, 2) == 0;
    fusible_ += activation.has_fused && !is_read_again ? 1 : 0;
    const Symbol y = activation.apply(between);
    return is_read_again ? y + between : y;
  }

  std::mt19937_64 random_;
  int layers_ = 0;
  std::size_t fusible_ = 0;
};

Values random_values(const Step& step, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Values values;
  for (const NamedValue& input : step.inputs)
    values[input.name] = test::random_tensor({step.program.spec(input.value)}, Type::float32, random);
  for (const StepVariable& variable : step.variables)
    values[variable.name] = test::random_tensor({step.program.spec(variable.value)}, Type::float32, random);
  return values;
}

class Fusion : public testing::Test {
 protected:
  device::Workers workers_{2};
  device::CpuQueue queue_{workers_};
};

TEST_F(Fusion, JoinsWhatItMayInRandomStepsWithoutChangingABit) {
  std::size_t joined = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    RandomLayers layers(seed);
    const Step step = layers.make();
    const plan::Plan plan = strategy::lower_default(step, {"cpu:0"});
    EXPECT_EQ(execute::fusions_of(plan).size(), layers.fusible()) << print(plan);
    const Values given = random_values(step, seed);
    EXPECT_TRUE(test::same_bits(run_on(queue_, plan, given, 1),
                                run_on(queue_, plan, given, 1, Launching::one_by_one)));
    joined += layers.fusible();
  }
  EXPECT_GT(joined, 60u);
}

TEST_F(Fusion, LeavesTrainingAsItIs) {
  for (const model::ZooChoice& choice : test::small_models()) {
    SCOPED_TRACE(choice.model->name);
    const test::Training made = test::training(*choice.build(), 2);
    const plan::Plan plan = strategy::lower_default(made.step, {"cpu:0"});
    const Values given = test::starting_values(made);
    EXPECT_TRUE(test::same_bits(run_on(queue_, plan, given, 3),
                                run_on(queue_, plan, given, 3, Launching::one_by_one)));
  }
}

// x (an input) -> between -> y (a result). The fused kernel must not write the buffer `between`.
TEST_F(Fusion, DoesNotWriteWhatLiesBetween) {
  const Step step = trace("t", [](Trace& trace) {
    trace.result("y", relu(bias_add(trace.input("x", floats({4, 3})), trace.input("b", floats({3})))));
  });
  const plan::Plan plan = strategy::lower_default(step, {"cpu:0"});
  ASSERT_EQ(execute::fusions_of(plan).size(), 1u);
  execute::Execution execution(plan, queue_);
  const plan::Buffer& between = plan.buffer(std::get<plan::Run>(plan.nodes[0].action).outputs[0].buffer);
  const auto bytes = execution.arena(plan::DeviceId{0})
                         .subspan(static_cast<std::size_t>(between.address.count()),
                                  static_cast<std::size_t>(between.bytes.count()));
  const auto is_untouched = [&] {
    return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0x5a}; });
  };
  std::ranges::fill(bytes, std::byte{0x5a});
  execution.step();
  EXPECT_TRUE(is_untouched());
  execution.step(plan::canonical_order(plan));
  EXPECT_FALSE(is_untouched()) << "node by node it is written";
}

std::size_t fusions_of(void (*write)(Trace& trace, Symbol x, Symbol b)) {
  const Step step = trace("t", [&](Trace& trace) {
    write(trace, square(trace.input("x", floats({4, 3}))), trace.input("b", floats({3})));
  });
  return execute::fusions_of(strategy::lower_default(step, {"cpu:0"})).size();
}

TEST_F(Fusion, JoinsNothingThatIsReadElsewhereOrDoesNotFollow) {
  EXPECT_EQ(fusions_of([](Trace& t, Symbol x, Symbol b) { t.result("y", relu(bias_add(x, b))); }), 1u);
  EXPECT_EQ(fusions_of([](Trace& t, Symbol x, Symbol b) {
              const Symbol between = bias_add(x, b);
              t.result("between", between);
              t.result("y", relu(between));
            }),
            0u)
      << "a result is read from outside";
  EXPECT_EQ(fusions_of([](Trace& t, Symbol x, Symbol b) {
              const Symbol between = bias_add(x, b);
              t.result("other", exp(x));
              t.result("y", relu(between));
            }),
            0u)
      << "another kernel stands between them";
  EXPECT_EQ(fusions_of([](Trace& t, Symbol x, Symbol b) { t.result("y", relu(x + b)); }), 0u);
}

// Memory planning may place the second node's result where the first node's input ends.
TEST_F(Fusion, JoinsNothingWhoseResultLiesAcrossAnInput) {
  const Step step = trace("t", [](Trace& trace) {
    trace.result("y", relu(bias_add(trace.input("x", floats({4, 3})), trace.input("b", floats({3})))));
  });
  plan::Plan plan = strategy::lower_default(step, {"cpu:0"});
  const auto buffer = [&](const plan::Operand& operand) -> plan::Buffer& {
    return plan.buffers[static_cast<std::size_t>(index(operand.buffer))];
  };
  const auto &first = std::get<plan::Run>(plan.nodes[0].action),
             &second = std::get<plan::Run>(plan.nodes[1].action);
  for (const auto& [distance, fusions] : {std::pair{std::int64_t{4}, 0u}, {-4, 0u}, {48, 1u}, {-48, 1u}}) {
    buffer(second.outputs[0]).address = Bytes(4096 + distance);
    buffer(first.inputs[0]).address = Bytes(4096);
    EXPECT_EQ(execute::fusions_of(plan).size(), fusions) << distance;
  }
}

}  // namespace
}  // namespace wt
