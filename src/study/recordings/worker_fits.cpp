// Recordings `workers_fit_...`: Keras' fit, evaluate and predict under MultiWorkerMirroredStrategy. Under Keras 3 fit ends
// with an error in every worker.

#include <fmt/format.h>

#include <sstream>

#include "model/loss.h"
#include "model/optimizer.h"
#include "study/recordings/datasets.h"
#include "study/recordings/families.h"
#include "study/recordings/workers.h"
#include "train/model.h"

namespace wt::recordings {

namespace {

// "[[0.5, -0.25], [1.0, " with a last number that may be cut off.
std::vector<double> whole_numbers_in(std::string text) {
  text.resize(std::min(text.size(), text.rfind(',')));
  for (char& letter : text)
    if (letter == '[' || letter == ']' || letter == ',') letter = ' ';
  std::istringstream in(text);
  std::vector<double> numbers;
  for (double number = 0; in >> number;) numbers.push_back(number);
  return numbers;
}

class WorkerFit {
  static constexpr std::int64_t rows = 22, epochs = 3;

 public:
  WorkerFit(const Recording& recording, Comparison& comparison)
      : recording_(recording), comparison_(comparison), workers_(recording, comparison) {}

  void compare() {
    comparison_.starts_to_compute();
    for (std::size_t i = 0; i < workers_.count(); ++i) {
      workers_.compare_log(i);
      compare_worker(i);
    }
    workers_.require_compared({});
  }

 private:
  data::Dataset batches(const data::Element& columns) const {
    return data::Dataset::from_tensor_slices(columns).batch(recording_.config("batch")->integer());
  }

  // Each worker trains, as in TensorFlow, and all of them come to the same.
  void compare_worker(std::size_t i) const {
    const distribute::Strategy& strategy = workers_.strategy(i);
    strategy.resources().input.policy = policy_named(recording_.config("policy")->string());
    strategy.resources().faithful = true;
    const auto scope = strategy.scope();
    train::State state(1);
    state.preset(recorded_weights(workers_.value(i, "initial")));
    train::Model model(recorded_mlp(), state, strategy.resources());
    model::Optimizer sgd = model::optimizer_named("SGD", recording_.semantics());
    sgd.learning_rate = 0.1;
    model.compile({.loss = model::loss_named("SparseCategoricalCrossentropy", {.from_logits = true}),
                   .optimizer = sgd,
                   .metrics = {.of_all = {model::metric_named("accuracy")}},
                   .semantics = recording_.semantics()});
    const RecordedRows given = recorded_rows(rows);
    const data::Dataset dataset = batches({given.x, given.y});
    std::vector<train::EpochResult> history;
    const Outcome fit = outcome_of([&] {
      history = model.fit(dataset, {.epochs = epochs});
      return std::string();
    });
    if (const json::Value* error = workers_.find(i, "error"))
      return compare_outcome(comparison_, workers_.named(i, "fit"), fit, *error);
    if (!fit.type.empty()) return comparison_.fail("fit is refused: " + fit.sentence);
    std::vector<double> losses, accuracies;
    for (const train::EpochResult& epoch : history) {
      losses.push_back(epoch.loss);
      accuracies.push_back(epoch.metrics.at(0).value);
    }
    compare_numbers(i, "loss", losses);
    compare_numbers(i, "accuracy", accuracies);
    compare_weights(comparison_, fmt::format("of worker {}", i), state, workers_.value(i, "final"));
    const train::EpochResult test = model.evaluate(dataset);
    workers_.compare_numbers(i, "evaluate", {test.loss, test.metrics.at(0).value});
    // Keras makes a dataset of its own of an array, which has none of the options of the program's.
    strategy.resources().input.policy = data::AutoShardPolicy::automatic;
    compare_predictions(i, model.predict(batches({given.x})));
  }

  void compare_numbers(std::size_t i, std::string_view key, const std::vector<double>& ours) const {
    const json::Value::Elements& theirs = workers_.value(i, "history").find(key)->elements();
    for (std::size_t epoch = 0; epoch < ours.size(); ++epoch)
      comparison_.near(fmt::format("{} of epoch {}", workers_.named(i, key), epoch + 1), ours[epoch],
                       number_of(theirs.at(epoch)));
  }

  // The recorded text is cut off after some rows.
  void compare_predictions(std::size_t i, const Tensor& ours) const {
    const json::Value& recorded = workers_.value(i, "predict");
    if (is_error(recorded)) return comparison_.fail(workers_.named(i, "predict") + " is not refused");
    std::vector<double> theirs = whole_numbers_in(recorded.find("returned")->string());
    const std::int64_t whole = std::ssize(theirs) / 3;
    theirs.resize(static_cast<std::size_t>(3 * whole));
    std::vector<double> first;
    for (std::size_t k = 0; k < theirs.size(); ++k)
      first.push_back(static_cast<double>(ours.values<float>()[k]));
    comparison_.near(workers_.named(i, "predict"), Tensor::of<double>({whole, 3}, first),
                     Tensor::of<double>({whole, 3}, theirs), prediction_limit);
  }

  const Recording& recording_;
  Comparison& comparison_;
  RecordedWorkers workers_;
};

}  // namespace

void compare_worker_fit(const Recording& recording, Comparison& comparison) {
  WorkerFit(recording, comparison).compare();
}

}  // namespace wt::recordings
