// Claims: Strategy.reduce and Strategy.gather give the numbers, and refuse what, TensorFlow was recorded to.

#include <gtest/gtest.h>

#include "distribute/recorded.h"

namespace wt::test {
namespace {

using namespace train;

// Along a list of axes, our reduce isn't offered.
TEST(AP8_AP9_G7, ReduceDoesWhatWasRecorded) {
  const auto all = family("reduce_");
  ASSERT_EQ(all.size(), 16u);
  for (const Recording* recording : all) {
    const auto strategy = strategy_named(recording->config("strategy")->string());
    const Type type = type_named(recording->config("dtype")->string()).value();
    Values parts;
    for (const json::Value& shape : recording->config("shapes")->elements())
      parts.push_back(
          tensor_of(type, shape_of(shape), *recording->value(fmt::format("part/{}", parts.size()))));
    const auto is = [&](const std::string& key, ReduceOp op, std::optional<int> axis) {
      expect_recorded(*recording, key, [&] {
        return EagerTensor{strategy->reduce(op, parts, axis), device::canonical({})};
      });
    };
    for (const std::string op : {"SUM", "MEAN"}) {
      is(op + "/None", reduce_op_named(op), {});
      for (const int axis : {0, 1, -1, 2}) is(fmt::format("{}/{}", op, axis), reduce_op_named(op), axis);
    }
    const auto scope = strategy->scope();
    is("SUM in scope", ReduceOp::sum, 0);
  }
}

// What Python alone can write (an axis that is None, nests, strings) has no counterpart.
TEST(AP10_G6, GatherDoesWhatWasRecorded) {
  std::size_t compared_keys = 0;
  for (const std::string kind : {"default", "one1", "central2", "mirrored2", "mirrored3"})
    for (const Recording* recording : family("gather_" + kind)) {
      const auto strategy = strategy_named(kind);
      const auto gathers = [&](const std::string& key, int axis, const auto& make) {
        std::vector<EagerTensor> values;
        for (std::int64_t i = 0; i < strategy->num_replicas_in_sync(); ++i) values.push_back(make(i));
        expect_recorded(*recording, key, [&] {
          const EagerTensor all = strategy->gather(DistributedValues(values), axis);
          // A value of one replica stays where that is.
          return EagerTensor{
              all.numbers, strategy->runs_in_one_thread() ? strategy->traits().devices[0].name : all.device};
        });
        ++compared_keys;
      };
      const auto even = [](std::int64_t i) {
        return constant<float>({0, 1, 2, 3, 4, 5}, {2, 3}) + 10 * static_cast<double>(i);
      };
      for (const int axis : {0, 1, -1, 2}) gathers(fmt::format("even/{}", axis), axis, even);
      gathers("rows differ/0", 0, [](std::int64_t i) {
        return ones({i + 1, 2}) * static_cast<double>(i + 1);
      });
      gathers("columns differ/1", 1, [](std::int64_t i) { return ones({2, 2 * i + 1}); });
      gathers("empty/0", 0, [](std::int64_t i) { return zeros({i, 2}); });
      gathers("scalars/0", 0, [](std::int64_t i) { return constant(static_cast<std::int32_t>(i)); });
      gathers("ints/0", 0,
              [](std::int64_t i) { return constant<std::int32_t>({static_cast<std::int32_t>(i)}); });
      const auto scope = strategy->scope();
      gathers("in scope", 0, even);
    }
  EXPECT_EQ(compared_keys, 100u);
}

// After collectives of different shapes no further collective runs.
TEST(AP10_G6, GatherRefusesUnequalShapesAsWasRecorded) {
  for (const Recording* recording : family("gather_mismatch_")) {
    const auto strategy = strategy_named(recording->config("strategy")->string());
    const bool is_of_columns = recording->config("what")->string() == "columns";
    const auto id = [] { return get_replica_context()->replica_id_in_sync_group(); };
    const auto good = strategy->run([] { return ones({2, 2}); });
    const auto bad = strategy->run([&] {
      if (is_of_columns) return ones({2, id() + 1});
      return id() == 0 ? ones({1}) : ones({1, 1});
    });
    expect_recorded(*recording, "good", [&] { return strategy->gather(good, 0); });
    expect_recorded(*recording, "bad", [&] { return strategy->gather(bad, 0); });
    expect_recorded(*recording, "good afterwards", [&] { return strategy->gather(good, 0); });
    expect_recorded(*recording, "all_reduce afterwards", [&] {
      return strategy->run([] { return get_replica_context()->all_reduce(ReduceOp::sum, constant(1.f)); });
    });
  }
}

}  // namespace
}  // namespace wt::test
