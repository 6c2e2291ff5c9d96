// Claim: in a custom training loop, scopes, contexts, run, reduce and gather behave as those of
// tf.distribute.Strategy.

#include "train/strategy.h"

#include <gtest/gtest.h>

#include <thread>

#include "device/error.h"
#include "train/machine.h"

namespace wt::train {
namespace {

Tensor floats(const Shape& shape, const std::vector<float>& values) {
  return Tensor::of<float>(shape, values);
}

std::vector<float> numbers(const Tensor& tensor) {
  const auto values = tensor.values<float>();
  return {values.begin(), values.end()};
}

template <class Error>
std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

const std::string in_a_step =
    "Method requires being in cross-replica context, use get_replica_context().merge_call()";

TEST(ST25, OutsideAnyScopeThereIsOneDefaultStrategy) {
  const Strategy& here = get_strategy();
  EXPECT_EQ(here.num_replicas_in_sync(), 1);
  EXPECT_EQ(&here, &get_strategy());
  const Strategy* elsewhere = nullptr;
  std::thread([&] { elsewhere = &get_strategy(); }).join();
  EXPECT_EQ(elsewhere, &here);
  EXPECT_FALSE(has_strategy());
  EXPECT_FALSE(in_cross_replica_context());
  ASSERT_TRUE(get_replica_context().has_value());
  EXPECT_EQ(get_replica_context()->num_replicas_in_sync(), 1);
  EXPECT_EQ(numbers(here.reduce(ReduceOp::sum, Values{floats({2}, {1, 2})})), (std::vector<float>{1, 2}));
}

TEST(ST25, ItsScopeMayBeEnteredAndNotNestedInAnothers) {
  {
    const auto scope = get_strategy().scope();
    EXPECT_FALSE(in_cross_replica_context());
    EXPECT_TRUE(get_replica_context().has_value());
  }
  const Strategy& plain = get_strategy();
  const Strategy mirrored("MirroredStrategy", 2);
  const auto scope = mirrored.scope();
  EXPECT_EQ(refusal<device::RuntimeError>([&] { const auto inner = plain.scope(); }),
            "Must not nest tf.distribute.Strategy scopes.");
}

TEST(AP1, AScopeMayBeEnteredAgainAndOthersAreRefused) {
  const Strategy mirrored("MirroredStrategy", 2), other("TPUStrategy", 8);
  {
    const auto scope = mirrored.scope();
    const auto again = mirrored.scope();
    EXPECT_EQ(refusal<device::RuntimeError>([&] { const auto inner = other.scope(); }),
              "Mixing different tf.distribute.Strategy objects: MirroredStrategy is not TPUStrategy");
  }
  EXPECT_FALSE(has_strategy());
}

TEST(AP3, GetStrategyReturnsTheOneInScope) {
  const Strategy mirrored("MirroredStrategy", 2);
  const auto scope = mirrored.scope();
  EXPECT_EQ(&get_strategy(), &mirrored);
  EXPECT_TRUE(has_strategy());
  EXPECT_TRUE(in_cross_replica_context());
  EXPECT_FALSE(get_replica_context().has_value());
}

// On two replicas with different rows, each replica returns its rows doubled, and their mean.
struct Doubling {
  test::Machine machine{test::mirrored(2), {.replicas = 2}};
  State state{1};
  std::optional<ReplicaContext> seen{};
  std::string refused{};
  const Strategy strategy{"MirroredStrategy", 2};
  Function step{"step", state, machine, Function::Mode::training,
                [this](model::Building&, const std::vector<Symbol>& rows) {
                  seen = get_replica_context();
                  refused = refusal<device::RuntimeError>([&] { const auto inner = strategy.scope(); });
                  return std::vector<Symbol>{rows[0] * 2.0, reduce_mean(rows[0])};
                }};
  const PerReplica batch{{floats({2, 1}, {1, 3})}, {floats({1, 1}, {8})}};
};

TEST(AP7, RunGivesEveryReplicaItsOwnPartAndTracesInReplicaContext) {
  Doubling doubling;
  const PerReplica results = doubling.strategy.run(doubling.step, doubling.batch);
  EXPECT_EQ(numbers(results.at(0).at(0)), (std::vector<float>{2, 6}));
  EXPECT_EQ(numbers(results.at(1).at(0)), (std::vector<float>{16}));
  ASSERT_TRUE(doubling.seen.has_value());
  EXPECT_EQ(doubling.seen->num_replicas_in_sync(), 2);
  EXPECT_EQ(doubling.refused, in_a_step);
  EXPECT_FALSE(has_strategy()) << "the step is over";
}

TEST(AP10, LocalResultsAreOnePerReplica) {
  Doubling doubling;
  const PerReplica results = doubling.strategy.run(doubling.step, doubling.batch);
  const Values means = experimental_local_results(results, 1);
  ASSERT_EQ(means.size(), 2u);
  EXPECT_EQ(numbers(means[0]), std::vector<float>{2});
  EXPECT_EQ(numbers(means[1]), std::vector<float>{8});
}

TEST(AP8, ReduceAddsTheReplicasValues) {
  const Strategy strategy("MirroredStrategy", 2);
  const Values values{floats({2}, {1, 2}), floats({2}, {10, 20})};
  EXPECT_EQ(numbers(strategy.reduce(ReduceOp::sum, values)), (std::vector<float>{11, 22}));
  EXPECT_EQ(numbers(strategy.reduce(ReduceOp::mean, values)), (std::vector<float>{5.5F, 11}));
  EXPECT_EQ(numbers(strategy.reduce(ReduceOp::sum, values, 0)), std::vector<float>{33});
  EXPECT_EQ(refusal<device::ValueError>([&] { strategy.reduce(ReduceOp::sum, values, 1); }),
            "Invalid reduction dimension 1 for input with 1 dimensions.");
}

TEST(AP8, OneValueForAllReplicasIsNotASum) {
  const Strategy strategy("MirroredStrategy", 2);
  const Tensor one = floats({}, {3});
  EXPECT_EQ(numbers(strategy.reduce(ReduceOp::mean, one)), std::vector<float>{3});
  EXPECT_EQ(numbers(strategy.reduce(ReduceOp::sum, floats({}, {0}))), std::vector<float>{0});
  EXPECT_EQ(refusal<device::ValueError>([&] { strategy.reduce(ReduceOp::sum, one); }),
            "A non-DistributedValues value float32[] cannot be reduced with the given reduce op "
            "ReduceOp.SUM.");
}

// One replica has three rows and the other has one. With an axis, the mean is that of the four rows, not that
// of the replicas' means.
TEST(AP9, F13_AMeanAlongAnAxisWeighsRowsAndWithoutOneReplicas) {
  const Strategy strategy("MirroredStrategy", 2);
  const Values rows{floats({3}, {1, 2, 3}), floats({1}, {10})};
  EXPECT_EQ(numbers(strategy.reduce(ReduceOp::mean, rows, 0)), std::vector<float>{4});
  const Values means{floats({}, {2}), floats({}, {10})};
  EXPECT_EQ(numbers(strategy.reduce(ReduceOp::mean, means)), std::vector<float>{6});
}

// A ring all-reduce would add in another order. In float32 these three numbers add up to 0 from the left and
// to 1 from the right.
TEST(F4, ReduceAddsFromTheFirstReplicaOnWhateverTheAllReduceDoes) {
  const Strategy strategy("MirroredStrategy", 3);
  const Values values{floats({}, {1}), floats({}, {1e8F}), floats({}, {-1e8F})};
  EXPECT_EQ(numbers(strategy.reduce(ReduceOp::sum, values)), std::vector<float>{0});
}

TEST(Gather, PutsUnevenPartsOneBehindTheOther) {
  const Strategy strategy("MirroredStrategy", 2);
  const Values values{floats({1, 2}, {1, 2}), floats({2, 2}, {3, 4, 5, 6})};
  const Tensor all = strategy.gather(values, 0);
  EXPECT_EQ(all.shape(), (Shape{3, 2}));
  EXPECT_EQ(numbers(all), (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

// Programs whose trace depends on a replica's rows. In TensorFlow the first replica waits for the second
// without an end.
TEST(ST25, ReplicasThatMeetInUnequalCollectivesAreFoundBeforeAnythingIsComputed) {
  for (const std::int64_t replicas : {2, 3, 8}) {
    test::Machine machine(test::mirrored(replicas), {.replicas = replicas});
    State state(1);
    const auto called = [&](auto&& body) {
      Function step("train", state, machine, Function::Mode::training, body);
      PerReplica arguments(static_cast<std::size_t>(replicas), {floats({2}, {1, 2})});
      arguments.back() = {floats({1}, {3})};
      return refusal<InputError>([&] { step.run(arguments); });
    };
    EXPECT_EQ(
        called([](model::Building&, const std::vector<Symbol>& arguments) {
          Symbol sum = all_reduce(reduce_sum(arguments[0]), Reduction::sum);
          if (arguments[0].spec().shape[0] == 2) sum = all_reduce(sum, Reduction::mean);
          return std::vector<Symbol>{sum};
        }),
        fmt::format("[train] replica 0 calls 2 collectives and replica {} calls 1 collective: replica 0 "
                    "would wait for ever in its all_reduce, number 2\ncall the same collectives in the "
                    "same order on every replica, also on one with fewer rows or none",
                    replicas - 1));
    EXPECT_EQ(
        called([](model::Building&, const std::vector<Symbol>& arguments) {
          const Symbol sum = all_reduce(reduce_sum(arguments[0]), Reduction::sum);
          return std::vector<Symbol>{arguments[0].spec().shape[0] == 2 ? sum + sum : sum};
        }),
        fmt::format("[train] replicas 0 and {} run different programs\ntrace the same operations on every "
                    "replica; only the numbers of rows may differ",
                    replicas - 1));
    EXPECT_EQ(called([](model::Building&, const std::vector<Symbol>& arguments) {
                return std::vector<Symbol>{all_reduce(reduce_sum(arguments[0]), Reduction::sum)};
              }),
              "accepted");
  }
}

// A replica without input is given 0 rows, or it is missed by the others.
TEST(ST25, AReplicaWithoutInputIsFoundBeforeAnythingIsComputed) {
  for (const std::int64_t replicas : {2, 3, 8}) {
    test::Machine machine(test::mirrored(replicas), {.replicas = replicas});
    State state(1);
    Function step("train", state, machine, Function::Mode::training,
                  [](model::Building&, const std::vector<Symbol>& arguments) {
                    return std::vector<Symbol>{all_reduce(reduce_sum(arguments.at(0)), Reduction::sum)};
                  });
    PerReplica arguments(static_cast<std::size_t>(replicas), {floats({2}, {1, 2})});
    arguments.back() = {};
    EXPECT_EQ(
        refusal<InputError>([&] { step.run(arguments); }),
        fmt::format("[train] replica 0 is given 1 tensor and replica {} 0 tensors: the one with more would "
                    "wait for the other for ever\ngive a replica without input tensors with 0 rows",
                    replicas - 1));
    arguments.back() = {floats({0}, {})};
    const PerReplica sums = step.run(arguments);
    EXPECT_EQ(numbers(sums.back()[0]), (std::vector<float>{3.0F * static_cast<float>(replicas - 1)}));
  }
}

}  // namespace
}  // namespace wt::train
