// Claim: what a training holds on this machine at the same time is summed once, before it computes, and compared
// with what is free: the steps' and the evaluations' plans, the variables, and the copy that a checkpoint needs.

#include "session/host_memory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/scenario_runs.h"
#include "scenario/parse.h"
#include "session/training.h"

namespace wt {
namespace {

using Overrides = std::vector<std::string>;

const std::string without_evaluation =
    R"(training={"loss": "sparse_categorical_crossentropy", "optimizer": "adam", "metrics": ["accuracy"],)"
    R"( "per_replica_batch": 16, "epochs": 3})";

class HostMemory : public testing::Test {
 protected:
  // A training of this scenario on a machine with this much free memory.
  struct Trained {
    Trained(const Overrides& overrides, Bytes free)
        : scenario(scenario::parse_file(test::scenario_file("mirrored_small_batch"), overrides)),
          training(scenario, scenario::build(scenario),
                   {.computes = true,
                    .on_step = [this](const train::StepResult&) { ++steps; },
                    .free_memory = [free] { return free; }}) {}
    scenario::Scenario scenario;
    int steps = 0;
    session::Training training;
  };

  static std::string refusal(const Overrides& overrides, Bytes free) {
    try {
      Trained(overrides, free).training.check();
      return "";
    } catch (const InputError& error) {
      return error.what();
    }
  }

  // The least amount of free memory that is enough.
  static Bytes needed(const Overrides& overrides) {
    std::int64_t few = 0, enough = std::int64_t{1} << 36;
    while (enough - few > 1) {
      const std::int64_t middle = few + (enough - few) / 2;
      (refusal(overrides, Bytes(middle)).empty() ? enough : few) = middle;
    }
    return Bytes(enough);
  }

  static Bytes of_plan(const plan::Plan& plan) {
    Bytes sum;
    for (const plan::Device& device : plan.devices) sum += device.arena;
    for (const plan::Port& input : plan.inputs) sum += input.operand.spec.bytes();
    return sum;
  }
  static Bytes of_variables(const plan::Plan& plan) {
    Bytes sum;
    for (const plan::Port& port : plan.variables) sum += port.operand.spec.bytes();
    return sum;
  }
};

// Two replicas have a copy of each variable: the sum of the ports is twice a variable.
TEST_F(HostMemory, OfATrainingIsThatOfItsPlansVariablesAndSavedCopies) {
  const Overrides plain{without_evaluation}, uneven{without_evaluation, "dataset.rows=650"}, evaluated{},
      saved{without_evaluation, "training.save_weights=w.safetensors"};
  Trained trained(plain, Bytes(0));
  const plan::Plan& step = trained.training.plans().whole();
  const Bytes once = of_plan(step), variables = of_variables(step), one_copy(variables.count() / 2);
  EXPECT_EQ(needed(plain), once + one_copy);
  EXPECT_EQ(needed(saved), once + one_copy + one_copy);
  EXPECT_EQ(needed(uneven), once + of_plan(trained.training.plans().of(10)) + variables);
  const Bytes with_evaluation = needed(evaluated);
  EXPECT_GT(with_evaluation, once + variables);
  EXPECT_LT(with_evaluation, once + once + variables);  // an evaluation has no gradients
}

TEST_F(HostMemory, IsRefusedWithItsPartsAndARemedy) {
  const std::string text = refusal({}, Bytes(1000));
  EXPECT_TRUE(test::has(text, "mirrored_small_batch.json:")) << text;
  EXPECT_TRUE(test::has(text, "computing this training (steps of 32 rows ")) << text;
  EXPECT_TRUE(test::has(text, ", evaluations of 32 rows ")) << text;
  EXPECT_TRUE(test::has(text, "of memory, and this machine has 1000 B free\n")) << text;
  EXPECT_TRUE(test::has(text, "\nuse smaller batches")) << text;
}

// Not an evaluation's fault after an hour of training, but a refusal before its first step.
TEST_F(HostMemory, OfAnEvaluationIsAskedBeforeTheFirstStep) {
  const Bytes enough = needed({});
  const test::TestFolder base;
  const auto train_with = [&](Bytes free) {
    Trained trained({}, free);
    OutputFolder folder(base / fmt::format("out{}", free.count()));
    folder.begin();
    try {
      trained.training.run(folder);
    } catch (const InputError&) {
    }
    return trained.steps;
  };
  EXPECT_EQ(train_with(enough - Bytes(1)), 0);
  EXPECT_EQ(train_with(enough), 60);
}

// On GPUs the arenas are no memory of the host.
TEST_F(HostMemory, OfAPlanOnGpusIsThatOfItsInputs) {
  Trained trained({}, Bytes(0));
  const plan::Plan& step = trained.training.plans().whole();
  Bytes inputs;
  for (const plan::Port& input : step.inputs) inputs += input.operand.spec.bytes();
  EXPECT_EQ(session::bytes_on_host(step, true), inputs);
  EXPECT_EQ(session::bytes_on_host(step, false), of_plan(step));
}

// Replicas that take turns work in a seat, and what they leave lies parked beside it.
TEST_F(HostMemory, OfReplicasInTurnsIsThatOfTheirSeatsAndWhatIsParked) {
  const Overrides plain{without_evaluation};
  Trained trained(plain, Bytes(0));
  const plan::Plan& step = trained.training.plans().whole();
  std::int64_t largest = 0;
  for (const plan::Device& device : step.devices) largest = std::max(largest, device.arena.count());
  const Overrides cut{without_evaluation,
                      fmt::format("host.logical_devices=[{{\"memory_limit\": \"{} B\"}}]", largest)};
  EXPECT_GT(needed(cut), needed(plain));
}

}  // namespace
}  // namespace wt
