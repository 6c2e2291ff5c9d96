// Claims: gradients of single operations, dense and sparse, and those through collectives are what TensorFlow was
// recorded to compute, and checkpoints restore under any strategy what another one saved.

#include <gtest/gtest.h>

#include "distribute/recorded.h"
#include "support/folder.h"
#include "train/checkpoint.h"
#include "train/distributed/tape.h"

namespace wt::test {
namespace {

using namespace train;

TEST(P8_G6, GradientsAreWhatWasRecorded) {
  for (const Recording* recording : family("gradients_")) {
    const auto strategy = strategy_named(recording->config("strategy")->string());
    std::optional<Variable> made_w, made_b, made_unused;
    {
      const auto scope = strategy->scope();
      made_w.emplace(constant<float>({1, 2, 3, 4, 5, 6}, {3, 2}), Variable::Settings{.name = "w"});
      made_b.emplace(constant<float>({0.5f, 0.25f}), Variable::Settings{.name = "b"});
      made_unused.emplace(constant(1.f), Variable::Settings{.name = "unused"});
    }
    const Variable &w = *made_w, &b = *made_b;
    const auto is = [&](const std::string& key, const auto& body) {
      expect_recorded(*recording, key, [&] { return strategy->run(body); });
      expect_recorded(*recording, key + "/function", [&] { return strategy->run(body); });
    };
    is("dense", [&] {
      const EagerTensor x = constant<float>({1, 0, 2}, {1, 3}) * factor();
      GradientTape tape;
      const EagerTensor y = reduce_sum(square(matmul(x, w) + b));
      const auto g = tape.gradient(y, {w, b, *made_unused});
      EXPECT_FALSE(g[2].has_value());
      const std::vector<EagerTensor> own{dense(g[0]), dense(g[1])};
      return std::tuple(own, context().all_reduce(ReduceOp::sum, own), std::monostate{});
    });
    is("sparse", [&] {
      GradientTape tape;
      const EagerTensor two = constant<std::int32_t>(2);
      const EagerTensor y = reduce_sum(square(gather(w, stack(std::vector{replica_id(), two, two}))));
      const auto g = std::get<IndexedSlices>(*tape.gradient(y, {w})[0]);
      return std::tuple(g, context().all_reduce(ReduceOp::sum, g),
                        context().all_reduce(ReduceOp::mean, std::vector{g}));
    });
    is("both", [&] {
      GradientTape tape;
      const EagerTensor y =
          reduce_sum(gather(w, constant<std::int32_t>({0}))) + reduce_sum(EagerTensor(w) * b);
      const auto g = tape.gradient(y, {w, b});
      return context().all_reduce(ReduceOp::sum,
                                  std::map<std::string, EagerTensor>{{"w", dense(g[0])}, {"b", dense(g[1])}});
    });
    expect_recorded(*recording, "outside", [&] {
      GradientTape tape;
      const EagerTensor y = reduce_sum(EagerTensor(w) * 2);
      return dense(tape.gradient(y, {w})[0]);
    });
    {
      GradientTape tape;
      const EagerTensor y = strategy->reduce(
          ReduceOp::sum, strategy->run([&] { return reduce_sum(EagerTensor(w) * w) * factor(); }));
      const bool sees = recording->value("tape around run")->kind() != json::Kind::null;
      EXPECT_EQ(tape.gradient(y, {w})[0].has_value(), sees) << recording->id;
    }
    is("slices and dense True", [&] {
      const IndexedSlices k{ones({2, 2}) * factor(),
                            stack(std::vector{replica_id(), constant<std::int32_t>(2)}), Shape{3, 2}};
      return context().all_reduce(ReduceOp::sum, std::vector<Addend>{k, b.read_value()});
    });
    is("slices and dense False", [&] {
      const IndexedSlices k{ones({2, 2}) * factor(),
                            stack(std::vector{replica_id(), constant<std::int32_t>(2)}), Shape{3, 2}};
      return context().all_reduce(ReduceOp::mean, std::vector<Addend>{k, b.read_value()});
    });
  }
}

TEST(AP4_G6, GradientsGoThroughCollectives) {
  for (const Recording* recording : family("all_reduce_")) {
    if (recording->config("strategy") == nullptr) continue;
    const auto strategy = strategy_named(recording->config("strategy")->string());
    for (const std::string op : {"SUM", "MEAN"})
      expect_recorded(*recording, "gradient " + op, [&] {
        return strategy->run([&] {
          const EagerTensor y = constant<float>({1, 2, 3}) * factor();
          GradientTape tape;
          tape.watch(y);
          const EagerTensor z = reduce_sum(context().all_reduce(reduce_op_named(op), y * y) * factor());
          return dense(tape.gradient(z, {y})[0]);
        });
      });
  }
  for (const Recording* recording : family("all_gather_")) {
    const auto strategy = strategy_named(recording->config("strategy")->string());
    expect_recorded(*recording, "gradient", [&] {
      return strategy->run([&] {
        const EagerTensor y = constant<float>({0, 1, 2, 3}, {2, 2}) + 10 * (factor() - 1);
        GradientTape tape;
        tape.watch(y);
        const EagerTensor z = reduce_sum(context().all_gather(y * y, 0) * factor());
        return dense(tape.gradient(z, {y})[0]);
      });
    });
  }
}

TEST(Tape, IsUsedOnceAndKnowsWhatWasRead) {
  const Variable w(constant<float>({1, 2}), {.name = "w"});
  const Variable fixed(constant<float>({1, 2}), {.name = "fixed", .trainable = false});
  GradientTape tape;
  const EagerTensor y = reduce_sum(EagerTensor(w) * fixed);
  EXPECT_EQ(tape.watched_variables(), std::vector<std::string>{"w:0"});
  EXPECT_FALSE(tape.gradient(y, {fixed})[0].has_value());
  EXPECT_THROW(tape.gradient(y, {w}), device::RuntimeError);
}

// ---- Checkpoints

using Variables = std::map<std::string, Variable>;

Variables made_under(const Strategy& strategy) {
  const auto scope = strategy.scope();
  const auto on_read = [](Aggregation aggregation, const EagerTensor& initial) {
    return Variable(
        initial,
        {.trainable = false, .synchronization = Synchronization::on_read, .aggregation = aggregation});
  };
  return {{"w", Variable(constant<float>({0, 0}), {.name = "w"})},
          {"n", Variable(constant<std::int32_t>(0),
                         {.name = "n", .aggregation = Aggregation::only_first_replica})},
          {"s", on_read(Aggregation::sum, constant<float>({0, 0}))},
          {"m", on_read(Aggregation::mean, constant(0.f))},
          {"f", on_read(Aggregation::only_first_replica, constant(0.f))},
          {"i", on_read(Aggregation::sum, constant<std::int32_t>(0))}};
}

void expect_copies(const Recording& recording, const std::string& key, const Variables& variables) {
  for (const auto& [name, variable] : variables) {
    const json::Value& wanted = *recording.value(key)->find(name);
    const auto copies = variable.copies();
    ASSERT_EQ(wanted.elements().size(), copies.size()) << recording.id << " " << key << " " << name;
    for (std::size_t i = 0; i < copies.size(); ++i)
      expect_value(recording.id + " " + key + " " + name, Wanted{wanted.elements()[i]}, copies[i].value());
  }
}

TEST(F12_P21, CheckpointsRestoreUnderAnyStrategy) {
  for (const Recording* recording : family("checkpoint_from_")) {
    const auto strategy = strategy_named(recording->config("saved under")->string());
    Variables variables = made_under(*strategy);
    expect_recorded(*recording, "fill", [&] {
      strategy->run([&] {
        const double k = factor();
        variables.at("s").assign_add(constant<float>({1, 10}) * k);
        variables.at("m").assign(constant(static_cast<float>(k)));
        variables.at("f").assign(constant(static_cast<float>(5 * k)));
        variables.at("i").assign_add(replica_id() * 2 + 3);
      });
    });
    if (recording->value("fill") == nullptr && recording->error("fill") == nullptr) continue;
    variables.at("w").assign(constant<float>({7, 8}));
    variables.at("n").assign(constant<std::int32_t>(3));
    expect_copies(*recording, "saved copies", variables);
    const TestFolder folder;
    const auto path = Checkpoint(variables).save(folder.path() / "ck");
    EXPECT_EQ(path.filename().string(), recording->value("path")->string());
    for (const json::Value& other : items(*recording->config("restored under"))) {
      const std::string under = other.string();
      const auto another = strategy_named(under);
      const Variables restored = made_under(*another);
      Checkpoint(restored).restore(path);
      expect_copies(*recording, under + "/copies", restored);
      for (const auto& [name, variable] : restored)
        expect_recorded(*recording, under + "/read/" + name, [&, v = variable] { return v.read_value(); });
      const Variables in_scope = made_under(*another);
      const auto scope = another->scope();
      Checkpoint(in_scope).restore(path);
      expect_copies(*recording, under + "/in scope/copies", in_scope);
    }
  }
}

}  // namespace
}  // namespace wt::test
