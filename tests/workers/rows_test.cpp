// Claims: rows of the reference about workers and their tasks hold for programs with two and three workers.

#include <gtest/gtest.h>

#include "cluster/resolver.h"
#include "device/error.h"
#include "distribute/strategy.h"
#include "train/distributed/constructors.h"
#include "train/distributed/workers.h"
#include "train/parameter_servers.h"

namespace wt::test {
namespace {

using Names = std::vector<std::string>;

constexpr const char* three_workers =
    R"({"cluster": {"worker": ["host1:1", "host2:1", "host3:1"]}, "task": {"type": "worker", "index": 1}})";
constexpr const char* beside_servers = R"({"cluster": {"worker": ["host1:1", "host2:1", "host3:1"],
  "ps": ["host4:1", "host5:1"]}, "task": {"type": "worker", "index": 1}})";
constexpr const char* chief_and_worker =
    R"({"cluster": {"chief": ["host1:1"], "worker": ["host2:1"]}, "task": {"type": "chief", "index": 0}})";

distribute::Strategy on_two_gpus_each() {
  return distribute::multi_worker_mirrored(
      {.platform = R"({"file": "dgx_a100", "set": {"machines": 2, "devices": 2}})"});
}

data::Dataset numbers(std::int64_t count) {
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < count; ++i) rows.push_back(i);
  return data::Dataset::from_tensor_slices({Tensor::of<std::int64_t>({count}, rows)});
}

std::vector<std::int64_t> rows_of(const data::Element& element) {
  const auto values = element[0].values<std::int64_t>();
  return {values.begin(), values.end()};
}

TEST(G14, AWorkerHasTheReplicasOfItsMachine) {
  const distribute::Strategy strategy = on_two_gpus_each();
  const std::vector<train::Worker> workers = train::workers(strategy);
  ASSERT_EQ(workers.size(), 2u);
  EXPECT_EQ(workers[0].replicas, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(workers[1].replicas, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(workers[1].devices, (Names{"/job:worker/replica:0/task:1/device:GPU:0",
                                       "/job:worker/replica:0/task:1/device:GPU:1"}));
  const auto ids = strategy.run([] { return train::get_replica_context()->replica_id_in_sync_group(); });
  EXPECT_EQ(workers[1].experimental_local_results(ids), (std::vector<std::int64_t>{2, 3}));
  // Each worker has as many replicas.
  EXPECT_THROW(data::DistributedDataset(numbers(4).batch(4), {.replicas = 3, .workers = 2}), InputError);
}

TEST(G15, EachWorkerHasOneInputPipelineForAllOfItsReplicas) {
  const distribute::Strategy strategy = on_two_gpus_each();
  std::vector<std::int64_t> pipelines;
  const auto dataset = strategy.distribute_datasets_from_function([&](const data::InputContext& context) {
    pipelines.push_back(context.input_pipeline);
    return numbers(8).skip(4 * context.input_pipeline).batch(context.per_replica_batch_size(8));
  });
  EXPECT_EQ(pipelines, (std::vector<std::int64_t>{0, 1}));
  const auto step = dataset.iterate().next().value();
  EXPECT_EQ(rows_of(step[1]), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(rows_of(step[2]), (std::vector<std::int64_t>{4, 5}));
  for (const train::Worker& worker : train::workers(strategy))
    EXPECT_EQ(worker.input_context().input_pipelines, 2);
}

TEST(G16, TheHostOfAWorkersDevicesIsItsFirstCpu) {
  const distribute::Strategy strategy = on_two_gpus_each();
  Names hosts;
  for (const cluster::Replica& replica : strategy.cluster().replicas)
    hosts.push_back(device::print(device::host_of(replica.device.name)));
  EXPECT_EQ(
      hosts,
      (Names{"/job:worker/replica:0/task:0/device:CPU:0", "/job:worker/replica:0/task:0/device:CPU:0",
             "/job:worker/replica:0/task:1/device:CPU:0", "/job:worker/replica:0/task:1/device:CPU:0"}));
}

TEST(AP5, ADatasetIsDealtOutToTheWorkersAndTheirReplicas) {
  const distribute::Strategy strategy = on_two_gpus_each();
  const auto step = strategy.experimental_distribute_dataset(numbers(8).batch(8)).iterate().next().value();
  const std::vector<train::Worker> workers = train::workers(strategy);
  std::vector<std::vector<std::int64_t>> of_workers;
  for (const train::Worker& worker : workers)
    for (const data::Element& element : worker.experimental_local_results(step))
      of_workers.push_back(rows_of(element));
  // The pieces go to the workers in turn.
  EXPECT_EQ(of_workers, (std::vector<std::vector<std::int64_t>>{{0, 1}, {4, 5}, {2, 3}, {6, 7}}));
}

TEST(C2, TheTypesOfTasksOfAStrategyOfWorkers) {
  const cluster::TFConfigClusterResolver resolver(cluster::parse_tf_config(chief_and_worker));
  const auto strategy =
      distribute::multi_worker_mirrored({.platform = "cpu_cluster_10gbe", .cluster_resolver = &resolver});
  const std::vector<train::Worker> workers = train::workers(strategy);
  ASSERT_EQ(workers.size(), 2u);
  EXPECT_EQ(workers[0].task_type, "chief");
  EXPECT_TRUE(workers[0].should_checkpoint());
  EXPECT_EQ(workers[1].task_type, "worker");
  EXPECT_FALSE(workers[1].should_checkpoint());
  EXPECT_EQ(workers[1].id_in_cluster, 1);
  const cluster::TFConfigClusterResolver server(cluster::parse_tf_config(
      R"({"cluster": {"worker": ["host1:1"], "ps": ["host2:1"]}, "task": {"type": "ps", "index": 0}})"));
  EXPECT_THROW(
      distribute::multi_worker_mirrored({.platform = "cpu_cluster_10gbe", .cluster_resolver = &server}),
      device::ValueError);
}

TEST(C3, WorkerOneOfThree) {
  const cluster::TFConfigClusterResolver resolver(cluster::parse_tf_config(three_workers));
  const auto strategy =
      distribute::multi_worker_mirrored({.platform = "cpu_cluster_10gbe", .cluster_resolver = &resolver});
  EXPECT_EQ(strategy.num_replicas_in_sync(), 3);
  EXPECT_EQ(strategy.traits().task_id, 1);
  EXPECT_EQ(train::workers(strategy).at(1).devices, Names{"/job:worker/replica:0/task:1/device:CPU:0"});
  EXPECT_EQ(strategy.log().front(),
            "INFO:tensorflow:Using MirroredStrategy with devices ('/job:worker/task:1/device:CPU:0',)");
}

TEST(C4, WorkerOneOfThreeBesideTwoParameterServers) {
  const cluster::TFConfigClusterResolver resolver(cluster::parse_tf_config(beside_servers));
  device::Context context;
  const train::Strategy strategy(train::multi_worker_mirrored(context, {&resolver}));
  EXPECT_EQ(strategy.num_replicas_in_sync(), 3);
  EXPECT_EQ(train::workers(strategy).at(1).id_in_cluster, 1);
  EXPECT_FALSE(train::workers(strategy).at(1).is_chief);
  const train::ParameterServerStrategy servers(resolver);
  EXPECT_EQ(servers.workers(), 3);
  EXPECT_EQ(servers.servers(), 2);
}

}  // namespace
}  // namespace wt::test
