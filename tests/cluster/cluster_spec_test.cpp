// Claim: ClusterSpec returns the same values as tf.train.ClusterSpec, and throws errors with the same texts.

#include "cluster/cluster_spec.h"

#include <gtest/gtest.h>

#include "cluster/refusal.h"

namespace wt::cluster {
namespace {

using Strings = std::vector<std::string>;

ClusterSpec three_workers_two_ps() {
  return ClusterSpec({job_of("worker", {"host1:port", "host2:port", "host3:port"}),
                      job_of("ps", {"host4:port", "host5:port"})});
}

TEST(ClusterSpec, C5_EveryTaskHasItsAddressAndItsRole) {
  const ClusterSpec spec = three_workers_two_ps();
  EXPECT_EQ(spec.jobs(), (Strings{"worker", "ps"}));
  EXPECT_EQ(spec.num_tasks("worker"), 3);
  EXPECT_EQ(spec.task_indices("ps"), (std::vector<int>{0, 1}));
  EXPECT_EQ(spec.task_address("worker", 1), "host2:port");
  EXPECT_EQ(spec.task_address("ps", 1), "host5:port");
  EXPECT_EQ(spec.job_tasks("ps"), (std::vector<std::optional<std::string>>{"host4:port", "host5:port"}));
}

TEST(ClusterSpec, C5_RefusesUnknownJobsAndTasksInTensorFlowsWords) {
  const ClusterSpec spec = three_workers_two_ps();
  const std::string no_job = "ValueError: No such job in cluster: 'chief'";
  EXPECT_EQ(refusal([&] { spec.num_tasks("chief"); }), no_job);
  EXPECT_EQ(refusal([&] { spec.task_indices("chief"); }), no_job);
  EXPECT_EQ(refusal([&] { spec.task_address("chief", 0); }), no_job);
  EXPECT_EQ(refusal([&] { spec.job_tasks("chief"); }), no_job);
  EXPECT_EQ(refusal([&] { spec.task_address("worker", 3); }),
            "ValueError: No task with index 3 in job 'worker'");
}

TEST(ClusterSpec, KeepsGapsOfSparseJobs) {
  const ClusterSpec spec({{.name = "worker", .tasks = {{2, "c:1"}, {0, "a:1"}}}});
  EXPECT_FALSE(is_dense(spec.as_dict()[0]));
  EXPECT_EQ(spec.num_tasks("worker"), 2);
  EXPECT_EQ(spec.task_indices("worker"), (std::vector<int>{0, 2}));
  EXPECT_EQ(spec.job_tasks("worker"), (std::vector<std::optional<std::string>>{"a:1", std::nullopt, "c:1"}));
  EXPECT_EQ(refusal([&] { spec.task_address("worker", 1); }),
            "ValueError: No task with index 1 in job 'worker'");
}

TEST(ClusterSpec, PrintsAsPythonDoes) {
  EXPECT_EQ(print(ClusterSpec()), "ClusterSpec({})");
  EXPECT_EQ(print(three_workers_two_ps()),
            "ClusterSpec({'ps': ['host4:port', 'host5:port'], 'worker': ['host1:port', 'host2:port', "
            "'host3:port']})");
  EXPECT_EQ(print(ClusterSpec({{.name = "worker", .tasks = {{1, "b:1"}}}, {.name = "ps"}})),
            "ClusterSpec({'ps': {}, 'worker': {1: 'b:1'}})");
  EXPECT_EQ(python_repr("it's"), "\"it's\"");
  EXPECT_EQ(python_repr("a'b\"c\\"), "'a\\'b\"c\\\\'");
}

TEST(ClusterSpec, RefusesWhatNoDictionaryHolds) {
  EXPECT_EQ(refusal([] {
              ClusterSpec({job_of("ps", {"a"}), job_of("ps", {"b"})});
            }),
            "ValueError: Job 'ps' is given twice");
  EXPECT_EQ(refusal([] {
              ClusterSpec({{.name = "ps", .tasks = {{-1, "a"}}}});
            }),
            "ValueError: Job 'ps' has a task with index -1, below 0");
}

}  // namespace
}  // namespace wt::cluster
