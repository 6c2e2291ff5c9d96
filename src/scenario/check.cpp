#include "scenario/check.h"

#include <algorithm>

#include "base/utf8.h"
#include "model/keras_file.h"
#include "model/loss.h"
#include "model/metric.h"
#include "model/optimizer.h"
#include "platform/load.h"
#include "scenario/expenses.h"
#include "scenario/faults.h"
#include "scenario/names.h"
#include "scenario/this_machine.h"

namespace wt::scenario {
namespace {

// `what` is a loss or a metric.
template <class What>
void check_offered(const What& what, const json::Value& written, const Scenario& scenario,
                   Problems& problems) {
  try {
    model::require_offered(what, scenario.semantics);
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems())
      problems.add(written.place(), problem.fact, problem.remedy);
  }
}

void check_loss(const Scenario& scenario, const json::Value& written, Problems& problems) {
  const std::optional<model::Loss> loss = model::read_loss(written, problems);
  if (!loss) return;
  const bool is_kerass =
      scenario.training.loop == Loop::fit || scenario.training.loss_scale == LossScale::keras;
  if (is_kerass && loss->options.reduction == model::LossReduction::none) {
    problems.add(written.place(),
                 "the scale \"keras\" wants one number, and reduction none leaves one per row",
                 R"(leave "reduction" out)");
  } else if (is_kerass && is_per_row(written, scenario.training.loop)) {
    problems.add(
        written.place(),
        "the scale \"keras\" wants one number, and a loss that is named has one per row in a custom loop",
        "write another \"loss_scale\", or the loss as an object whose \"config\" has a \"reduction\"");
  }
  check_offered(*loss, written, scenario, problems);
  // A name stands for Keras' function, which gives a loss for each row. An object stands for a loss object.
  if (written.kind() != json::Kind::object || scenario.training.loop != Loop::custom) return;
  try {
    model::require_custom_loop_reduction(loss->options.reduction, scenario.semantics);
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems())
      problems.add(written.place(), problem.fact, problem.remedy);
  }
}

void check_losses(const Scenario& scenario, Problems& problems) {
  const Training& training = scenario.training;
  for (const json::Value& written : training.loss.each()) check_loss(scenario, written, problems);
  if (training.loss.written && training.loss.each().empty())
    problems.add(training.loss.written->place(), "the list of losses is empty",
                 "give one loss for each output of the model");
}

// An argument of fit, which a loop of one's own doesn't have.
void check_class_weight(const Scenario& scenario, Problems& problems) {
  const Training& training = scenario.training;
  if (training.class_weight.of.empty()) return;
  if (sample_weights_of(scenario.dataset) > 0)
    problems.add(scenario.place("training.class_weight"),
                 "the rows have a \"sample_weight\", and TensorFlow takes no \"class_weight\" beside it",
                 "multiply the weights, and keep \"sample_weight\"");
  if (training.loop == Loop::fit) return;
  problems.add(scenario.place("training.class_weight"),
               "\"class_weight\" is an argument of fit, and this loop is not fit", R"(write "loop": "fit")");
}

void check_optimizer(const Scenario& scenario, Problems& problems) {
  const Training& training = scenario.training;
  if (!training.optimizer.written) return;
  const json::Value& written = *training.optimizer.written;
  model::read_optimizer(written, problems, scenario.semantics);
  const json::Value* config = written.kind() == json::Kind::object ? written.find("config") : nullptr;
  const bool has_rate =
      config != nullptr && config->kind() == json::Kind::object && config->find("learning_rate") != nullptr;
  if (!has_rate || training.learning_rate_by_batch.empty()) return;
  problems.add(config->find("learning_rate")->place(),
               "\"learning_rate_by_batch\" says another learning rate", "keep one of them");
}

// The metrics of one output, or of all of them.
void check_metrics(const std::vector<Choice>& metrics, const Scenario& scenario, Problems& problems) {
  std::vector<std::string> names{"loss"};  // what the mean loss is called
  for (const Choice& choice : metrics) {
    const std::optional<model::Metric> metric =
        model::read_metric(*choice.written, problems, scenario.semantics);
    if (metric && std::find(names.begin(), names.end(), metric->name) != names.end())
      problems.add(choice.written->place(), fmt::format("\"{}\" is measured already", metric->name),
                   R"(give the metric another "name" in its "config")");
    if (metric) names.push_back(metric->name);
    if (metric) check_offered(*metric, *choice.written, scenario, problems);
    if (!metric || metric->type == nullptr || metric->type->compare != nullptr) continue;
    problems.add(choice.written->place(),
                 fmt::format("the metric \"{}\" doesn't compare labels with predictions", metric->type->name),
                 list_known(metric_names()));
  }
}

bool lacks_labels(const Dataset& dataset) {
  if (const auto* csv = std::get_if<CsvData>(&dataset.source)) return csv->y.tensors.empty();
  const auto* records = std::get_if<TfRecordData>(&dataset.source);
  return records != nullptr && records->y.names.empty();
}

void check_source(const Dataset& dataset, const std::string& key, const Scenario& scenario,
                  Problems& problems) {
  if (lacks_labels(dataset) && !scenario.training.is_inference())
    problems.add(scenario.place(key), R"(this object has no "y")",
                 R"(add "y": the label of each output, which only the loop "predict" doesn't need)");
  if (const auto* records = std::get_if<TfRecordData>(&dataset.source)) {
    for (const auto& [name, feature] : records->features)
      if (feature.shape.size() >= Shape::max_rank)
        problems.add(scenario.place(fmt::format("{}.features.{}.shape", key, name)),
                     fmt::format("the shape has {} axes", feature.shape.size()),
                     fmt::format("at most {} are supported", Shape::max_rank - 1));
  }
  const auto* csv = std::get_if<CsvData>(&dataset.source);
  if (csv == nullptr) return;
  const std::string& delimiter = csv->delimiter;
  if (delimiter.size() != 1 || delimiter == "\"" || delimiter == "\n" || delimiter == "\r")
    problems.add(scenario.place(key + ".delimiter"),
                 fmt::format("\"{}\" can't separate fields", printable(delimiter)),
                 R"(write one character: ",", ";" or "\t")");
}

// As train/coordinated_fit.h refuses it.
void check_fit_with_servers(const Scenario& scenario, Problems& problems) {
  const Training& training = scenario.training;
  if (training.loop != Loop::fit || !scenario.strategy->has_coordinator()) return;
  if (!model::is_on(model::Switch::fit_makes_a_coordinator, scenario.semantics))
    problems.add(scenario.place("training.loop"),
                 fmt::format("fit of {} refuses parameter servers: \"{}\"", model::name(scenario.semantics),
                             model::refusal_outside_of_coordinator),
                 R"(take the loop "custom", or add "semantics": "keras2")");
  else if (!training.steps && !training.steps_per_epoch)
    problems.add(scenario.place("training.loop"),
                 "under parameter servers an epoch of fit has no end of its own, since each worker reads the "
                 "whole dataset",
                 R"(add "steps_per_epoch" to "training")");
}

// TensorFlow 2.15's sentence (recording servers_estimator_parameter_server_v2): tf.estimator.RunConfig says it.
void check_estimator(const Scenario& scenario, Problems& problems) {
  if (scenario.training.loop != Loop::estimator) return;
  const Place place = scenario.place("training.loop");
  if (scenario.strategy->has_coordinator())
    problems.add(
        place,
        "Estimator refuses parameter servers with a coordinator: \"Please use "
        "`tf.compat.v1.distribute.experimental.ParameterServerStrategy` for parameter server strategy with "
        "estimator.\"",
        R"(take the loop "custom")");
  else
    problems.add(place, "an Estimator's model is a function of a program, and a scenario has none",
                 R"(take the loop "custom" with "loss_scale": "global_rows", which trains the same; )"
                 "a C++ program has tf.estimator in train/estimator.h");
}

// Measured times are measured for each kernel, and no other measurement may scale them.
void check_compute(const Scenario& scenario, Problems& problems) {
  const Time& time = scenario.time;
  if (time.compute.is_roofline()) return;
  if (time.measured_step)
    problems.add(scenario.place("time.measured_step"),
                 "a measured step scales the roofline, and kernels are measured here",
                 R"(leave it out, or take "compute": "roofline")");
  if (time.fusion && *time.fusion != plan::Fusion::none)
    problems.add(scenario.place("time.fusion"), "kernels are measured as they stand, and none is fused",
                 R"(leave it out, or take "compute": "roofline")");
}

// The suffix says which of Keras' files is written, and Keras reads each only if it has this suffix.
void check_save_weights(const Scenario& scenario, Problems& problems) {
  const std::string& name = scenario.training.save_weights->path;
  const Place place = scenario.place("training.save_weights");
  switch (model::saved_as(name)) {
    case model::SavedAs::h5:
      problems.add(place, fmt::format("\"{}\" is Keras' older layout of weights, which is not written", name),
                   "name it NAME.weights.h5, which Keras reads since TensorFlow 2.13");
      break;
    case model::SavedAs::keras:
      if (std::holds_alternative<model::ZooChoice>(scenario.model.form))
        problems.add(place, "a .keras file holds the model's JSON, and models of the zoo have none",
                     "name it NAME.weights.h5");
      break;
    default:
      break;
  }
}

}  // namespace

strategy::Report report_to(Problems& problems, const Scenario& scenario) {
  return [&](std::string_view key, std::string fact, std::string remedy) {
    problems.add(scenario.place(key), std::move(fact), std::move(remedy));
  };
}

strategy::IsGiven is_given(const Scenario& scenario) {
  return [&](std::string_view key) { return scenario.places.contains(key); };
}

void check_platform(const Scenario& scenario, Problems& problems) {
  try {
    if (const auto platform = platform_of(scenario)) platform::from_json(*platform, scenario.platform.folder);
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems()) problems.add(problem);
  }
}

void check(const Scenario& scenario, Problems& problems) {
  const Training& training = scenario.training;
  if (scenario.name != printable(scenario.name))
    problems.add(scenario.place("name"), "the name has control characters", "write one line of plain text");
  if (training.loop == Loop::fit && training.loss_scale && *training.loss_scale != LossScale::keras) {
    problems.add(scenario.place("training.loss_scale"), "fit scales its loss itself",
                 R"(leave loss_scale out, or take the loop "custom")");
  }
  check_fit_with_servers(scenario, problems);
  check_estimator(scenario, problems);
  if (scenario.dataset.shard == Sharding::hint && scenario.dataset.autoshard != data::AutoShardPolicy::hint) {
    problems.add(scenario.place("dataset.shard"),
                 "a shard by hint is replaced by the autoshard policy \"hint\", and by no other",
                 R"(add "autoshard": "hint", or take "shard": "worker")");
  }
  if (scenario.dataset.shard && scenario.strategy->has_coordinator()) {
    problems.add(scenario.place("dataset.shard"), "the workers of a coordinator each read the whole dataset",
                 R"(leave "shard" out)");
  }
  if (scenario.dataset.repeat == -1 && !training.steps && !training.steps_per_epoch) {
    problems.add(scenario.place("dataset.repeat"), "an epoch of a dataset without end never ends",
                 R"(add "steps" or "steps_per_epoch" to "training")");
  }
  if (training.evaluation && training.evaluation->dataset && training.evaluation->dataset->repeat == -1) {
    problems.add(scenario.place("training.evaluation.dataset.repeat"),
                 "an evaluation goes through all of its dataset, and this one has no end", "leave it out");
  }
  if (training.evaluation && training.evaluation->from_checkpoint && !training.checkpointing) {
    problems.add(scenario.place("training.evaluation.from_checkpoint"), "no checkpoints are written",
                 R"(add "checkpointing" to "training")");
  }
  const auto* zoo = std::get_if<model::ZooChoice>(&scenario.model.form);
  if (zoo != nullptr && zoo->model != nullptr && zoo->model->shape_only &&
      scenario.numerics != Numerics::none) {
    problems.add(scenario.place("model"), fmt::format("{} is there for shapes only", zoo->model->name),
                 R"(add "numerics": "none")");
  }
  scenario.strategy->check(is_given(scenario), report_to(problems, scenario));
  check_source(scenario.dataset, "dataset", scenario, problems);
  if (training.evaluation && training.evaluation->dataset)
    check_source(*training.evaluation->dataset, "training.evaluation.dataset", scenario, problems);
  check_compute(scenario, problems);
  check_expenses(scenario, problems);
  check_losses(scenario, problems);
  check_class_weight(scenario, problems);
  check_optimizer(scenario, problems);
  for (const OutputMetrics* written : {&training.metrics, &training.weighted_metrics})
    for (const std::vector<Choice>& metrics : written->lists) check_metrics(metrics, scenario, problems);
  if (scenario.host.collectives == HostCollectives::nccl && scenario.numerics != Numerics::cuda) {
    problems.add(scenario.place("host.collectives"), "NCCL adds among GPUs, and none computes",
                 R"(add "numerics": "cuda", or leave it out)");
  }
  if (scenario.numerics == Numerics::none && training.save_weights) {
    problems.add(scenario.place("training.save_weights"), "without numbers there are no weights to save",
                 R"(leave it out, or take the numerics "cpu")");
  }
  if (training.save_weights) check_save_weights(scenario, problems);
}

// How steps are run on a host.
void check_execution(const Scenario& scenario, Problems& problems) {
  const Training& training = scenario.training;
  const bool is_dispatched = scenario.strategy->compiles_steps() || scenario.strategy->has_coordinator();
  if (training.steps_per_execution > 1 && !is_dispatched && training.loop == Loop::custom)
    problems.add(scenario.place("training.steps_per_execution"),
                 "only fit, predict, a TPU's host and a coordinator of workers start several steps at once",
                 R"(leave it out, or take the "loop": "fit", or the strategy "tpu" or "parameter_server")");
  if (training.build_optimizer && training.loop == Loop::fit)
    problems.add(scenario.place("training.build_optimizer"), "fit builds the optimizer itself",
                 R"(leave it out, or take the "loop": "custom")");
  if (training.run_eagerly && is_dispatched)
    problems.add(scenario.place("training.run_eagerly"),
                 fmt::format("the strategy {} runs compiled steps only", scenario.strategy->name()),
                 "leave it out");
  if (training.run_eagerly && training.jit_compile)
    problems.add(scenario.place("training.jit_compile"), "what runs eagerly is not compiled",
                 R"(leave out "jit_compile" or "run_eagerly")");
  if (training.jit_compile && scenario.time.fusion)
    problems.add(scenario.place("time.fusion"), R"("jit_compile" says how far operations are joined, too)",
                 R"(leave out "fusion" or "jit_compile")");
  if (training.jit_compile && !scenario.time.compute.is_roofline())
    problems.add(scenario.place("training.jit_compile"),
                 "kernels are measured as they stand, and none is fused",
                 R"(leave it out, or take the "compute": "roofline")");
}

void check_saving(const Scenario& scenario, Problems& problems) {
  const Training& training = scenario.training;
  if (scenario.job && scenario.job->holds_rows && !scenario.job->storage)
    problems.add(scenario.place("job.holds_rows"), "the storage that holds the rows has no speed",
                 R"(add "storage" to "job", as "20 GB/s")");
  if (scenario.job && scenario.job->holds_rows && scenario.input && scenario.input->on_device)
    problems.add(scenario.place("job.holds_rows"),
                 "rows that are on the devices from the start are not read from a storage",
                 R"(leave out "holds_rows", or "on_device")");
  if (training.checkpointing && training.checkpointing->grace_period &&
      !training.checkpointing->before_preemption)
    problems.add(scenario.place("training.checkpointing.grace_period"),
                 "nothing is saved before a preemption, so there is no period to go on in",
                 R"(add "before_preemption": true, or leave it out)");
  if (training.checkpointing && training.checkpointing->asynchronous && backup_of(training) != nullptr)
    problems.add(
        scenario.place("training.checkpointing.asynchronous"),
        "BackupAndRestore, from whose saves the job is started again, writes while the training waits",
        R"(leave out "asynchronous", or the callback)");
}

void check_time(const Scenario& scenario, Problems& problems) {
  const auto refuse = [&](std::string_view key, bool is_given) {
    if (is_given && !scenario.platform.written && scenario.time.compute.is_roofline())
      problems.add(scenario.place(key), "without a platform nothing is timed",
                   "add \"platform\", or leave it out");
  };
  refuse("input", scenario.input.has_value());
  if (scenario.input && scenario.input->on_device && scenario.input->takes_time())
    problems.add(scenario.place("input.on_device"),
                 "rows that are on the devices from the start are neither read nor decoded",
                 "leave out \"on_device\", or \"decode\" and \"storage\"");
  refuse("job", scenario.job.has_value());
  refuse("cost", scenario.cost.has_value());
  refuse("time.jitter", scenario.time.jitter > 0);
  refuse("time.steps", scenario.time.steps.has_value());
  refuse("time.collectives", scenario.time.collectives == Collectives::folded);
  const auto is_of_program = [&](std::string_view key, bool is_given) {
    if (is_given && !scenario.strategy->compiles_steps())
      problems.add(scenario.place(key),
                   "only a TPU's step is a program that is compiled, and started by its host",
                   R"(leave it out, or take the strategy "tpu")");
  };
  is_of_program("time.compile", scenario.time.compile.has_value());
  is_of_program("time.dispatch", scenario.time.dispatch.has_value());
  check_execution(scenario, problems);
  if (scenario.training.join_every && !scenario.strategy->has_coordinator())
    problems.add(scenario.place("training.join_every"),
                 "only the coordinator of parameter servers joins workers",
                 R"(leave it out, or take the strategy "parameter_server")");
  if (scenario.training.join_every && scenario.training.loop == Loop::fit)
    problems.add(scenario.place("training.join_every"), "fit joins when an epoch ends",
                 R"(leave it out, or take the "loop": "custom")");
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) refuse(fmt::format("faults.{}", i), true);
  check_faults(scenario, problems);
}

}  // namespace wt::scenario
