// Claim: resolvers return the same values as those of tf.distribute.cluster_resolver.

#include "cluster/resolver.h"

#include <gtest/gtest.h>

#include "cluster/refusal.h"
#include "cluster/tpu_resolver.h"
#include "platform/platforms.h"

namespace wt::cluster {
namespace {

using platform::platform_of;

ClusterSpec workers_and_ps() {
  return ClusterSpec({job_of("worker", {"w0:1", "w1:1"}), job_of("ps", {"p0:1"})});
}

TEST(SimpleClusterResolver, ReturnsItsArguments) {
  const SimpleClusterResolver plain(workers_and_ps());
  EXPECT_EQ(plain.cluster_spec(), workers_and_ps());
  EXPECT_EQ(plain.master(), "");
  EXPECT_EQ(plain.task_type(), std::nullopt);
  EXPECT_EQ(plain.rpc_layer(), std::nullopt);
  const SimpleClusterResolver given(workers_and_ps(), {.master = "m:1",
                                                       .task_type = "ps",
                                                       .task_id = 0,
                                                       .num_accelerators = {{device::Kind::gpu, 8}},
                                                       .rpc_layer = "grpc"});
  EXPECT_EQ(given.master(), "grpc://m:1");
  EXPECT_EQ(given.master({.task_type = "worker", .task_id = 1}), "grpc://w1:1");
  EXPECT_EQ(given.master({.rpc_layer = "tcp"}), "tcp://m:1");
  EXPECT_EQ(given.num_accelerators(), (Accelerators{{device::Kind::gpu, 8}}));
}

TEST(TFConfigClusterResolver, ST23_ReturnsTheValuesOfTfConfig) {
  const TfConfig config{
      .cluster = workers_and_ps(), .task_type = "worker", .task_index = 1, .rpc_layer = "grpc"};
  const TFConfigClusterResolver resolver(config, {{device::Kind::gpu, 4}});
  EXPECT_EQ(resolver.cluster_spec(), workers_and_ps());
  EXPECT_EQ(resolver.task_type(), "worker");
  EXPECT_EQ(resolver.task_id(), 1);
  EXPECT_EQ(resolver.master(), "grpc://w1:1");
  EXPECT_EQ(resolver.master({.task_type = "ps", .task_id = 0}), "grpc://p0:1");
  EXPECT_EQ(resolver.num_accelerators(), (Accelerators{{device::Kind::gpu, 4}}));
  EXPECT_EQ(TFConfigClusterResolver(config, {}, {.task_id = 0}).master(), "grpc://w0:1");
}

TEST(TFConfigClusterResolver, ST23_HasNoMasterForAProcessThatIsAlone) {
  EXPECT_EQ(TFConfigClusterResolver(TfConfig{}).master(), "");
  EXPECT_EQ(TFConfigClusterResolver({.cluster = ClusterSpec({job_of("worker", {"w0:1"})})}).master(), "");
  EXPECT_EQ(TFConfigClusterResolver({.session_master = "m:1"}).master(), "m:1");
  EXPECT_EQ(refusal([] { TFConfigClusterResolver({.cluster = workers_and_ps()}).master(); }),
            "ValueError: No such job in cluster: None");
}

std::shared_ptr<const ClusterResolver> simple(std::vector<Job> jobs,
                                              SimpleClusterResolver::Arguments arguments = {}) {
  return std::make_shared<SimpleClusterResolver>(ClusterSpec(std::move(jobs)), std::move(arguments));
}

TEST(UnionResolver, JoinsListsAndOtherwiseSpeaksForTheFirst) {
  const UnionResolver resolver(
      {simple({job_of("worker", {"a"})}, {.task_type = "worker", .task_id = 0, .rpc_layer = "grpc"}),
       simple({job_of("worker", {"b"}), job_of("ps", {"c"})}, {.task_type = "ps", .task_id = 3})});
  EXPECT_EQ(resolver.cluster_spec(), ClusterSpec({job_of("worker", {"a", "b"}), job_of("ps", {"c"})}));
  EXPECT_EQ(resolver.task_type(), "worker");
  EXPECT_EQ(resolver.rpc_layer(), "grpc");
  EXPECT_EQ(resolver.master({.task_type = "worker", .task_id = 1}), "b")
      << "the rpc layer is the union's own";
}

TEST(UnionResolver, OverridesTakeItsPlaceButForTaskZero) {
  const auto second = simple({}, {.task_type = "worker", .task_id = 2});
  EXPECT_EQ(UnionResolver({second}, {.task_type = "ps", .task_id = 1}).task_id(), 1);
  EXPECT_EQ(UnionResolver({second}, {.task_type = "ps", .task_id = 1}).task_type(), "ps");
  EXPECT_EQ(UnionResolver({second}, {.task_id = 0}).task_id(), 2) << "0 is overheard, in TensorFlow too";
}

TEST(UnionResolver, JoinsDictionariesByIndexAndRefusesTwoOfOne) {
  const Job sparse{.name = "worker", .tasks = {{2, "c"}}};
  const UnionResolver resolver({simple({job_of("worker", {"a", "b"})}), simple({sparse})});
  EXPECT_EQ(resolver.cluster_spec(), ClusterSpec({job_of("worker", {"a", "b", "c"})}));
  const UnionResolver twice({simple({job_of("worker", {"a", "b", "c"})}), simple({sparse})});
  EXPECT_EQ(refusal([&] { twice.cluster_spec(); }),
            "KeyError: 'Duplicate keys detected when merging two ClusterSpecs: {2}'");
  EXPECT_EQ(refusal([] { UnionResolver({}); }), "ValueError: At least one ClusterResolver is required.");
}

TEST(TPUClusterResolver, ST16_HasATaskPerHostOfTheSlice) {
  const TPUClusterResolver resolver(platform_of("tpu_v3", {"slice=v3-32"}), {.tpu = "pod"});
  EXPECT_EQ(resolver.cluster_spec(),
            ClusterSpec({job_of("worker", {"pod-0:8470", "pod-1:8470", "pod-2:8470", "pod-3:8470"})}));
  EXPECT_EQ(resolver.num_accelerators(), (Accelerators{{device::Kind::tpu, 8}}));
  EXPECT_EQ(resolver.master(), "grpc://pod-0:8470");
  EXPECT_EQ(resolver.master({.task_type = "worker", .task_id = 3}), "grpc://pod-3:8470");
  EXPECT_EQ(resolver.task_type(), "worker");
  const TPUSystemMetadata metadata = resolver.get_tpu_system_metadata();
  EXPECT_EQ(metadata.num_cores, 32);
  EXPECT_EQ(metadata.num_hosts, 4);
  EXPECT_EQ(metadata.num_of_cores_per_host, 8);
  EXPECT_EQ(print(metadata.devices[13]), "/job:worker/replica:0/task:1/device:TPU:5");
  EXPECT_EQ(describe(metadata),
            (std::vector<std::string>{"Found TPU system:", "*** Num TPU Cores: 32", "*** Num TPU Workers: 4",
                                      "*** Num TPU Cores Per Worker: 8"}));
}

TEST(TPUClusterResolver, ST16_TakesNamesAddressesAndLocal) {
  const platform::Platform v3 = platform_of("tpu_v3", {"slice=v3-8"});
  EXPECT_EQ(TPUClusterResolver(v3).master(), "grpc://tpu-0:8470");
  EXPECT_EQ(TPUClusterResolver(v3, {.tpu = "grpc://10.240.1.2:8470"}).master(), "grpc://10.240.1.2:8470");
  const TPUClusterResolver local(v3, {.tpu = "local"});
  EXPECT_EQ(local.master(), "");
  EXPECT_TRUE(local.cluster_spec().is_empty());
  EXPECT_EQ(print(local.get_tpu_system_metadata().devices[7]),
            "/job:localhost/replica:0/task:0/device:TPU:7");
  EXPECT_EQ(
      TPUClusterResolver(v3, {.coordinator_name = "chief", .coordinator_address = "c:1"}).cluster_spec(),
      ClusterSpec({job_of("worker", {"tpu-0:8470"}), job_of("chief", {"c:1"})}));
  EXPECT_EQ(refusal([] {
              TPUClusterResolver(platform_of("tpu_v3", {"slice=v3-32"}), {.tpu = "grpc://a:1,grpc://b:1"});
            }),
            "InputError: tpu='grpc://a:1,grpc://b:1' gives 2 addresses, and the slice has 4 hosts\n"
            "give one address for each host, separated by commas, or the name of the TPU");
}

TEST(TPUClusterResolver, ST16_RefusesPlatformsWithoutTpus) {
  EXPECT_EQ(refusal([] { TPUClusterResolver(platform_of("dgx_a100")); }),
            "InputError: TPUs not found in the cluster: dgx_a100 has none\n"
            "choose a platform with TPUs, such as tpu_v4");
  EXPECT_EQ(refusal([] { TPUClusterResolver(platform_of("tpu_v4", {"slices=2"})); }),
            "InputError: tpu_v4 has 2 slices, and a TPU topology describes one\nset \"slices\" to 1");
}

TEST(TpuSystem, ST18_InitialisingAnswersTheTopologyAndLogs) {
  const TPUClusterResolver resolver(platform_of("tpu_v3", {"slice=v3-8"}), {.tpu = "pod"});
  const TpuSystem system = initialize_tpu_system(resolver);
  EXPECT_EQ(system.topology.mesh_shape().extents, (std::vector<std::int32_t>{2, 2, 1, 2}));
  EXPECT_EQ(system.log, (std::vector<std::string>{"Deallocate tpu buffers before initializing tpu system.",
                                                  "Initializing the TPU system: pod",
                                                  "Finished initializing TPU system."}));
  EXPECT_EQ(
      initialize_tpu_system(resolver, true).log.at(1),
      "TPU system pod has already been initialized. Reinitializing the TPU can cause previously created "
      "variables on TPU to be lost.");
}

}  // namespace
}  // namespace wt::cluster
