// Claims: TF_CONFIGs, the constructors of strategies over several workers, and a fit under them, do what was recorded, with
// the documents' placeholders for hosts included.

#include "cluster/resolver.h"
#include "seeds/seeds_recorded.h"
#include "train/coordinator.h"
#include "train/parameter_servers.h"

namespace wt::test::seeds {
namespace {

using cluster::ClusterSpec;

// The recorded program's own table.
std::map<std::string, std::optional<std::string>> configurations() {
  const std::string workers = R"("worker": ["host1:port", "host2:port", "host3:port"])";
  const std::string servers = R"("ps": ["host4:port", "host5:port"])";
  const auto config = [](const std::string& jobs, const std::string& task) {
    return fmt::format(R"({{"cluster": {{{}}}{}}})", jobs, task.empty() ? "" : ", \"task\": " + task);
  };
  const std::string second = R"({"type": "worker", "index": 1})";
  return {{"three workers", config(workers, second)},
          {"two servers more", config(workers + ", " + servers, second)},
          {"unset", std::nullopt},
          {"empty", "{}"},
          {"chief", config(R"("chief": ["a:1"], )" + workers, R"({"type": "chief", "index": 0})")},
          {"index text", config(workers, R"({"type": "worker", "index": "2"})")},
          {"no task", config(workers, "")}};
}

std::map<std::string, std::string> environment_of(const std::optional<std::string>& config) {
  if (!config) return {};
  return {{"TF_CONFIG", *config}};
}

std::map<std::string, std::vector<std::string>> dictionary(const ClusterSpec& spec) {
  std::map<std::string, std::vector<std::string>> jobs;
  for (const cluster::Job& job : spec.as_dict())
    for (const auto& [index, address] : job.tasks) jobs[job.name].push_back(address);
  return jobs;
}

void expect_text(const Recording& recording, const std::string& key,
                 const std::optional<std::string>& found) {
  const json::Value& value = wanted(recording, key);
  EXPECT_EQ(value.kind() == json::Kind::null ? "" : value.string(), found.value_or("")) << at(recording, key);
}

TEST(C1_C2_C3_C4_C5, TheResolverReadsTheDocumentsTfConfigs) {
  for (const Recording* recording : family("tf_config")) {
    for (const auto& [name, config] : configurations()) {
      const cluster::TFConfigClusterResolver resolver(cluster::tf_config_of(environment_of(config)));
      const auto key = [name = name](const std::string& part) { return name + ": " + part; };
      std::map<std::string, std::vector<std::string>> jobs;
      for (const json::Member& job : wanted(*recording, key("cluster")).members())
        jobs[job.key] = texts_of(job.value);
      EXPECT_EQ(jobs, dictionary(resolver.cluster_spec())) << name;
      expect_text(*recording, key("type"), resolver.task_type());
      // Python leaves an index as it is written, a text or a number.
      const json::Value& id = wanted(*recording, key("id"));
      EXPECT_EQ(id.kind() == json::Kind::null, !resolver.task_id()) << name;
      if (resolver.task_id()) {
        EXPECT_EQ(numbers_of(id).front(), static_cast<double>(*resolver.task_id())) << name;
      }
      if (recording->error(key("master")) != nullptr)
        expect_recorded(*recording, key("master"), [&] { resolver.master(); });
      else
        expect_text(*recording, key("master"), resolver.master());
      expect_text(*recording, key("master of"), resolver.master({.task_type = "worker", .task_id = 0}));
      expect_text(*recording, key("rpc"), resolver.rpc_layer());
      expect_text(*recording, key("environment"), resolver.environment());
      expect_text(*recording, key("text"), print(resolver.cluster_spec()));
      if (recording->value(key("accelerators")) != nullptr) {
        EXPECT_EQ(wanted(*recording, key("accelerators")).members().empty(),
                  resolver.num_accelerators().empty());
      }
    }
    compared()[recording].insert("broken");
    EXPECT_THROW(cluster::tf_config_of({{"TF_CONFIG", "{not json"}}),
                 InputError);  // a JSONDecodeError in Python
    expect_all_compared(*recording);
  }
}

TEST(ST19_ST20_ST21_ST23_ST24, ServersWithoutAClusterAreRefusedAsWasRecorded) {
  for (const Recording* recording : family("server_constructors")) {
    const auto made_of = [&](const std::string& key, const ClusterSpec& spec) {
      expect_recorded(*recording, key, [&] {
        const train::ParameterServerStrategy strategy{cluster::SimpleClusterResolver(spec)};
      });
    };
    for (const std::string key : {"no TF_CONFIG", "new name"})
      expect_recorded(*recording, key, [&] {
        const train::ParameterServerStrategy strategy{
            cluster::TFConfigClusterResolver(cluster::tf_config_of({}))};
      });
    made_of("no ps", ClusterSpec({cluster::job_of("worker", {"localhost:1"})}));
    made_of("no worker", ClusterSpec({cluster::job_of("ps", {"localhost:1"})}));
    made_of("empty", ClusterSpec());
    expect_recorded(*recording, "version 1", [&] { const train::ParameterServerStrategyV1 strategy; });
    for (const std::string key : {"MinSizePartitioner", "MaxSizePartitioner", "FixedShardsPartitioner"})
      EXPECT_TRUE(wanted(*recording, key).boolean());
    EXPECT_NO_THROW(model::partition_by(model::MinSizePartitioner{}));
    EXPECT_NO_THROW(model::partition_by(model::MaxSizePartitioner{1024}));
    EXPECT_NO_THROW(model::partition_by(model::FixedShardsPartitioner{2}));
    expect_all_compared(*recording);
  }
}

// Each program of the recording ran in a process of its own, with the documents' TF_CONFIG.
TEST(C3_C4_ST10_ST19_ST22, StrategiesOverPlaceholdersEndAsWasRecorded) {
  const auto resolver_of = [](const json::Value& program) {
    return cluster::TFConfigClusterResolver(
        cluster::tf_config_of({{"TF_CONFIG", program.find("env")->find("TF_CONFIG")->string()}}));
  };
  for (const Recording* recording : family("literal_clusters")) {
    for (const std::string key : {"workers", "old workers", "workers with servers"}) {
      const json::Value& program = wanted(*recording, key);
      const auto resolver = resolver_of(program);
      std::string printed = "made";
      try {
        const auto strategy =
            distribute::multi_worker_mirrored({.platform = "cpu_server", .cluster_resolver = &resolver});
      } catch (const InvalidArgumentError& error) {
        printed = fmt::format("InvalidArgumentError {}", error.what());
      }
      EXPECT_EQ(texts_of(*program.find("out")), std::vector{printed}) << at(*recording, key);
    }
    const json::Value& alone = wanted(*recording, "mirrored with workers");
    EXPECT_EQ(texts_of(*alone.find("out")),
              std::vector{fmt::format("made {}", mirrored(1).num_replicas_in_sync())});
    const json::Value& version_1 = wanted(*recording, "version 1 server strategy");
    EXPECT_TRUE(texts_of(*version_1.find("out"))[0].starts_with("made"));
    EXPECT_NO_THROW(train::ParameterServerStrategyV1{resolver_of(version_1)});
    expect_all_compared(*recording);
  }
}

// The address of the recorded worker. Ports differ from run to run.
std::optional<std::string> address_in(const Recording& recording) {
  static const std::regex address("localhost:[0-9]+");
  const std::string& cluster = wanted(recording, "strategy").find("cluster")->string();
  std::smatch found;
  if (!std::regex_search(cluster, found, address)) return std::nullopt;
  return found[0].str();
}

// What a process logs of gRPC and of Python's deprecations has no counterpart.
const std::vector<std::string> log_of_processes{"WARNING:tensorflow:From",
                                                "Enabled multi-worker collective ops",
                                                "Check health not enabled", "but no GPUs detected"};

TEST(C1_ST10_ST12_ST13_ST14, OneWorkerTrainsAsWasRecorded) {
  for (const Recording* recording : family("workers_")) {
    const auto address = address_in(*recording);
    const std::string config = address ? fmt::format(R"({{"cluster": {{"worker": ["{}"]}}, )"
                                                     R"("task": {{"type": "worker", "index": 0}}}})",
                                                     *address)
                                       : "{}";
    const cluster::TFConfigClusterResolver resolver(cluster::parse_tf_config(config));
    const std::string kind = recording->id.substr(std::string("programs_workers_").size());
    const std::string communication = kind.starts_with("nccl")   ? "nccl"
                                      : kind.starts_with("ring") ? "ring"
                                                                 : "auto";
    const auto strategy = distribute::multi_worker_mirrored(
        {.platform = "cpu_server", .communication = communication, .cluster_resolver = &resolver});
    expect_strategy_log(*recording, strategy.log(), log_of_processes);
    const json::Value& seen = wanted(*recording, "strategy");
    EXPECT_EQ(seen.find("replicas")->integer(), strategy.num_replicas_in_sync());
    EXPECT_EQ(texts_of(*seen.find("worker devices")), strategy.extended().worker_devices());
    EXPECT_EQ(seen.find("type")->string(), strategy.name());
    EXPECT_EQ(seen.find("cluster")->string(), print(resolver.cluster_spec()));
    const json::Value::Elements& task = seen.find("task")->elements();
    EXPECT_EQ(task[0].kind() == json::Kind::null, !resolver.task_type());
    EXPECT_EQ(task[1].kind() == json::Kind::null, !resolver.task_id());

    const model::LayerPtr layer = dense_model(1);
    train::State state(1);
    train::Model linear(layer, state, strategy.resources());
    state.preset({{"dense/kernel", Tensor::of<float>({1, 1}, {-0.625f})},
                  {"dense/bias", Tensor::of<float>({1}, {0.25f})}});
    linear.compile({.loss = model::loss_named("mse"),
                    .optimizer = model::optimizer_named("sgd"),
                    .semantics = recording->semantics()});
    std::vector<double> history;
    for (const train::EpochResult& epoch : linear.fit(constant_rows({1.f}, 100, 10), {.epochs = 2}))
      history.push_back(epoch.loss);
    expect_history(*recording, "history", history);
    expect_weights(*recording, "final", weights_in(state, *layer));
    expect_all_compared(*recording);
  }
}

}  // namespace
}  // namespace wt::test::seeds
