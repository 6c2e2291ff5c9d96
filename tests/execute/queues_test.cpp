// Claims: a step on several queues that run at the same time has the bits of a step on one queue, with any
// timing. It allocates nothing. The inputs of the next step are copied while a step computes and do not
// change that step.

#include "execute/queues.h"
#include "device/cpu/workers.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>

#include "execute/allocations.h"
#include "program/operations.h"
#include "strategy/central_storage.h"
#include "strategy/mirrored.h"
#include "support/several_threads.h"
#include "support/training_step.h"
#include "support/two_queues.h"

namespace wt {
namespace {

using execute::PlaceQueues;
using execute::Queues;
using test::ThreadedQueue;

class SeveralQueues : public testing::Test {
 protected:
  test::Training made_ =
      test::training(*model::zoo_model("mlp", {{"features", 8}, {"units", 16}, {"classes", 2}}).build(), 2);
  std::vector<const Step*> steps_ = std::vector<const Step*>(4, &made_.step);
  test::Values given_ = test::starting_values(made_);
  device::Workers workers_{1};
  device::CpuQueue one_{workers_};

  plan::Plan reducing_by(strategy::CrossDeviceOps ops) const {
    return strategy::lower_mirrored(steps_, test::gpus_with_host(4), {.cross_device_ops = ops});
  }

  void expect_same_bits(const plan::Plan& plan, test::Launching launching = test::Launching::captured) {
    const test::Values expected = test::run_on(one_, plan, given_, 3);
    for (const std::size_t count : {1, 2, 4})
      for (const bool has_streams : {false, true}) {
        SCOPED_TRACE(fmt::format("{} places{}", count, has_streams ? " with streams" : ""));
        const test::SeveralThreads several(plan, count, has_streams, count);
        EXPECT_TRUE(test::same_bits(test::run_on(several.all(), plan, given_, 3, launching), expected));
      }
  }
};

TEST_F(SeveralQueues, GiveTheBitsOfOne) {
  for (const auto ops :
       {strategy::CrossDeviceOps::collective_nccl, strategy::CrossDeviceOps::collective_ring,
        strategy::CrossDeviceOps::reduction_to_one_device, strategy::CrossDeviceOps::hierarchical_copy}) {
    SCOPED_TRACE(name(ops));
    expect_same_bits(reducing_by(ops));
  }
}

TEST_F(SeveralQueues, GiveTheBitsOfOneNodeByNode) {
  expect_same_bits(reducing_by(strategy::CrossDeviceOps::collective_ring), test::Launching::one_by_one);
}

TEST_F(SeveralQueues, GiveTheBitsOfOneWithVariablesElsewhere) {
  expect_same_bits(strategy::lower_central_storage(steps_, test::gpus_with_host(4)));
}

TEST_F(SeveralQueues, GiveTheSameBitsInAnyLegalOrder) {
  const plan::Plan plan = reducing_by(strategy::CrossDeviceOps::collective_ring);
  const test::Values expected = test::run_on(one_, plan, given_, 1);
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const test::SeveralThreads several(plan, 4, true, seed);
    execute::Execution execution(plan, several.all());
    test::write_all(execution, plan, given_);
    execution.step(plan::random_legal_order(plan, seed));
    for (const plan::Port& port : plan.variables) {
      const auto ours = execution.read(port.name), theirs = expected.at(port.name);
      EXPECT_TRUE(std::ranges::equal(ours.bytes(), theirs.bytes())) << port.name << " in order " << seed;
    }
  }
}

TEST_F(SeveralQueues, AllocateNothingInAStep) {
  const plan::Plan plan = reducing_by(strategy::CrossDeviceOps::collective_ring);
  const test::SeveralThreads several(plan, 4, true);
  execute::Execution execution(plan, several.all());
  test::write_all(execution, plan, given_);
  execution.step();
  execution.wait();
  const long before = test::allocations;
  for (int step = 0; step < 3; ++step) execution.step();
  execution.wait();
  EXPECT_EQ(test::allocations, before);
}

// The step is replayed on the leader, and waiting for the leader waits for all queues.
TEST_F(SeveralQueues, AreDoneWhenTheFirstSaysSo) {
  const plan::Plan plan = reducing_by(strategy::CrossDeviceOps::collective_ring);
  const test::SeveralThreads several(plan, 4, true);
  execute::Execution execution(plan, several.all());
  test::write_all(execution, plan, given_);
  for (int step = 0; step < 20; ++step) {
    execution.step();
    several.all().first().synchronize();
    for (const auto& queue : several.each()) EXPECT_TRUE(queue->is_idle());
  }
}

// ---- Inputs from the host

// Tasks wait until the gate is opened, but at most ten seconds, since a test that fails is better than one
// that hangs.
class Gate {
 public:
  void close_after(int tasks) { left_ = tasks; }
  void open() { left_ = unlimited; }
  bool is_closed() const { return left_ < unlimited / 2; }
  ThreadedQueue::Pause pause() {
    return [this] {
      for (int i = 0; i < 10000 && left_ <= 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (left_ <= 0) open();
      --left_;
    };
  }

 private:
  static constexpr int unlimited = 1 << 20;
  std::atomic<int> left_{unlimited};
};

// The first task of a step takes its inputs. Once it has run, the next inputs may be copied.
void expect_apart(int tasks_before_the_gate) {
  const Step step = trace("t", [](Trace& trace) {
    const Symbol x = trace.input("x", {Type::float32, {2}});
    const Symbol sum = trace.variable("sum", {Type::float32, {2}});
    trace.update(sum, sum + x);
    trace.result("y", x + x);
  });
  const plan::Plan plan = strategy::lower_default(step, {"gpu:0"});
  Gate gate;
  ThreadedQueue compute(gate.pause()), copies;
  execute::Execution execution(
      plan, Queues({{&compute, &compute, &copies}}, [](const plan::Device&) { return std::size_t{0}; }));
  const auto rows = [](float value) { return Tensor::of<float>({2}, {value, -value}); };
  const auto first = [](const Tensor& tensor) { return tensor.values<float>()[0]; };
  execution.write("sum", rows(0));
  execution.write("x", rows(1));
  execution.wait();
  float sum = 1;
  for (float next = 2; next < 6; ++next) {
    gate.close_after(tasks_before_the_gate);
    execution.step();
    execution.write("x", rows(next));
    // Either the next inputs have arrived while the step still waits, or they have had enough time to
    // overwrite the inputs that the step has not taken yet.
    if (tasks_before_the_gate > 0)
      copies.synchronize();
    else
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_TRUE(gate.is_closed()) << "the host had to wait for the step";
    gate.open();
    EXPECT_EQ(first(execution.read("y")), 2 * (next - 1));
    EXPECT_EQ(first(execution.read("sum")), sum);
    sum += next;
  }
}

TEST(InputsOfTheNextStep, TravelWhileAStepComputes) { expect_apart(1); }

TEST(InputsOfTheNextStep, DontReachAStepThatHasNotTakenItsOwn) { expect_apart(0); }

}  // namespace
}  // namespace wt
