// Claim: a shortage that is found at run time has the same message as one that memory planning finds.

#include <gtest/gtest.h>

#include "device/cpu/workers.h"
#include "device/error.h"
#include "execute/execution.h"
#include "plan/memory_report.h"
#include "strategy/default.h"
#include "support/scarce_queue.h"
#include "support/training_step.h"

namespace wt {
namespace {

plan::Plan planned(const Step& step, Bytes limit) {
  return strategy::lower_default(step, {.name = "/job:localhost/replica:0/task:0/device:GPU:0",
                                        .memory = device::MemoryOptions{.limit = limit}});
}

std::string met(const plan::Plan& plan, Bytes capacity) {
  device::Workers workers(1);
  test::ScarceMemory memory(capacity);
  device::CpuQueue queue(workers, memory);
  try {
    const execute::Execution execution(plan, queue);
  } catch (const device::ResourceExhaustedError& error) {
    return error.what();
  }
  return "there was enough";
}

TEST(Shortage, ReadsTheSameWhetherItWasForeseenOrMet) {
  const Step step = test::training(*model::zoo_model("fashion_cnn").build(), 8).step;
  const plan::Plan plan = planned(step, Bytes(1 << 30));
  const Bytes arena = plan.devices[0].arena;
  for (const Bytes capacity : {Bytes(1), arena / 4, arena / 2}) {
    const plan::Plan foreseen = planned(step, capacity);
    ASSERT_TRUE(foreseen.out_of_memory.has_value());
    EXPECT_EQ(met(plan, capacity), plan::report_memory(foreseen).shortage->message);
  }
  EXPECT_EQ(met(plan, arena), "there was enough");
  // One byte less is a shortage, even if another layout would fit.
  EXPECT_TRUE(met(plan, arena - Bytes(1)).starts_with("OOM when allocating tensor with shape["));
}

TEST(Execution, HasNothingToReadOnceItsMemoryIsGivenBack) {
  const Step step = trace("t", [](Trace& trace) {
    const Symbol x = trace.input("x", {Type::float32, {2}});
    trace.result("y", x + x);
  });
  const plan::Plan plan = strategy::lower_default(step, {"gpu:0"});
  device::Workers workers(1);
  test::ScarceMemory memory(Bytes(1 << 20));
  device::CpuQueue queue(workers, memory);
  execute::Execution execution(plan, queue);
  execution.leave();
  EXPECT_EQ(memory.available(), Bytes(1 << 20));
  EXPECT_THROW(execution.read("y"), InternalError);
  execution.write("x", Tensor::of<float>({2}, {1, 2}));
  execution.step();
  EXPECT_EQ(execution.read("y").values<float>()[1], 4);
}

}  // namespace
}  // namespace wt
