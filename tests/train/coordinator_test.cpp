// Claims: what TensorFlow's ClusterCoordinator did in recorded programs, it does here: which values closures
// return, which error reaches the program and when, what each worker's dataset holds, and what fetch returns
// for structures. Recordings: tests/train/servers.
//
// What TensorFlow's operations raise in a closure (assert_less, check_numerics, gather) is raised here by the
// closure itself, so those recordings test which calls of the program the error reaches.

#include <stdexcept>

#include "train/distributed/extended.h"

#include "train/server_recordings.h"

namespace wt::train {
namespace {

std::vector<Tensor> one_number(float number) { return {Tensor::of<float>({}, {number})}; }
float number_of(const Tensor& tensor) { return tensor.values<float>()[0]; }

WT_FAMILY(Coordinator, "coordinator");

TEST_P(Coordinator, ST21_SchedulesJoinsAndFetches) {
  ParameterServerStrategy strategy({2, 1});
  test::Machine machine(strategy);
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
  EXPECT_EQ(coordinator.done(), theirs_.value("done").boolean());
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(number_of(values[i].fetch()[0]), theirs_.value("values").elements()[i].real());
  EXPECT_EQ(number_of(state.read("total")), theirs_.value("total").real());
  EXPECT_EQ(fmt::format("{:.1f}", number_of(values[2].get()[0])), theirs_.returned("get"));
  EXPECT_EQ(&coordinator.strategy(), &strategy);
  expect_as_recorded("remote_argument", [&] { coordinator.schedule(add_one, {values[0]}); });
  EXPECT_EQ(strategy.extended().worker_devices()[0], theirs_.value("worker_devices").elements()[0].string());
  EXPECT_EQ(fmt::format("['{}']", strategy.extended().parameter_devices()[0]),
            theirs_.returned("parameter_devices"));
}

// `ClusterCoordinator(strategy) is coordinator` in Python.
TEST_P(Coordinator, ST21_AStrategyHasOneCoordinator) {
  ParameterServerStrategy strategy({2, 1});
  ClusterCoordinator first(strategy), second(strategy);
  std::vector<std::int64_t> workers;
  const auto closure = [&](std::int64_t worker) {
    workers.push_back(worker);
    return std::vector<Tensor>{};
  };
  for (int i = 0; i < 2; ++i) {
    first.schedule(closure);
    second.schedule(closure);
  }
  EXPECT_EQ(workers == (std::vector<std::int64_t>{0, 1, 0, 1}), theirs_.value("same").boolean());
  first.schedule([](std::int64_t) -> std::vector<Tensor> { throw InvalidArgumentError("wrong"); });
  EXPECT_EQ(thrown_by([&] { second.join(); }).sentence, "wrong");
  first.join();
}

// The recorded structure: a value, a list with a number beside a value, and a word.
TEST_P(Coordinator, ST21_FetchesStructures) {
  ParameterServerStrategy strategy({2, 1});
  ClusterCoordinator coordinator(strategy);
  std::vector<RemoteValue> values;
  for (int i = 0; i < 20; ++i)
    values.push_back(
        coordinator.schedule([&](std::int64_t) { return one_number(2.0F * static_cast<float>(i)); }));
  using Item = std::variant<RemoteValue, std::int64_t, std::string>;
  using Entry = std::variant<RemoteValue, std::vector<Item>, std::string>;
  const std::map<std::string, Entry> structure{
      {"a", values[3]}, {"b", std::vector<Item>{1, values[4]}}, {"c", std::string("word")}};
  const auto fetched = coordinator.fetch(structure);
  const json::Value& theirs = theirs_.value("fetched");
  EXPECT_EQ(number_of(std::get<0>(fetched.at("a"))[0]), at(theirs, "a").real());
  const auto& list = std::get<1>(fetched.at("b"));
  EXPECT_EQ(std::get<1>(list[0]), at(theirs, "b").elements()[0].integer());
  EXPECT_EQ(number_of(std::get<0>(list[1])[0]), at(theirs, "b").elements()[1].real());
  EXPECT_EQ(std::get<2>(fetched.at("c")), at(theirs, "c").string());
}

WT_FAMILY(Structures, "fetch_structures");

// Each closure returns x, 2x and 3x.
TEST_P(Structures, ST21_VectorsAndMapsKeepTheirStructure) {
  ParameterServerStrategy strategy({2, 1});
  ClusterCoordinator coordinator(strategy);
  std::vector<RemoteValue> values;
  for (const float x : {0.0F, 1.0F, 2.0F})
    values.push_back(coordinator.schedule([x](std::int64_t) {
      return std::vector<Tensor>{one_number(x)[0], one_number(2 * x)[0], one_number(3 * x)[0]};
    }));
  const auto expect_results = [](const std::vector<Tensor>& ours, const json::Value& theirs) {
    EXPECT_EQ(number_of(ours[0]), theirs.elements()[0].real());
    EXPECT_EQ(number_of(ours[1]), at(theirs.elements()[1], "twice").real());
    EXPECT_EQ(number_of(ours[2]), at(theirs.elements()[1], "list").elements()[0].real());
  };
  expect_results(coordinator.fetch(values[1]), theirs_.value("one"));
  const std::vector<std::vector<Tensor>> list = coordinator.fetch(values);
  ASSERT_EQ(list.size(), 3U);
  for (std::size_t i = 0; i < list.size(); ++i) expect_results(list[i], theirs_.value("list").elements()[i]);
  const std::map<std::string, std::vector<RemoteValue>> nested{{"a", {values[0]}}, {"b", {values[2]}}};
  const auto map = coordinator.fetch(nested);
  expect_results(map.at("a")[0], at(theirs_.value("map"), "a"));
  expect_results(map.at("b")[0], at(at(theirs_.value("map"), "b"), "c").elements()[0]);
  EXPECT_TRUE(coordinator.fetch(std::vector<RemoteValue>{}).empty());
  EXPECT_EQ(coordinator.fetch(std::vector<std::string>{"x"}), (std::vector<std::string>{"x"}));

  values.push_back(coordinator.schedule([&](std::int64_t) -> std::vector<Tensor> {
    throw InvalidArgumentError(theirs_.thrown("fetch_bad").sentence);
  }));
  expect_as_recorded("fetch_bad", [&] { coordinator.fetch(values); });
  expect_as_recorded("after", [&] { coordinator.join(); });
}

// ---- Errors

// What the closures of these recordings throw.
[[noreturn]] void fail(const std::string& type, const std::string& sentence) {
  if (type == "UnknownError") throw std::out_of_range(sentence);  // an exception of the program's own
  throw InvalidArgumentError(sentence);
}

WT_FAMILY(Raising, "raising");

TEST_P(Raising, ST22_AnErrorReachesTheProgramOnce) {
  ParameterServerStrategy strategy({theirs_.config("workers").integer(), 1});
  ClusterCoordinator coordinator(strategy);
  float v = 0;
  const auto good = [&](std::int64_t) { return one_number(v += 1); };
  const bool is_end = theirs_.config("kind").string() == "end";
  const PerWorkerIterator nothing = coordinator.create_per_worker_dataset(counted(0)).iterate();
  State state(1);
  test::Machine machine(strategy);
  Function next("next", state, machine, Function::Mode::training,
                [](Building&, const Symbols& arguments) { return Symbols{arguments[0] * 1.0}; });
  const auto bad = [&] {
    if (is_end) return coordinator.schedule(next, {nothing});
    return coordinator.schedule([&](std::int64_t) -> std::vector<Tensor> {
      fail(theirs_.thrown("bad_fetch").type, theirs_.thrown("bad_fetch").sentence);
    });
  };
  const RemoteValue first = coordinator.schedule(good);
  coordinator.join();
  EXPECT_EQ(number_of(first.fetch()[0]), theirs_.value("first").real());
  const RemoteValue wrong = bad();
  expect_as_recorded("schedule_after", [&] { coordinator.schedule(good); });
  expect_as_recorded("join", [&] { coordinator.join(); });
  expect_as_recorded("join_again", [&] { coordinator.join(); });
  EXPECT_EQ(coordinator.done() ? "True" : "False", theirs_.returned("done"));
  expect_as_recorded("bad_fetch", [&] { wrong.fetch(); });
  EXPECT_GT(number_of(coordinator.schedule(good).fetch()[0]), 0);
  expect_as_recorded("join_last", [&] { coordinator.join(); });
}

WT_FAMILY(Cancelled, "cancelled");

// One call schedules a closure that fails, three others, and joins.
TEST_P(Cancelled, ST22_NothingIsScheduledAfterAnErrorUntilItWasThrown) {
  ParameterServerStrategy strategy({1, 1});
  ClusterCoordinator coordinator(strategy);
  std::vector<RemoteValue> values;
  expect_as_recorded("all", [&] {
    values.push_back(coordinator.schedule([&](std::int64_t) -> std::vector<Tensor> {
      throw InvalidArgumentError(theirs_.thrown("all").sentence);
    }));
    for (int i = 0; i < 3; ++i)
      values.push_back(coordinator.schedule([](std::int64_t) { return one_number(1); }));
    coordinator.join();
  });
  ASSERT_EQ(values.size(), 1U);
  EXPECT_FALSE(theirs_.has_call("value1"));
  expect_as_recorded("value0", [&] { values[0].fetch(); });
}

// ---- Datasets

WT_FAMILY(Datasets, "datasets");

TEST_P(Datasets, ST21_EveryWorkerHasItsOwn) {
  const std::string_view form = theirs_.config("form").string();
  const bool is_batched = form.starts_with("distributed");
  ParameterServerStrategy strategy({theirs_.config("workers").integer(), 1});
  test::Machine machine(strategy);
  ClusterCoordinator coordinator(strategy);
  State state(1);
  Function take("take", state, machine, Function::Mode::training, [&](Building&, const Symbols& arguments) {
    return Symbols{is_batched ? reduce_sum(arguments[0]) : reshape(arguments[0], {})};
  });
  const auto make = [&] { return is_batched ? counted(6).batch(2) : counted(5); };
  PerWorkerDataset rows = form == "dataset" ? coordinator.create_per_worker_dataset(make())
                                            : coordinator.create_per_worker_dataset(make);
  const PerWorkerIterator iterator = rows.iterate();
  EXPECT_EQ(rows.element_spec().front().extents.empty(),
            theirs_.returned("element_spec").find("shape=()") != std::string::npos);
  std::vector<RemoteValue> values;
  for (int i = 0; i < 3; ++i) values.push_back(coordinator.schedule(take, {iterator}));
  coordinator.join();
  std::string text;
  for (const RemoteValue& each : values)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", each.fetch()[0].values<std::int64_t>()[0]);
  if (strategy.workers() == 1) {
    EXPECT_EQ("[" + text + "]", theirs_.returned("three"));
  }
  expect_as_recorded("too_many", [&] {
    for (int i = 0; i < 12; ++i) coordinator.schedule(take, {iterator});
    coordinator.join();
  });
  expect_as_recorded("again", [&] {
    coordinator.schedule(take, {rows.iterate()});
    coordinator.join();
  });
  expect_as_recorded("variable_inside", [&] {
    coordinator.create_per_worker_dataset([&] {
      strategy.create("v", Tensor::zeros({Type::float32, {}}));
      return counted(3);
    });
  });
  expect_as_recorded("outside", [&] { iterator.next(); });
}

// ---- Workers whose inputs can't be made

// The second of two workers fails, and the first one's closures don't.
TEST(Inputs, ST21_ST22_FailTheClosuresOfTheirWorkerOnly) {
  ParameterServerStrategy strategy({2, 1});
  test::Machine machine(strategy);
  ClusterCoordinator coordinator(strategy);
  State state(1);
  Function take("take", state, machine, Function::Mode::training,
                [](Building&, const Symbols& arguments) { return Symbols{arguments[0] * 1.0}; });
  int made = 0;
  const PerWorkerDataset rows = coordinator.create_per_worker_dataset([&]() -> data::Dataset {
    if (made++ == 1) throw DataLossError("truncated record at 0");
    return counted(5);
  });
  EXPECT_EQ(rows.element_spec().size(), 1U);
  const PerWorkerIterator iterator = rows.iterate();
  const Thrown expected{
      "ClosureInputError",
      "Input has an error, the original exception is DataLossError(), error message is truncated "
      "record at 0."};
  for (int round = 0; round < 2; ++round) {
    const RemoteValue good = coordinator.schedule(take, {iterator});
    EXPECT_EQ(thrown_by([&] { good.fetch(); }), Thrown{});
    const RemoteValue bad = coordinator.schedule(take, {iterator});
    EXPECT_EQ(thrown_by([&] { coordinator.join(); }), expected);
    EXPECT_EQ(thrown_by([&] { bad.fetch(); }), expected);
    coordinator.join();
  }
}

// What the program itself throws, and not an operation, ends the call that makes the datasets.
TEST(Inputs, ST21_WhatADatasetFunctionThrowsPassesThrough) {
  ParameterServerStrategy strategy({2, 1});
  ClusterCoordinator coordinator(strategy);
  const auto make = [&](const std::function<void()>& fail) {
    return [&coordinator, fail] {
      coordinator.create_per_worker_dataset([&]() -> data::Dataset {
        fail();
        return counted(3);
      });
    };
  };
  EXPECT_EQ(thrown_by(make([] { throw device::ValueError("no such file"); })),
            (Thrown{"ValueError", "no such file"}));
  EXPECT_THROW(make([] { throw std::out_of_range("row 7"); })(), std::out_of_range);
  coordinator.join();  // nothing is left over
  coordinator.create_per_worker_dataset([&] { return counted(3); });
  strategy.create("v", Tensor::zeros({Type::float32, {}}));  // and variables can be made again
}

TEST(Inputs, ST21_AreNotIteratedInsideOfFunctions) {
  ParameterServerStrategy strategy({1, 1});
  ClusterCoordinator coordinator(strategy);
  const PerWorkerDataset rows = coordinator.create_per_worker_dataset(counted(3));
  const Thrown expected{"RuntimeError",
                        "__iter__() is not supported inside of tf.function or in graph mode."};
  const RemoteValue closure = coordinator.schedule([&](std::int64_t) {
    rows.iterate();
    return std::vector<Tensor>{};
  });
  EXPECT_EQ(thrown_by([&] { closure.fetch(); }), expected);
  EXPECT_EQ(thrown_by([&] { coordinator.done(); }), expected);
  EXPECT_TRUE(coordinator.done());
  rows.iterate();
}

// A worker of several replicas gives their arguments in a closure of its own.
TEST(Inputs, ST21_ADistributedDatasetIsForWorkersOfOneReplica) {
  ParameterServerStrategy strategy({1, 1}, {}, std::vector<device::LogicalDevice>(3));
  ClusterCoordinator coordinator(strategy);
  const data::DistributedDataset rows = strategy.experimental_distribute_dataset(counted(12).batch(6));
  EXPECT_EQ(thrown_by([&] { rows.iterate(); }),
            (Thrown{"ValueError",
                    "To use this dataset, you need to pass this dataset to "
                    "ClusterCoordinator.create_per_worker_dataset."}));
  EXPECT_THROW(coordinator.create_per_worker_dataset(rows), InputError);
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

}  // namespace
}  // namespace wt::train
