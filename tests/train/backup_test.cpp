// Claims: a training with BackupAndRestore that is interrupted and begun again ends with the weights of one that was never
// interrupted, to the bit, under any number of replicas: with backups of epochs, and in Keras 2 with backups of steps;
// Keras 3 begins the epoch again; the backup is removed at the end unless it is to stay; strategies that Keras 2 refuses
// are refused.

#include <gtest/gtest.h>

#include "model/layers/dense.h"
#include "model/layers/input.h"
#include "model/sequential.h"
#include "support/folder.h"
#include "train/callbacks.h"
#include "train/machine.h"

namespace wt::train {
namespace {

constexpr std::int64_t batches = 5, epochs = 4;

data::Dataset rows() {
  std::vector<float> x, y;
  for (int i = 0; i < 5 * 24; ++i) {
    x.push_back(static_cast<float>(i % 13) / 12);
    x.push_back(static_cast<float>(i % 7) / 6);
    y.push_back(static_cast<float>(i % 3));
  }
  return data::Dataset::from_tensor_slices({Tensor::of<float>({120, 2}, x), Tensor::of<float>({120, 1}, y)})
      .shuffle(120, data::shuffle_seed(3))
      .batch(24);
}

// A process that trains, until it is interrupted after so many steps.
struct Process {
  Process(std::int64_t replicas, model::Semantics semantics, const BackupAndRestore& backup,
          const std::filesystem::path& folder)
      : machine(test::mirrored(replicas), {.replicas = replicas}),
        model(model::sequential("net",
                                {model::input_layer({2}), model::dense({.units = 8, .activation = "relu"}),
                                 model::dense({.units = 1})}),
              state, machine),
        callbacks({backup}, {.model = model,
                             .state = state,
                             .optimizer = optimizer,
                             .semantics = semantics,
                             .file = [folder](const std::string& name) { return folder / name; }}) {
    model.compile({.loss = model::loss_named("mse"), .optimizer = optimizer, .semantics = semantics});
  }

  void train(std::optional<std::int64_t> interrupted_after = {}) {
    begun = callbacks.begin();
    const Progress done = begun.value_or(Progress{});
    FitOptions options{
        .epochs = epochs, .initial_epoch = done.epochs, .skipped_steps = done.steps - done.epochs * batches};
    options.on_step = [&](const StepResult& step) {
      ++steps;
      callbacks.end_step(step);
    };
    options.on_epoch = [&](const EpochResult& epoch) {
      if (!interrupted_after || steps < *interrupted_after) callbacks.end_epoch(epoch, nullptr);
    };
    options.on_epoch_begin = [&](std::int64_t epoch) { callbacks.begin_epoch(epoch); };
    options.is_interrupted = [&] { return interrupted_after && steps >= *interrupted_after; };
    model.fit(rows(), options);
    if (!interrupted_after) callbacks.end();
  }

  std::vector<float> weights() {
    std::vector<float> all;
    for (const auto& [name, value] : model.weights())
      for (const float number : value.values<float>()) all.push_back(number);
    return all;
  }

  model::Optimizer optimizer = model::optimizer_named("adam");
  State state{1};
  test::Machine machine;
  Model model;
  Callbacks callbacks;
  std::optional<Progress> begun{};
  std::int64_t steps = 0;
};

struct Case {
  std::int64_t replicas = 1;
  model::Semantics semantics{};
  std::optional<std::int64_t> save_freq{};
};

class Backup : public testing::TestWithParam<Case> {
 protected:
  test::TestFolder folder_{};
};
INSTANTIATE_TEST_SUITE_P(
    Replicas, Backup,
    testing::Values(Case{1, model::Semantics::keras2, {}}, Case{2, model::Semantics::keras2, {}},
                    Case{3, model::Semantics::keras3, {}}, Case{8, model::Semantics::keras3, {}},
                    Case{1, model::Semantics::keras2, 1}, Case{2, model::Semantics::keras2, 3},
                    Case{3, model::Semantics::keras2, 4}, Case{8, model::Semantics::keras2, 7}));

TEST_P(Backup, AnInterruptedTrainingEndsLikeOneThatWasNot) {
  const auto& [replicas, semantics, save_freq] = GetParam();
  const BackupAndRestore backup{.backup_dir = "backup", .save_freq = save_freq};
  Process whole(replicas, semantics, backup, folder_.path() / "whole");
  whole.train();
  EXPECT_FALSE(whole.begun.has_value());
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "whole/backup"));
  const std::filesystem::path place = folder_.path() / "parts";
  Process first(replicas, semantics, backup, place);
  first.train(8);
  EXPECT_TRUE(std::filesystem::exists(place / "backup/chief/checkpoint"));
  Process second(replicas, semantics, backup, place);
  second.train(6);
  ASSERT_TRUE(second.begun.has_value());
  Process third(replicas, semantics, backup, place);
  third.train();
  ASSERT_TRUE(third.begun.has_value());
  EXPECT_GE(third.begun->steps, second.begun->steps);
  EXPECT_EQ(third.weights(), whole.weights());
  EXPECT_FALSE(std::filesystem::exists(place / "backup"));
}

// Keras 3 saves the epoch, and not how far it has come in it.
TEST(BackupOfKeras3, BeginsTheEpochAgain) {
  const test::TestFolder folder;
  const BackupAndRestore backup{.backup_dir = "backup", .save_freq = 3};
  Process first(2, model::Semantics::keras3, backup, folder.path());
  first.train(10);  // saved after 9 steps, in the second epoch
  Process second(2, model::Semantics::keras3, backup, folder.path());
  second.train();
  EXPECT_EQ(second.begun, (Progress{1, 5}));
  EXPECT_EQ(second.steps, 15);
}

TEST(BackupAtTheEnd, StaysIfItIsToStay) {
  const test::TestFolder folder;
  Process process(1, model::Semantics::keras2, {.backup_dir = "backup", .delete_checkpoint = false},
                  folder.path());
  process.train();
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "backup/chief/checkpoint"));
}

TEST(BackupProblems, AreThoseOfKeras) {
  const model::Optimizer optimizer = model::optimizer_named("sgd");
  const auto problems = [&](const std::string& strategy, model::Semantics semantics) {
    return problems_of(BackupAndRestore{.backup_dir = "backup"},
                       {.optimizer = optimizer, .semantics = semantics, .without_backup = strategy})
        .size();
  };
  for (const char* strategy : {"central_storage", "one_device"}) {
    EXPECT_EQ(problems(strategy, model::Semantics::keras2), 1U) << strategy;
    EXPECT_EQ(problems(strategy, model::Semantics::keras3), 0U) << strategy;
  }
  EXPECT_EQ(problems("", model::Semantics::keras2), 0U);
  EXPECT_EQ(problems_of(BackupAndRestore{}, {.optimizer = optimizer}).size(), 1U);
}

}  // namespace
}  // namespace wt::train
