// Claims: where TensorFlow's ParameterServerStrategy puts variables, shards and slots, what sharded variables
// hold after each operation, and which clusters it refuses, as recorded under TensorFlow 2.15 (keras2) and 2.21
// (keras3) in tests/train/servers.
//
// Python's own refusals (no attribute `handle`, None as a resolver) have no counterpart in C++.

#include "model/keras_json.h"
#include "model/layers/dense.h"
#include "model/layers/input.h"
#include "model/sequential.h"
#include "model/weights.h"
#include "support/folder.h"
#include "train/checkpoint.h"
#include "train/lookup.h"
#include "train/server_recordings.h"

namespace wt::train {
namespace {

// ---- Partitioners

std::optional<Type> type_of_element(std::string_view name) {
  if (name == "string") return std::nullopt;
  return name == "int8" ? Type::uint8 : type_named(name);  // both have one byte
}

WT_FAMILY(Partitioners, "partitioners");

TEST_P(Partitioners, ST24_CutAsTensorFlowDoes) {
  for (const json::Value& row : theirs_.value("table").elements()) {
    const auto& cells = row.elements();
    std::vector<std::int64_t> theirs;
    for (const json::Value& part : cells[4].elements()) theirs.push_back(part.integer());
    EXPECT_EQ(model::partitions(*partitioner_of(cells[0].string(), cells[1]), shape_of(cells[2]),
                                type_of_element(cells[3].string())),
              theirs)
        << cells[0].string() << " " << row.text();
  }
  for (const json::Member& error : at(theirs_.all(), "errors").members()) {
    const std::string key(error.key);  // "1 MinSizePartitioner {'min_shard_bytes': 0}"
    const std::size_t space = key.find(' '), brace = key.find('{');
    std::string arguments = key.substr(brace);
    std::ranges::replace(arguments, '\'', '"');
    const auto partitioner =
        *partitioner_of(key.substr(space + 1, brace - space - 2), json::parse(arguments, "arguments"));
    expect_as_recorded(key, [&] { model::partitions(partitioner, {4, 4}, Type::float32); });
  }
}

WT_FAMILY(WrongPartition, "wrong_partition");

TEST_P(WrongPartition, ST24_OnlyTheFirstAxisIsCut) {
  ParameterServerStrategy strategy({1, 1}, [](const Shape&, std::optional<Type>) {
    return std::vector<std::int64_t>{1, 2};
  });
  expect_as_recorded("second_axis", [&] { strategy.create("v", Tensor::zeros({Type::float32, {4, 4}})); });
}

// ---- Placement

// The weights and the slots of a small model. Keras 3's variables can't be asked for their device.
void expect_model_placed(const Recording& theirs, ParameterServerStrategy& strategy) {
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
  const auto& weights = theirs.value("layers").elements();
  ASSERT_EQ(parts.size(), weights.size());
  for (std::size_t i = 0; i < parts.size(); ++i) expect_parts(at(weights[i], "parts"), {&parts[i], 1});

  std::vector<ServerVariable> optimizer{strategy.create("iteration", Tensor::zeros({Type::int64, {}}))};
  for (const ServerVariable::Part& part : parts)
    for (const char* kind : {"m", "v"})
      optimizer.push_back(ParameterServerStrategy::create_slot(
          fmt::format("{}/{}", kind, part.name.substr(0, part.name.find(':'))), part));
  const auto& slots = theirs.value("optimizer").elements();
  ASSERT_EQ(optimizer.size(), slots.size());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    EXPECT_EQ(optimizer[i].parts()[0].name, slots[i].elements()[0].string());
    EXPECT_EQ(optimizer[i].parts()[0].device, slots[i].elements()[1].string()) << optimizer[i].name();
  }
}

WT_FAMILY(Placement, "placement");

TEST_P(Placement, ST20_EveryShardAndSlotIsWhereTensorFlowPutsIt) {
  ParameterServerStrategy strategy({theirs_.config("workers").integer(), theirs_.config("ps").integer()},
                                   partition_of(theirs_.config("partitioner")));
  EXPECT_EQ(strategy.num_replicas_in_sync(), at(theirs_.value("strategy"), "num_replicas_in_sync").integer());
  std::vector<ServerVariable> variables;
  for (const json::Value& extents : theirs_.config("shapes").elements()) {
    const Shape shape = shape_of(extents);
    std::vector<float> numbers(static_cast<std::size_t>(shape.elements()));
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
    variables.push_back(
        strategy.create(fmt::format("v{}", variables.size()), Tensor::of<float>(shape, numbers)));
  }
  variables.push_back(strategy.create("counts", Tensor::of<std::int64_t>({3}, {1, 2, 3})));
  variables.push_back(strategy.create("flag", Tensor::zeros({Type::boolean, {}})));
  const auto& theirs = theirs_.value("variables").elements();
  ASSERT_EQ(variables.size(), theirs.size());
  const std::map<std::string, Tensor> numbers = theirs_.tensors();
  for (std::size_t i = 0; i < variables.size(); ++i) {
    expect_described(theirs[i], variables[i]);
    if (i < 7) {
      EXPECT_EQ(relative_difference(variables[i].value(), numbers.at(fmt::format("v{}", i))), 0) << i;
    }
  }
  if (theirs_.has("layers")) expect_model_placed(theirs_, strategy);
}

// ---- Sharded variables

WT_FAMILY(Sharded, "sharded");

TEST_P(Sharded, ST24_AreReadAndAssignedAsOneVariable) {
  const std::map<std::string, Tensor> theirs = theirs_.tensors();
  const auto expect = [&](const Tensor& ours, const std::string& name) {
    expect_same(ours, theirs.at(name), name);
  };
  ParameterServerStrategy strategy({1, 2}, model::partition_by(model::FixedShardsPartitioner{3}));
  ServerVariable v = strategy.create("table", theirs.at("value"));
  expect_described(theirs_.value("variable"), v);
  expect(v.value(), "converted");
  expect(v.look_up({0, 9, 3, 4, 3, 7}), "lookup");
  expect(v.look_up_sparse({{1, 4}, {9}}), "lookup_sparse");
  expect(v.slice(2, 7), "slice");
  expect(v.column(1), "slice_column");
  expect(v.column(-3), "slice_column");
  expect(v.slice(1, 9, 3), "slice_step");
  expect(v.slice(-3), "slice_negative");
  // TensorFlow 2.15 returns row 7 for v[4], the first row of the last shard.
  if (is_keras3()) expect(v.slice(4, 5).reshaped({4}), "row");
  expect_as_recorded("lookup_outside", [&] { v.look_up({10}); });

  Tensor doubled = theirs.at("value").copy();
  for (float& number : doubled.values<float>()) number *= 2;
  const ServerVariable same = v;
  v.assign(doubled);
  expect(same.value(), "assigned");
  v.assign_add(filled(1, {10, 4}));
  expect(v.value(), "added");
  v.assign_sub(filled(3, {10, 4}));
  expect(v.value(), "subtracted");
  v.scatter_add({0, 5, 9}, filled(1, {3, 4}));
  expect(v.value(), "scattered");
  expect_as_recorded("wrong_shape", [&] { v.assign(filled(1, {9, 4})); });
  expect_as_recorded("no_initial_value", [&] { strategy.create("", {Type::float32, {4, 4}}, {}); });
}

// A checkpoint has one entry for the variable, which a variable without shards takes. The recorded program
// has tried to assign 9 rows of ones before, and the first two shards, 7 rows, have taken theirs.
TEST_P(Sharded, ST24_ACheckpointHasOneVariable) {
  const std::map<std::string, Tensor> theirs = theirs_.tensors();
  ParameterServerStrategy strategy({1, 2}, model::partition_by(model::FixedShardsPartitioner{3}));
  const test::TestFolder folder;
  ServerVariable v = strategy.create("table", theirs.at("scattered"));
  EXPECT_THROW(v.assign(filled(1, {9, 4})), InvalidArgumentError);
  const fs::path saved = Checkpoint({{"v", v}}).save(folder.path() / "c");
  State plain(1);
  plain.add({{"v", {Type::float32, {10, 4}}, {}, {}, {}}});
  Checkpoint(plain).restore(saved);
  expect_same(plain.read("v"), theirs.at("restored_plain"), "restored_plain");
}

// An initial value that is a tensor is cut, and a function is called for each shard.
TEST_P(Sharded, ST24_TurnsGoOnOverShardsAndNamesAreThoseOfTheProgram) {
  ParameterServerStrategy strategy({1, 2}, model::partition_by(model::FixedShardsPartitioner{3}));
  strategy.create("table", theirs_.tensors().at("value"));
  std::string described = theirs_.returned("from_tensor");  // a dictionary as Python prints it
  described = described.substr(1, described.size() - 1);
  std::ranges::replace(described, '\'', '"');
  expect_described(json::parse("{" + described, "from_tensor"),
                   strategy.create("from_tensor", filled(1, {4, 4})));
  std::vector<std::int64_t> first_rows;
  const ServerVariable made =
      strategy.create("", {Type::float32, {10, 4}}, [&](const TensorSpec& part, std::int64_t first_row) {
        first_rows.push_back(first_row);
        return filled(1, part.shape);
      });
  expect_described(theirs_.value("initializer_variable"), made);
  EXPECT_EQ(first_rows, (std::vector<std::int64_t>{0, 4, 7}));
}

// A traced step uses the variable as a whole in a product, and looks up rows. The library has one gradient
// for the whole variable, whose rows are compared with the gradients that TensorFlow returns for each shard.
TEST_P(Sharded, ST24_AreOneVariableInAStep) {
  const std::map<std::string, Tensor> theirs = theirs_.tensors();
  ParameterServerStrategy strategy({1, 2}, model::partition_by(model::FixedShardsPartitioner{3}));
  test::Machine machine(strategy);
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

TEST(ServerVariables, ST24_RowsOfALookUpAreCombinedByTheirWeights) {
  ParameterServerStrategy strategy({1, 1});
  const ServerVariable v = strategy.create("v", Tensor::of<float>({3, 1}, {1, 10, 100}));
  using enum ServerVariable::Combiner;
  const std::vector<std::vector<std::int64_t>> ids{{0, 2}, {}, {1}};
  const std::vector<std::vector<float>> weights{{3, 4}, {}, {2}};
  const auto combined = [&](ServerVariable::Combiner combiner) {
    const Tensor rows = v.look_up_sparse(ids, combiner, weights);
    return std::vector<float>(rows.values<float>().begin(), rows.values<float>().end());
  };
  EXPECT_EQ(combined(sum), (std::vector<float>{403, 0, 20}));
  EXPECT_EQ(combined(mean), (std::vector<float>{403.0F / 7, 0, 10}));
  EXPECT_EQ(combined(sqrtn), (std::vector<float>{403.0F / 5, 0, 10}));
}

// ---- Clusters

cluster::ClusterSpec cluster_of(const std::vector<std::pair<std::string, int>>& jobs) {
  std::vector<cluster::Job> all;
  int port = 0;
  const std::map<std::string, int> first{{"worker", 1}, {"ps", 2}, {"boss", 3}, {"chief", 5}};
  for (const auto& [name, tasks] : jobs) {
    std::vector<std::string> addresses;
    port = name == "ps" && jobs.size() == 1 ? 1 : first.at(name);
    for (int i = 0; i < tasks; ++i) addresses.push_back(fmt::format("localhost:{}", port++));
    all.push_back(cluster::job_of(name, addresses));
  }
  return cluster::ClusterSpec(all);
}

WT_FAMILY(Refusals, "refusals");

TEST_P(Refusals, C2_AClusterIsRefusedInTensorFlowsWords) {
  const auto refused = [&](std::string_view key, const std::vector<std::pair<std::string, int>>& jobs) {
    expect_as_recorded(key,
                       [&] { ParameterServerStrategy(cluster::SimpleClusterResolver(cluster_of(jobs))); });
  };
  refused("empty", {});
  refused("no_ps", {{"worker", 1}});
  refused("no_worker", {{"ps", 1}});
  refused("other_job", {{"worker", 1}, {"ps", 1}, {"boss", 1}});
  refused("two_chiefs", {{"chief", 2}, {"worker", 1}, {"ps", 1}});
  const ParameterServerStrategy made(
      cluster::SimpleClusterResolver(cluster_of({{"chief", 1}, {"worker", 3}, {"ps", 2}})));
  EXPECT_EQ(made.workers(), 3);
  EXPECT_EQ(made.servers(), 2);
}

// run and reduce work on the coordinator, too.
TEST_P(Refusals, ST20_TheStrategyRunsAndReducesOutsideOfClosures) {
  ParameterServerStrategy strategy({1, 1});
  test::Machine machine(strategy);
  State state(1);
  state.preset({{"v", Tensor::of<float>({}, {1})}});
  Function add("add", state, machine, Function::Mode::training, [](Building& building, const Symbols&) {
    return Symbols{building.weight({"v", {Type::float32, {}}, {}, {}, {}}) + 1.0};
  });
  const Values values = experimental_local_results(strategy.run(add, {{}}));
  EXPECT_EQ(fmt::format("{:.1f}", values[0].values<float>()[0]), theirs_.returned("run_outside"));
  const Tensor sum = strategy.reduce(ReduceOp::sum, values);
  EXPECT_EQ(fmt::format("{:.1f}", sum.values<float>()[0]), theirs_.returned("reduce_outside"));
  EXPECT_EQ(strategy.gather({Tensor::of<float>({1}, {1})}, 0).values<float>()[0], 1);
}

TEST(Servers, C1_TheClusterIsThatOfTheEnvironment) {
  const cluster::TFConfigClusterResolver resolver(cluster::parse_tf_config(
      R"({"cluster": {"chief": ["a:1"], "worker": ["b:1", "c:1"], "ps": ["d:1"]}, "task": {"type": "chief", "index": 0}})"));
  const ParameterServerStrategy strategy(resolver);
  EXPECT_EQ(strategy.workers(), 2);
  EXPECT_EQ(strategy.servers(), 1);
  const cluster::SimpleClusterResolver wrong(cluster_of({{"worker", 1}, {"ps", 1}}),
                                             {.task_type = "chief", .task_id = 0});
  EXPECT_EQ(thrown_by([&] { ParameterServerStrategy made(wrong); }).sentence,
            "`task_type` 'chief' not found in cluster_spec.");
}

TEST(Servers, C2_CountsAreCheckedAsAClusterIs) {
  EXPECT_EQ(thrown_by([] {
              ParameterServerStrategy({0, 1});
            }).sentence,
            "There must be at least one worker.");
  EXPECT_EQ(thrown_by([] { ParameterServerStrategy({1, 0}); }).sentence, "There must be at least one ps.");
}

// ---- Version 1

class Version1 : public Case {};
INSTANTIATE_TEST_SUITE_P(Servers, Version1, testing::Values("keras2/servers_v1", "keras3/servers_v1"),
                         name_of_case);

TEST_P(Version1, ST19_RefusesProgramsWithALoopOfTheirOwn) {
  const ParameterServerStrategyV1 strategy;
  EXPECT_EQ(fmt::format("{}", strategy.num_replicas_in_sync()), theirs_.returned("no_cluster"));
  test::Machine machine;
  State state(1);
  Function one("one", state, machine, Function::Mode::inference, [](Building& building, const Symbols&) {
    return Symbols{fill(building.trace(), {Type::float32, {}}, 1.0)};
  });
  expect_as_recorded("run", [&] { strategy.run(one, {{}}); });
  expect_as_recorded("scope", [&] { const auto scope = strategy.scope(); });
  expect_as_recorded("no_ps", [&] {
    ParameterServerStrategyV1(
        cluster::SimpleClusterResolver(cluster_of({{"worker", 1}}), {.task_type = "worker", .task_id = 0}));
  });
  ParameterServerStrategyV1(cluster::SimpleClusterResolver(cluster_of({{"worker", 1}, {"ps", 1}})));
}

// ---- Tables

WT_FAMILY(Tables, "table");

TEST_P(Tables, ST21_AStaticTableIsLookedUpByEachWorker) {
  ParameterServerStrategy strategy({2, 1});
  ClusterCoordinator coordinator(strategy);
  const StaticHashTable<std::string, std::int32_t> table({{"a", 1}, {"b", 2}}, -1);
  for (const json::Value& theirs : theirs_.value("looked_up").elements()) {
    const RemoteValue value = coordinator.schedule([&](std::int64_t) {
      return std::vector<Tensor>{table.look_up({"a", "b", "z"})};
    });
    std::vector<std::int32_t> expected;
    for (const json::Value& number : theirs.elements())
      expected.push_back(static_cast<std::int32_t>(number.integer()));
    const auto ours = value.fetch()[0].values<std::int32_t>();
    EXPECT_EQ(std::vector<std::int32_t>(ours.begin(), ours.end()), expected);
  }
}

}  // namespace
}  // namespace wt::train
