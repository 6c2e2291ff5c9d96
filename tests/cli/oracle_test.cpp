// Claim: every case of tests/oracle, run from its scenario file, trains as the reference did: losses within
// 1e-5 (relative), last weights within 1e-4 (largest difference over largest weight of a tensor).

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/command.h"
#include "tensor/difference.h"
#include "tensor/safetensors.h"

namespace wt {
namespace {

namespace fs = std::filesystem;

struct Errors {
  std::size_t steps = 0;
  double loss = 0;
  double weight = 0;
};

Errors errors_of(const fs::path& wanted, const fs::path& got) {
  const json::Value reference = json::parse_file(wanted / "case.json");
  const json::Value results = test::results_in(got);
  const auto& losses = reference.find("loss_per_step")->elements();
  const auto& steps = results.find("steps")->elements();
  EXPECT_EQ(steps.size(), losses.size());
  Errors errors{.steps = steps.size()};
  for (std::size_t i = 0; i < std::min(steps.size(), losses.size()); ++i) {
    const double ours = test::number_at(steps[i], {"loss"});
    errors.loss = std::max(errors.loss, relative_difference(ours, losses[i].real()));
  }
  const auto ours = read_safetensors(got / "final.safetensors").tensors;
  const auto theirs = read_safetensors(wanted / "final.safetensors").tensors;
  EXPECT_EQ(ours.size(), theirs.size());
  for (const auto& [name, tensor] : theirs)
    errors.weight = std::max(errors.weight, relative_difference(ours.at(name), tensor));
  return errors;
}

TEST(Oracle, EveryCaseTrainsAsTheReferenceDid) {
  const test::TestFolder base;
  fmt::print("{:<18} {:>5}  {:>16}  {:>18}\n", "case", "steps", "worst loss error", "worst weight error");
  for (const std::string name : {"linear_sgd", "mlp_momentum", "mlp_uneven", "fashion_cnn_adam"}) {
    const fs::path folder = fs::path(WT_TEST_DATA) / "oracle" / name;
    const test::Said said =
        test::call({"run", (folder / "scenario.json").string(), "--out", (base / name).string()});
    ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
    const Errors errors = errors_of(folder, base / name);
    fmt::print("{:<18} {:>5}  {:>16.1e}  {:>18.1e}\n", name, errors.steps, errors.loss, errors.weight);
    EXPECT_LE(errors.loss, 1e-5) << name;
    EXPECT_LE(errors.weight, 1e-4) << name;
  }
  fmt::print("{:<18} {:>5}  {:>16.1e}  {:>18.1e}\n", "allowed", "", 1e-5, 1e-4);
}

// Models that Keras itself trained, from scenario files of tests/cli. keras2 and keras3 hold what Keras 2.15 and
// Keras 3.15 made of a batch normalization of images, of an embedding with repeated ids under Adam, of a shared
// batch normalization and of two outputs with a list of losses. keras3/three_replicas has all of it at once,
// with weights of the losses, under MirroredStrategy.
Errors errors_under(const std::string& name, const std::vector<std::string>& overrides) {
  const test::TestFolder base;
  const fs::path folder = fs::path(WT_TEST_DATA) / "cli" / name;
  std::vector<std::string> words{"run", (folder / "scenario.json").string(), "--out", (base / "o").string()};
  for (const std::string& each : overrides) words.insert(words.end(), {"--set", each});
  const test::Said said = test::call(words);
  EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
  return errors_of(folder, base / "o");
}

TEST(Oracle, KerasCasesTrainAsTheirKerasDid) {
  for (const std::string name :
       {"keras2/batch_norm_4d_fused", "keras2/embedding_adam_repeats", "keras2/model_shared_batch_norm",
        "keras2/model_two_in_two_out", "keras3/two_outputs", "keras3/three_replicas"}) {
    const std::string scenario = (fs::path(WT_TEST_DATA) / "cli" / name / "scenario.json").string();
    EXPECT_EQ(test::call({"validate", scenario}).exit, cli::Exit::done) << name;
    const Errors errors = errors_under(name, {});
    EXPECT_EQ(errors.steps, 4u) << name;
    EXPECT_LE(errors.loss, 1e-5) << name;
    EXPECT_LE(errors.weight, 1e-4) << name;
  }
}

// In these two, Keras 2 and Keras 3 differ.
TEST(Oracle, TheSemanticsDecideWhoseNumbersAreTrained) {
  for (const std::string name : {"keras2/batch_norm_4d_fused", "keras2/embedding_adam_repeats"})
    EXPECT_GT(errors_under(name, {"semantics=keras3"}).weight, 1e-3) << name;
  EXPECT_GT(errors_under("keras3/three_replicas", {"semantics=keras2"}).weight, 1e-3);
}

}  // namespace
}  // namespace wt
