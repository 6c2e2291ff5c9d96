// Claim: the cluster of a list of pods is the one that TensorFlow's KubernetesClusterResolver finds. The expected clusters,
// addresses and refusals are what TensorFlow 2.21 printed for a client that returned the same pods.

#include "cluster/kubernetes_resolver.h"

#include <gtest/gtest.h>

#include "cluster/refusal.h"

namespace wt::cluster {
namespace {

Pod pod(std::string name, std::string host_ip, std::string job = "tensorflow",
        std::string phase = "Running") {
  return {.name = std::move(name),
          .host_ip = std::move(host_ip),
          .phase = std::move(phase),
          .labels = {{"job-name", std::move(job)}}};
}

std::vector<Pod> two_pods(const std::string& job = "tensorflow") {
  return {pod("tensorflow-abc123", "10.1.2.3", job), pod("tensorflow-aaa", "10.1.2.4", job)};
}

TEST(KubernetesClusterResolver, HasAWorkerForEachPodSortedByName) {
  const KubernetesClusterResolver resolver(two_pods());
  EXPECT_EQ(print(resolver.cluster_spec()), "ClusterSpec({'worker': ['10.1.2.4:8470', '10.1.2.3:8470']})");
  EXPECT_EQ(resolver.task_type(), std::nullopt);
  EXPECT_EQ(resolver.task_id(), std::nullopt);
  EXPECT_EQ(resolver.rpc_layer(), "grpc");
  EXPECT_EQ(resolver.environment(), "");
  EXPECT_EQ(resolver.master(), "");
  EXPECT_EQ(resolver.master({.task_type = "worker", .task_id = 0}), "grpc://10.1.2.4:8470");
  EXPECT_EQ(KubernetesClusterResolver(two_pods(), {.task_type = "worker", .task_id = 1}).master(),
            "grpc://10.1.2.3:8470");
}

TEST(KubernetesClusterResolver, TakesPortAndLayer) {
  const KubernetesClusterResolver resolver(
      two_pods(), {.tf_server_port = 1111, .rpc_layer = "test", .accelerators = {{device::Kind::gpu, 8}}});
  EXPECT_EQ(resolver.master({.task_type = "worker", .task_id = 0}), "test://10.1.2.4:1111");
  EXPECT_EQ(resolver.num_accelerators(), (Accelerators{{device::Kind::gpu, 8}}));
}

TEST(KubernetesClusterResolver, HasThePodsOfEachSelectorOneAfterTheOther) {
  std::vector<Pod> pods = two_pods("a");
  pods.push_back(pod("b", "10.0.0.9", "b"));
  pods.push_back(pod("p", "10.0.0.7", "ps"));
  pods.push_back(pod("other", "10.0.0.1", "other", "Failed"));  // nobody selects it
  const KubernetesClusterResolver resolver(
      pods, {.job_to_label_mapping = {{"worker", {"job-name=b", "job-name=a"}}, {"ps", {"job-name=ps"}}}});
  EXPECT_EQ(print(resolver.cluster_spec()),
            "ClusterSpec({'ps': ['10.0.0.7:8470'], 'worker': ['10.0.0.9:8470', '10.1.2.4:8470', "
            "'10.1.2.3:8470']})");
}

template <class Call>
std::string runtime_error(Call call) {
  try {
    call();
  } catch (const device::RuntimeError& error) {
    return error.what();
  }
  return "no RuntimeError";
}

TEST(KubernetesClusterResolver, RefusesPodsThatAreNotRunning) {
  std::vector<Pod> pods = two_pods();
  pods.insert(pods.begin(), pod("tensorflow-xyz", "10.1.2.3", "tensorflow", "Failed"));
  const KubernetesClusterResolver failed(pods);
  EXPECT_EQ(runtime_error([&] { failed.cluster_spec(); }),
            "Pod \"tensorflow-xyz\" is not running; phase: \"Failed\"");
  EXPECT_EQ(runtime_error([&] { failed.master({.task_type = "worker", .task_id = 0}); }),
            "Pod \"tensorflow-xyz\" is not running; phase: \"Failed\"");
  EXPECT_EQ(failed.master(), "");
  const KubernetesClusterResolver two(
      {pod("z", "1", "tensorflow", "Failed"), pod("y", "1", "tensorflow", "Pending")});
  EXPECT_EQ(runtime_error([&] { two.cluster_spec(); }), "Pod \"y\" is not running; phase: \"Pending\"");
}

TEST(KubernetesClusterResolver, HasAJobWithoutTasksIfNoPodIsSelected) {
  const KubernetesClusterResolver resolver({});
  EXPECT_EQ(print(resolver.cluster_spec()), "ClusterSpec({'worker': {}})");
  EXPECT_EQ(refusal([&] { resolver.master({.task_type = "worker", .task_id = 0}); }),
            "ValueError: No task with index 0 in job 'worker'");
}

// Not TensorFlow's part: the rules are those of Kubernetes' documentation, "Labels and Selectors".
TEST(KubernetesSelector, FollowsTheRulesOfKubernetes) {
  const std::map<std::string, std::string> labels{{"app", "tf"}, {"example.com/tier", "back-end"}};
  const std::vector<std::pair<std::string, bool>> cases{
      {"", true},
      {"app=tf", true},
      {"app==tf", true},
      {"app = tf", true},
      {"app=other", false},
      {"app!=tf", false},
      {"app!=other", true},
      {"missing!=tf", true},
      {"app", true},
      {"missing", false},
      {"!app", false},
      {"!missing", true},
      {"example.com/tier=back-end", true},
      {"app in (a, tf)", true},
      {"app in (a,b),example.com/tier", false},
      {"app in (a,tf),example.com/tier", true},
      {"app notin (a,tf)", false},
      {"missing notin (a,tf)", true},
      {"app=tf,example.com/tier=front", false},
  };
  for (const auto& [selector, matches] : cases)
    EXPECT_EQ(matches_selector(labels, selector), matches) << selector;
  for (const std::string wrong : {"=tf", "app in tf", "app=tf,", "app~tf"})
    EXPECT_TRUE(refusal([&] {
                  matches_selector(labels, wrong);
                }).starts_with("ValueError: Invalid label selector \"" + wrong))
        << wrong;
}

}  // namespace
}  // namespace wt::cluster
