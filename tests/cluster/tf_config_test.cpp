// Claim: a TF_CONFIG is read as TensorFlow reads it, and everything that is wrong in it is reported at once.

#include "cluster/tf_config.h"

#include <gtest/gtest.h>

#include <random>

#include "cluster/refusal.h"
#include "cluster/roles.h"

namespace wt::cluster {
namespace {

std::string answer(const std::string& text) {
  return refusal([&] { parse_tf_config(text); });
}

TEST(TfConfig, C1_NamesTheClusterAndTheTask) {
  const TfConfig config = parse_tf_config(R"({"cluster": {"chief": ["a:1"], "worker": ["b:1"]},
                                              "task": {"type": "worker", "index": 0},
                                              "rpc_layer": "grpc", "session_master": "m:1", "environment": "cloud"})");
  EXPECT_EQ(config, (TfConfig{.cluster = ClusterSpec({job_of("chief", {"a:1"}), job_of("worker", {"b:1"})}),
                              .task_type = "worker",
                              .task_index = 0,
                              .rpc_layer = "grpc",
                              .session_master = "m:1",
                              .environment = "cloud"}));
}

TEST(TfConfig, C1_WithoutTheVariableAProcessIsAlone) {
  EXPECT_EQ(tf_config_of({{"HOME", "/"}}), TfConfig{});
  EXPECT_EQ(tf_config_of({{"TF_CONFIG", "{}"}}), TfConfig{});
  EXPECT_EQ(tf_config_of({{"TF_CONFIG", R"({"cluster": {"worker": ["a:1"]}})"}}).cluster.num_tasks("worker"),
            1);
  EXPECT_NE(refusal([] { tf_config_of({{"TF_CONFIG", ""}}); }), "accepted");
}

TEST(TfConfig, C3_TheSecondOfThreeWorkers) {
  const TfConfig config =
      parse_tf_config(R"({"cluster": {"worker": ["host1:port", "host2:port", "host3:port"]},
                                              "task": {"type": "worker", "index": 1}})");
  EXPECT_EQ(config.cluster.task_address(*config.task_type, *config.task_index), "host2:port");
  EXPECT_EQ(worker_count(config.cluster, "worker"), 3);
  EXPECT_EQ(id_in_cluster(config.cluster, *config.task_type, *config.task_index), 1);
  EXPECT_FALSE(is_chief(config.cluster, *config.task_type, *config.task_index));
}

TEST(TfConfig, C4_TheSecondOfThreeWorkersBesideTwoParameterServers) {
  const TfConfig config =
      parse_tf_config(R"({"cluster": {"worker": ["host1:port", "host2:port", "host3:port"],
                                                          "ps": ["host4:port", "host5:port"]},
                                              "task": {"type": "worker", "index": 1}})");
  EXPECT_EQ(config.cluster.task_address("worker", 1), "host2:port");
  EXPECT_EQ(config.cluster.num_tasks("ps"), 2);
  EXPECT_EQ(worker_count(config.cluster, "worker"), 3);
}

// A resolver answers for a cluster that a strategy refuses. What it can't read at all it refuses, too.
TEST(TfConfig, C1_AResolverTakesWhatAStrategyRefuses) {
  for (const char* text : {R"({"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": -1}})",
                           R"({"cluster": {"worker": ["a:1"]}, "task": {"type": "chief", "index": 0}})",
                           R"({"cluster": {"boss": ["a:1"]}, "task": {"type": "worker", "index": 0}})"}) {
    EXPECT_NE(answer(text), "accepted") << text;
    EXPECT_NO_THROW(parse_tf_config_for_resolver(text)) << text;
  }
  for (const char* text : {R"({"cluster": {"worker": "a:1"}})", R"({"cluster": {)",
                           R"({"task": {"type": "worker", "index": "first"}})"})
    EXPECT_NE(refusal([&] { parse_tf_config_for_resolver(text); }), "accepted") << text;
}

TEST(TfConfig, C1_TakesIndicesAsTextAndSparseJobs) {
  const TfConfig config = parse_tf_config(
      R"({"cluster": {"worker": {"1": "b:1", "0": "a:1"}}, "task": {"type": "worker", "index": "1"}})");
  EXPECT_EQ(config.task_index, 1);
  EXPECT_EQ(config.cluster, ClusterSpec({job_of("worker", {"a:1", "b:1"})}));
}

TEST(TfConfig, C1_TakesWhatTrainingServicesAdd) {
  EXPECT_EQ(
      answer(
          R"({"cluster": {"worker": ["a"]}, "task": {"type": "worker", "index": 0, "trial": "", "cloud": "x"},
                       "job": {}, "service": {}, "model_dir": "m", "environment": "cloud"})"),
      "accepted");
}

TEST(TfConfig, C2_AnEvaluatorStandsOutside) {
  EXPECT_EQ(answer(R"({"cluster": {"worker": ["a"]}, "task": {"type": "evaluator", "index": 0}})"),
            "accepted");
}

TEST(TfConfig, ASingleProcessMayCallItselfWhatItLikes) {
  EXPECT_EQ(answer(R"({"task": {"type": "worker", "index": 3}})"), "accepted");
}

TEST(TfConfig, C2_ReportsEverythingAtOnceAtItsPlace) {
  EXPECT_EQ(
      answer(R"({"cluster": {"wroker": ["a:1"],
             "chief": ["b:1", "c:1"],
             "ps": "d:1"},
 "task": {"type": "worker", "index": -1},
 "rpc": "grpc"})"),
      R"(InputError: TF_CONFIG:1:14: Disallowed task type found in cluster spec. Allowed types are ('chief', 'worker', 'evaluator', 'ps', None) and the cluster spec is ClusterSpec({'chief': ['b:1', 'c:1'], 'ps': {}, 'wroker': ['a:1']}).
  1 | {"cluster": {"wroker": ["a:1"],
    |              ^~~~~~~~
did you mean "worker"? known: chief, worker, evaluator, ps

TF_CONFIG:2:14: There must be at most one 'chief' job.
  2 |              "chief": ["b:1", "c:1"],
    |              ^~~~~~~
leave one address

TF_CONFIG:3:20: The tasks for job 'ps' must be a list or a dictionary from integers to strings.
  3 |              "ps": "d:1"},
    |                    ^~~~~
write ["host1:2222", "host2:2222"]

TF_CONFIG:4:19: `task_type` 'worker' not found in cluster_spec.
  4 |  "task": {"type": "worker", "index": -1},
    |                   ^~~~~~~~
known: wroker, chief, ps

TF_CONFIG:4:38: Task index must be non-negative number.
  4 |  "task": {"type": "worker", "index": -1},
    |                                      ^~
write an index from 0 on

TF_CONFIG:5:2: unknown key "rpc"
  5 |  "rpc": "grpc"}
    |  ^~~~~
known: cluster, environment, eval_session_master, job, model_dir, rpc_layer, service, session_master, task)");
}

TEST(TfConfig, RefusesWhatIsNoAddressAndNoIndex) {
  EXPECT_EQ(
      answer(
          R"({"cluster": {"worker": ["a", 5], "ps": {"x": "b"}}, "task": {"type": "worker", "index": "two"}})"),
      R"(InputError: TF_CONFIG:1:30: Task address 5 must be bytes or unicode
  1 | {"cluster": {"worker": ["a", 5], "ps": {"x": "b"}}, "task": {"type": "worker", "index": "two"}}
    |                              ^
write "host:port"

TF_CONFIG:1:41: "x" is not a task index
  1 | {"cluster": {"worker": ["a", 5], "ps": {"x": "b"}}, "task": {"type": "worker", "index": "two"}}
    |                                         ^~~
write different indices from 0 to 1048575

TF_CONFIG:1:89: "two" is not a task index
  1 | {"cluster": {"worker": ["a", 5], "ps": {"x": "b"}}, "task": {"type": "worker", "index": "two"}}
    |                                                                                         ^~~~~
write an index from 0 on)");
}

TEST(TfConfig, ReportsOnceThatAJobCannotBeRead) {
  EXPECT_EQ(
      answer(R"({"cluster": {"worker": "a:1"}, "task": {"type": "worker", "index": 0}})"),
      R"(InputError: TF_CONFIG:1:24: The tasks for job 'worker' must be a list or a dictionary from integers to strings.
  1 | {"cluster": {"worker": "a:1"}, "task": {"type": "worker", "index": 0}}
    |                        ^~~~~
write ["host1:2222", "host2:2222"])");
}

TEST(TfConfig, C2_SaysHowFarIndicesGo) {
  EXPECT_EQ(answer(R"({"cluster": {"worker": ["a", "b"]}, "task": {"type": "worker", "index": 2}})"),
            R"(InputError: TF_CONFIG:1:73: The `task_id` 2 exceeds the maximum id of worker.
  1 | {"cluster": {"worker": ["a", "b"]}, "task": {"type": "worker", "index": 2}}
    |                                                                         ^
indices run from 0 to 1)");
}

TfConfig cluster_in(const std::string& text) {
  Problems problems;
  TfConfig config = read_cluster(json::parse(text, "scenario.json"), problems);
  problems.throw_if_any();
  return config;
}

TEST(TfConfig, AScenarioMayNameJobsAloneAndCountTasks) {
  EXPECT_EQ(cluster_in(R"({"chief": 1, "worker": 2, "ps": ["p:1"]})").cluster,
            ClusterSpec({job_of("chief", {"chief0:2222"}), job_of("worker", {"worker0:2222", "worker1:2222"}),
                         job_of("ps", {"p:1"})}));
  EXPECT_EQ(cluster_in(R"({"cluster": {"worker": 2}, "task": {"type": "worker", "index": 1}})").task_index,
            1);
  EXPECT_EQ(
      answer(R"({"cluster": {"worker": 2}})").substr(0, 97),
      "InputError: TF_CONFIG:1:24: The tasks for job 'worker' must be a list or a dictionary from intege")
      << "TensorFlow doesn't count";
  EXPECT_EQ(refusal([] { cluster_in(R"({"worker": -2})"); }),
            R"(InputError: scenario.json:1:12: -2 is out of range
  1 | {"worker": -2}
    |            ^~
it must be at least 0)");
}

// Whichever bytes are changed, the result is a config or an InputError.
TEST(TfConfig, SurvivesAnyBytes) {
  const std::string whole =
      R"({"cluster": {"chief": ["a:1"], "worker": {"0": "b:1"}, "ps": 2}, "task": {"type": "ps", "index": "1"}})";
  std::mt19937 random(7);
  int refused = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string text = whole;
    for (int change = 0; change < 3; ++change)
      text[random() % text.size()] = R"({}[]",:0-9aps)"[random() % 14];
    refused += answer(text) != "accepted";
    refused += refusal([&] { cluster_in(text); }) != "accepted";
  }
  EXPECT_GT(refused, 4000);
}

}  // namespace
}  // namespace wt::cluster
