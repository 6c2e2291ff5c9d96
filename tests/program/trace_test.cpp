#include "program/trace.h"

#include <gtest/gtest.h>

#include "program/differentiate.h"
#include "program/operations.h"

namespace wt {
namespace {

TensorSpec floats(const Shape& shape) { return {Type::float32, shape}; }

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

Step dense_step() {
  return trace("train", [](Trace& trace) {
    const Symbol x = trace.input("x", floats({4, 3}));
    const Symbol kernel = trace.variable("dense/kernel", floats({3, 2}));
    const Symbol y = trace.in_scope("dense", [&] { return relu(matmul(x, kernel)); });
    const Symbol unused = exp(y);
    static_cast<void>(unused);
    const Symbol loss = reduce_sum(all_reduce(y, Reduction::sum));
    trace.update(kernel, kernel - trace.gradient(loss, {{kernel}})[0]);
    trace.result("loss", loss);
  });
}

TEST(Trace, PrintsAsAStepOneCanReadAloud) {
  EXPECT_EQ(print(dense_step()),
            R"(step train
  input x float32[4,3]
  variable dense/kernel float32[3,2]
  %2 float32[4,2] = matmul(x, dense/kernel)  # dense
  %3 float32[4,2] = relu(%2)  # dense
  %5 float32[4,2] = all_reduce(%3) sum
  %6 float32[] = reduce_sum(%5) axes=[0,1]
  %7 float32[] = fill() spec=float32[] value=1  # gradient
  %8 float32[1,1] = reshape(%7) [1,1]  # gradient
  %9 float32[4,2] = broadcast_to(%8) shape=[4,2]  # gradient
  %10 float32[4,2] = all_reduce(%9) sum  # gradient
  %11 float32[4,2] = relu_gradient(%10, %3)  # gradient/dense
  %12 float32[3,2] = matmul(x, %11) transpose_a=true  # gradient/dense
  %13 float32[3,2] = subtract(dense/kernel, %12)
  update(%13) dense/kernel
  result loss = %6
)");
}

TEST(Trace, DropsWhatNothingNeeds) {
  for (const Node& node : dense_step().program.nodes) EXPECT_NE(name(node.operation), "exp");
}

TEST(Trace, RefusesOperandsThatDontFitAndNamesThem) {
  EXPECT_EQ(refusal([] { trace("t", [](Trace& t) {
                           reshape(t.input("x", floats({2, 3})), {7});
                         }); }),
            "[reshape] float32[2,3] has 6 elements, [7] has 7\na reshape keeps the number of elements");
  EXPECT_EQ(refusal([] {
              trace("t", [](Trace& t) {
                t.variable("w", floats({2}));
                t.variable("w", floats({3}));
              });
            }),
            "[variable] there are two variables named \"w\"\nrename one");
  EXPECT_EQ(refusal([] {
              trace("t", [](Trace& t) { t.update(t.variable("w", floats({2})), t.input("x", floats({3}))); });
            }),
            "[update] variable \"w\" is float32[2], its new value is float32[3]\na variable keeps its type "
            "and shape");
  EXPECT_EQ(refusal([] {
              trace("t", [](Trace& t) { t.update(t.input("x", floats({2})), t.input("y", floats({2}))); });
            }),
            "[update] the first argument is not a variable\npass what Trace::variable returned");
  EXPECT_EQ(refusal([] {
              trace("t", [](Trace& t) {
                const Symbol w = t.variable("w", floats({2}));
                t.update(w, w + w);
                t.update(w, w * w);
              });
            }),
            "[update] variable \"w\" is updated twice in a step\ncombine the two new values into one");
  EXPECT_EQ(refusal([] {
              Trace one("one");
              Trace two("two");
              static_cast<void>(one.input("x", floats({2})) + two.input("y", floats({2})));
            }),
            "[trace] a symbol of another step is used here\nuse symbols of the step that is being traced");
  EXPECT_EQ(refusal([] { trace("t", [](Trace& t) { gather(t.input("x", floats({})), 2); }); }),
            "[gather] a scalar has no axis 0 to gather along\nreshape it to [1]");
}

TEST(Differentiate, RefusesALossThatIsNotOneFloatingNumber) {
  EXPECT_EQ(refusal([] {
              trace("t", [](Trace& t) {
                const Symbol x = t.input("x", floats({2}));
                t.gradient(x, {{x}});
              });
            }),
            "[gradient] the loss is float32[2]\nit must be one floating number: sum or average it first");
}

TEST(Differentiate, RefusesAWayThroughAnOperationWithoutGradient) {
  EXPECT_EQ(refusal([] {
              trace("t", [](Trace& t) {
                const Symbol x = t.input("x", floats({2}));
                const Symbol twice = t.gradient(reduce_sum(relu(x)), {{x}})[0];
                t.gradient(reduce_sum(twice), {{x}});
              });
            }),
            "[gradient] relu_gradient has no gradient\n"
            "the loss must not depend on the differentiated values through this operation");
}

TEST(Differentiate, GivesZerosWhereTheLossDoesNotDepend) {
  const Step step = trace("t", [](Trace& t) {
    const Symbol x = t.input("x", floats({2}));
    const Symbol other = t.input("other", floats({3}));
    t.result("d", t.gradient(reduce_sum(x), {{other}})[0]);
  });
  ASSERT_EQ(step.program.nodes.size(), 1u);
  EXPECT_EQ(name(step.program.nodes[0].operation), "fill");
}

// In x * exp(x) the second factor counts as a constant, so the gradient is exp(x) alone.
TEST(Differentiate, GoesAroundWhatStopsTheGradient) {
  const Step step = trace("t", [](Trace& t) {
    const Symbol x = t.input("x", floats({}));
    t.result("d", t.gradient(x * stop_gradient(exp(x)), {{x}})[0]);
  });
  EXPECT_EQ(print(step), R"(step t
  input x float32[]
  %1 float32[] = exp(x)
  %2 float32[] = reshape(%1) [], without a gradient
  %4 float32[] = fill() spec=float32[] value=1  # gradient
  %5 float32[] = multiply(%4, %2)  # gradient
  result d = %5
)");
}

TEST(Differentiate, AddsUpWhatSeveralReadersSend) {
  const Step step = trace("t", [](Trace& t) {
    const Symbol x = t.input("x", floats({}));
    const Symbol y = exp(x);
    t.result("d", t.gradient(x + y, {{x}})[0]);
  });
  EXPECT_EQ(print(step), R"(step t
  input x float32[]
  %1 float32[] = exp(x)
  %3 float32[] = fill() spec=float32[] value=1  # gradient
  %4 float32[] = multiply(%3, %1)  # gradient
  %5 float32[] = add(%3, %4)  # gradient
  result d = %5
)");
}

}  // namespace
}  // namespace wt
