// Claim: a client joins a cluster by the rules of tf.config.experimental_connect_to_cluster, and finds its
// devices.

#include "cluster/connect.h"

#include <gtest/gtest.h>

#include "cluster/cluster.h"
#include "cluster/refusal.h"
#include "cluster/tpu_resolver.h"
#include "platform/platforms.h"

namespace wt::cluster {
namespace {

using platform::platform_of;

const std::string master = "/job:worker/replica:0/task:0/device:CPU:0";

TEST(Connect, ST17_AClientEntersTheMastersScopeAndSeesAllTpus) {
  const platform::Platform v3 = platform_of("tpu_v3", {"slice=v3-32"});
  const TPUClusterResolver resolver(v3, {.tpu = "pod"});
  const Connection connection = connect_to_cluster(resolver);
  EXPECT_EQ(print(connection.default_device.value()), master);
  EXPECT_EQ(connection.log, std::vector<std::string>{"Entering into master device scope: " + master});
  EXPECT_EQ(connection.cluster.jobs(), (std::vector<std::string>{"worker", "localhost"}));
  EXPECT_EQ(connection.cluster.num_tasks("worker"), 4);
  const Cluster cluster = cluster_of(v3, resolver.cluster_spec());
  for (const device::Name& name : resolver.get_tpu_system_metadata().devices)
    EXPECT_TRUE(endpoint(cluster, name, cluster.tasks.front()).has_value()) << print(name);
}

TEST(Connect, ST17_TheOldCallTakesTheResolversMaster) {
  const TPUClusterResolver resolver(platform_of("tpu_v3", {"slice=v3-8"}), {.tpu = "grpc://10.0.0.2:8470"});
  const Connection connection = connect_to_host({resolver.master()});
  EXPECT_EQ(connection.cluster.task_address("worker", 0), "10.0.0.2:8470");
  EXPECT_FALSE(connection.default_device.has_value()) << "a cluster without resolver names no master";
  EXPECT_EQ(refusal([] { connect_to_host({}); }), "ValueError: Must provide at least one remote_host");
}

TEST(Connect, ST17_AMasterThatIsThisProcessIsNothingToConnectTo) {
  const platform::Platform v3 = platform_of("tpu_v3", {"slice=v3-8"});
  EXPECT_TRUE(connect_to_cluster(TPUClusterResolver(v3, {.tpu = "local"})).cluster.is_empty());
  const SimpleClusterResolver plain(ClusterSpec({job_of("worker", {"a:1"})}));
  EXPECT_TRUE(connect_to_cluster(plain).cluster.is_empty());
}

TEST(Connect, ST17_AClientOfTheClusterKeepsItsOwnTask) {
  const ClusterSpec spec({job_of("chief", {"c:1"}), job_of("worker", {"a:1"})});
  EXPECT_EQ(connect_to_cluster(spec, {.job_name = "chief"}).cluster, spec);
}

TEST(Connect, ST17_WhatTensorFlowRefusesIsRefused) {
  const ClusterSpec spec({job_of("worker", {"a:1", "b:1"})});
  const SimpleClusterResolver elsewhere(spec, {.master = "grpc://c:1"});
  EXPECT_EQ(
      refusal([&] { connect_to_cluster(elsewhere); }),
      "ValueError: `make_master_device_default` is set to True but cannot find master grpc://c:1 in the "
      "cluster");
  EXPECT_EQ(refusal([&] { connect_to_cluster(elsewhere, {.make_master_device_default = false}); }),
            "accepted");
  const SimpleClusterResolver second(spec, {.master = "grpc://b:1"});
  const Client inside{.device_scope = device::parse_name(master)};
  EXPECT_EQ(refusal([&] { connect_to_cluster(second, inside); }),
            "ValueError: `connect_to_cluster` is called inside existing device scope " + master +
                ", which is different from the master device scope "
                "/job:worker/replica:0/task:1/device:CPU:0 to enter. This is not allowed.");
  const SimpleClusterResolver first(spec, {.master = "grpc://a:1"});
  EXPECT_TRUE(connect_to_cluster(first, inside).log.empty()) << "it is there already";
}

}  // namespace
}  // namespace wt::cluster
