// Claim: a scenario gives the same bytes every time, on any number of threads. What a run depended on beside its
// scenario, a clock, an address, which thread was first, would differ among twenty.

#include <gtest/gtest.h>

#include <algorithm>

#include "cli/scenario_runs.h"

namespace wt {
namespace {

constexpr int runs = 20;

constexpr std::string_view tiny = R"({
  "name": "tiny",
  "platform": { "virtual": { "devices": 3 } },
  "strategy": { "type": "mirrored" },
  "model": "mlp",
  "dataset": { "type": "synthetic", "rows": 80 },
  "training": {
    "loss": "sparse_categorical_crossentropy",
    "optimizer": "adam",
    "metrics": ["accuracy"],
    "global_batch": 32
  },
  "seed": 5
})";

class Determinism : public test::ScenarioRuns {
 protected:
  // Twenty runs on one to six threads, whose every file is compared.
  void expect_same_bytes(const std::vector<std::string>& overrides) const {
    const auto run = [&](int number) {
      const test::Said said =
          run_text(tiny, std::to_string(number), overrides, {"--threads", std::to_string(1 + number % 6)});
      EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
    };
    run(0);
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(base_ / "0"))
      if (entry.is_regular_file()) files.push_back(entry.path().filename().string());
    for (const char* wanted : {"results.json", "trace.json"}) EXPECT_EQ(std::ranges::count(files, wanted), 1);
    for (int number = 1; number < runs; ++number) {
      run(number);
      for (const std::string& file : files)
        ASSERT_EQ(test::bytes_of(base_ / std::to_string(number) / file), test::bytes_of(base_ / "0" / file))
            << file << " of run " << number;
    }
  }
};

constexpr const char* save_weights = "training.save_weights=weights.safetensors";

TEST_F(Determinism, OfAMirroredTraining) { expect_same_bytes({save_weights}); }

TEST_F(Determinism, OfACentralStorageTraining) {
  expect_same_bytes({"strategy.type=central_storage", save_weights});
}

TEST_F(Determinism, OfAMultiWorkerTraining) {
  expect_same_bytes(
      {"strategy.type=multi_worker_mirrored", R"(platform={"virtual": {"devices": 4, "workers": 2}})"});
}

TEST_F(Determinism, OfShapesOnly) {
  expect_same_bytes({"platform=dgx_a100", "model=fashion_cnn", "numerics=none"});
}

}  // namespace
}  // namespace wt
