// Recordings `training_loop_...`: a program's own loop under a strategy, as in TensorFlow's tutorial "Custom training with
// tf.distribute.Strategy". Compared are the losses of each replica and step, their sums, the rows of each replica, the metrics
// of each epoch, weights and slots at the end, copies of moving statistics, and predictions.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "program/operations.h"
#include "study/recordings/families.h"
#include "study/recordings/machine.h"
#include "study/recordings/training_case.h"
#include "train/distributed/extended.h"

namespace wt::recordings {

namespace {

using Symbols = std::vector<Symbol>;

class LoopProgram {
 public:
  LoopProgram(const Recording& recording, Comparison& comparison)
      : case_(recording, comparison),
        batch_(recording.config("batch")->integer()),
        loss_(recorded_loss(recording.config("loss")->string())),
        score_(recording.config("loss")->string().starts_with("scce")
                   ? model::metric_named("SparseCategoricalAccuracy", "accuracy")
                   : model::metric_named("MeanSquaredError", "error")) {}

  void compare() {
    case_.comparison.starts_to_compute();
    compare_strategy();
    const auto compare_all = [&] {
      compare_steps();
      compare_variables();
      compare_predictions();
    };
    ends_as_recorded(
        case_.recording, case_.comparison, [&] { train(); }, compare_all);
  }

 private:
  // ---- The program

  data::DistributedDataset distributed() const {
    const data::Dataset rows = data::Dataset::from_tensor_slices(case_.rows());
    if (!case_.recording.config("from_function")->boolean())
      return case_.strategy.experimental_distribute_dataset(rows.batch(batch_));
    return case_.strategy.distribute_datasets_from_function([&](const data::InputContext& context) {
      return rows.batch(context.per_replica_batch_size(batch_));
    });
  }

  Symbol scaled(Symbol per_example) const {
    const std::string& scaling = case_.recording.config("scaling")->string();
    const std::int64_t replicas = case_.strategy.num_replicas_in_sync();
    if (scaling == "global") return model::compute_average_loss(per_example, batch_);
    if (scaling == "actual")
      return model::compute_average_loss(per_example, per_example.shape()[0] * replicas);
    if (scaling == "mean") return reduce_mean(per_example) / static_cast<double>(replicas);
    if (scaling == "sum") return model::scaled_loss_sum(per_example, batch_);
    throw InputError(fmt::format("unknown scaling of losses \"{}\"", scaling));
  }

  Symbols step(model::Building& building, const Symbols& batch) const {
    const Symbol predictions = (*case_.layer)(building, batch[0]);
    Symbol loss = scaled(model::per_example_loss(loss_, batch[1], predictions, case_.recording.semantics()));
    if (const auto penalty = building.regularization())
      loss = loss + model::scale_regularization_loss(*penalty, case_.strategy.num_replicas_in_sync());
    const Symbols variables = building.trainable();
    const Symbol rate = model::learning_rate(building, case_.optimizer);
    model::apply_gradients(building, case_.optimizer, variables, building.trace().gradient(loss, variables),
                           rate, {.semantics = case_.semantics()});
    model::update_metric(building, score_, batch[1], predictions);
    model::update_mean(building, mean_loss_, loss);
    return {loss};
  }

  // optimizer.build(model.trainable_variables), which programs call unless their configuration says otherwise. What runs
  // eagerly makes slots where they can be made.
  void build(train::Function& step, const train::PerReplica& batch) const {
    const json::Value* built = case_.recording.config("built");
    if (built == nullptr || built->boolean() || case_.recording.config("eager")->boolean())
      step.create_variables(batch);
  }

  void train() {
    train::Function training = case_.strategy.function(
        "train_step", case_.state, train::Function::Mode::training,
        [this](model::Building& building, const Symbols& batch) { return step(building, batch); },
        case_.semantics());
    const data::DistributedDataset dataset = distributed();
    for (std::int64_t epoch = 0; epoch < case_.recording.config("epochs")->integer(); ++epoch) {
      data::DistributedIterator batches = dataset.iterate(static_cast<std::uint64_t>(epoch));
      while (const auto batch = batches.next()) {
        if (rows_.empty()) build(training, *batch);
        note_step(*batch, case_.strategy.run(training, *batch));
      }
      for (const model::Metric& metric : {score_, mean_loss_}) note_metric(metric);
    }
  }

  void note_step(const train::PerReplica& batch, const train::PerReplica& results) {
    sums_.push_back(number(case_.strategy.reduce(train::ReduceOp::sum, results, 0)));
    std::vector<std::int64_t> rows;
    for (const std::vector<Tensor>& own : batch) rows.push_back(own.front().shape()[0]);
    rows_.push_back(rows);
    for (const Tensor& loss : train::experimental_local_results(results))
      losses_.push_back(static_cast<float>(number(loss)));
  }

  void note_metric(const model::Metric& metric) {
    std::vector<Tensor> states;
    for (const std::string& name : model::state_names(metric)) {
      states.push_back(case_.state.read(name));
      case_.state.reset(name);
    }
    metrics_.push_back(
        static_cast<float>(number(model::metric_result(metric, states, case_.recording.semantics()))));
  }

  static double number(const Tensor& scalar) { return static_cast<double>(scalar.values<float>()[0]); }

  // ---- Comparing

  void compare_strategy() {
    const distribute::Strategy& strategy = case_.strategy;
    case_.comparison.near("num_replicas_in_sync", static_cast<double>(strategy.num_replicas_in_sync()),
                          number_of(*case_.recording.value("num_replicas_in_sync")));
    std::vector<std::string> devices;
    for (const json::Value& device : case_.recording.value("worker_devices")->elements())
      devices.push_back(device.string());
    if (case_.recording.config("strategy")->string() != "default")  // which has none in TensorFlow
      case_.comparison.same("worker_devices", fmt::format("{}", strategy.extended().worker_devices()),
                            fmt::format("{}", devices));
  }

  void compare_steps() {
    std::vector<std::vector<std::int64_t>> recorded;
    for (const json::Value& step : case_.recording.value("replica_rows")->elements()) {
      recorded.emplace_back();
      for (const json::Value& rows : step.elements()) recorded.back().push_back(rows.integer());
    }
    case_.comparison.same("the rows of each replica", fmt::format("{}", rows_), fmt::format("{}", recorded));
    case_.compare_series("losses", sums_);
    compare_table("replica_losses", losses_);
    compare_table("metrics", metrics_);
  }

  void compare_table(const std::string& name, const std::vector<float>& ours) {
    const Tensor& theirs = case_.tensors.at(name);
    if (theirs.shape().elements() != std::ssize(ours))
      return case_.comparison.fail(
          fmt::format("{} has {} numbers, recorded {}", name, ours.size(), theirs.shape().elements()));
    case_.comparison.near(name, Tensor::of<float>(theirs.shape(), ours), theirs, loss_limit);
  }

  Tensors final_weights() const {
    Tensors values;
    for (const auto& [name, theirs] : case_.weights("final")) values.emplace(name, case_.state.read(name));
    return values;
  }

  // A moving statistic has a copy on each replica. They are recorded by the last part of its name.
  void compare_variables() {
    const Tensors weights = final_weights();
    case_.compare_end(weights);
    for (const auto& [name, value] : weights) {
      const std::vector<Tensor> copies = case_.state.local_results(name);
      for (std::size_t i = 0; i < copies.size(); ++i) {
        const std::string recorded = fmt::format("copies/{}/{}", name.substr(name.rfind('/') + 1), i);
        if (case_.tensors.contains(recorded))
          case_.comparison.near(recorded, copies[i], case_.tensors.at(recorded), weight_limit);
      }
    }
  }

  // model(x, training=False) outside of the strategy, which reads each variable as a whole.
  void compare_predictions() {
    Machine machine;
    train::State state(1);
    state.preset(final_weights());
    train::Model model(case_.layer, state, machine);
    const Tensor& x = case_.tensors.at("x");
    case_.comparison.near("predictions", model.predict(data::Dataset::from_tensors({x})),
                          case_.tensors.at("predictions"), prediction_limit);
  }

  TrainingCase case_;
  std::int64_t batch_;
  model::Loss loss_;
  model::Metric score_;
  model::Metric mean_loss_ = model::metric_named("Mean", "mean_loss");
  std::vector<double> sums_{};                     // of the replicas' losses, by step
  std::vector<std::vector<std::int64_t>> rows_{};  // by step and replica
  std::vector<float> losses_{}, metrics_{};        // by step and replica; by epoch
};

}  // namespace

void compare_loop(const Recording& recording, Comparison& comparison) {
  LoopProgram(recording, comparison).compare();
}

}  // namespace wt::recordings
