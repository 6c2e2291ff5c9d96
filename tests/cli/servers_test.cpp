// Claims: a user gets from a scenario to a training with parameter servers, in time and in numbers. One
// worker computes what one device does; servers can send no more than their links carry; what can't be is
// refused.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "cli/scenario_runs.h"
#include "support/pinned_isa.h"

namespace wt {
namespace {

// Two workers with a GPU each, a server and a coordinator.
constexpr std::string_view two_workers = R"({
  "name": "servers",
  "platform": {"file": "gce_n1_k80", "set": {"machines": 13}},
  "cluster": {"worker": 2, "ps": 1, "chief": 1},
  "strategy": {"type": "parameter_server"},
  "devices": {"visible": ["GPU:0"]},
  "model": "mlp",
  "dataset": {"type": "synthetic", "rows": 256, "repeat": -1},
  "training": {"loss": "sparse_categorical_crossentropy", "optimizer": "adam", "per_replica_batch": 8, "steps": 12},
  "seed": 3
})";

std::string cluster(int workers, int servers) {
  return fmt::format(R"(cluster={{"worker": {}, "ps": {}, "chief": 1}})", workers, servers);
}

class Servers : public test::ScenarioRuns {
 protected:
  std::vector<double> losses(const std::string& out, const std::vector<std::string>& overrides) const {
    const test::Said said = run_text(two_workers, out, overrides);
    EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
    std::vector<double> all;
    const json::Value found = results(out);
    for (const json::Value& step : found.find("steps")->elements())
      all.push_back(test::number_at(step, {"loss"}));
    return all;
  }
  json::Value pool(const std::string& out, const std::vector<std::string>& overrides) const {
    const test::Said said = run_text(two_workers, out, overrides);
    EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
    return *results(out).find("simulated")->find("pool");
  }
  std::string refusal(const std::vector<std::string>& overrides) const {
    const test::Said said = run_text(two_workers, "refused", overrides);
    EXPECT_EQ(said.exit, cli::Exit::input_wrong);
    return said.messages;
  }
};

TEST_F(Servers, ST20_OneWorkerComputesWhatOneDeviceDoes) {
  const test::PinnedIsa pinned;
  for (const char* optimizer : {"sgd", "adam", "rmsprop"}) {
    const std::string chosen = fmt::format("training.optimizer={}", optimizer);
    const std::vector<double> alone = losses("alone", {R"(strategy={"type": "one_device"})", chosen});
    for (const int servers : {1, 2, 3})
      EXPECT_EQ(losses("one", {cluster(1, servers), chosen}), alone) << optimizer << ", " << servers;
  }
}

// Shards are rows of the same numbers, whatever the optimizer keeps beside them. Twenty shards are more than a
// bias of ten classes has rows, and 9 x 8 more than one concatenation takes.
TEST_F(Servers, ST24_ShardsTrainToTheNumbersOfWholeVariables) {
  const test::PinnedIsa pinned;
  for (const char* optimizer : {"sgd", "adam", "rmsprop"}) {
    const std::string chosen = fmt::format("training.optimizer={}", optimizer);
    const std::vector<double> whole = losses("whole", {cluster(1, 2), chosen});
    for (const char* partitioner :
         {R"({"fixed_shards": 2})", R"({"fixed_shards": 20})", R"({"fixed_shards": 72})",
          R"({"min_size": "1 KB", "max_shards": 4})", R"({"max_size": "4 KB"})"})
      EXPECT_EQ(losses("shards",
                       {cluster(1, 2), chosen, fmt::format("strategy.variable_partitioner={}", partitioner)}),
                whole)
          << optimizer << ", " << partitioner;
  }
}

// Ids in [0, 50) that repeat within a batch; 13 shards have 4 or 3 rows.
TEST_F(Servers, ST24_LookUpsAtTheServersTrainToTheNumbersOfOneDevice) {
  const test::PinnedIsa pinned;
  const std::filesystem::path model =
      base_.write("table.json", R"({"class_name": "Sequential", "config": {"name": "recommender", "layers": [
    {"class_name": "InputLayer", "config": {"batch_input_shape": [null, 3], "dtype": "int32", "name": "ids"}},
    {"class_name": "Embedding", "config": {"name": "table", "input_dim": 50, "output_dim": 4}},
    {"class_name": "Flatten", "config": {"name": "flat"}},
    {"class_name": "Dense", "config": {"name": "dense", "units": 10, "activation": "softmax"}}]}})");
  const auto trained = [&](const std::string& strategy, const std::string& semantics, const char* optimizer) {
    return losses("table", {fmt::format(R"(model={{"keras_json": "{}"}})", model.string()), cluster(1, 2),
                            fmt::format("strategy={}", strategy), fmt::format("semantics={}", semantics),
                            fmt::format("training.optimizer={}", optimizer)});
  };
  for (const char* semantics : {"keras2", "keras3"})
    for (const char* optimizer : {"sgd", "adam", "rmsprop"}) {
      const std::vector<double> alone = trained(R"({"type": "one_device"})", semantics, optimizer);
      for (const char* strategy :
           {R"({"type": "parameter_server"})",
            R"({"type": "parameter_server", "variable_partitioner": {"fixed_shards": 3}})",
            R"({"type": "parameter_server", "variable_partitioner": {"fixed_shards": 13}})"})
        EXPECT_EQ(trained(strategy, semantics, optimizer), alone)
            << semantics << ", " << optimizer << ", " << strategy;
    }
}

TEST_F(Servers, ST24_ShardsFollowEachOtherOverTheServers) {
  const std::string file = base_.write("scenario.json", std::string(two_workers)).string();
  const test::Said said = test::call({"validate", file, "--placement", "--set", cluster(1, 3), "--set",
                                      R"(strategy.variable_partitioner={"fixed_shards": 2})"});
  ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
  const auto server_of = [&](const std::string& variable) {
    const std::size_t line = said.results.find("\n" + variable + " ");
    const std::size_t at = said.results.find("/task:", line);
    return line == std::string::npos ? -1 : said.results[at + 6] - '0';
  };
  EXPECT_EQ(server_of("dense/kernel/part_0"), 0);
  EXPECT_EQ(server_of("dense/kernel/part_1"), 1);
  EXPECT_EQ(server_of("dense/bias/part_0"), 2);
  EXPECT_EQ(server_of("dense/bias/part_1"), 0);
  EXPECT_EQ(server_of("Adam/m/dense/bias/part_0"), 2);
}

TEST_F(Servers, ST24_APartitionerIsNamedOnceAndCutsSomething) {
  using test::has;
  const auto said = [&](std::string_view partitioner) {
    return refusal({fmt::format("strategy.variable_partitioner={}", partitioner)});
  };
  EXPECT_TRUE(has(said("{}"), "it names no partitioner"));
  EXPECT_TRUE(has(said(R"({"min_size": "1 KB"})"), "TensorFlow's default of max_shards is 1"));
  EXPECT_TRUE(has(said(R"({"fixed_shards": 2, "max_shards": 2})"), "fixed_shards has no such limit"));
  EXPECT_TRUE(has(said(R"({"fixed_shards": 2, "max_size": "1 KB"})"), "fixed_shards"));
  EXPECT_TRUE(has(said(R"({"fixed_shards": 0})"), "fixed_shards"));
  EXPECT_TRUE(has(said(R"({"max_size": "0 B"})"), "a size must be at least 1 B"));
}

// The GPUs of a worker are in step with each other, as those of central storage are.
TEST_F(Servers, G5_TheReplicasOfAWorkerAreInStep) {
  const test::PinnedIsa pinned;
  for (const char* gpus : {R"(["GPU:0", "GPU:1"])", R"(["GPU:0", "GPU:1", "GPU:2"])"}) {
    const std::string visible = fmt::format("devices.visible={}", gpus);
    EXPECT_EQ(
        losses("servers", {cluster(1, 2), visible}),
        losses("central", {R"(strategy={"type": "central_storage"})", "platform.set.machines=1", visible}))
        << gpus;
  }
}

TEST_F(Servers, ST21_EveryWorkerTrainsAndTheSameSeedGivesTheSameNumbers) {
  for (const int workers : {2, 3, 8}) {
    const std::vector<std::string> overrides{cluster(workers, 2), "training.steps=24", "time.jitter=0.2"};
    const std::vector<double> first = losses("first", overrides);
    EXPECT_EQ(first.size(), 24U);
    std::set<std::int64_t> seen;
    const json::Value found = results("first");
    for (const json::Value& step : found.find("steps")->elements())
      seen.insert(step.find("worker")->integer());
    EXPECT_EQ(std::ssize(seen), workers);
    EXPECT_EQ(losses("second", overrides), first);
  }
}

// A closure pulls every variable once, so a server's link carries at most as many closures a second as its
// bandwidth has copies of the variables. Equal workers pull and push at the same times, which leaves some of
// it unused.
TEST_F(Servers, G19_ThroughputSaturatesWhereTheLinkOfTheServersDoes) {
  const std::string wide =
      R"(model={"layers": [{"class_name": "Dense", "config": {"units": 4000, "batch_input_shape": [null, 4000]}}, )"
      R"({"class_name": "Dense", "config": {"units": 10}}]})";
  for (const int servers : {1, 2}) {
    const std::vector<std::string> overrides{cluster(64, servers),
                                             wide,
                                             "training.optimizer=sgd",
                                             "numerics=none",
                                             R"(dataset={"type": "synthetic", "rows": 64, "repeat": -1})",
                                             "training.steps=1000",
                                             "platform.set.machines=67"};
    const test::Said said = run_text(two_workers, "wide", overrides);
    ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
    const json::Value found = results("wide");
    const json::Value& simulated = *found.find("simulated");
    const json::Value& pool = *simulated.find("pool");
    const std::string link = pool.find("busiest_link")->find("name")->string();
    double bandwidth = 0;
    for (const json::Value& each : simulated.find("links")->elements())
      if (each.find("name")->string() == link) bandwidth = test::number_at(each, {"bytes_per_second"});
    // The kernel of 4000 x 4000 is on the first server, with the smaller one or without it.
    const double bytes = 4.0 * (4000.0 * 4000 + (servers == 1 ? 4000 + 40000 + 10 + 1 : 40000));
    const double share = test::number_at(pool, {"updates_per_second"}) * bytes / bandwidth;
    EXPECT_LE(share, 1.0 + 1e-3) << servers << link;
    EXPECT_GE(share, 0.95) << servers << link;
    EXPECT_EQ(pool.find("bottleneck")->string(), "link " + link);
  }
}

TEST_F(Servers, ST21_ACoordinatorDispatchesNoMoreThanItCan) {
  const std::vector<std::string> steps{"numerics=none", "training.steps=500"};
  const auto with = [&](int workers) {
    std::vector<std::string> overrides = steps;
    overrides.push_back(cluster(workers, 2));
    return pool("bound", overrides);
  };
  const json::Value many = with(8), more = with(10);
  EXPECT_EQ(many.find("bottleneck")->string(), "the coordinator");
  EXPECT_NEAR(test::number_at(more, {"updates_per_second"}), test::number_at(many, {"updates_per_second"}),
              1);
}

// All closures are one plan. What it can't have is refused before anything is computed.
TEST_F(Servers, ST21_WhatClosuresCannotHaveIsRefusedBeforeTheFirst) {
  using test::has;
  const std::string uneven = refusal({R"(dataset={"type": "synthetic", "rows": 100})", "training.steps=13"});
  EXPECT_TRUE(has(uneven, "every closure takes 8 rows, and the dataset has batches of 8 and of 4")) << uneven;
  EXPECT_TRUE(has(refusal({R"(input={"storage": "1 GB/s"})"}), "input pipelines of parameter_server"));
  EXPECT_TRUE(has(refusal({R"(faults=[{"slow": "worker:1", "factor": 2, "from_step": 3}])"}),
                  "faults of parameter_server"));
  losses("even",
         {R"(dataset={"type": "synthetic", "rows": 100, "drop_remainder": true})", "training.steps=12"});
}

TEST_F(Servers, C2_TheJobsThatAreMissingAreNamedInTensorFlowsWords) {
  using test::has;
  EXPECT_TRUE(has(refusal({R"(cluster={"worker": 2, "chief": 1})"}), "There must be at least one ps."));
  EXPECT_TRUE(has(refusal({R"(cluster={"ps": 1, "chief": 1})"}), "There must be at least one worker."));
  EXPECT_TRUE(has(refusal({R"(cluster={"worker": 2, "ps": 1})"}), "no task is the coordinator"));
}

}  // namespace
}  // namespace wt
