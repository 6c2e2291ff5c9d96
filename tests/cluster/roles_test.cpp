// Claim: the role of each task, and the clusters that are rejected, are those of TensorFlow's
// multi_worker_util.

#include "cluster/roles.h"

#include <gtest/gtest.h>

#include "cluster/refusal.h"

namespace wt::cluster {
namespace {

ClusterSpec workers(int count) {
  std::vector<std::string> addresses;
  for (int index = 0; index < count; ++index) addresses.push_back("w" + std::to_string(index));
  return ClusterSpec({job_of("worker", addresses)});
}

ClusterSpec all_roles() {
  return ClusterSpec({job_of("chief", {"c0"}), job_of("worker", {"w0", "w1"}), job_of("ps", {"p0", "p1"}),
                      job_of("evaluator", {"e0"})});
}

TEST(Roles, C2_FourTaskTypesAreKnown) {
  for (const char* type : {"chief", "worker", "ps", "evaluator"})
    EXPECT_EQ(refusal([&] { validate(all_roles(), type, 0); }), "accepted") << type;
  EXPECT_EQ(
      refusal([] { validate(all_roles(), "master", 0); }),
      "ValueError: Unrecognized task_type: master, valid task types are: ('chief', 'worker', 'evaluator', "
      "'ps', None)");
  EXPECT_EQ(refusal([] { validate(ClusterSpec({job_of("gpu", {"a"})}), "worker", 0); }),
            "ValueError: Disallowed task type found in cluster spec. Allowed types are ('chief', 'worker', "
            "'evaluator', 'ps', None) and the cluster spec is ClusterSpec({'gpu': ['a']}).");
}

TEST(Roles, C2_RefusesTasksThatTheClusterLacks) {
  EXPECT_EQ(refusal([] { validate(workers(2), "ps", 0); }),
            "ValueError: `task_type` 'ps' not found in cluster_spec.");
  EXPECT_EQ(refusal([] { validate(workers(2), "worker", 2); }),
            "ValueError: The `task_id` 2 exceeds the maximum id of worker.");
  EXPECT_EQ(refusal([] {
              validate(ClusterSpec({job_of("chief", {"a", "b"})}), "chief", 0);
            }),
            "ValueError: There must be at most one 'chief' job.");
  EXPECT_EQ(refusal([] {
              validate(ClusterSpec({job_of("evaluator", {"a", "b"})}), "evaluator", 0);
            }),
            "ValueError: There must be at most one 'evaluator' job.");
}

TEST(Roles, C2_AnEvaluatorNeedNotStandInTheCluster) {
  EXPECT_EQ(refusal([] { validate(workers(2), "evaluator", 7); }), "accepted");
  EXPECT_TRUE(is_chief(workers(2), "evaluator", 0));
  EXPECT_EQ(refusal([] { worker_count(workers(2), "evaluator"); }), "KeyError: 'evaluator'");
  EXPECT_EQ(collective_leader(workers(2), "evaluator", 0), "");
}

TEST(Roles, G14_WorkerZeroIsChiefWhereThereIsNone) {
  EXPECT_TRUE(is_chief(workers(3), "worker", 0));
  EXPECT_FALSE(is_chief(workers(3), "worker", 1));
  EXPECT_TRUE(is_chief(all_roles(), "chief", 0));
  EXPECT_FALSE(is_chief(all_roles(), "worker", 0));
  EXPECT_FALSE(is_chief(all_roles(), "ps", 0));
}

TEST(Roles, G14_TheChiefIsCountedAsAWorkerAndComesFirst) {
  EXPECT_EQ(worker_count(all_roles(), "worker"), 3);
  EXPECT_EQ(worker_count(all_roles(), "chief"), 3);
  EXPECT_EQ(worker_count(all_roles(), "evaluator"), 1);
  EXPECT_EQ(id_in_cluster(all_roles(), "chief", 0), 0);
  EXPECT_EQ(id_in_cluster(all_roles(), "worker", 1), 2);
  EXPECT_EQ(id_in_cluster(workers(3), "worker", 1), 1);
}

TEST(Roles, G8_ParameterServersTakeNoPartInTheCount) {
  EXPECT_EQ(refusal([] { worker_count(all_roles(), "ps"); }), "ValueError: Unexpected `task_type` 'ps'");
  EXPECT_EQ(refusal([] { id_in_cluster(all_roles(), "ps", 0); }),
            "ValueError: There is no id for task_type 'ps'");
}

TEST(Roles, ST10_TheCollectiveLeaderIsTheChiefElseWorkerZero) {
  EXPECT_EQ(collective_leader(ClusterSpec(), "worker", 0), "");
  EXPECT_EQ(collective_leader(workers(2), "worker", 1), "/job:worker/replica:0/task:0");
  EXPECT_EQ(collective_leader(all_roles(), "worker", 1), "/job:chief/replica:0/task:0");
  EXPECT_EQ(refusal([] { collective_leader(ClusterSpec({job_of("ps", {"a"})}), "ps", 0); }),
            "ValueError: There must be at least one worker.");
}

TEST(Roles, FindAllFaultsAtOnceInTensorFlowsOrder) {
  const ClusterSpec spec({job_of("chief", {"a", "b"}), job_of("wroker", {"c"})});
  std::vector<std::string> texts;
  for (const Fault& fault : faults(spec, "chief", 2))
    texts.push_back(fault.text.substr(0, 24) + "|" + fault.remedy);
  EXPECT_EQ(
      texts,
      (std::vector<std::string>{
          "Disallowed task type fou|did you mean \"worker\"? known: chief, worker, evaluator, ps",
          "There must be at most on|leave one address", "The `task_id` 2 exceeds |indices run from 0 to 1"}));
}

TEST(Roles, C2_AnEstimatorWantsAChiefAndATask) {
  const auto answer = [](const ClusterSpec& spec, std::optional<std::string> type, std::optional<int> id) {
    return refusal([&] { validate_for_estimator(spec, type, id); });
  };
  EXPECT_EQ(answer(ClusterSpec(), {}, {}), "accepted");
  EXPECT_EQ(answer(all_roles(), "ps", 1), "accepted");
  EXPECT_EQ(answer(workers(2), "worker", 0),
            "ValueError: If \"cluster\" is set in TF_CONFIG, it must have one \"chief\" node.");
  EXPECT_EQ(answer(ClusterSpec({job_of("chief", {"a", "b"})}), "chief", 0),
            "ValueError: The \"cluster\" in TF_CONFIG must have only one \"chief\" node.");
  EXPECT_EQ(answer(all_roles(), {}, 0),
            "ValueError: If \"cluster\" is set in TF_CONFIG, task type must be set.");
  EXPECT_EQ(answer(all_roles(), "ps", {}),
            "ValueError: If \"cluster\" is set in TF_CONFIG, task index must be set.");
  EXPECT_EQ(answer(all_roles(), "ps", -1), "ValueError: Task index must be non-negative number.");
  EXPECT_EQ(
      answer(all_roles(), "evaluator", 1),
      "ValueError: For distributed training, there can only be one `evaluator` task (with task id 0).  Given "
      "task id 1");
}

}  // namespace
}  // namespace wt::cluster
