// Claims: strategies do what TensorFlow was recorded to do (distribute.tar.gz, packed by tests/recordings/pack.py): the
// numbers, the kind of each error and TensorFlow's own sentence.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

#include "device/cpu/workers.h"
#include "device/error.h"
#include "distribute/strategy.h"
#include "program/placement.h"
#include "recordings/packed_recordings.h"
#include "strategy/default.h"

namespace wt::distribute {
namespace {

using recordings::Recording;
using train::ReduceOp;

const recordings::PackedRecordings& recorded() {
  static const recordings::PackedRecordings all({"../distribute/distribute.tar.gz"});
  return all;
}

// "mirrored3", "central2", "one1", "default", on the CPUs of a host that are logical devices, as in the recordings.
std::unique_ptr<train::Strategy> strategy_named(const std::string& kind) {
  const std::int64_t replicas = std::isdigit(kind.back()) != 0 ? kind.back() - '0' : 1;
  const auto gathering =
      kind.starts_with("central") ? train::Gathering::by_concatenation : train::Gathering::by_collectives;
  return std::make_unique<train::Strategy>(kind, replicas, "", gathering);
}

void add_numbers(const json::Value& value, std::vector<double>& numbers) {
  if (value.kind() == json::Kind::array)
    for (const json::Value& element : value.elements()) add_numbers(element, numbers);
  else
    numbers.push_back(value.kind() == json::Kind::integer ? static_cast<double>(value.integer())
                                                          : value.real());
}

template <class T>
Tensor tensor(const Shape& shape, const std::vector<double>& numbers) {
  std::vector<T> values;
  for (const double number : numbers) values.push_back(static_cast<T>(number));
  return Tensor::of<T>(shape, values);
}

Tensor tensor_of(Type type, const Shape& shape, const json::Value& value) {
  std::vector<double> numbers;
  add_numbers(value, numbers);
  switch (type) {
    case Type::float64:
      return tensor<double>(shape, numbers);
    case Type::int32:
      return tensor<std::int32_t>(shape, numbers);
    case Type::int64:
      return tensor<std::int64_t>(shape, numbers);
    default:
      return tensor<float>(shape, numbers);
  }
}

Shape shape_of(const json::Value& extents) {
  std::vector<std::int64_t> sizes;
  for (const json::Value& extent : extents.elements()) sizes.push_back(extent.integer());
  return Shape(sizes);
}

// What was recorded of a call: a tensor, or an error.
void expect_same(const Recording& recording, const std::string& key, const std::function<Tensor()>& call) {
  const std::string at = recording.version + " " + recording.id + " " + key;
  const json::Value* wanted = recording.value(key);
  const json::Value* error = recording.error(key);
  ASSERT_TRUE(wanted != nullptr || error != nullptr) << at;
  try {
    const Tensor found = call();
    ASSERT_NE(wanted, nullptr) << at << " should be refused: " << error->find("sentence")->string();
    EXPECT_EQ(name(found.type()), wanted->find("dtype")->string()) << at;
    EXPECT_EQ(found.shape(), shape_of(*wanted->find("shape"))) << at;
    const Tensor same = tensor_of(found.type(), found.shape(), *wanted->find("value"));
    EXPECT_TRUE(std::ranges::equal(found.bytes(), same.bytes())) << at;
  } catch (const device::ValueError& refused) {
    ASSERT_NE(error, nullptr) << at << ": " << refused.what();
    EXPECT_EQ(error->find("type")->string(), "ValueError") << at;
    EXPECT_EQ(error->find("sentence")->string(), refused.what()) << at;
  } catch (const InvalidArgumentError& refused) {
    ASSERT_NE(error, nullptr) << at << ": " << refused.what();
    EXPECT_EQ(error->find("type")->string(), "InvalidArgumentError") << at;
    EXPECT_EQ(error->find("sentence")->string(), refused.what()) << at;
  }
}

std::vector<const Recording*> family(const std::string& beginning) {
  std::vector<const Recording*> found;
  for (const Recording& recording : recorded().all())
    if (recording.id.starts_with(beginning)) found.push_back(&recording);
  return found;
}

// Along a list of axes, and inside a tf.function, our reduce isn't offered.
TEST(AP8_AP9_G7, ReduceDoesWhatWasRecorded) {
  const std::vector<const Recording*> all = family("distribute_reduce_");
  ASSERT_EQ(all.size(), 16u);
  for (const Recording* recording : all) {
    const auto strategy = strategy_named(recording->config("strategy")->string());
    const Type type = type_named(recording->config("dtype")->string()).value();
    train::Values parts;
    for (const json::Value& shape : recording->config("shapes")->elements())
      parts.push_back(
          tensor_of(type, shape_of(shape), *recording->value("part/" + std::to_string(parts.size()))));
    for (const ReduceOp op : {ReduceOp::sum, ReduceOp::mean}) {
      const std::string before = op == ReduceOp::sum ? "SUM/" : "MEAN/";
      expect_same(*recording, before + "None", [&] { return strategy->reduce(op, parts); });
      for (const int axis : {0, 1, -1, 2})
        expect_same(*recording, before + std::to_string(axis),
                    [&] { return strategy->reduce(op, parts, axis); });
    }
    const auto scope = strategy->scope();
    expect_same(*recording, "SUM in scope", [&] { return strategy->reduce(ReduceOp::sum, parts, 0); });
  }
}

// The values that the recorded program made on each replica, by its number.
train::Values made(std::int64_t replicas, const std::function<Tensor(std::int64_t replica)>& make) {
  train::Values values;
  for (std::int64_t replica = 0; replica < replicas; ++replica) values.push_back(make(replica));
  return values;
}

Tensor filled(const Shape& shape, float value) {
  return Tensor::of<float>(shape, std::vector<float>(static_cast<std::size_t>(shape.elements()), value));
}

// What Python alone can write (an axis that is None, nests, strings) has no counterpart.
TEST(AP10_G6, GatherDoesWhatWasRecorded) {
  int compared = 0;
  for (const char* kind : {"default", "one1", "central2", "mirrored2", "mirrored3"})
    for (const Recording* recording : family(std::string("distribute_gather_") + kind)) {
      const auto strategy = strategy_named(kind);
      const std::int64_t replicas = strategy->num_replicas_in_sync();
      const train::Values even = made(replicas, [](std::int64_t replica) {
        std::vector<float> values;
        for (int i = 0; i < 6; ++i)
          values.push_back(static_cast<float>(i) + 10 * static_cast<float>(replica));
        return Tensor::of<float>({2, 3}, values);
      });
      const auto gathers = [&](const std::string& key, const train::Values& values, int axis) {
        expect_same(*recording, key, [&] { return strategy->gather(values, axis); });
        ++compared;
      };
      for (const int axis : {0, 1, -1, 2}) gathers("even/" + std::to_string(axis), even, axis);
      gathers("rows differ/0",
              made(replicas,
                   [](std::int64_t replica) {
                     return filled({replica + 1, 2}, static_cast<float>(replica + 1));
                   }),
              0);
      gathers("columns differ/1",
              made(replicas,
                   [](std::int64_t replica) {
                     return filled({2, 2 * replica + 1}, 1);
                   }),
              1);
      gathers("empty/0", made(replicas, [](std::int64_t replica) { return filled({replica, 2}, 0); }), 0);
      const auto number = [](const Shape& shape) {
        return [shape](std::int64_t replica) {
          return Tensor::of<std::int32_t>(shape, {static_cast<std::int32_t>(replica)});
        };
      };
      gathers("scalars/0", made(replicas, number({})), 0);
      gathers("ints/0", made(replicas, number({1})), 0);
      const auto scope = strategy->scope();
      gathers("in scope", even, 0);
    }
  EXPECT_EQ(compared, 100);
}

// What the recorded programs note of where they are.
struct Here {
  std::string strategy{};
  bool has_strategy = false;
  bool is_cross_replica = false;
  std::optional<std::int64_t> in_sync{};  // none in cross-replica context
  bool operator==(const Here&) const = default;
};

Here here() {
  const auto context = train::get_replica_context();
  return {train::get_strategy().name(), train::has_strategy(), train::in_cross_replica_context(),
          context ? std::optional(context->num_replicas_in_sync()) : std::nullopt};
}

Here here_of(const json::Value& value) {
  const json::Value& in_sync = *value.find("in_sync");
  return {value.find("strategy")->string(), value.find("has_strategy")->boolean(),
          value.find("cross_replica")->boolean(),
          in_sync.kind() == json::Kind::null ? std::nullopt : std::optional(in_sync.integer())};
}

// The place that a call notes, or TensorFlow's sentence.
void expect_here(const Recording& recording, const std::string& key, const std::function<Here()>& call) {
  const std::string at = recording.version + " " + recording.id + " " + key;
  try {
    const Here found = call();
    ASSERT_NE(recording.value(key), nullptr) << at;
    const json::Value& wanted = *recording.value(key);
    if (wanted.kind() == json::Kind::string)
      EXPECT_EQ(found.strategy, wanted.string()) << at;
    else
      EXPECT_EQ(found, here_of(wanted)) << at;
  } catch (const device::RuntimeError& refused) {
    ASSERT_NE(recording.error(key), nullptr) << at << ": " << refused.what();
    EXPECT_EQ(recording.error(key)->find("type")->string(), "RuntimeError") << at;
    EXPECT_EQ(recording.error(key)->find("sentence")->string(), refused.what()) << at;
  }
}

const Strategy& strategy_of(const std::string& kind) {
  static const Strategy two = mirrored({.platform = "workstation_2x4090"});
  static const Strategy one = one_device({.platform = "workstation_2x4090", .device = "GPU:1"});
  return kind == "one1" ? one : two;
}

// Calls a function in the body of a step that the strategy runs.
void in_run(const train::Strategy& strategy, const std::function<void()>& call) {
  device::Workers workers(1);
  device::CpuQueue queue(workers);
  train::Resources machine{
      [](strategy::Steps steps) { return strategy::lower_default(*steps.front(), {"/device:CPU:0"}); },
      queue};
  train::State state(1);
  train::Resources& resources =
      strategy.num_replicas_in_sync() == 1 ? machine : strategy_of("mirrored2").resources();
  train::Function step("step", state, resources, train::Function::Mode::inference,
                       [&](model::Building&, const std::vector<Symbol>& arguments) {
                         call();
                         return std::vector<Symbol>{arguments.front()};
                       });
  const Tensor one = Tensor::of<float>({1}, {1});
  strategy.run(step, train::PerReplica(static_cast<std::size_t>(strategy.num_replicas_in_sync()), {one}));
}

TEST(AP1_AP2, ScopesAreWhereWasRecorded) {
  for (const char* name : {"distribute_scope_default_then_mirrored2", "distribute_scope_mirrored2_then_same",
                           "distribute_scope_one1_then_same"})
    for (const Recording* recording : family(name)) {
      const std::string outer = recording->config("outer")->string();
      const train::Strategy& first = outer == "default" ? train::get_strategy() : strategy_of(outer);
      const train::Strategy& second =
          recording->config("inner")->string() == "same" ? first : strategy_of("mirrored2");
      expect_here(*recording, "nested", [&] {
        const auto scope = first.scope();
        const auto inner = second.scope();
        return here();
      });
      expect_here(*recording, "after", here);
      expect_here(*recording, "one after the other", [&] {
        { const auto scope = first.scope(); }
        const auto scope = second.scope();
        return here();
      });
      expect_here(*recording, "scope in run", [&] {
        Here found;
        in_run(first, [&] {
          const auto scope = second.scope();
          found = here();
        });
        return found;
      });
      expect_here(*recording, "after run", here);
      if (recording->error("run of inner in run of outer") != nullptr)
        expect_here(*recording, "run of inner in run of outer", [&] {
          in_run(first, [&] { in_run(second, [] {}); });
          return here();
        });
      expect_here(*recording, "after run in run", here);
    }
}

}  // namespace
}  // namespace wt::distribute
