// Claims: a scenario's training with the callback BackupAndRestore that was interrupted continues when it is run again
// into the same folder, and ends with the weights of one that was not interrupted, unless it goes on within an epoch: Keras
// 2 then reads the epoch's first rows again (recording backup_every_2). A run that came to its end is not continued.

#include <gtest/gtest.h>

#include "report/results.h"
#include "scenario/parse.h"
#include "session/training.h"
#include "support/folder.h"
#include "tensor/safetensors.h"

namespace wt::session {
namespace {

constexpr std::string_view text = R"({
  "name": "backup",
  "platform": {"virtual": {"devices": 2}},
  "strategy": "mirrored",
  "model": "mlp",
  "dataset": {"type": "synthetic", "rows": 120, "shuffle": {}},
  "training": {"loop": "fit", "loss": "sparse_categorical_crossentropy", "optimizer": "adam", "global_batch": 24,
               "epochs": 4, "callbacks": [{"type": "BackupAndRestore", "backup_dir": "backup"}],
               "save_weights": "w.safetensors"},
  "seed": 3
})";

struct Ran {
  std::size_t steps = 0;
  std::string notes{};
};

// As the command `run` does, interrupted after so many steps.
Ran run(const std::filesystem::path& place, const std::vector<std::string>& overrides,
        std::optional<std::int64_t> interrupted_after = {}) {
  const scenario::Scenario scenario = scenario::parse(std::string(text), "scenario.json", overrides);
  Ran ran;
  std::int64_t steps = 0;
  Training training(scenario, scenario::build(scenario),
                    {.computes = true,
                     .on_step = [&](const train::StepResult&) { ++steps; },
                     .note = [&](const std::string& note) { ran.notes += note + "\n"; },
                     .interrupted_by =
                         [&] {
                           return interrupted_after && steps >= *interrupted_after ? std::string("SIGINT")
                                                                                   : std::string();
                         }});
  OutputFolder folder(place);
  folder.begin("test");
  const Results results = training.run(folder);
  ran.steps = results.steps.size();
  folder.write("results.json", report::results_json(results, nullptr));
  if (!results.interrupted)
    folder.commit();
  else if (folder.replaces())
    folder.leave();
  else
    folder.commit_incomplete();
  return ran;
}

TEST(BackupOfScenario, ContinuesAnInterruptedTraining) {
  for (const std::vector<std::string>& overrides :
       {std::vector<std::string>{},
        {"semantics=keras2"},
        {"semantics=keras2", "training.callbacks.0.save_freq=2"}}) {
    const test::TestFolder folder;
    run(folder / "whole", overrides);
    const std::size_t first = run(folder / "parts", overrides, 8).steps;
    EXPECT_EQ(first, 8U);
    const Ran second = run(folder / "parts", overrides);
    EXPECT_NE(second.notes.find("BackupAndRestore: continues"), std::string::npos) << second.notes;
    const bool is_within_epoch = overrides.size() == 2;
    EXPECT_EQ(second.steps, is_within_epoch ? 12U : 15U);
    const auto whole = read_safetensors(folder / "whole/w.safetensors").tensors;
    for (const auto& [name, value] : read_safetensors(folder / "parts/w.safetensors").tensors)
      EXPECT_EQ(std::ranges::equal(value.bytes(), whole.at(name).bytes()), !is_within_epoch) << name;
    EXPECT_FALSE(std::filesystem::exists(folder / "parts/backup/chief/checkpoint"));
    // What was trained to the end is trained anew, and interrupted again beside the complete results.
    EXPECT_EQ(run(folder / "parts", overrides, 8).steps, 8U);
    const Ran fourth = run(folder / "parts", overrides);
    EXPECT_NE(fourth.notes.find("BackupAndRestore: continues"), std::string::npos) << fourth.notes;
    EXPECT_EQ(run(folder / "parts", overrides).steps, 20U);
  }
}

}  // namespace
}  // namespace wt::session
