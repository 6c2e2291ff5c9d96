// Claims: a training with BackupAndRestore that is killed goes on where Keras was recorded to go on (failures.tar.gz): the
// epoch, the batch, the rows that it reads from there to the end, and the weights at both places.

#include "base/temporary_folder.h"
#include "model/layers/dense.h"
#include "model/layers/input.h"
#include "model/sequential.h"
#include "recordings/failures.h"
#include "train/callbacks.h"
#include "train/machine.h"

namespace wt::recordings {
namespace {

constexpr std::int64_t rows = 24, batch = 4, steps_per_epoch = rows / batch, epochs = 3;

// A process of the recorded program: y = 2x by a layer with one weight and a bias, with mean squared errors.
class Process {
 public:
  Process(model::Semantics semantics, const train::BackupAndRestore& backup,
          const std::filesystem::path& folder)
      : semantics_(semantics),
        optimizer_(sgd(semantics)),
        net_(model::sequential(
                 "net", {model::input_layer({1}),
                         model::dense({.name = "dense", .units = 1, .kernel = {model::zeros, {}, {}}})}),
             state_, machine_),
        callbacks_({backup}, {.model = net_,
                              .state = state_,
                              .optimizer = optimizer_,
                              .semantics = semantics,
                              .file = [folder](const std::string& name) { return folder / name; }}) {
    net_.compile({.loss = model::loss_named("mse"), .optimizer = optimizer_, .semantics = semantics});
  }

  // Until the process is killed after so many steps in all.
  void train(std::optional<std::int64_t> killed_after = {}) {
    begun_ = callbacks_.begin().value_or(train::Progress{});
    std::int64_t steps = 0;
    train::FitOptions options{.epochs = epochs,
                              .initial_epoch = begun_.epochs,
                              .skipped_steps = begun_.steps - begun_.epochs * steps_per_epoch,
                              .reads_from_beginning = semantics_ == model::Semantics::keras2};
    const auto is_killed = [&] { return killed_after && steps >= *killed_after; };
    options.on_step = [&](const train::StepResult& step) {
      ++steps;
      callbacks_.end_step(step);
    };
    options.on_epoch = [&](const train::EpochResult& epoch) {
      if (!is_killed()) callbacks_.end_epoch(epoch, nullptr);
    };
    options.on_epoch_begin = [&](std::int64_t epoch) { callbacks_.begin_epoch(epoch); };
    options.is_interrupted = is_killed;
    net_.fit(data(), options);
    steps_ = steps;
    if (!killed_after) callbacks_.end();
  }

  train::Progress begun() const { return begun_; }
  std::int64_t steps() const { return steps_; }
  const std::vector<std::int64_t>& first_rows() const { return first_rows_; }
  double kernel() const { return net_.weights().at("dense/kernel").values<float>()[0]; }
  std::int64_t iterations() {
    return state_.read(model::iteration_name(optimizer_)).values<std::int64_t>()[0];
  }

 private:
  static model::Optimizer sgd(model::Semantics semantics) {
    model::Optimizer optimizer = model::optimizer_named("sgd", semantics);
    optimizer.learning_rate = 1e-4;
    return optimizer;
  }

  // Writes down the first row of each batch that is read.
  data::Dataset data() {
    std::vector<float> x, y;
    for (std::int64_t i = 0; i < rows; ++i) {
      x.push_back(static_cast<float>(i));
      y.push_back(2 * static_cast<float>(i));
    }
    return data::Dataset::from_tensor_slices(
               {Tensor::of<float>({rows, 1}, x), Tensor::of<float>({rows, 1}, y)})
        .batch(batch)
        .map([this](data::Element element) {
          first_rows_.push_back(static_cast<std::int64_t>(element[0].values<float>()[0]));
          return element;
        });
  }

  model::Semantics semantics_;
  model::Optimizer optimizer_;
  train::State state_{1};
  test::Machine machine_{};
  train::Model net_;
  train::Callbacks callbacks_;
  train::Progress begun_{};
  std::int64_t steps_ = 0;
  std::vector<std::int64_t> first_rows_{};
};

class Backups : public testing::TestWithParam<std::tuple<std::string, std::string>> {};
INSTANTIATE_TEST_SUITE_P(
    Recordings, Backups,
    testing::Combine(testing::Values("keras2", "keras3"),
                     testing::Values("backup_epoch", "backup_every_2", "backup_every_4")),
    [](const auto& test) { return std::get<0>(test.param) + "_" + std::get<1>(test.param); });

TEST_P(Backups, GoOnWhereTheyWereRecordedTo) {
  const auto& [version, id] = GetParam();
  const Recording& recording = failures().named(version, id);
  train::BackupAndRestore backup{.backup_dir = "backup"};
  if (const json::Value* arguments = recording.config("backup")) {
    backup.save_freq = at(*arguments, "save_freq").integer();
    if (const json::Value* deletes = arguments->find("delete_checkpoint"))
      backup.delete_checkpoint = deletes->boolean();
  }

  const TemporaryFolder folder;
  const json::Value &of_first = processes(recording).at(0), &of_second = processes(recording).at(1);
  Process first(recording.semantics(), backup, folder.path());
  first.train(std::ssize(at(of_first, "epoch_batch_row").elements()));
  EXPECT_NEAR(first.kernel(), at(of_first, "kernel_at_death").real(), 1e-5);

  Process second(recording.semantics(), backup, folder.path());
  second.train();
  const std::vector<json::Value>& theirs = at(of_second, "epoch_batch_row").elements();
  const std::vector<json::Value>& begin = theirs.front().elements();
  EXPECT_EQ(second.begun().epochs, begin[0].integer());
  EXPECT_EQ(second.begun().steps - second.begun().epochs * steps_per_epoch, begin[1].integer());
  EXPECT_EQ(second.steps(), std::ssize(theirs));
  ASSERT_GE(second.first_rows().size(), theirs.size());
  for (std::size_t i = 0; i < theirs.size(); ++i)
    EXPECT_EQ(second.first_rows()[i], theirs[i].elements()[2].integer()) << "step " << i;
  EXPECT_NEAR(second.kernel(), at(of_second, "kernel_end").real(), 1e-5);
  EXPECT_EQ(second.iterations(), at(of_second, "iterations_end").integer());
  EXPECT_EQ(std::filesystem::exists(folder.path() / "backup"),
            !at(of_second, "files_after").elements().empty());
}

}  // namespace
}  // namespace wt::recordings
