// Claims: the task of TF_CONFIG decides what the log says of the program, and nothing else: the whole cluster is
// simulated whichever task it is. Tasks that TensorFlow refuses are refused with its sentence (recorded with
// TensorFlow 2.15.1), at their place. Jobs that idle without a word are warned of.

#include <gtest/gtest.h>

#include "cli/scenario_runs.h"

namespace wt {
namespace {

using test::has;
using test::number_at;

class OwnTask : public test::ScenarioRuns {
 protected:
  // A scenario of one worker on each of three machines of two GPUs, whose cluster is `cluster`.
  test::Said with_cluster(const std::string& cluster, const std::string& out = "out") const {
    return run_text(R"({
      "name": "workers", "model": "linear", "dataset": {"type": "synthetic", "rows": 60},
      "platform": {"virtual": {"devices": 6, "workers": 3}}, "strategy": {"type": "multi_worker_mirrored"},
      "training": {"loss": "mse", "optimizer": "sgd", "global_batch": 12}, "numerics": "none"
    })",
                    out, cluster.empty() ? std::vector<std::string>{} : std::vector{"cluster=" + cluster});
  }
  test::Said with_tf_config(const std::string& text) const {
    const std::string config = base_.write("tf_config.json", text).string();
    return run_text(R"({
      "name": "workers", "model": "linear", "dataset": {"type": "synthetic", "rows": 60},
      "platform": {"virtual": {"devices": 6, "workers": 3}}, "strategy": {"type": "multi_worker_mirrored"},
      "training": {"loss": "mse", "optimizer": "sgd", "global_batch": 12}, "numerics": "none"
    })",
                    "out", {}, {"--tf-config", config});
  }
};

TEST_F(OwnTask, C1_IsTheOneThatTheLogNames) {
  const std::string cluster = R"("cluster": {"worker": ["a:2222", "b:2222", "c:2222"]})";
  std::vector<double> steps;
  for (const std::string index : {"0", "1", "2"}) {
    const test::Said said =
        with_tf_config("{" + cluster + R"(, "task": {"type": "worker", "index": )" + index + "}}");
    ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
    EXPECT_TRUE(has(said.messages, "task_type = 'worker', task_id = " + index +
                                       ", num_workers = 3, local_devices = "
                                       "('/job:worker/task:" +
                                       index + "/device:GPU:0', '/job:worker/task:" + index +
                                       "/device:GPU:1')"))
        << said.messages;
    EXPECT_TRUE(has(said.messages,
                    "Using MirroredStrategy with devices ('/job:worker/task:" + index + "/device:GPU:0'"));
    EXPECT_EQ(number_at(results("out"), {"planned", "replicas"}), 6);
    steps.push_back(number_at(results("out"), {"simulated", "step_time_s"}));
  }
  EXPECT_EQ(steps[1], steps[0]);
  EXPECT_EQ(steps[2], steps[0]);
}

TEST_F(OwnTask, C1_MayStandInTheScenarioAndAsText) {
  const test::Said said =
      with_cluster(R"({"cluster": {"chief": 1, "worker": 2}, "task": {"type": "worker", "index": "1"}})");
  ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
  EXPECT_TRUE(has(said.messages, "task_type = 'worker', task_id = 1, num_workers = 3")) << said.messages;
  EXPECT_TRUE(has(said.messages, "('/job:worker/task:1/device:GPU:0', '/job:worker/task:1/device:GPU:1')"));
}

TEST_F(OwnTask, C1_IsTheFirstWithoutATask) {
  EXPECT_TRUE(has(with_cluster(R"({"chief": 1, "worker": 2})").messages, "task_type = 'chief', task_id = 0"));
  EXPECT_TRUE(has(with_cluster("").messages, "task_type = 'worker', task_id = 0, num_workers = 3"));
  // Indices may have gaps.
  const test::Said sparse = with_cluster(R"({"cluster": {"worker": {"0": "a:1", "4": "b:1", "7": "c:1"}}})");
  EXPECT_TRUE(has(sparse.messages, "task_id = 0, num_workers = 3")) << sparse.messages;
}

// What TensorFlow says of each (the recordings workers_config_*).
TEST_F(OwnTask, C2_ThatTensorFlowRefusesIsRefusedInItsWords) {
  const struct {
    std::string text;
    std::string sentence;
  } rows[] = {
      {R"({"cluster": {"worker": ["a:1"]}})",
       "When `cluster_spec` is given, you must also specify `task_type` and `task_id`."},
      {R"({"cluster": {"worker": ["a:1"]}, "task": {"type": "worker"}})",
       "When `cluster_spec` is given, you must also specify `task_type` and `task_id`."},
      {R"({"cluster": {"worker": ["a:1"]}, "task": {"index": 0}})",
       "When `cluster_spec` is given, you must also specify `task_type` and `task_id`."},
      {R"({"cluster": {"worker": ["a:1"]}, "task": {"type": "chief", "index": 0}})",
       "`task_type` 'chief' not found in cluster_spec."},
      {R"({"cluster": {"worker": ["a:1"]}, "task": {"type": "master", "index": 0}})",
       "Unrecognized task_type: master, valid task types are: ('chief', 'worker', 'evaluator', 'ps', None)"},
      {R"({"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 1}})",
       "The `task_id` 1 exceeds the maximum id of worker."},
      {R"({"cluster": {"worker": ["a:1"], "ps": ["b:1"]}, "task": {"type": "ps", "index": 0}})",
       "Unexpected `task_type` 'ps'"},
      {R"({"cluster": {"chief": ["a:1", "b:1"]}, "task": {"type": "chief", "index": 0}})",
       "There must be at most one 'chief' job."},
      {R"({"cluster": {"worker": ["a", "b:1"]}, "task": {"type": "worker", "index": 0}})",
       R"(Could not parse port for local server from "a".)"}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.text);
    const test::Said said = with_tf_config(row.text);
    EXPECT_EQ(said.exit, cli::Exit::input_wrong);
    EXPECT_TRUE(has(said.messages, row.sentence)) << said.messages;
    EXPECT_TRUE(has(said.messages, "tf_config.json:1:")) << said.messages;
  }
}

// The recording workers_config_no_cluster: such a program is alone, and its task has no meaning.
TEST_F(OwnTask, C1_WithoutAClusterHasNoMeaning) {
  const test::Said said = with_tf_config(R"({"task": {"type": "worker", "index": 5}})");
  EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
}

TEST_F(OwnTask, C2_AnEvaluatorIsNoWorker) {
  const std::string text =
      R"({"cluster": {"worker": ["a:1", "b:1"], "evaluator": ["c:1"]}, "task": {"type": "evaluator", "index": 0}})";
  for (const test::Said& said : {with_tf_config(text), with_cluster(text)}) {
    EXPECT_EQ(said.exit, cli::Exit::input_wrong);
    EXPECT_TRUE(has(said.messages, "the program is the cluster's evaluator")) << said.messages;
    EXPECT_TRUE(has(said.messages, R"("task": {"type": "worker", "index": 0})")) << said.messages;
  }
}

// The form that tensorflow/ecosystem's templates for Kubernetes and Estimator's tutorial for several workers give each
// task: names of services as addresses, every job of the cluster, and the task's own job and number.
TEST_F(OwnTask, E7_TemplatesForKubernetesGiveEachTaskItsConfiguration) {
  for (const std::string index : {"0", "1"}) {
    const test::Said said = with_tf_config(
        R"({"cluster": {"chief": ["mnist-chief-0.default.svc:5000"], )"
        R"("worker": ["mnist-worker-0.default.svc:5000", "mnist-worker-1.default.svc:5000"]}, )"
        R"("task": {"type": "worker", "index": )" +
        index + R"(}, "environment": "cloud"})");
    ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
    EXPECT_TRUE(has(said.messages, "task_type = 'worker', task_id = " + index + ", num_workers = 3"))
        << said.messages;
    EXPECT_EQ(number_at(results("out"), {"planned", "replicas"}), 6);
  }
}

TEST_F(OwnTask, C2_JobsThatIdleAreWarnedOf) {
  const test::Said idle = with_cluster(R"({"worker": 1, "ps": 1, "evaluator": 1})");
  ASSERT_EQ(idle.exit, cli::Exit::done) << idle.messages;
  EXPECT_TRUE(has(idle.messages,
                  R"(1 task of the job "ps" will wait for ever: multi_worker_mirrored has no variables)"))
      << idle.messages;
  EXPECT_TRUE(has(idle.messages, "the evaluator does nothing: it evaluates checkpoints")) << idle.messages;
  EXPECT_EQ(number_at(results("out"), {"planned", "replicas"}), 2);
  const test::Said busy = with_cluster(R"({"worker": 2, "chief": 1})");
  EXPECT_FALSE(has(busy.messages, "warning")) << busy.messages;
}

}  // namespace
}  // namespace wt
