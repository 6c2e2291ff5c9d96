// Claim: every task of a cluster drives one machine of the platform, in order, under TensorFlow's names.

#include "cluster/cluster.h"

#include <gtest/gtest.h>

#include "cluster/refusal.h"
#include "cluster/tf_config.h"
#include "platform/platforms.h"

namespace wt::cluster {
namespace {

using platform::platform_of;
using Strings = std::vector<std::string>;

Strings names(const Cluster& cluster, const Task& task) {
  Strings all;
  for (std::size_t device = 0; device < task.devices.size(); ++device)
    all.push_back(print(device_name(cluster, task, device)));
  return all;
}

Strings names(const std::vector<const Task*>& tasks) {
  Strings all;
  for (const Task* task : tasks) all.push_back(print(name(*task)));
  return all;
}

TEST(Cluster, G9_ATaskDrivesOneMachineWithAllItsDevices) {
  const platform::Platform dgx = platform_of("dgx_a100", {"machines=2"});
  const Cluster cluster = cluster_of(dgx);
  ASSERT_EQ(cluster.tasks.size(), 2U);
  for (const Task& task : cluster.tasks) {
    EXPECT_EQ(task.devices.size(), 8U);
    for (const platform::Endpoint device : task.devices) EXPECT_EQ(dgx.machine_of(device), task.machine);
    EXPECT_EQ(dgx.machine_of(task.host), task.machine);
    EXPECT_FALSE(dgx.is_device(task.host));
    EXPECT_EQ(accelerators(cluster, task), (std::map<device::Kind, int>{{device::Kind::gpu, 8}}));
  }
  EXPECT_EQ(dgx.name(cluster.tasks[1].devices[3]), "machine 1/gpu 3");
}

TEST(Cluster, G10_DevicesHaveTensorFlowsNames) {
  const Cluster cluster = cluster_of(platform_of("workstation_2x4090", {"machines=1"}));
  ASSERT_EQ(cluster.tasks.size(), 1U);
  EXPECT_EQ(names(cluster, cluster.tasks[0]), (Strings{"/job:localhost/replica:0/task:0/device:GPU:0",
                                                       "/job:localhost/replica:0/task:0/device:GPU:1"}));
  EXPECT_TRUE(cluster.spec.is_empty());
}

TEST(Cluster, G14_WithoutASpecEveryMachineIsAWorker) {
  const Cluster cluster = cluster_of(platform_of("dgx_a100", {"machines=3"}));
  EXPECT_EQ(names(workers(cluster)), (Strings{"/job:worker/replica:0/task:0", "/job:worker/replica:0/task:1",
                                              "/job:worker/replica:0/task:2"}));
  EXPECT_EQ(print(cluster.spec), "ClusterSpec({'worker': ['worker0:2222', 'worker1:2222', 'worker2:2222']})");
}

TEST(Cluster, G16_TheHostIsTheCpuOfTheTask) {
  const Cluster cluster = cluster_of(platform_of("dgx_a100", {"machines=2"}));
  EXPECT_EQ(print(host_name(cluster.tasks[1])), "/job:worker/replica:0/task:1/device:CPU:0");
  EXPECT_EQ(endpoint(cluster, device::parse_name("/cpu:0"), cluster.tasks[1]), cluster.tasks[1].host);
}

TEST(Cluster, G24_MachinesWithoutAcceleratorsComputeOnTheirCpus) {
  const Cluster cluster = cluster_of(platform_of("cpu_cluster_10gbe", {"machines=2"}));
  EXPECT_EQ(names(cluster, cluster.tasks[1]), (Strings{"/job:worker/replica:0/task:1/device:CPU:0"}));
  EXPECT_TRUE(accelerators(cluster, cluster.tasks[1]).empty());
  EXPECT_EQ(endpoint(cluster, device::parse_name("CPU:0"), cluster.tasks[1]), cluster.tasks[1].devices[0]);
}

TEST(Cluster, C4_TasksTakeMachinesInTheOrderTheyAreNamed) {
  const TfConfig config =
      parse_tf_config(R"({"cluster": {"ps": ["host4:port", "host5:port"], "chief": ["host0:port"],
                                              "worker": ["host1:port", "host2:port"]},
                                              "task": {"type": "worker", "index": 1}})");
  const Cluster cluster = cluster_of(platform_of("dgx_a100", {"machines=8"}), config.cluster);
  std::map<std::string, int> machines;
  for (const Task& task : cluster.tasks) machines[task.job + std::to_string(task.index)] = task.machine;
  EXPECT_EQ(machines, (std::map<std::string, int>{
                          {"ps0", 0}, {"ps1", 1}, {"chief0", 2}, {"worker0", 3}, {"worker1", 4}}));
  EXPECT_EQ(names(workers(cluster)), (Strings{"/job:chief/replica:0/task:0", "/job:worker/replica:0/task:0",
                                              "/job:worker/replica:0/task:1"}));
  EXPECT_EQ(names(tasks_of(cluster, "ps")),
            (Strings{"/job:ps/replica:0/task:0", "/job:ps/replica:0/task:1"}));
}

// The short form of DESIGN's cluster: eight GPU machines, and three servers for what coordinates and serves.
TEST(Cluster, C4_UnlikeMachinesServeTheJobsInTheOrderThatTheClusterNames) {
  const platform::Platform machines = platform::from_json(json::parse(R"({
      "machines": [{"file": "dgx1_p100", "count": 8}, {"file": "cpu_server", "count": 3}],
      "network": {"type": "switch"}})",
                                                                      "test.json"))
                                          .platform;
  Problems problems;
  const TfConfig config =
      read_cluster(json::parse(R"({"worker": 8, "ps": 2, "chief": 1})", "test.json"), problems);
  ASSERT_FALSE(problems.any());
  const Cluster cluster = cluster_of(machines, config.cluster);
  ASSERT_EQ(tasks_of(cluster, "worker").size(), 8u);
  for (const Task* task : tasks_of(cluster, "worker")) {
    EXPECT_EQ(task->machine, task->index);
    EXPECT_EQ(task->devices.size(), 8u);
    EXPECT_EQ(accelerators(cluster, *task), (std::map<device::Kind, int>{{device::Kind::gpu, 8}}));
  }
  EXPECT_EQ(find(cluster, "ps", 0)->machine, 8);
  EXPECT_EQ(find(cluster, "ps", 1)->machine, 9);
  const Task& chief = *find(cluster, "chief", 0);
  EXPECT_EQ(chief.machine, 10);
  EXPECT_EQ(machines.name(chief.host), "machine 10/host 0");
  EXPECT_EQ(names(services(cluster)), (Strings{"/job:ps/replica:0/task:0", "/job:ps/replica:0/task:1"}));
  const Task& server = *find(cluster, "ps", 1);
  EXPECT_EQ(print(host_name(server)), "/job:ps/replica:0/task:1/device:CPU:0");
  EXPECT_EQ(names(cluster, server), (Strings{"/job:ps/replica:0/task:1/device:CPU:0"}));
  EXPECT_EQ(machines.name(server.devices[0]), "machine 9/cpu 0");
  EXPECT_EQ(endpoint(cluster, device::parse_name("/job:ps/task:1/cpu:0"), chief), server.devices[0]);
}

TEST(Cluster, SparseJobsKeepTheirIndices) {
  const Cluster cluster = cluster_of(platform_of("dgx_a100", {"machines=2"}),
                                     ClusterSpec({{.name = "worker", .tasks = {{5, "b"}, {3, "a"}}}}));
  EXPECT_EQ(find(cluster, "worker", 3)->machine, 0);
  EXPECT_EQ(find(cluster, "worker", 5)->machine, 1);
  EXPECT_EQ(find(cluster, "worker", 0), nullptr);
}

TEST(Cluster, RefusesMoreTasksThanMachinesAndSaysWhatWouldDo) {
  const ClusterSpec three({job_of("worker", {"a", "b"}), job_of("ps", {"c"})});
  EXPECT_EQ(
      refusal([&] { cluster_of(platform_of("dgx_a100", {"machines=2"}), three); }),
      "InputError: the cluster has 3 tasks, and dgx_a100 has 2 machines; every task drives a machine of "
      "its own\n"
      "set \"machines\" of the platform to 3, or name at most 2 tasks");
  EXPECT_EQ(refusal([&] { cluster_of(platform_of("tpu_v3", {"slice=v3-8"}), three); }),
            "InputError: the cluster has 3 tasks, and tpu_v3 has 1 machine; every task drives a machine of "
            "its own\n"
            "choose a slice of 3 hosts or more, or name at most 1 task");
}

TEST(Cluster, G10_ANameIsADeviceOfTheProgramsTaskUnlessItSaysAnother) {
  const Cluster cluster = cluster_of(platform_of("dgx_a100", {"machines=2"}));
  const auto found = [&](const char* text) {
    return endpoint(cluster, device::parse_name(text), cluster.tasks[1]);
  };
  EXPECT_EQ(found("/gpu:1"), cluster.tasks[1].devices[1]);
  EXPECT_EQ(found("/job:worker/task:0/device:GPU:7"), cluster.tasks[0].devices[7]);
  for (const char* nowhere :
       {"/gpu:8", "/tpu:0", "/cpu:1", "/job:ps/gpu:0", "/task:2/gpu:0", "/replica:1/gpu:0"})
    EXPECT_EQ(found(nowhere), std::nullopt) << nowhere;
}

}  // namespace
}  // namespace wt::cluster
