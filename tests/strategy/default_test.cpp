#include "strategy/default.h"

#include <gtest/gtest.h>

#include "plan/memory.h"
#include "program/operations.h"
#include "support/pinned_isa.h"

namespace wt::strategy {
namespace {

TensorSpec floats(const Shape& shape) { return {Type::float32, shape}; }

TEST(DefaultStrategy, WritesTheWholeStepDownAsAPlan) {
  const test::PinnedIsa pinned;
  const Step step = trace("train", [](Trace& trace) {
    const Symbol x = trace.input("x", floats({4, 1}));
    const Symbol kernel = trace.variable("kernel", floats({1, 1}));
    const Symbol rate = trace.input("rate", floats({}));
    const Symbol loss = reduce_mean(square(matmul(x, kernel)));
    apply_sgd({kernel}, {}, trace.gradient(loss, {{kernel}}), rate, {});
    trace.result("loss", loss);
  });
  EXPECT_EQ(print(lower_default(step, {"cpu:0"})), R"(plan train
  device cpu:0 needs 1.75 KiB
  input          x 16 B at 0
  input          rate 4 B at 256
  variable       kernel 4 B at 512
  activation     matmul#0 16 B at 1024
  workspace      matmul#0 64 B at 1280
  activation     square#1 16 B at 1280
  result         loss 4 B at 768
  gradient       gradient/fill#3 4 B at 1280
  gradient       gradient/fill#4 4 B at 1536
  gradient       gradient/broadcast_to#7 16 B at 1536
  gradient       gradient/fill#8 4 B at 1280
  gradient       gradient/matmul#11 4 B at 1024
  workspace      matmul#11 128 B at 1280
    0 run matmul (x float32[4,1], kernel float32[1,1]) -> matmul#0 float32[4,1] using 64 B [forward]
    1 run square (matmul#0 float32[4,1]) -> square#1 float32[4,1] after 0 [forward]
    2 run reduce_mean axes=[0,1] (square#1 float32[4,1]) -> loss float32[] after 1 [forward]
    3 run fill spec=float32[] value=1 () -> gradient/fill#3 float32[] after 2  # gradient [gradient]
    4 run fill spec=float32[] value=4 () -> gradient/fill#4 float32[]  # gradient [gradient]
    5 run divide (gradient/fill#3 float32[], gradient/fill#4 float32[]) -> gradient/fill#3 float32[] after 3 4  # gradient [gradient]
    6 run broadcast_to shape=[4,1] (gradient/fill#3 float32[1,1]) -> gradient/broadcast_to#7 float32[4,1] after 5  # gradient [gradient]
    7 run fill spec=float32[] value=2 () -> gradient/fill#8 float32[] after 6  # gradient [gradient]
    8 run multiply (matmul#0 float32[4,1], gradient/fill#8 float32[]) -> matmul#0 float32[4,1] after 0 1 7  # gradient [gradient]
    9 run multiply (gradient/broadcast_to#7 float32[4,1], matmul#0 float32[4,1]) -> gradient/broadcast_to#7 float32[4,1] after 6 8  # gradient [gradient]
   10 run matmul transpose_a=true (x float32[4,1], gradient/broadcast_to#7 float32[4,1]) -> gradient/matmul#11 float32[1,1] using 128 B after 8 9  # gradient [gradient]
   11 run sgd_update (kernel float32[1,1], gradient/matmul#11 float32[1,1], rate float32[]) -> kernel float32[1,1] after 0 10 [update]
)");
}

TEST(DefaultStrategy, MovesAnUpdateLastWhenTheOldValueIsStillRead) {
  const Step step = trace("t", [](Trace& trace) {
    const Symbol w = trace.variable("w", floats({2}));
    const Symbol old = trace.variable("old", floats({2}));
    trace.update(w, w + w);
    trace.update(old, w);
    trace.result("before", w);
  });
  const plan::Plan plan = lower_default(step, {"cpu:0"});
  EXPECT_EQ(print(plan), R"(plan t
  device cpu:0 needs 1.28 KB
  variable       w 8 B at 0
  variable       old 8 B at 256
  result         before 8 B at 512
  activation     old#new 8 B at 768
  activation     add#0 8 B at 1024
    0 move w float32[2] -> before float32[2]
    1 move w float32[2] -> old#new float32[2]
    2 run add (w float32[2], w float32[2]) -> add#0 float32[2] [forward]
    3 move add#0 float32[2] -> w float32[2] after 0 1 2  # w [update]
    4 move old#new float32[2] -> old float32[2] after 1  # old [update]
)");
}

TEST(DefaultStrategy, TreatsCrossReplicaOperationsAsTheIdentity) {
  const Step step = trace("t", [](Trace& trace) {
    const Symbol x = trace.input("x", floats({2, 3}));
    trace.result("y", reduce(broadcast(all_reduce(gather(exp(x), 1), Reduction::mean)), Reduction::sum));
  });
  const plan::Plan plan = lower_default(step, {"cpu:0"});
  ASSERT_EQ(plan.nodes.size(), 1u);
  EXPECT_EQ(plan.buffers.size(), 2u);
}

}  // namespace
}  // namespace wt::strategy
