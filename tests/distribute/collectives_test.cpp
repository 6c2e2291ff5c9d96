// Claims: all_reduce, all_gather, reduce_to, broadcast_to and update give the replicas what TensorFlow was recorded to
// give them, under every strategy and cross_device_ops.

#include <gtest/gtest.h>

#include "distribute/recorded.h"

namespace wt::test {
namespace {

using namespace train;

// Compares a body with what was recorded of it, computed at once and inside of a tf.function. A refusal inside of a
// function is compared where it is the same as outside.
struct Both {
  const Recording& recording;
  const Strategy& strategy;
  template <class Body>
  void operator()(const std::string& key, const Body& body) const {
    const auto call = [&] { return strategy.run(body); };
    expect_recorded(recording, key, call);
    if (recording.value(key + "/function") != nullptr && recording.value(key) != nullptr)
      expect_recorded(recording, key + "/function", call);
  }
};

EagerTensor x(double by = 1) { return constant<float>({1, 2, 3}) * (factor() * by); }

TEST(AP4_G6, AllReduceDoesWhatWasRecorded) {
  for (const Recording* recording : family("all_reduce_")) {
    if (recording->config("strategy") == nullptr) continue;
    const auto strategy = strategy_named(recording->config("strategy")->string());
    const Both both{*recording, *strategy};
    for (const std::string op : {"SUM", "MEAN"}) {
      const ReduceOp by = reduce_op_named(op);
      const auto reduces = [&](const std::string& key, const auto& make) {
        both(op + "/" + key, [&] { return context().all_reduce(by, make()); });
      };
      reduces("tensor", [] { return x(); });
      using Inner = std::pair<EagerTensor, std::vector<EagerTensor>>;
      using Nest = std::pair<std::map<std::string, EagerTensor>, std::map<std::string, Inner>>;
      both(op + "/nest", [&] {
        const EagerTensor third = x(3);
        const Nest nest{{{"a", x()}}, {{"b", {x(2), {{third.numbers.rows(0, 1), third.device}}}}}};
        const Nest reduced = context().all_reduce(by, nest);
        using Any = std::variant<EagerTensor, Inner>;
        return std::map<std::string, Any>{{"a", reduced.first.at("a")}, {"b", reduced.second.at("b")}};
      });
      reduces("scalar", [] { return cast(replica_id(), Type::float32); });
      reduces("int32", [] { return replica_id() + 1; });
      reduces("int64", [] { return cast(replica_id() + 1, Type::int64); });
      reduces("mixed", [] { return std::vector{x(), replica_id() + 1}; });
      reduces("float64", [] { return cast(x(), Type::float64); });
      reduces("float16", [] { return cast(x(), Type::float16); });
    }
    both("lower case", [] { return context().all_reduce(reduce_op_named("sum"), x()); });
    both("bad", [] { return context().all_reduce(reduce_op_named("MAX"), x()); });
    both("options", [] { return context().all_reduce(ReduceOp::sum, x(), {.bytes_per_pack = Bytes(8)}); });
    std::optional<Variable> v, total;
    {
      const auto scope = strategy->scope();
      v.emplace(constant<float>({5, 6}), Variable::Settings{.name = "v"});
      total.emplace(constant(4.f), Variable::Settings{.trainable = false,
                                                      .synchronization = Synchronization::on_read,
                                                      .aggregation = Aggregation::sum});
    }
    // A function makes a tensor of each replica's own of a variable that replicas share.
    const auto reduces_variable = [&](const std::string& key, const Variable& variable) {
      expect_recorded(*recording, key, [&] {
        return strategy->run([&] { return context().all_reduce(ReduceOp::sum, variable); });
      });
      expect_recorded(*recording, key + "/function", [&] {
        return strategy->run([&] { return context().all_reduce(ReduceOp::sum, variable.read_value()); });
      });
    };
    reduces_variable("mirrored variable", *v);
    reduces_variable("on read variable", *total);
    both("value of mirrored variable", [&] { return context().all_reduce(ReduceOp::sum, v->read_value()); });
    both("twice",
         [] { return context().all_reduce(ReduceOp::sum, context().all_reduce(ReduceOp::mean, x())); });
  }
}

TEST(G6, UnevenValuesAreRefusedAsWasRecorded) {
  for (const Recording* recording : family("all_reduce_uneven_ranks_to_one")) {
    Strategy::Traits traits = strategy_named("mirrored2")->traits();
    traits.cross_device_ops = strategy::CrossDeviceOps::reduction_to_one_device;
    const auto strategy = std::make_shared<const Strategy>(traits);
    const auto reduces = [&](const std::string& key, const auto& shape) {
      expect_recorded(*recording, key, [&] {
        return strategy->run([&] {
          return context().all_reduce(ReduceOp::sum, ones(shape(context().replica_id_in_sync_group())));
        });
      });
    };
    reduces("rows", [](std::int64_t i) { return Shape{i + 1}; });
    reduces("rows 2", [](std::int64_t i) { return Shape{2 * i + 2, 1}; });
    reduces("columns", [](std::int64_t i) { return Shape{2, i + 1}; });
  }
}

TEST(AP4_G6, AllGatherDoesWhatWasRecorded) {
  for (const Recording* recording : family("all_gather_")) {
    const auto strategy = strategy_named(recording->config("strategy")->string());
    const Both both{*recording, *strategy};
    const auto m = [] { return constant<float>({0, 1, 2, 3}, {2, 2}) + 10 * (factor() - 1); };
    const auto id = [] { return context().replica_id_in_sync_group(); };
    for (const int axis : {0, 1, -1})
      both(fmt::format("axis {}", axis), [&] { return context().all_gather(m(), axis); });
    both("uneven rows", [&] { return context().all_gather(ones({id() + 1, 2}), 0); });
    both("uneven columns", [&] { return context().all_gather(ones({2, id() + 1}), 1); });
    both("nest", [&] {
      const auto all = context().all_gather(std::pair(m(), std::vector{m() * 2}), 0);
      using Any = std::variant<EagerTensor, std::vector<EagerTensor>>;
      return std::map<std::string, Any>{{"a", all.first}, {"b", all.second}};
    });
    both("ints", [] { return context().all_gather(stack(std::vector{replica_id()}), 0); });
    both("empty", [&] { return context().all_gather(zeros({id(), 1}), 0); });
    const auto refused = [&](const std::string& key, const auto& body) {
      expect_recorded(*recording, key, [&] { return strategy->run(body); });
    };
    refused("slices", [] {
      return context().all_gather(IndexedSlices{ones({1, 1}), constant<std::int32_t>({0})}, 0);
    });
    refused("scalar", [] { return context().all_gather(constant(1.f), 0); });
  }
}

TEST(G7_ST6, CrossDeviceOpsGiveTheRecordedNumbers) {
  const std::map<std::string, strategy::CrossDeviceOps> ops{
      {"to_one_accumulate", strategy::CrossDeviceOps::reduction_to_one_device},
      {"hierarchical", strategy::CrossDeviceOps::hierarchical_copy},
      {"hierarchical_odd", strategy::CrossDeviceOps::hierarchical_copy}};
  for (const Recording* recording : family("cross_device_ops_")) {
    const auto replicas = recording->config("replicas")->integer();
    Strategy::Traits traits = strategy_named(fmt::format("mirrored{}", replicas))->traits();
    const auto chosen = ops.find(recording->config("cross_device_ops")->string());
    if (chosen != ops.end()) traits.cross_device_ops = chosen->second;
    const Strategy strategy(traits);
    std::vector<EagerTensor> parts;
    for (std::int64_t i = 0; i < replicas; ++i)
      parts.push_back({recording->tensors().at(fmt::format("part/{}", i)), traits.devices[i].name});
    const DistributedValues<EagerTensor> x(parts);
    const auto scope = strategy.scope();
    const Variable v(zeros({17}), {.name = "v"});
    const auto both = [](const EagerTensor& a) {
      const EagerTensor first{a.numbers.rows(0, 3), a.device};
      using Any = std::variant<EagerTensor, std::vector<EagerTensor>>;
      const auto sum = [](const auto& value) { return context().all_reduce(ReduceOp::sum, value); };
      return std::map<std::string, Any>{{"sum", sum(a)},
                                        {"mean", context().all_reduce(ReduceOp::mean, a)},
                                        {"list", sum(std::vector{first, a * 2})},
                                        {"int", sum(replica_id() + 1)}};
    };
    expect_recorded(*recording, "all_reduce", [&] { return strategy.run(both, x); });
    expect_recorded(*recording, "all_reduce in function", [&] { return strategy.run(both, x); });
    expect_recorded(*recording, "all_gather", [&] {
      return strategy.run(
          [](const EagerTensor& a) {
            return context().all_gather(EagerTensor{a.numbers.rows(0, 2), a.device}, 0);
          },
          x);
    });
    expect_recorded(*recording, "gather", [&] { return strategy.gather(x, 0); });
    expect_recorded(*recording, "reduce", [&] { return strategy.reduce(ReduceOp::sum, x); });
    expect_recorded(*recording, "reduce_to variable",
                    [&] { return strategy.extended().reduce_to(ReduceOp::mean, x, v); });
    expect_recorded(*recording, "batch_reduce_to", [&] {
      return strategy.extended().batch_reduce_to(ReduceOp::sum, {{x, v}, {x, v}});
    });
    expect_recorded(*recording, "slices", [&] {
      return strategy.run([] {
        return context().all_reduce(
            ReduceOp::sum, IndexedSlices{ones({2, 1}) * factor(),
                                         stack(std::vector{replica_id(), constant<std::int32_t>(3)})});
      });
    });
  }
}

TEST(G6_G7, ReductionsGoToTheRecordedDestinations) {
  for (const Recording* recording : family("extended_reduce_to"))
    for (const std::string kind : {"mirrored3", "central2", "one1", "default"}) {
      const auto strategy = strategy_named(kind);
      const StrategyExtended extended = strategy->extended();
      const auto x = strategy->run([] { return constant<float>({1, 2}) * factor(); });
      const auto k = strategy->run([] { return replica_id() + 1; });
      const auto at = [&](const std::string& key, const auto& call) {
        expect_recorded(*recording, kind + "/" + key, call);
      };
      std::optional<Variable> made;
      {
        const auto scope = strategy->scope();
        const Variable& v = made.emplace(zeros({2}), Variable::Settings{.name = "v"});
        for (const std::string op : {"SUM", "MEAN"}) {
          const auto to = [&](const std::string& key, const auto& destination) {
            at(op + "/" + key, [&] { return extended.reduce_to(reduce_op_named(op), x, destination); });
          };
          to("itself", x);
          to("variable", v);
          to("CPU:0", "CPU:0");
          to("/device:CPU:1", "/device:CPU:1");
          to("tensor", EagerTensor{constant(1.f).numbers, device::canonical({})});
          if (!strategy->runs_in_one_thread()) to("empty", "");
        }
        at("int", [&] { return extended.reduce_to(ReduceOp::sum, k, "CPU:0"); });
        at("int mean", [&] { return extended.reduce_to(ReduceOp::mean, k, "CPU:0"); });
        at("batch", [&] { return extended.batch_reduce_to(ReduceOp::sum, {{x, x}, {x, v}}); });
        at("batch mixed", [&] { return extended.batch_reduce_to(ReduceOp::sum, {{x, v}, {k, k}}); });
        at("bad op", [&] { return extended.reduce_to(reduce_op_named("MAX"), x, v); });
        const EagerTensor four{constant<float>({4}).numbers, device::canonical({})};
        at("broadcast", [&] { return extended.broadcast_to(four, v); });
        at("broadcast to device", [&] { return extended.broadcast_to(four, "CPU:1"); });
      }
      at("outside", [&] { return extended.reduce_to(ReduceOp::sum, x, *made); });
      at("call_for_each_replica",
         [&] { return strategy->run([](int a, int b) { return replica_id() + (a + b); }, 1, 2); });
    }
}

// ---- Updates

TEST(AP15_G20, UpdateChangesEachCopyAsWasRecorded) {
  for (const Recording* recording : family("update_")) {
    const auto strategy = strategy_named(recording->config("strategy")->string());
    const StrategyExtended extended = strategy->extended();
    std::optional<Variable> made, total;
    {
      const auto scope = strategy->scope();
      made.emplace(constant<float>({1, 2}), Variable::Settings{.name = "v"});
      total.emplace(constant(1.f), Variable::Settings{.name = "r",
                                                      .trainable = false,
                                                      .synchronization = Synchronization::on_read,
                                                      .aggregation = Aggregation::sum});
    }
    const Variable& v = *made;
    std::vector<std::pair<std::string, std::string>> seen;
    const auto add = [&](Variable& copy, const auto&... values) {
      seen.emplace_back(copy.name(), get_strategy().name());
      copy.assign_add(add_n(std::vector<EagerTensor>{ones({2}), EagerTensor(values) * ones({2})...}));
    };
    const auto updates = [&](const std::string& key, const auto& change, const auto&... arguments) {
      seen.clear();
      extended.update(v, change, arguments...);
      const json::Value::Elements& wanted = recording->value(key + "/seen")->elements();
      ASSERT_EQ(wanted.size(), seen.size()) << recording->id << " " << key;
      for (std::size_t i = 0; i < seen.size(); ++i) {
        EXPECT_EQ(wanted[i].elements()[1].string(), seen[i].first) << recording->id << " " << key;
        EXPECT_EQ(wanted[i].elements().back().string(), seen[i].second) << recording->id << " " << key;
      }
      expect_recorded(*recording, key + "/copies", [&] { return v.copies(); });
    };
    const EagerTensor five = constant(5.f);
    updates("group", add);
    updates("no group", add);
    updates("args", add, five);
    const auto set = [&](const std::string& key, const auto& change) {
      extended.update(v, change);
      expect_recorded(*recording, key + "/copies", [&] { return v.copies(); });
    };
    set("kwargs", [](Variable& copy) { copy.assign(EagerTensor(copy) + 1); });
    {
      const auto scope = strategy->scope();
      updates("in scope", add, five);
    }
    const auto each = strategy->run([] { return cast(replica_id() + 1, Type::float32); });
    updates("per replica args", add, each);
    updates("variable as args", add, v);
    set("returns nothing", [](Variable&) {});
    extended.update(*total, [](Variable& copy) { copy.assign_add(1.0); });
    expect_recorded(*recording, "on read/copies", [&] { return total->copies(); });
    set("in function", [](Variable& copy) { copy.assign_add(ones({2})); });
    strategy->run([&] {
      context().merge_call(
          [&](const Strategy& own, const DistributedValues<EagerTensor>& values) {
            const auto sum = own.extended().reduce_to(ReduceOp::sum, values, v);
            own.extended().update(
                v, [](Variable& copy, const EagerTensor& y) { copy.assign_add(y * ones({2})); }, sum);
          },
          cast(replica_id() + 1, Type::float32));
    });
    expect_recorded(*recording, "in merge/copies", [&] { return v.copies(); });
    const auto where = extended.non_slot_devices({v});
    const auto results = extended.update_non_slot(where, [] { return constant(1.f); });
    EXPECT_EQ(results.size(), where.size());
  }
}

}  // namespace
}  // namespace wt::test
