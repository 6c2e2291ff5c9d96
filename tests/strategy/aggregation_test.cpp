// Claims: operations among replicas and variables' aggregations mean what TensorFlow says, under mirrored and
// central storage.

#include <gtest/gtest.h>

#include "several_replicas.h"
#include "strategy/central_storage.h"
#include "strategy/mirrored.h"
#include "strategy/multi_worker_mirrored.h"
#include "strategy/tpu.h"

namespace wt::strategy {
namespace {

using test::floats, test::places, test::ReplicaSteps, test::run_plan, test::Values;

using Lower = plan::Plan (*)(Steps steps);
struct Strategy {
  std::string name{};
  Lower lower{};
};
const std::vector<Strategy>& strategies() {
  static const std::vector<Strategy> all{
      {"mirrored", [](Steps steps) { return lower_mirrored(steps, places(steps.size())); }},
      {"to one device",
       [](Steps steps) {
         return lower_mirrored(steps, places(steps.size()),
                               {.cross_device_ops = CrossDeviceOps::reduction_to_one_device});
       }},
      {"central_storage", [](Steps steps) { return lower_central_storage(steps, places(steps.size())); }},
      {"multi_worker_mirrored",
       [](Steps steps) {
         return lower_multi_worker_mirrored(steps, places(steps.size(), device::Kind::gpu, 1));
       }},
      {"tpu", [](Steps steps) { return lower_tpu(steps, places(steps.size(), device::Kind::tpu)); }}};
  return all;
}

std::vector<float> numbers(const Tensor& tensor) {
  return {tensor.values<float>().begin(), tensor.values<float>().end()};
}

// Replica r has rows[r] rows of the number 2^r.
Values fed(const std::vector<std::int64_t>& rows) {
  Values values;
  for (std::size_t r = 0; r < rows.size(); ++r)
    values[port_name("x", r)] = Tensor::of<float>(
        {rows[r], 1}, std::vector<float>(static_cast<std::size_t>(rows[r]), static_cast<float>(1 << r)));
  return values;
}

template <class Check>
void each_strategy(const std::vector<std::int64_t>& rows, const std::function<void(Trace&, Symbol)>& body,
                   const Values& given, Check check) {
  const ReplicaSteps steps(rows, [&](std::int64_t each) {
    return trace("t", [&](Trace& trace) { body(trace, trace.input("x", floats({each, 1}))); });
  });
  Values values = fed(rows);
  values.insert(given.begin(), given.end());
  for (const Strategy& strategy : strategies()) {
    SCOPED_TRACE(strategy.name);
    check(run_plan(strategy.lower(steps), values));
  }
}

TEST(Aggregation, G7_ReductionsGiveSumsAndMeans) {
  const auto body = [](Trace& trace, Symbol x) {
    const Symbol sum = reduce_sum(x);
    trace.result("sum", all_reduce(sum, Reduction::sum));
    trace.result("mean", all_reduce(sum, Reduction::mean));
    trace.result("reduced", reduce(sum, Reduction::sum));
    trace.result("reduced mean", reduce(sum, Reduction::mean));
    trace.result("used", reduce(sum, Reduction::sum) + 1);
  };
  each_strategy({1, 1, 1, 1}, body, {}, [](const Values& values) {
    for (std::size_t r = 0; r < 4; ++r) {
      EXPECT_EQ(numbers(values.at(port_name("sum", r))), std::vector<float>{15});
      EXPECT_EQ(numbers(values.at(port_name("mean", r))), std::vector<float>{3.75});
    }
    EXPECT_EQ(numbers(values.at("reduced")), std::vector<float>{15});
    EXPECT_EQ(numbers(values.at("reduced mean")), std::vector<float>{3.75});
    EXPECT_EQ(numbers(values.at("used")), std::vector<float>{16});
    EXPECT_EQ(numbers(values.at("reduced/replica_2")), std::vector<float>{4});
  });
}

TEST(Aggregation, AllReducedValuesMayBeReadAndReducedAgain) {
  const auto body = [](Trace& trace, Symbol x) {
    const Symbol count = all_reduce(reduce_sum(x * 0.0 + 1.0), Reduction::sum);
    trace.result("again", all_reduce(all_reduce(reduce_sum(x), Reduction::sum) / count, Reduction::sum));
  };
  each_strategy({2, 1, 1}, body, {}, [](const Values& values) {
    for (std::size_t r = 0; r < 3; ++r)
      EXPECT_EQ(numbers(values.at(port_name("again", r))), std::vector<float>{6});
  });
}

TEST(Aggregation, BroadcastGivesReplicaZerosValue) {
  const auto body = [](Trace& trace, Symbol x) {
    trace.result("y", broadcast(reduce_sum(x)) + reduce_sum(x));
  };
  each_strategy({1, 1, 1}, body, {}, [](const Values& values) {
    for (std::size_t r = 0; r < 3; ++r)
      EXPECT_EQ(numbers(values.at(port_name("y", r))), std::vector<float>{1 + static_cast<float>(1 << r)});
  });
}

TEST(Aggregation, GatherPutsUnevenRowsOneAfterTheOther) {
  const auto body = [](Trace& trace, Symbol x) { trace.result("y", gather(x + x, 3)); };
  each_strategy({3, 2, 0}, body, {}, [](const Values& values) {
    for (std::size_t r = 0; r < 3; ++r) {
      EXPECT_EQ(values.at(port_name("y", r)).shape(), (Shape{5, 1}));
      EXPECT_EQ(numbers(values.at(port_name("y", r))), (std::vector<float>{2, 2, 2, 4, 4}));
    }
  });
  each_strategy({2, 2, 2}, body, {}, [](const Values& values) {
    EXPECT_EQ(numbers(values.at("y/replica_1")), (std::vector<float>{2, 2, 4, 4, 8, 8}));
  });
}

TEST(Aggregation, GatherOfUnevenRowsIsOnlyAResult) {
  const ReplicaSteps steps({2, 1}, [&](std::int64_t rows) {
    return trace("t", [&](Trace& trace) {
      trace.result("y", reduce_sum(gather(trace.input("x", floats({rows, 1})), 2)));
    });
  });
  try {
    lower_mirrored(steps, places(2));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "[gather] the replicas have 2, 1 rows, and the step goes on with them\ndrop the remainder, or gather "
        "only what is a result");
  }
}

// A variable is given each replica's sum.
std::function<void(Trace&, Symbol)> assign(VariableOptions options) {
  return [options](Trace& trace, Symbol x) {
    const Symbol v = trace.variable("v", floats({}), options);
    trace.update(v, reduce_sum(x));
    trace.result("before", v + 0.0);
  };
}

// Its copies after the step; a central one is alone.
void expect_copies(const Values& values, float expected) {
  EXPECT_EQ(numbers(values.at("before")), std::vector<float>{64});
  for (const auto& [name, value] : values)
    if (name.starts_with("v")) {
      EXPECT_EQ(numbers(value), std::vector<float>{expected}) << name;
    }
}

TEST(Aggregation, G20_NewValuesOfMirroredVariablesAreBroughtTogether) {
  const Values given{{"v", Tensor::of<float>({}, {64})}};
  for (const auto& [aggregation, expected] : {std::pair{Aggregation::sum, 15.F},
                                              {Aggregation::mean, 3.75F},
                                              {Aggregation::only_first_replica, 1.F}})
    each_strategy({1, 1, 1, 1}, assign({.aggregation = aggregation}), given,
                  [expected = expected](const Values& values) { expect_copies(values, expected); });
}

TEST(Aggregation, G20_ReplicasKeepTheirOwnCopiesOfOnReadVariables) {
  const Values given{{"v", Tensor::of<float>({}, {64})}};
  const VariableOptions options{.synchronization = Synchronization::on_read, .aggregation = Aggregation::sum};
  each_strategy({1, 1, 1}, assign(options), given, [](const Values& values) {
    for (std::size_t r = 0; r < 3; ++r)
      EXPECT_EQ(numbers(values.at(port_name("v", r))), std::vector<float>{static_cast<float>(1 << r)});
  });
}

TEST(Aggregation, G20_WithoutOneCopiesDivergeAndACentralVariableIsRefused) {
  const ReplicaSteps steps({1, 1}, [&](std::int64_t rows) {
    return trace("t", [&](Trace& trace) { assign({})(trace, trace.input("x", floats({rows, 1}))); });
  });
  const Values values = run_plan(lower_mirrored(steps, places(2)), fed({1, 1}));
  EXPECT_EQ(numbers(values.at("v")), std::vector<float>{1});
  EXPECT_EQ(numbers(values.at("v/replica_1")), std::vector<float>{2});
  try {
    lower_central_storage(steps, places(2));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "[central_storage] replicas compute different new values of v, which lives in one place\ngive it an "
        "aggregation: sum, mean or only_first_replica; a batch normalization has one with the semantics "
        "keras2, and none with keras3");
  }
}

TEST(Aggregation, WhatAllReplicasComputeAlikeIsNotSent) {
  const Step step = trace("t", [](Trace& trace) {
    const Symbol count = trace.variable("count", {Type::int64, {}},
                                        {.trainable = false, .aggregation = Aggregation::only_first_replica});
    trace.update(count, count + fill(trace, {Type::int64, {}}, 1));
  });
  const std::vector<const Step*> steps(3, &step);
  for (const plan::Node& node : lower_mirrored(steps, places(3)).nodes)
    EXPECT_TRUE(std::holds_alternative<plan::Run>(node.action)) << plan::kernel_name(node);
}

}  // namespace
}  // namespace wt::strategy
