// Claims: what TensorFlow's ParameterServerStrategy and ClusterCoordinator did in 37 recorded programs, they do
// here: where every variable, shard and slot is, what sharded variables hold after each operation, what
// trainings compute, and when an error of a closure reaches the program. tests/train/servers has the
// recordings of TensorFlow 2.15 (keras2) and 2.21 (keras3). Losses agree within 1e-5, weights within 1e-4.
//
// Five more are not among them. servers_caching, of both versions: cache_variable_reads isn't offered.
// servers_v1, of both: version 1 is offered in scenarios only (cli/servers_test.cpp has its sentence about `ps`).
// Keras 3's servers_fit_2: TensorFlow refuses it, and this library trains. Of the others not every recorded call
// has a counterpart: structures in fetch, the calls of fit that TensorFlow refuses, Python's own refusals, column
// slices and lookup_sparse have none. What TensorFlow's operations raise in a closure (assert_less,
// check_numerics, py_function) is raised here by the closure itself, so these cases test whom the error reaches.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/json.h"
#include "model/keras_json.h"
#include "model/layers/dense.h"
#include "model/layers/input.h"
#include "model/sequential.h"
#include "model/weights.h"
#include "tensor/difference.h"
#include "tensor/safetensors.h"
#include "train/coordinator.h"
#include "train/machine.h"

namespace wt::train {
namespace {

namespace fs = std::filesystem;
using model::Building;
using Symbols = std::vector<Symbol>;

const fs::path recorded = fs::path(WT_TEST_DATA) / "train" / "servers";

std::vector<std::string> cases_of(const std::string& family) {
  std::vector<std::string> names;
  for (const char* version : {"keras2", "keras3"})
    for (const fs::directory_entry& entry : fs::directory_iterator(recorded / version))
      if (entry.path().filename().string().starts_with("servers_" + family))
        names.push_back(std::string(version) + "/" + entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

const json::Value& at(const json::Value& value, std::string_view key) {
  const json::Value* found = value.find(key);
  if (found == nullptr) throw InputError(fmt::format("the recording has no {}", key));
  return *found;
}

std::optional<model::Partitioner> partitioner_of(std::string_view name, const json::Value& arguments) {
  const auto number = [&](std::string_view key, std::int64_t otherwise) {
    const json::Value* found = arguments.find(key);
    return found == nullptr ? otherwise : found->integer();
  };
  if (name == "FixedShardsPartitioner") return model::FixedShardsPartitioner{number("num_shards", 1)};
  if (name == "MinSizePartitioner")
    return model::MinSizePartitioner{number("min_shard_bytes", 256 << 10), number("max_shards", 1),
                                     number("bytes_per_string", 16)};
  model::MaxSizePartitioner max{.max_shard_bytes = number("max_shard_bytes", 0),
                                .bytes_per_string = number("bytes_per_string", 16)};
  if (const json::Value* found = arguments.find("max_shards");
      found != nullptr && found->kind() != json::Kind::null)
    max.max_shards = found->integer();
  return max;
}

Shape shape_of(const json::Value& extents) {
  Shape shape;
  for (const json::Value& extent : extents.elements()) shape.append(extent.integer());
  return shape;
}

template <class Call>
std::string sentence_of(Call&& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.problems().front().fact;
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

class Case : public testing::TestWithParam<std::string> {
 protected:
  json::Value case_ = json::parse_file(recorded / GetParam() / "case.json");
  const json::Value& value(std::string_view key) const { return at(at(case_, "values"), key); }
  const json::Value& config(std::string_view key) const { return at(value("config"), key); }
  std::map<std::string, Tensor> tensors() const {
    return read_safetensors(recorded / GetParam() / "data.safetensors").tensors;
  }
  std::string sentence(std::string_view error) const {
    const json::Value& found = at(at(at(case_, "errors"), error), "sentence");
    return found.kind() == json::Kind::null ? "" : std::string(found.string());
  }
  // Null in the recording is no partitioner.
  model::Partition partition() const {
    const json::Value& spec = config("partitioner");
    if (spec.kind() == json::Kind::null) return {};
    return model::partition_by(*partitioner_of(spec.elements()[0].string(), spec.elements()[1]));
  }
};

void expect_parts(const json::Value& theirs, std::span<const ServerVariable::Part> ours) {
  ASSERT_EQ(ours.size(), theirs.elements().size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const auto& part = theirs.elements()[i].elements();
    EXPECT_EQ(ours[i].name, part[0].string());
    EXPECT_EQ(ours[i].value.shape(), shape_of(part[1])) << ours[i].name;
    EXPECT_EQ(ours[i].device, part[2].string()) << ours[i].name;
  }
}

void expect_described(const json::Value& theirs, const ServerVariable& ours) {
  EXPECT_EQ(ours.is_sharded() ? "ShardedVariable" : "CachingVariable", at(theirs, "type").string());
  EXPECT_EQ(ours.spec().shape, shape_of(at(theirs, "shape")));
  expect_parts(at(theirs, "parts"), ours.parts());
}

// "keras2/servers_train_sgd_0" as the name of a test
std::string name_of(const testing::TestParamInfo<std::string>& info) {
  std::string text = info.param;
  std::ranges::replace(text, '/', '_');
  return text;
}

#define WT_FAMILY(name, family) \
  class name : public Case {};  \
  INSTANTIATE_TEST_SUITE_P(Servers, name, testing::ValuesIn(cases_of(family)), name_of)

// tf.data.Dataset.range
data::Dataset counted(std::int64_t end) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i <= end; ++i) numbers.push_back(i);
  return data::Dataset::from_tensor_slices({Tensor::of<std::int64_t>({end + 1}, numbers)}).take(end);
}

// ---- Partitioners

std::optional<Type> type_of_element(std::string_view name) {
  if (name == "string") return std::nullopt;
  return name == "int8" ? Type::uint8 : type_named(name);  // both have one byte
}

WT_FAMILY(Partitioners, "partitioners");

TEST_P(Partitioners, ST24_CutAsTensorFlowDoes) {
  for (const json::Value& row : value("table").elements()) {
    const auto& cells = row.elements();
    std::vector<std::int64_t> theirs;
    for (const json::Value& part : cells[4].elements()) theirs.push_back(part.integer());
    EXPECT_EQ(model::partitions(*partitioner_of(cells[0].string(), cells[1]), shape_of(cells[2]),
                                type_of_element(cells[3].string())),
              theirs)
        << cells[0].string() << " " << row.text();
  }
  for (const json::Member& error : at(case_, "errors").members()) {
    const std::string key(error.key);  // "1 MinSizePartitioner {'min_shard_bytes': 0}"
    const std::size_t space = key.find(' '), brace = key.find('{');
    std::string arguments = key.substr(brace);
    std::ranges::replace(arguments, '\'', '"');
    const auto partitioner =
        *partitioner_of(key.substr(space + 1, brace - space - 2), json::parse(arguments, "arguments"));
    EXPECT_EQ(sentence_of([&] {
                model::partitions(partitioner, {4, 4}, Type::float32);
              }),
              sentence(key))
        << key;
  }
}

WT_FAMILY(WrongPartition, "wrong_partition");

TEST_P(WrongPartition, ST24_OnlyTheFirstAxisIsCut) {
  ParameterServerStrategy strategy({1, 1}, [](const Shape&, std::optional<Type>) {
    return std::vector<std::int64_t>{1, 2};
  });
  EXPECT_EQ(sentence_of([&] {
              strategy.create("v", Tensor::zeros({Type::float32, {4, 4}}));
            }),
            sentence("second_axis"));
}

// ---- Placement

WT_FAMILY(Placement, "placement");

TEST_P(Placement, ST20_EveryShardAndSlotIsWhereTensorFlowPutsIt) {
  ParameterServerStrategy strategy({config("workers").integer(), config("ps").integer()}, partition());
  std::vector<ServerVariable> variables;
  for (const json::Value& extents : config("shapes").elements()) {
    const Shape shape = shape_of(extents);
    std::vector<float> numbers(static_cast<std::size_t>(shape.elements()));
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
    variables.push_back(
        strategy.create(fmt::format("v{}", variables.size()), Tensor::of<float>(shape, numbers)));
  }
  variables.push_back(strategy.create("counts", Tensor::of<std::int64_t>({3}, {1, 2, 3})));
  variables.push_back(strategy.create("flag", Tensor::zeros({Type::boolean, {}})));
  const auto& theirs = value("variables").elements();
  ASSERT_EQ(variables.size(), theirs.size());
  const std::map<std::string, Tensor> numbers = tensors();
  for (std::size_t i = 0; i < variables.size(); ++i) {
    expect_described(theirs[i], variables[i]);
    if (i < 7) {
      EXPECT_EQ(relative_difference(variables[i].value(), numbers.at(fmt::format("v{}", i))), 0) << i;
    }
  }

  const model::Sequential layers("model", {model::input_layer({4}), model::dense({.name = "a", .units = 6}),
                                           model::dense({.name = "b", .units = 2})});
  // A Sequential model of Keras 2 counts its steps of training, test and prediction in variables of its own,
  // which it makes first.
  for (const char* counter : {"train_counter", "test_counter", "predict_counter"})
    strategy.create(counter, Tensor::zeros({Type::int64, {}}));
  std::vector<ServerVariable::Part> parts;
  for (const model::Weight& weight : model::weights_of(layers)) {
    const ServerVariable made = strategy.create(weight.name, Tensor::zeros(weight.spec));
    parts.insert(parts.end(), made.parts().begin(), made.parts().end());
  }
  const auto& weights = value("layers").elements();
  ASSERT_EQ(parts.size(), weights.size());
  for (std::size_t i = 0; i < parts.size(); ++i) expect_parts(at(weights[i], "parts"), {&parts[i], 1});

  std::vector<ServerVariable> optimizer{strategy.create("iteration", Tensor::zeros({Type::int64, {}}))};
  for (const ServerVariable::Part& part : parts)
    for (const char* kind : {"m", "v"})
      optimizer.push_back(ParameterServerStrategy::create_slot(
          fmt::format("{}/{}", kind, part.name.substr(0, part.name.find(':'))), part));
  const auto& slots = value("optimizer").elements();
  ASSERT_EQ(optimizer.size(), slots.size());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    EXPECT_EQ(optimizer[i].parts()[0].name, slots[i].elements()[0].string());
    EXPECT_EQ(optimizer[i].parts()[0].device, slots[i].elements()[1].string()) << optimizer[i].name();
  }
}

// ---- Sharded variables

WT_FAMILY(Sharded, "sharded");

TEST_P(Sharded, ST24_AreReadAndAssignedAsOneVariable) {
  const std::map<std::string, Tensor> theirs = tensors();
  const auto expect_same = [&](const Tensor& ours, const std::string& name) {
    ASSERT_EQ(ours.spec().shape, theirs.at(name).spec().shape) << name;
    EXPECT_LE(relative_difference(ours, theirs.at(name)), 1e-6) << name;
  };
  ParameterServerStrategy strategy({1, 2}, model::partition_by(model::FixedShardsPartitioner{3}));
  ServerVariable v = strategy.create("table", theirs.at("value"));
  expect_described(value("variable"), v);
  expect_same(v.value(), "converted");
  expect_same(v.look_up({0, 9, 3, 4, 3, 7}), "lookup");
  expect_same(v.slice(2, 7), "slice");
  expect_same(v.slice(1, 9, 3), "slice_step");
  expect_same(v.slice(-3), "slice_negative");
  // TensorFlow 2.15 returns row 7 for v[4], the first row of the last shard.
  if (GetParam().starts_with("keras3")) expect_same(v.slice(4, 5).reshaped({4}), "row");
  EXPECT_EQ(sentence_of([&] { v.look_up({10}); }), sentence("lookup_outside"));

  const auto filled = [](float number, const Shape& shape) {
    return Tensor::of<float>(shape, std::vector<float>(static_cast<std::size_t>(shape.elements()), number));
  };
  Tensor doubled = theirs.at("value").copy();
  for (float& number : doubled.values<float>()) number *= 2;
  v.assign(doubled);
  expect_same(v.value(), "assigned");
  v.assign_add(filled(1, {10, 4}));
  expect_same(v.value(), "added");
  v.assign_sub(filled(3, {10, 4}));
  expect_same(v.value(), "subtracted");
  v.scatter_add({0, 5, 9}, filled(1, {3, 4}));
  expect_same(v.value(), "scattered");
  EXPECT_EQ(sentence_of([&] { v.assign(filled(1, {9, 4})); }), sentence("wrong_shape"));
  expect_described(
      at(at(at(case_, "errors"), "from_tensor"), "returned").kind() == json::Kind::string
          ? value("initializer_variable")
          : value("variable"),
      [&] {
        ParameterServerStrategy other({1, 2}, model::partition_by(model::FixedShardsPartitioner{3}));
        ServerVariable made = other.create("Variable", theirs.at("value"));
        std::vector<ServerVariable::Part> parts = made.parts();
        for (ServerVariable::Part& part : parts) part.name = "Variable:0";
        return ServerVariable(made.name(), made.spec(), parts);
      }());
}

// A traced step uses the variable as a whole in a product, and looks up rows. The library has one gradient for
// the whole variable, whose rows are compared with the gradients that TensorFlow returns for each shard.
TEST_P(Sharded, ST24_AreOneVariableInAStep) {
  const std::map<std::string, Tensor> theirs = tensors();
  ParameterServerStrategy strategy({1, 2}, model::partition_by(model::FixedShardsPartitioner{3}));
  test::Machine machine(strategy.lowering(), {});
  ClusterCoordinator coordinator(strategy);
  State state(1);
  state.preset({{"table", theirs.at("value")}});
  Function step("step", state, machine, Function::Mode::training,
                [](Building& building, const Symbols& arguments) {
                  const Symbol table = building.weight({"table", {Type::float32, {10, 4}}, {}, {}, {}});
                  const Symbol rows = embedding(arguments[0], table);
                  const Symbol ones = fill(building.trace(), {Type::float32, {2, 10}}, 1.0);
                  return Symbols{matmul(ones, table),
                                 building.trace().gradient(reduce_sum(rows * rows), {{table}}).front()};
                });
  const RemoteValue value = coordinator.schedule(step, {Tensor::of<std::int32_t>({6}, {0, 9, 3, 4, 3, 7})});
  EXPECT_LE(relative_difference(value.fetch()[0], theirs.at("matmul")), 1e-5);
  std::int64_t row = 0;
  for (const char* part : {"gradient/0", "gradient/1", "gradient/2"}) {
    const std::int64_t end = row + theirs.at(part).shape()[0];
    EXPECT_LE(relative_difference(value.fetch()[1].rows(row, end).copy(), theirs.at(part)), 1e-5) << part;
    row = end;
  }
  EXPECT_EQ(row, 10);
}

// ---- The coordinator

WT_FAMILY(Coordinator, "coordinator");

TEST_P(Coordinator, ST21_SchedulesJoinsAndFetches) {
  ParameterServerStrategy strategy({2, 1});
  test::Machine machine(strategy.lowering(), {});
  ClusterCoordinator coordinator(strategy);
  State state(1);
  Function add_one("add_one", state, machine, Function::Mode::training,
                   [](Building& building, const Symbols& arguments) {
                     const Symbol total = building.weight({"total", {Type::float32, {}}, {}, {}, {}});
                     building.update(total, total + arguments[0]);
                     return Symbols{arguments[0] * 2.0};
                   });
  state.preset({{"total", Tensor::zeros({Type::float32, {}})}});
  std::vector<RemoteValue> values;
  for (int i = 0; i < 20; ++i)
    values.push_back(coordinator.schedule(add_one, {Tensor::of<float>({}, {static_cast<float>(i)})}));
  coordinator.join();
  EXPECT_EQ(coordinator.done(), value("done").boolean());
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(values[i].fetch()[0].values<float>()[0], value("values").elements()[i].real());
  EXPECT_EQ(state.read("total").values<float>()[0], value("total").real());
  EXPECT_EQ(fmt::format("{:.1f}", values[2].get()[0].values<float>()[0]),
            at(at(at(case_, "errors"), "get"), "returned").string());
  EXPECT_EQ(&coordinator.strategy(), &strategy);
  EXPECT_EQ(sentence_of([&] { coordinator.schedule(add_one, {values[0]}); }), sentence("remote_argument"));
  EXPECT_EQ(strategy.worker_devices()[0], value("worker_devices").elements()[0].string());
  EXPECT_EQ(fmt::format("['{}']", strategy.parameter_devices()[0]),
            at(at(at(case_, "errors"), "parameter_devices"), "returned").string());
}

WT_FAMILY(Raising, "raising");

TEST_P(Raising, ST22_AnErrorReachesTheProgramOnce) {
  ParameterServerStrategy strategy({config("workers").integer(), 1});
  ClusterCoordinator coordinator(strategy);
  float v = 0;
  const auto good = [&](std::int64_t) {
    v += 1;
    return std::vector{Tensor::of<float>({}, {v})};
  };
  const bool is_end = config("kind").string() == "end";
  const PerWorkerIterator nothing =
      coordinator.create_per_worker_dataset([] { return counted(0); }).iterate();
  State state(1);
  test::Machine machine(strategy.lowering(), {});
  Function next("next", state, machine, Function::Mode::training,
                [](Building&, const Symbols& arguments) { return Symbols{arguments[0] * 1.0}; });
  const auto bad = [&] {
    if (is_end) return coordinator.schedule(next, {nothing});
    return coordinator.schedule(
        [&](std::int64_t) -> std::vector<Tensor> { throw device::OpError(sentence("bad_fetch")); });
  };
  const RemoteValue first = coordinator.schedule(good);
  coordinator.join();
  EXPECT_EQ(first.fetch()[0].values<float>()[0], value("first").real());
  const RemoteValue wrong = bad();
  EXPECT_EQ(sentence_of([&] { coordinator.schedule(good); }), sentence("schedule_after"));
  EXPECT_EQ(sentence_of([&] { coordinator.join(); }), sentence("join"));
  EXPECT_EQ(sentence_of([&] { coordinator.join(); }), sentence("join_again"));
  EXPECT_EQ(coordinator.done() ? "True" : "False", at(at(at(case_, "errors"), "done"), "returned").string());
  EXPECT_EQ(sentence_of([&] { wrong.fetch(); }), sentence("bad_fetch"));
  EXPECT_GT(coordinator.schedule(good).fetch()[0].values<float>()[0], 0);
  EXPECT_EQ(sentence_of([&] { coordinator.join(); }), sentence("join_last"));
}

WT_FAMILY(Datasets, "datasets");

TEST_P(Datasets, ST21_EveryWorkerHasItsOwn) {
  const bool is_batched = config("form").string() != "function";
  ParameterServerStrategy strategy({config("workers").integer(), 1});
  test::Machine machine(strategy.lowering(), {});
  ClusterCoordinator coordinator(strategy);
  State state(1);
  Function take("take", state, machine, Function::Mode::training, [&](Building&, const Symbols& arguments) {
    return Symbols{is_batched ? reduce_sum(arguments[0]) : reshape(arguments[0], {})};
  });
  PerWorkerDataset rows =
      coordinator.create_per_worker_dataset([&] { return is_batched ? counted(6).batch(2) : counted(5); });
  const PerWorkerIterator iterator = rows.iterate();
  EXPECT_EQ(rows.element_spec().front().extents.empty(),
            at(at(at(case_, "errors"), "element_spec"), "returned").string().find("shape=()") !=
                std::string_view::npos);
  std::vector<RemoteValue> values;
  for (int i = 0; i < 3; ++i) values.push_back(coordinator.schedule(take, {iterator}));
  coordinator.join();
  std::string text;
  for (const RemoteValue& each : values)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", each.fetch()[0].values<std::int64_t>()[0]);
  if (strategy.workers() == 1) {
    EXPECT_EQ("[" + text + "]", at(at(at(case_, "errors"), "three"), "returned").string());
  }
  EXPECT_EQ(sentence_of([&] {
              for (int i = 0; i < 12; ++i) coordinator.schedule(take, {iterator});
              coordinator.join();
            }),
            sentence("too_many"));
  EXPECT_EQ(sentence_of([&] {
              coordinator.schedule(take, {rows.iterate()});
              coordinator.join();
            }),
            sentence("again"));
  EXPECT_EQ(sentence_of([&] {
              coordinator.create_per_worker_dataset([&] {
                strategy.create("v", Tensor::zeros({Type::float32, {}}));
                return counted(3);
              });
            }),
            sentence("variable_inside"));
  EXPECT_EQ(sentence_of([&] { iterator.next(); }), sentence("outside"));
}

// Each of two workers counts for itself.
TEST(Coordinators, ST21_WorkersTakeClosuresInTurn) {
  ParameterServerStrategy strategy({2, 1});
  ClusterCoordinator coordinator(strategy);
  std::vector<std::int64_t> workers;
  for (int i = 0; i < 5; ++i)
    coordinator.schedule([&](std::int64_t worker) {
      workers.push_back(worker);
      return std::vector<Tensor>{};
    });
  EXPECT_EQ(workers, (std::vector<std::int64_t>{0, 1, 0, 1, 0}));
}

TEST(Coordinators, C2_NeedsWorkersAndServers) {
  EXPECT_EQ(sentence_of([] { ParameterServerStrategy({0, 1}); }), "There must be at least one worker.");
  EXPECT_EQ(sentence_of([] { ParameterServerStrategy({1, 0}); }), "There must be at least one ps.");
}

// ---- Trainings

WT_FAMILY(Training, "train_");

// The recorded loop: the mean of three looked-up rows, a product, a softmax, and an optimizer.
TEST_P(Training, P27_ClosuresOneAtATimeGiveTheNumbersOfTensorFlow) {
  const std::map<std::string, Tensor> theirs = tensors();
  ParameterServerStrategy strategy({1, config("ps").integer()}, partition());
  test::Machine machine(strategy.lowering(), {});
  ClusterCoordinator coordinator(strategy);
  model::Optimizer optimizer = model::optimizer_named(config("optimizer").string());
  const std::int64_t batch = config("batch").integer();
  State state(1);
  state.preset({{"embed", theirs.at("initial/embed")}, {"w", theirs.at("initial/w")}});
  Function step(
      "step", state, machine, Function::Mode::training, [&](Building& building, const Symbols& arguments) {
        const Symbol e = building.weight({"embed", {Type::float32, {10, 4}}, {}, {}, {}});
        const Symbol w = building.weight({"w", {Type::float32, {4, 3}}, {}, {}, {}});
        const Symbol mean = reduce_mean(embedding(arguments[0], e), {1});
        const Symbol loss = reduce_sum(sparse_softmax_cross_entropy(matmul(mean, w), arguments[1])) /
                            static_cast<double>(batch);
        const Symbol rate = fill(building.trace(), {Type::float32, {}}, 0.1);
        model::apply_gradients(building, optimizer, {e, w}, building.trace().gradient(loss, {{e, w}}), rate);
        return Symbols{loss};
      });
  const PerWorkerIterator batches =
      coordinator
          .create_per_worker_dataset([&] {
            return data::Dataset::from_tensor_slices({theirs.at("x"), theirs.at("y")}).batch(batch).repeat();
          })
          .iterate();
  const auto losses = theirs.at("losses").values<float>();
  for (const float loss : losses)
    EXPECT_LE(relative_difference(
                  static_cast<double>(coordinator.schedule(step, {batches}).fetch()[0].values<float>()[0]),
                  static_cast<double>(loss)),
              1e-5);
  coordinator.join();
  EXPECT_LE(relative_difference(state.read("embed"), theirs.at("final/embed")), 1e-4);
  EXPECT_LE(relative_difference(state.read("w"), theirs.at("final/w")), 1e-4);
  EXPECT_EQ(state.read(model::iteration_name(optimizer)).values<std::int64_t>()[0],
            value("iterations").integer());
}

class Fit : public Case {};
INSTANTIATE_TEST_SUITE_P(Servers, Fit, testing::Values("keras2/servers_fit_0", "keras2/servers_fit_2"),
                         name_of);

TEST_P(Fit, ST20_KerasTrainsUnderTheStrategy) {
  std::map<std::string, Tensor> initial, final;
  for (const auto& [name, tensor] : tensors()) {  // "initial/00/a/kernel"
    if (name.starts_with("initial/")) initial[name.substr(11)] = tensor;
    if (name.starts_with("final/")) final[name.substr(9)] = tensor;
  }
  ParameterServerStrategy strategy({1, 2});
  test::Machine machine(strategy.lowering(), {});
  State state(1);
  state.preset(initial);
  Model model(model::model_from_json(at(case_, "model")), state, machine);
  model::Optimizer sgd = model::optimizer_named("SGD");
  sgd.learning_rate = 0.1;
  model.compile(
      {.loss = model::loss_named("mse"), .optimizer = sgd, .metrics = {model::metric_named("mae")}});
  const data::Dataset rows =
      data::Dataset::from_tensor_slices({tensors().at("x"), tensors().at("y")}).batch(6).repeat();
  const std::vector<EpochResult> history = model.fit(rows, {.epochs = 3, .steps_per_epoch = 4});
  const auto& losses = at(value("history"), "loss").elements();
  const auto& errors = at(value("history"), "mae").elements();
  ASSERT_EQ(history.size(), losses.size());
  for (std::size_t i = 0; i < history.size(); ++i) {
    EXPECT_LE(relative_difference(history[i].loss, losses[i].real()), 1e-5) << i;
    EXPECT_LE(relative_difference(history[i].metrics.at(0).value, errors[i].real()), 1e-5) << i;
  }
  for (const auto& [name, tensor] : final)
    EXPECT_LE(relative_difference(state.read(name), tensor), 1e-4) << name;

  const auto returned = [&](std::string_view call) {
    return json::parse(std::string(at(at(at(case_, "errors"), call), "returned").string()),
                       std::string(call));
  };
  // The recorded program evaluates four batches and predicts one.
  const EpochResult evaluated = model.evaluate(rows.take(4));
  const json::Value evaluation = returned("evaluate");
  EXPECT_LE(relative_difference(evaluated.loss, evaluation.elements()[0].real()), 1e-5);
  EXPECT_LE(relative_difference(evaluated.metrics.at(0).value, evaluation.elements()[1].real()), 1e-5);

  std::vector<float> outputs;
  const json::Value prediction = returned("predict");
  for (const json::Value& row : prediction.elements())
    for (const json::Value& output : row.elements()) outputs.push_back(static_cast<float>(output.real()));
  const Tensor ours =
      model.predict(data::Dataset::from_tensor_slices({tensors().at("x")}).batch(6).repeat().take(1));
  EXPECT_LE(relative_difference(ours, Tensor::of<float>({std::ssize(prediction.elements()), 2}, outputs)),
            1e-5);
}

}  // namespace
}  // namespace wt::train
