// Claim: answers whose messages between machines TensorFlow sends itself say what that stands on, in the results of
// a run and in recommendations; answers of which a library carries the messages don't.
#include "cli/scenario_runs.h"
#include "communication/constants.h"

namespace wt {
namespace {

class Transport : public test::ScenarioRuns {
 protected:
  // The basis of eight hosts on 10 GbE.
  std::string basis(const std::string& communication) const {
    const test::Said said =
        run("multi_worker_8_k80_10gbe", communication,
            {"numerics=none",
             "strategy={\"type\":\"multi_worker_mirrored\",\"communication\":\"" + communication + "\"}"});
    EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
    const json::Value found = results(communication);
    return found.find("simulated")->find("basis")->string();
  }
};

TEST_F(Transport, ResultsSayWhatTensorflowsOwnRingStandsOn) {
  EXPECT_TRUE(test::has(basis("ring"), std::string(communication::basis_of_grpc)));
  EXPECT_FALSE(test::has(basis("nccl"), "gRPC"));
}

TEST_F(Transport, ReplicasOfOneProcessDoNotStandOnIt) {
  ASSERT_EQ(run("mirrored_hierarchical_copy", "one", {"numerics=none"}).exit, cli::Exit::done);
  EXPECT_FALSE(test::has(results("one").find("simulated")->find("basis")->string(), "gRPC"));
}

TEST_F(Transport, RecommendationsSayIt) {
  const std::string scenario = base_.write("scenario.json", R"({
    "name": "ring", "model": "resnet50", "dataset": {"type": "synthetic", "rows": 65536},
    "platform": "cpu_cluster_10gbe", "strategy": {"type": "multi_worker_mirrored", "communication": "ring"},
    "training": {"loss": "sparse_categorical_crossentropy", "optimizer": "sgd", "per_replica_batch": 64},
    "numerics": "none"})");
  const test::Said said = test::call({"recommend", scenario, "--platforms", "cpu_cluster_10gbe", "--target",
                                      "100", "--max-global-batch", "none", "--json"});
  ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
  EXPECT_TRUE(
      test::has(said.results, std::string(communication::basis_of_grpc) + ", which none of these rows has"))
      << said.results;
}

}  // namespace
}  // namespace wt
