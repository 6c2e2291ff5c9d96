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

}  // namespace
}  // namespace wt
