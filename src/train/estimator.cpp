#include "train/estimator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tensor/safetensors.h"
#include "train/checkpoint.h"
#include "train/errors.h"
#include "train/estimator/variable_names.h"

namespace wt::train {

namespace {

using device::ValueError;

constexpr model::Semantics semantics = model::Semantics::keras2;  // the last version that has Estimator

template <class Value>
const Value& required(const std::optional<Value>& value, const char* text) {
  if (!value) throw ValueError(text);
  return *value;
}

void require_positive(std::string_view name, std::optional<std::int64_t> number) {
  if (number && *number <= 0) throw ValueError(fmt::format("Must specify {} > 0, given: {}", name, *number));
}

std::string print_result(const EvaluationResult& result) {
  std::string text;
  for (const auto& [name, value] : result)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, static_cast<float>(value));
  return text;
}

std::int64_t global_step_of(const std::map<std::string, Tensor>& stored) {
  const auto step = stored.find(std::string(global_step_name));
  return step == stored.end() ? 0 : step->second.values<std::int64_t>()[0];
}

// Estimator's own TPUEstimator is another class, and the strategies of programs on TPUs need functions.
void require_supported(const Distribute& distribute) {
  if (distribute.strategy != nullptr && distribute.strategy->traits().name.starts_with("TPU"))
    throw NotImplementedError(
        "Estimator doesn't run under TPUStrategy: train with Keras or a loop of your own");
}

}  // namespace

// One training, evaluation or prediction: a state of its own, which begins with the newest checkpoint.
class Estimator::Run {
 public:
  Run(const Estimator& estimator, const Distribute& distribute, const InputFn& input_fn)
      : estimator_(estimator),
        machine_(distribute.resources != nullptr ? *distribute.resources : estimator.host_),
        state_(estimator.config_.options().tf_random_seed),
        stored_(estimator.checkpoint()),
        batches_(read(distribute, input_fn)) {}

  std::int64_t global_step() const { return global_step_of(stored_); }

  // Calls the model function for a replica, whose arguments are the features and then the labels.
  EstimatorSpec spec(model::Building& building, const std::vector<Symbol>& arguments, ModeKeys mode) {
    Features features;
    for (std::size_t i = 0; i < names_.size(); ++i) features.emplace(names_[i], arguments.at(i));
    const bool has_labels = arguments.size() > names_.size();
    estimator_.log("Calling model_fn.");
    EstimatorSpec spec = estimator_.model_fn_(
        building, features, has_labels ? std::optional(arguments.back()) : std::nullopt, mode);
    estimator_.log("Done calling model_fn.");
    initial_values_ = spec.initial_values;
    return spec;
  }

  // The data of the next step; none at their end, which comes as soon as one replica finds no batch.
  std::optional<PerReplica> next() { return batches_.next(); }

  // Gives the variables their stored values. Variables that are new keep their first ones.
  void restore(const std::map<std::string, std::string>& saved_names) {
    std::map<std::string, Tensor> values = initial_values_;
    for (const auto& [own, saved] : saved_names)
      if (const auto found = stored_.find(saved); found != stored_.end()) values[own] = found->second;
    state_.preset(values);
  }

  State& state() { return state_; }
  Resources& machine() { return machine_; }
  std::int64_t replicas() const { return machine_.input.replicas; }

 private:
  data::DistributedIterator read(const Distribute& distribute, const InputFn& input_fn) {
    data::Distribution input = machine_.input;
    input.goes_on_with_empty_replicas = false;
    const auto call = [&](const data::InputContext& context) {
      EstimatorInput made = input_fn(distribute.strategy == nullptr ? nullptr : &context);
      names_ = made.features;
      return made.dataset;
    };
    return data::DistributedDataset::from_function(call, input).iterate();
  }

  const Estimator& estimator_;
  Resources& machine_;
  State state_;
  std::map<std::string, Tensor> stored_;  // by their names in the checkpoint
  std::vector<std::string> names_{};      // of the features
  std::map<std::string, Tensor> initial_values_{};
  data::DistributedIterator batches_;
};

Estimator::Estimator(ModelFn model_fn, RunConfig config, Resources& host)
    : model_fn_(std::move(model_fn)), config_(std::move(config)), host_(host) {
  if (model_dir().empty()) throw ValueError("model_dir should be non-empty.");
  require_supported(config_.options().train_distribute);
  require_supported(config_.options().eval_distribute);
}

void Estimator::log(const std::string& line) const {
  if (config_.options().log) config_.options().log(line);
}

// ---- Training

namespace {

// Writes the variables under TensorFlow's names.
void save(State& state, const TrainOp& train_op, const std::filesystem::path& folder, std::int64_t number,
          std::int64_t keep) {
  std::map<std::string, Tensor> values = argument_variables(train_op);
  for (const auto& [own, saved] : saved_names(train_op, state.weights())) values[saved] = state.read(own);
  State named(state.seed());
  std::vector<model::Weight> weights;
  for (const auto& [name, value] : values) weights.push_back({.name = name, .spec = value.spec()});
  named.preset(values);
  named.add(weights);
  Checkpoint(named, keep > 0 ? std::optional(keep) : std::nullopt)
      .save_as(folder / "model.ckpt", number, {.steps = number});
}

// The gradients of all replicas are summed, so that the mean of their losses has a share for each of them.
Symbol scaled(Symbol loss, Reduction reduction, std::int64_t replicas) {
  return reduction == Reduction::sum || replicas == 1 ? loss : loss * (1 / static_cast<double>(replicas));
}

}  // namespace

Estimator& Estimator::train(const InputFn& input_fn, const EstimatorTraining& options) {
  if (options.steps && options.max_steps) throw ValueError("Can not provide both steps and max_steps.");
  require_positive("steps", options.steps);
  require_positive("max_steps", options.max_steps);
  std::int64_t step = global_step_of(checkpoint());
  if (options.max_steps && step >= *options.max_steps) {
    log("Skipping training since max_steps has already saved.");
    return *this;
  }
  Run run(*this, config_.options().train_distribute, input_fn);
  std::optional<std::int64_t> last = options.max_steps;
  if (options.steps) last = step + *options.steps;

  std::optional<TrainOp> train_op;
  Function update(
      "train", run.state(), run.machine(), Function::Mode::training,
      [&](model::Building& building, const std::vector<Symbol>& arguments) {
        const EstimatorSpec spec = run.spec(building, arguments, ModeKeys::train);
        train_op = required(spec.train_op, "Missing train_op.");
        const Symbol loss = scaled(required(spec.loss, "Missing loss."), spec.loss_reduction, run.replicas());
        const std::vector<Symbol> variables = building.trainable();
        const Symbol rate = model::learning_rate(building, train_op->optimizer);
        model::apply_gradients(building, train_op->optimizer, variables,
                               building.trace().gradient(loss, building.values_in_use(variables)), rate,
                               {.semantics = semantics});
        return std::vector<Symbol>{reduce(loss, Reduction::sum)};
      },
      semantics);

  std::int64_t saved = -1;
  const auto save_now = [&] {
    if (saved == step) return;
    log(fmt::format("Saving checkpoints for {} into {}.", step, (model_dir() / "model.ckpt").string()));
    save(run.state(), *train_op, model_dir(), step, config_.options().keep_checkpoint_max);
    saved = step;
    if (options.on_save) options.on_save(step);
  };
  std::optional<float> loss;
  const std::int64_t first = step;
  std::optional<PerReplica> batch = run.next();
  for (; batch && (!last || step < *last); batch = run.next()) {
    if (step == first) {
      update.create_variables(*batch);
      run.restore(saved_names(*train_op, run.state().weights()));
      save_now();
    }
    loss = update.run(*batch).front().front().values<float>()[0];
    if (std::isnan(*loss)) throw device::RuntimeError("NaN loss during training.");
    const std::int64_t every = config_.options().log_step_count_steps;
    if (every > 0 && (step - first) % every == 0) log(fmt::format("loss = {}, step = {}", *loss, step));
    ++step;
    const std::optional<std::int64_t> period = config_.save_checkpoints_steps();
    if (period && *period > 0 && (step - first) % *period == 0) save_now();
  }
  if (!loss) throw ValueError("the input function of the training returned no batch");
  save_now();
  log(fmt::format("Loss for final step: {}.", *loss));
  return *this;
}

// ---- Evaluation

namespace {

void update_metric(model::Building& building, const EvalMetric& each) {
  if (each.labels)
    model::update_metric(building, each.metric, *each.labels, each.values, each.weights);
  else
    model::update_mean(building, each.metric, each.values, each.weights);
}

Tensor result_of(const model::Metric& metric, const State& state) {
  std::vector<Tensor> states;
  for (const std::string& name : model::state_names(metric)) states.push_back(state.read(name));
  return model::metric_result(metric, states, semantics);
}

std::map<std::string, std::string> same_names(const std::vector<model::Weight>& weights) {
  std::map<std::string, std::string> names;
  for (const model::Weight& weight : weights) names[weight.name] = weight.name;
  return names;
}

}  // namespace

EvaluationResult Estimator::evaluate(const InputFn& input_fn, std::optional<std::int64_t> steps) {
  require_positive("steps", steps);
  Run run(*this, config_.options().eval_distribute, input_fn);
  if (!latest_checkpoint())
    log(fmt::format("Could not find trained model in model_dir: {}, running initialization to evaluate.",
                    model_dir().string()));
  std::vector<model::Metric> metrics;
  Function update(
      "evaluate", run.state(), run.machine(), Function::Mode::inference,
      [&](model::Building& building, const std::vector<Symbol>& arguments) {
        EstimatorSpec spec = run.spec(building, arguments, ModeKeys::eval);
        const Symbol loss = required(spec.loss, "Missing loss.");
        spec.eval_metric_ops.push_back({.metric = model::metric_named("Mean", "loss"), .values = loss});
        metrics.clear();
        for (const EvalMetric& each : spec.eval_metric_ops) {
          update_metric(building, each);
          metrics.push_back(each.metric);
        }
        return std::vector<Symbol>{};
      },
      semantics);
  std::int64_t done = 0;
  for (std::optional<PerReplica> batch = run.next(); batch && (!steps || done < *steps); ++done) {
    if (done == 0) {
      update.create_variables(*batch);
      run.restore(same_names(run.state().weights()));
    }
    update.run(*batch);
    if (steps) log(fmt::format("Evaluation [{}/{}]", done + 1, *steps));
    if (!steps || done + 1 < *steps) batch = run.next();
  }
  if (done == 0) throw ValueError("the input function of the evaluation returned no batch");
  EvaluationResult result{{std::string(global_step_name), static_cast<double>(run.global_step())}};
  for (const model::Metric& metric : metrics)
    result[metric.name] = static_cast<double>(result_of(metric, run.state()).values<float>()[0]);
  log(fmt::format("Saving dict for global step {}: {}", run.global_step(), print_result(result)));
  return result;
}

// ---- Prediction

std::vector<std::map<std::string, Tensor>> Estimator::predict(const InputFn& input_fn) {
  Run run(*this, {}, input_fn);
  std::vector<std::string> names;
  Function predict(
      "predict", run.state(), run.machine(), Function::Mode::inference,
      [&](model::Building& building, const std::vector<Symbol>& arguments) {
        const EstimatorSpec spec = run.spec(building, arguments, ModeKeys::infer);
        if (spec.predictions.empty()) throw ValueError("Missing predictions.");
        names.clear();
        std::vector<Symbol> values;
        for (const auto& [name, value] : spec.predictions) {
          names.push_back(name);
          values.push_back(value);
        }
        return values;
      },
      semantics, true);
  std::vector<std::map<std::string, Tensor>> rows;
  for (std::optional<PerReplica> batch = run.next(); batch; batch = run.next()) {
    if (rows.empty()) {
      predict.create_variables(*batch);
      run.restore(same_names(run.state().weights()));
    }
    const std::vector<Tensor> values = predict.run(*batch).front();
    const std::size_t first = rows.size();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::int64_t count = values[i].shape()[0];
      rows.resize(first + static_cast<std::size_t>(count));
      for (std::int64_t row = 0; row < count; ++row)
        rows[first + static_cast<std::size_t>(row)][names[i]] =
            values[i].rows(row, row + 1).reshaped(values[i].shape().without(0)).copy();
    }
  }
  return rows;
}

// ---- Checkpoints

std::optional<std::filesystem::path> Estimator::latest_checkpoint() const {
  return train::latest_checkpoint(model_dir());
}

std::map<std::string, Tensor> Estimator::checkpoint() const {
  const std::optional<std::filesystem::path> newest = latest_checkpoint();
  return newest ? read_safetensors(newest->string() + ".safetensors").tensors
                : std::map<std::string, Tensor>{};
}

std::vector<std::string> Estimator::get_variable_names() const {
  std::vector<std::string> names;
  for (const auto& [name, value] : checkpoint()) names.push_back(name);
  if (names.empty())
    throw ValueError(fmt::format("Couldn't find 'checkpoint' file or checkpoints in given directory {}",
                                 model_dir().string()));
  return names;
}

Tensor Estimator::get_variable_value(const std::string& name) const {
  const std::vector<std::string> names = get_variable_names();
  if (std::ranges::find(names, name) == names.end())
    throw ValueError(fmt::format("Key {} not found in checkpoint", name));
  return checkpoint().at(name);
}

// ---- Both

namespace {

EvaluationResult evaluate_by(const EvalSpec& spec, Estimator& estimator) {
  return estimator.evaluate(spec.input_fn, spec.steps);
}

// The first checkpoint is that of the beginning, before any step.
EvaluationResult train_locally(Estimator& estimator, const TrainSpec& train_spec, const EvalSpec& eval_spec) {
  estimator.log("Running training and evaluation locally (non-distributed).");
  std::optional<EvaluationResult> result;
  std::int64_t newest = 0, evaluated = -1;
  bool is_first = true;
  EstimatorTraining options{.max_steps = train_spec.max_steps};
  options.on_save = [&](std::int64_t step) {
    newest = step;
    if (std::exchange(is_first, false) || (result && eval_spec.throttle_secs > 0)) return;
    result = evaluate_by(eval_spec, estimator);
    evaluated = step;
  };
  estimator.train(train_spec.input_fn, options);
  if (!result || evaluated != newest) result = evaluate_by(eval_spec, estimator);
  return *result;
}

void require_specs(const TrainSpec& train_spec, const EvalSpec& eval_spec) {
  require_positive("max_steps", train_spec.max_steps);
  require_positive("steps", eval_spec.steps);
}

}  // namespace

std::optional<EvaluationResult> train_and_evaluate(Estimator& estimator, const TrainSpec& train_spec,
                                                   const EvalSpec& eval_spec) {
  require_specs(train_spec, eval_spec);
  const RunConfig& config = estimator.config();
  const std::string& task = config.task_type();
  if (task == "evaluator") {
    if (config.task_id() > 0)
      throw ValueError(
          fmt::format("For distributed training, there can only be one `evaluator` task (with task "
                      "id 0).  Given task id {}",
                      config.task_id()));
    if (estimator.latest_checkpoint()) return evaluate_by(eval_spec, estimator);
    estimator.log("Estimator is not trained yet. Will start an evaluation when a checkpoint is ready.");
    return std::nullopt;
  }
  if (config.cluster_spec().is_empty()) return train_locally(estimator, train_spec, eval_spec);
  if (task != "ps") estimator.train(train_spec.input_fn, {.max_steps = train_spec.max_steps});
  return std::nullopt;
}

}  // namespace wt::train
