#pragma once
// tf.estimator.Estimator, as TensorFlow 2.15 has it (later versions have none): a model function that is called anew for
// each training, evaluation and prediction, and a folder of checkpoints by which they share the variables.
//
//   const RunConfig config({.model_dir = "model", .train_distribute = {&strategy, &strategy.resources()}});
//   Estimator estimator(model_fn, config, host);
//   estimator.train(input_fn, {.steps = 100});       // begins with model/model.ckpt-0, ends with model.ckpt-100
//   const EvaluationResult result = estimator.evaluate(input_fn, 10);  // result.at("loss"), result.at("global_step")
//
// A model function adds its variables and its operations to the step that is built, and returns an EstimatorSpec:
//
//   EstimatorSpec model_fn(model::Building& building, const Features& features, const std::optional<Symbol>& labels,
//                          ModeKeys mode);
//
// Under a strategy each replica takes whole batches: a worker with two replicas takes two batches in a step, and none is
// split. The gradients of the replicas are those of the mean of their losses, unless the spec says that losses are sums.
// Checkpoints are safetensors files whose variables have TensorFlow's names. A predicted row is computed by the host alone.
// Read next: train/estimator/run_config.h, train/estimator/linear_regressor.h.

#include "model/metric.h"
#include "model/optimizer.h"
#include "train/estimator/run_config.h"

namespace wt::train {

enum class ModeKeys : std::uint8_t { train, eval, infer };

using Features = std::map<std::string, Symbol>;

// What minimises the loss and counts the steps. Optimizers of version 1 (tf.compat.v1.train) keep their arguments in no
// variables. Those of Keras keep them in variables such as training/SGD/learning_rate.
struct TrainOp {
  enum class Version : std::uint8_t { v1, keras };
  model::Optimizer optimizer{};
  Version version = Version::v1;
};

// An entry of eval_metric_ops: a metric that compares labels with predictions or, without labels, a mean of values.
struct EvalMetric {
  model::Metric metric{};  // its name is that of the result
  Symbol values{};         // predictions, if there are labels
  std::optional<Symbol> labels{};
  std::optional<Symbol> weights{};
};

struct EstimatorSpec {
  std::map<std::string, Symbol> predictions{};  // needed by predict
  std::optional<Symbol> loss{};                 // a scalar; needed by train and evaluate
  std::optional<TrainOp> train_op{};            // needed by train
  std::vector<EvalMetric> eval_metric_ops{};
  // First values of variables, by their names, that no initializer gives: tf.constant_initializer.
  std::map<std::string, Tensor> initial_values{};
  Reduction loss_reduction = Reduction::mean;  // of the losses of several replicas
};

using ModelFn = std::function<EstimatorSpec(model::Building& building, const Features& features,
                                            const std::optional<Symbol>& labels, ModeKeys mode)>;

// Elements of the dataset are the features, in the order of these names, and then the labels, if there are any.
struct EstimatorInput {
  std::vector<std::string> features{};
  data::Dataset dataset;
};

// Called once for each worker. The context is null without a strategy.
using InputFn = std::function<EstimatorInput(const data::InputContext* input_context)>;

// "loss", the metrics, and "global_step".
using EvaluationResult = std::map<std::string, double>;

// How long a training of an Estimator is: until the data end, if neither number is given.
struct EstimatorTraining {
  std::optional<std::int64_t> steps{};                      // further ones
  std::optional<std::int64_t> max_steps{};                  // of all trainings of the folder
  std::function<void(std::int64_t global_step)> on_save{};  // called after each checkpoint
};

class Estimator {
 public:
  // `host` computes what no strategy does; it has one replica. Requires: it outlives the estimator, and so do the
  // strategies of the configuration. Throws NotImplementedError for a strategy under which Estimator doesn't run.
  Estimator(ModelFn model_fn, RunConfig config, Resources& host);

  // These throw device::ValueError with TensorFlow's texts.
  Estimator& train(const InputFn& input_fn, const EstimatorTraining& options = {});
  EvaluationResult evaluate(const InputFn& input_fn, std::optional<std::int64_t> steps = {});
  // The predictions of each row.
  std::vector<std::map<std::string, Tensor>> predict(const InputFn& input_fn);

  const RunConfig& config() const { return config_; }
  std::filesystem::path model_dir() const { return config_.options().model_dir; }
  std::optional<std::filesystem::path> latest_checkpoint() const;
  // Of the newest checkpoint. Throw device::ValueError if there is none, or no variable of this name.
  std::vector<std::string> get_variable_names() const;
  Tensor get_variable_value(const std::string& name) const;

  void log(const std::string& line) const;

 private:
  class Run;
  std::map<std::string, Tensor> checkpoint() const;

  ModelFn model_fn_;
  RunConfig config_;
  Resources& host_;
};

struct TrainSpec {
  InputFn input_fn{};
  std::optional<std::int64_t> max_steps{};
};

struct EvalSpec {
  InputFn input_fn{};
  std::optional<std::int64_t> steps = 100;
  std::int64_t throttle_secs = 600;
};

// tf.estimator.train_and_evaluate. A process without a cluster trains to the end, and evaluates the first checkpoint that
// training adds, the last one, and those between them if there is no throttle: no wall time passes here. In a cluster the
// task decides: the chief and workers train, an evaluator evaluates the newest checkpoint, and servers only serve. Unset
// if this task evaluated nothing.
std::optional<EvaluationResult> train_and_evaluate(Estimator& estimator, const TrainSpec& train_spec,
                                                   const EvalSpec& eval_spec);

}  // namespace wt::train
