#include "scenario/build.h"

#include <algorithm>
#include <utility>

#include "base/file_kind.h"
#include "base/json_writer.h"
#include "base/overloaded.h"
#include "base/rough.h"
#include "base/suggest.h"
#include "data/row_numbers.h"
#include "model/class_weight.h"
#include "model/keras_file.h"
#include "model/keras_json.h"
#include "model/weights.h"
#include "scenario/by_output.h"
#include "scenario/callbacks.h"
#include "scenario/check.h"
#include "scenario/closures.h"
#include "scenario/expenses.h"
#include "scenario/inference.h"
#include "scenario/input_files.h"
#include "scenario/names.h"
#include "scenario/precision.h"
#include "scenario/printed.h"
#include "scenario/rows.h"
#include "scenario/source.h"
#include "scenario/synthetic.h"
#include "scenario/this_machine.h"
#include "scenario/troubles.h"
#include "tensor/safetensors.h"
#include "train/learning_rate.h"

namespace wt::scenario {
namespace {

// Calls `body`. Problems that have no place get the place of the key that led to them.
template <class Body>
auto placed(const Place& place, Problems& problems, Body body) -> std::optional<decltype(body())> {
  try {
    return body();
  } catch (const InputError& error) {
    for (Problem problem : error.problems()) {
      if (problem.place.file.empty()) problem.place = place;
      if (problem.remedy.empty() && problem.place.file != place.file) {
        problem.remedy = fmt::format("it is named at {}:{}:{}", place.file, place.line, place.column);
      }
      problems.add(std::move(problem));
    }
    return std::nullopt;
  }
}

[[noreturn]] void refuse(std::string fact, std::string remedy = {}) {
  throw InputError(std::move(fact), std::move(remedy));
}

// The model in the form in which Keras writes it, so that there is one reader of layers.
json::Value architecture_of(const InlineModel& written) {
  const json::Value frame = json::parse(
      R"({"class_name": "Sequential", "config": {"name": "", "layers": []}})", "a model of layers");
  const std::vector<std::string> to_name{"config", "name"}, to_layers{"config", "layers"};
  const json::Value named =
      json::replaced(frame, to_name, json::parse(json::quote(written.name), "its name"));
  return json::replaced(named, to_layers, *written.layers);
}

json::Value architecture_of(const KerasModel& keras, const Place& place) {
  if (const auto* file = std::get_if<InputPath>(&keras.keras_json))
    return json::parse_file(existing(*file, place), place);
  return std::get<json::Value>(keras.keras_json);
}

json::Value architecture_of(const SavedKerasModel& saved, const Place& place) {
  if (!is_folder(saved.keras.path)) existing(saved.keras, place);
  return model::read_saved_model(saved.keras.path, place).architecture;
}

model::LayerPtr make_model(const Scenario& scenario, Job& job) {
  if (const auto* zoo = std::get_if<model::ZooChoice>(&scenario.model.form)) return zoo->build();
  Place place = scenario.place("model.keras_json");
  job.architecture = std::visit(
      overloaded{[](const model::ZooChoice&) { return std::optional<json::Value>{}; },
                 [](const InlineModel& layers) { return std::optional(architecture_of(layers)); },
                 [&](const KerasModel& keras) { return std::optional(architecture_of(keras, place)); },
                 [&](const SavedKerasModel& saved) {
                   place = scenario.place("model.keras");
                   return std::optional(architecture_of(saved, place));
                 }},
      scenario.model.form);
  json::PassedOver passed;
  model::LayerPtr model = model::model_from_json(*job.architecture, &passed);
  if (!passed.empty())
    job.notes.push_back(
        {place,
         fmt::format("the model has keys that are unknown here and have no value, so they are "
                     "passed over: {}",
                     fmt::join(passed, ", ")),
         ""});
  return model;
}

// The specification of one row of each input, if the model knows it.
std::vector<TensorSpec> wanted_inputs(const model::Layer& model) {
  const std::vector<TensorSpec> specs = model.input_specs();
  for (const TensorSpec& spec : specs)
    if (std::any_of(spec.shape.begin(), spec.shape.end(), [](auto n) { return n <= 0; })) return {};
  return specs;
}

// Requires all weights of the model and no others, since a model that is half initialised would train unnoticed.
std::map<std::string, Tensor> read_weights(const InputPath& file, const model::Layer& model,
                                           const std::vector<model::Weight>& weights, const Place& place) {
  if (model::container_of(existing(file, place), place) != model::Container::other)
    return model::read_saved_weights(file.path, model, weights, place);
  std::map<std::string, Tensor> tensors = read_safetensors(file.path, place).tensors;
  Problems problems;
  std::vector<std::string_view> known;
  for (const model::Weight& weight : weights) {
    if (std::holds_alternative<model::StreamStart>(weight.initializer.rule)) continue;
    known.push_back(weight.name);
    const auto found = tensors.find(weight.name);
    if (found == tensors.end()) {
      problems.add(place, fmt::format("{} has no \"{}\"", file.path, weight.name),
                   fmt::format("the model has {} there", print(weight.spec)));
    } else if (found->second.spec() != weight.spec) {
      problems.add(place,
                   fmt::format("\"{}\" is {} in {}", weight.name, print(found->second.spec()), file.path),
                   fmt::format("the model has {} there", print(weight.spec)));
    }
  }
  for (const auto& [name, tensor] : tensors) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    problems.add(place, fmt::format("the model has no weight \"{}\", and {} has", name, file.path),
                 did_you_mean(name, known));
  }
  problems.throw_if_any();
  return tensors;
}

// `forward` is the model's, if it knows its inputs.
Purpose purpose_of(const Scenario& scenario, const Job& job, const std::optional<model::Forward>& forward) {
  Purpose purpose{.model = job.model->name(), .inputs = wanted_inputs(*job.model), .loss = job.loss};
  if (!forward) return purpose;
  for (const TensorSpec& output : forward->outputs)
    purpose.outputs.push_back({output.type, output.shape.without(0)});
  purpose.ids = ids_of(*job.model, scenario.semantics);
  return purpose;
}

// The rows of a source that a dataset takes.
data::Dataset taken(data::Dataset rows, const Dataset& wanted) {
  if (wanted.skip > 0) rows = rows.skip(wanted.skip);
  if (wanted.take) rows = rows.take(*wanted.take);
  if (wanted.shard) rows = rows.shard(data::shard_hint, data::shard_hint);
  return rows;
}

data::Dataset make_rows(const data::Dataset& source, const Dataset& wanted) {
  if (source.cardinality() == 0) refuse("this dataset has no rows", "name other files");
  const data::Dataset rows = taken(source, wanted);
  if (rows.cardinality() == 0)
    refuse("no rows are left of this dataset", "look at its \"skip\" and \"take\"");
  return rows;
}

data::Dataset in_batches(data::Dataset rows, const Dataset& wanted, std::int64_t batch) {
  if (wanted.shuffle) {
    const std::int64_t buffer = wanted.shuffle->buffer.value_or(rows.cardinality());
    rows = rows.shuffle(buffer, data::shuffle_seed(*wanted.shuffle->seed));
  }
  if (wanted.repeat > 1 && rows.cardinality() > json::most / wanted.repeat) {
    refuse(fmt::format("{} rows, {} times each, are more than {}", rows.cardinality(), wanted.repeat,
                       json::most),
           "repeat them less often, or -1 for without end");
  }
  if (wanted.repeat != 1) rows = rows.repeat(wanted.repeat);
  const std::int64_t count = rows.cardinality();
  if (wanted.drop_remainder && count >= 0 && count < batch) {
    refuse(fmt::format("{} rows are no whole batch of {}, and what remains is dropped", count, batch),
           "take smaller batches, or drop_remainder false");
  }
  return rows.batch(batch, wanted.drop_remainder);
}

bool starts_anew(const Training& training, std::int64_t batches) {
  return !training.steps && (!training.steps_per_epoch || *training.steps_per_epoch == batches);
}

// Refuses datasets that have fewer batches than the training has steps.
void check_steps(std::int64_t given, const Scenario& scenario, Problems& problems) {
  const Training& training = scenario.training;
  const std::int64_t each = training.steps_per_epoch.value_or(given);
  if (!training.steps && each > 0 && epochs_of(scenario) > json::most / each) {
    problems.add(
        scenario.place("training.epochs"),
        fmt::format("{} epochs of {} steps are more than {} steps", epochs_of(scenario), each, json::most),
        "train fewer");
    return;
  }
  if (given < 0 || starts_anew(training, given)) return;
  const std::int64_t wanted = training.steps ? *training.steps : *training.epochs * *training.steps_per_epoch;
  if (wanted <= given) return;
  problems.add(scenario.place(training.steps ? "training.steps" : "training.steps_per_epoch"),
               fmt::format("{} steps want as many batches, and the dataset ends after {}", wanted, given),
               R"(add "repeat": -1 to "dataset")");
}

TensorSpec spec_of(const data::ComponentSpec& component) {
  return {component.type, Shape(component.extents)};
}

TensorSpec with_batch(const TensorSpec& row, std::int64_t batch) { return model::batched({row}, batch)[0]; }

std::string list(const std::vector<TensorSpec>& specs) {
  std::string text;
  for (const TensorSpec& spec : specs) text += (text.empty() ? "" : ", ") + print(spec);
  return text;
}

void check_inputs(const std::vector<TensorSpec>& given, const Purpose& purpose) {
  if (purpose.inputs.empty() || purpose.inputs == given) return;
  refuse(fmt::format("the model \"{}\" wants rows of {}, and this dataset gives {}", purpose.model,
                     list(purpose.inputs), list(given)),
         "take other rows, or a model for these");
}

// Inference takes the first tensors, as many as the model has inputs, and passes over labels where there are any.
void take_specs_of_inputs(const std::vector<TensorSpec>& all, const Purpose& purpose, Job& job) {
  const std::size_t inputs = std::max<std::size_t>(1, job.model->input_specs().size());
  if (all.size() < inputs)
    refuse(fmt::format("the model \"{}\" has {} inputs, and this dataset gives {} tensors", purpose.model,
                       inputs, all.size()),
           "\"type\": \"synthetic\" makes as many as a model wants");
  job.inputs.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(inputs));
  job.labels.assign(all.begin() + static_cast<std::ptrdiff_t>(inputs), all.end());
}

// The last tensors of a row are labels, one for every output of the model. The others are inputs.
void take_specs(const data::Dataset& rows, std::size_t weights, const Purpose& purpose,
                const Scenario& scenario, Job& job) {
  std::vector<TensorSpec> all;
  for (const data::ComponentSpec& component : rows.specs()) all.push_back(spec_of(component));
  if (scenario.training.is_inference()) return take_specs_of_inputs(all, purpose, job);
  const std::size_t labels = std::max<std::size_t>(1, purpose.outputs.size());
  if (weights > 1 && weights != labels)
    refuse(fmt::format("\"sample_weight\" has {} names, and the model \"{}\" has {} outputs", weights,
                       purpose.model, labels),
           "give one for all outputs, or one for each");
  job.sample_weights.assign(all.end() - static_cast<std::ptrdiff_t>(weights), all.end());
  all.resize(all.size() - weights);
  if (all.size() <= labels)
    refuse(fmt::format("the model \"{}\" has {} outputs, each with a label, and this dataset gives {} "
                       "tensors in all",
                       purpose.model, labels, all.size()),
           "\"type\": \"synthetic\" makes as many as a model wants");
  const auto first_label = all.end() - static_cast<std::ptrdiff_t>(labels);
  job.inputs.assign(all.begin(), first_label);
  job.labels.assign(first_label, all.end());
}

// Loss and metrics compare labels with predictions: traces them for a batch of two.
void check_comparison(Job& job, std::size_t i, const TensorSpec& output, const Scenario& scenario,
                      Problems& problems) {
  Trace trace("comparison");
  model::Building building(trace, false);
  const Symbol labels = trace.input("labels", with_batch(job.labels[i], 2));
  const Symbol predictions = trace.input("predictions", output);
  std::optional<Symbol> weight;
  if (!job.sample_weights.empty())
    weight = trace.input("weight", with_batch(job.sample_weights[job.sample_weights.size() > 1 ? i : 0], 2));
  placed(scenario.place(weight ? "dataset.sample_weight" : "training.loss"), problems, [&] {
    return model::weighted_losses(job.loss.of(i), model::labels_in_fit(labels, predictions), predictions,
                                  scenario.semantics, {.weight = weight})
        .values;
  });
  const auto check = [&](const char* key, model::Metric& metric, std::optional<Symbol> counts) {
    const model::Metric resolved = model::resolve_accuracy(metric, labels.spec(), predictions.spec(),
                                                           job.loss.of(i), scenario.semantics);
    placed(scenario.place(key), problems, [&] {
      model::update_metric(building, resolved, labels, predictions, counts);
      return true;
    });
    if (job.labels.size() == 1) metric = resolved;
  };
  const auto check_all = [&](const char* key, model::Metrics& metrics, std::optional<Symbol> counts) {
    for (model::Metric& metric : metrics.of_all) check(key, metric, counts);
    if (i < metrics.of_each.size())
      for (model::Metric& metric : metrics.of_each[i]) check(key, metric, counts);
  };
  check_all("training.metrics", job.metrics, std::nullopt);
  check_all("training.weighted_metrics", job.weighted_metrics, weight);
}

model::Metrics read_metrics(const OutputMetrics& written, const Scenario& scenario, Problems& problems) {
  const auto read = [&](const std::vector<Choice>& choices) {
    std::vector<model::Metric> metrics;
    for (const Choice& choice : choices)
      if (auto metric = model::read_metric(*choice.written, problems, scenario.semantics))
        metrics.push_back(*metric);
    return metrics;
  };
  model::Metrics metrics;
  if (written.is_by_output)
    for (const std::vector<Choice>& list : written.lists) metrics.of_each.push_back(read(list));
  else if (!written.lists.empty())
    metrics.of_all = read(written.lists.front());
  return metrics;
}

void configure(const Scenario& scenario, Job& job, Problems& problems) {
  const Training& training = scenario.training;
  if (training.is_inference()) return;
  job.loss.is_list = training.loss.written->kind() == json::Kind::array || training.loss.is_by_name();
  for (const json::Value& written : training.loss.each()) {
    const std::optional<model::Loss> loss = model::read_loss(written, problems);
    job.loss.each.push_back(loss.value_or(model::Loss{}));
    if (is_per_row(written, training.loop))
      job.loss.each.back().options.reduction = model::LossReduction::none;
  }
  if (training.loss_weights) job.loss.weights = training.loss_weights->values;
  if (auto optimizer = model::read_optimizer(*training.optimizer.written, problems, scenario.semantics))
    job.optimizer = *optimizer;
  job.metrics = read_metrics(training.metrics, scenario, problems);
  job.weighted_metrics = read_metrics(training.weighted_metrics, scenario, problems);
}

// Puts what is given by the names of outputs in the order of the outputs.
void order_by_outputs(const Scenario& scenario, Job& job, Problems& problems) {
  const Training& training = scenario.training;
  if (training.is_inference()) return;
  const std::vector<std::string> outputs = job.model->output_names();
  const auto order = [&](std::string_view key, auto& given, const std::vector<std::string>& names,
                         bool needs_all) {
    if (auto ordered = placed(scenario.place(key), problems,
                              [&] { return in_order_of_outputs(given, names, outputs, needs_all); }))
      given = std::move(*ordered);
  };
  order("training.loss", job.loss.each, training.loss.names(), true);
  if (training.loss_weights)
    order("training.loss_weights", job.loss.weights, training.loss_weights->names, true);
  order("training.metrics", job.metrics.of_each, training.metrics.names, false);
  order("training.weighted_metrics", job.weighted_metrics.of_each, training.weighted_metrics.names, false);
}

// Keras 3 takes a list of metrics for a model with several outputs as one metric for each.
void deal_metrics(const char* key, const OutputMetrics& written, std::size_t outputs,
                  const Scenario& scenario, model::Metrics& metrics, Problems& problems) {
  const bool is_keras3 =
      scenario.training.loop == Loop::fit && scenario.semantics == model::Semantics::keras3;
  const auto check_count = [&](std::size_t count) {
    if (count != outputs)
      problems.add(
          scenario.place(key),
          fmt::format("the number of entries is {}, and the model's number of outputs is {}", count, outputs),
          R"(list the metrics of each output, [["accuracy"], ["mae"]], or give them by the outputs' names)");
  };
  if (written.is_by_output) return check_count(metrics.of_each.size());
  if (!is_keras3 || outputs < 2 || metrics.of_all.empty()) return;
  check_count(metrics.of_all.size());
  for (const model::Metric& metric : std::exchange(metrics.of_all, {})) metrics.of_each.push_back({metric});
}

void choose_learning_rate(const Scenario& scenario, Job& job, Problems& problems) {
  const std::optional<double> rate = placed(scenario.place("training.learning_rate_by_batch"), problems, [&] {
    const auto& rates = scenario.training.learning_rate_by_batch;
    return rates.empty() ? job.optimizer.learning_rate : train::learning_rate_for(rates, job.global_batch);
  });
  job.optimizer.learning_rate = rate.value_or(0);
}

data::Distribution distribution(const Scenario& scenario, const cluster::Machine& machine) {
  return {.replicas = std::ssize(machine.replicas),
          .workers = machine.tasks,
          .policy = scenario.dataset.autoshard,
          .each_worker_shards = scenario.dataset.shard == Sharding::worker,
          .goes_on_with_empty_replicas = scenario.strategy->goes_on_with_empty_replicas()};
}

// The rows of a whole batch and of a short last batch, if there are such batches. `rows` is negative for a
// dataset without end.
std::vector<std::int64_t> rows_of_batches(std::int64_t rows, std::int64_t batch, bool drop_remainder) {
  const std::int64_t rest = rows < 0 || drop_remainder ? 0 : rows % batch;
  if (rest == 0) return {batch};
  return rows < batch ? std::vector{rest} : std::vector{batch, rest};
}

std::vector<std::int64_t> rows_of_steps(const Scenario& scenario, const Job& job) {
  const bool reaches_the_last = steps_of(scenario, job) >= job.steps_of_dataset;
  return rows_of_batches(job.rows, job.global_batch, scenario.dataset.drop_remainder || !reaches_the_last);
}

// Plans, memory and the simulated step are those of a whole batch, which such a training never has.
void note_missing_rows(const Scenario& scenario, Job& job) {
  if (job.rows < 0 || job.rows >= job.global_batch) return;
  job.notes.push_back({scenario.place("dataset"),
                       fmt::format("the dataset has {}, and a batch has {}: every step has {}, and the "
                                   "memory and the simulated step are those of a whole batch",
                                   counted(job.rows, "row"), job.global_batch, job.rows),
                       fmt::format("take more rows, or a batch of {}", job.rows)});
}

// Losses and their weights are listed for each output, so both lists have to fit the model.
void check_lists_of_losses(const model::Losses& losses, std::size_t outputs, const Scenario& scenario,
                           Problems& problems) {
  if (scenario.training.is_inference()) return;
  const auto check = [&](std::string_view key, auto require) {
    placed(scenario.place(key), problems, [&] {
      require(losses, outputs);
      return true;
    });
  };
  check("training.loss", model::require_loss_for_each);
  check("training.loss_weights", model::require_weight_for_each);
  placed(scenario.place("training.class_weight"), problems, [&] {
    model::require_class_weight(scenario.training.class_weight.of, outputs, scenario.semantics);
    return true;
  });
}

// In Keras 3 both write variables, or sum gradients, under a condition (Keras 3.15 on TensorFlow 2.21).
void note_what_keras_refuses(const Scenario& scenario, Job& job) {
  const bool is_conditional =
      job.optimizer.accumulation > 1 || (job.optimizer.averages && job.optimizer.averages->overwrite_every);
  if (scenario.semantics != model::Semantics::keras3 || job.input.replicas == 1 || !is_conditional) return;
  job.notes.push_back(
      {scenario.place("training.optimizer"),
       fmt::format("TensorFlow itself raises RuntimeError here: with {} replicas, Keras 3's optimizers "
                   "can neither accumulate gradients nor overwrite weights by their averages",
                   job.input.replicas),
       "leave it out for a training that TensorFlow carries out, too"});
}

void note_missing_price(const Scenario& scenario, Job& job) {
  if (!scenario.cost || !job.machine.platform) return;
  const std::string& platform = job.machine.platform->name();
  if (price_of(scenario, platform) != nullptr) return;
  job.notes.push_back({scenario.place("cost"),
                       fmt::format("{} has no price, so no cost is computed", platform),
                       fmt::format(R"(--price {}="98.32 USD/h")", platform)});
}

void check_file_of_strategy(const Scenario& scenario, Problems& problems) {
  const std::optional<strategy::NamedFile> file = scenario.strategy->file();
  if (!file) return;
  const Place place = scenario.place(file->key);
  placed(place, problems, [&] {
    existing(InputPath{file->path}, place);
    return true;
  });
}

void check_profile(const Scenario& scenario, Problems& problems) {
  placed(scenario.place("time.compute"), problems, [&] {
    profile_of(scenario);
    return true;
  });
}

// Counts the steps of a dataset, and reports before the training what the source of its rows or the number of workers
// doesn't allow.
std::int64_t steps_of_dataset(const data::Dataset& batches, const Job& job, const std::string& key,
                              const Scenario& scenario, Problems& problems) {
  if (job.input.policy == data::AutoShardPolicy::file && job.input.workers > 1 &&
      batches.files() == nullptr) {
    problems.add(
        scenario.place(key + ".autoshard"),
        "Found an unshardable source dataset: the policy FILE shards files, and these rows are in memory "
        "or generated",
        R"(choose "auto", "data" or "off")");
    return 0;
  }
  const auto steps = placed(scenario.place(key + ".autoshard"), problems,
                            [&] { return data::DistributedDataset(batches, job.input).steps(); });
  // Keras counts the batches before they are distributed (train::Loop).
  const bool is_counted_before =
      scenario.training.loop == Loop::fit && batches.files() == nullptr && batches.cardinality() >= 0;
  return is_counted_before ? std::min(steps.value_or(0), batches.cardinality()) : steps.value_or(0);
}

// A coordinator's workers each read the whole dataset.
void note_unequal_inputs(const Scenario& scenario, Job& job) {
  if (scenario.strategy->has_coordinator()) return;
  for (Problem warning : data::DistributedDataset(*job.batches, job.input).warnings()) {
    warning.place = scenario.place("dataset");
    job.notes.push_back(std::move(warning));
  }
}

// The shapes of rows are the model's if it knows them, otherwise those of the data.
std::optional<model::Forward> trace_model(const model::Layer& model, const std::vector<TensorSpec>& inputs,
                                          const Scenario& scenario, Problems& problems) {
  return placed(scenario.place("model"), problems,
                [&] { return model::forward(model, model::batched(inputs, 2), false, scenario.semantics); });
}

std::optional<data::Dataset> make_batches(const Dataset& wanted, const Purpose& purpose,
                                          const Scenario& scenario, const std::string& key, Job& job,
                                          Problems& problems) {
  const std::int64_t replicas = job.input.replicas;
  return placed(scenario.place(key), problems, [&] {
    const data::Dataset source = read_source(wanted, purpose, scenario, key);
    const data::Dataset rows = make_rows(source, wanted);
    take_specs(rows, sample_weights_of(wanted), purpose, scenario, job);
    check_inputs(job.inputs, purpose);
    // in_batches refuses more rows than can be counted, so that the product below cannot overflow.
    data::Dataset batches = in_batches(rows, wanted, scenario.global_batch(replicas));
    job.row_numbers =
        in_batches(taken(data::numbered(source), wanted), wanted, scenario.global_batch(replicas));
    job.input.is_from_files = rows.files() != nullptr;
    job.rows_of_pass = rows.cardinality();
    job.rows = wanted.repeat < 0 ? -1 : job.rows_of_pass * wanted.repeat;
    return batches;
  });
}

void make_evaluation(const Purpose& purpose, const Scenario& scenario, Job& job, Problems& problems) {
  const std::optional<Evaluation>& evaluation = scenario.training.evaluation;
  if (!evaluation) return;
  Job other;
  other.input = job.input;
  std::string key = "training.evaluation.dataset";
  Dataset wanted = evaluation->dataset.value_or(scenario.dataset);
  if (!evaluation->dataset) {
    key = "dataset";
    wanted.shard.reset();
    wanted.shuffle.reset();
    wanted.repeat = 1;
    wanted.drop_remainder = false;
  }
  job.evaluation = make_batches(wanted, purpose, scenario, key, other, problems);
  if (!job.evaluation) return;
  steps_of_dataset(*job.evaluation, job, key, scenario, problems);
  job.evaluation_rows =
      rows_of_batches(other.rows, scenario.global_batch(job.input.replicas), wanted.drop_remainder);
  if (other.inputs != job.inputs || other.labels != job.labels) {
    problems.add(
        scenario.place(key),
        fmt::format(
            "rows of {} with labels of {} are evaluated, and rows of {} with labels of {} are trained",
            list(other.inputs), list(other.labels), list(job.inputs), list(job.labels)));
  }
  const std::int64_t whole = other.rows - other.rows % scenario.global_batch(job.input.replicas);
  job.evaluated_rows = wanted.drop_remainder ? whole : other.rows;
}

// Losses and metrics compare each output with its labels, which inference doesn't read.
void check_comparisons(const model::Forward& forward, const Place& model_place, const Scenario& scenario,
                       Job& job, Problems& problems) {
  if (scenario.training.is_inference()) return;
  if (forward.outputs.size() != job.labels.size())
    throw InputError(Problem{model_place,
                             fmt::format("the model \"{}\" has {} outputs, and its rows have {} labels",
                                         job.model->name(), forward.outputs.size(), job.labels.size()),
                             "give its inputs a shape, and synthetic rows have a label for each output"});
  check_lists_of_losses(job.loss, forward.outputs.size(), scenario, problems);
  const std::size_t outputs = forward.outputs.size();
  deal_metrics("training.metrics", scenario.training.metrics, outputs, scenario, job.metrics, problems);
  deal_metrics("training.weighted_metrics", scenario.training.weighted_metrics, outputs, scenario,
               job.weighted_metrics, problems);
  problems.throw_if_any();
  for (std::size_t i = 0; i < job.labels.size(); ++i)
    check_comparison(job, i, forward.outputs[i], scenario, problems);
  problems.throw_if_any();
}

}  // namespace

bool starts_anew(const Scenario& scenario, const Job& job) {
  return starts_anew(scenario.training, job.steps_of_dataset);
}

bool wants_job_time(const Scenario& scenario, const Job& job) {
  if (!job.machine.platform) return false;
  return scenario.job || price_of(scenario, job.machine.platform->name()) != nullptr;
}

std::vector<model::Metric> all_metrics(const Job& job) {
  std::vector<model::Metric> all;
  for (const model::Metrics* metrics : {&job.metrics, &job.weighted_metrics}) {
    all.insert(all.end(), metrics->of_all.begin(), metrics->of_all.end());
    for (const std::vector<model::Metric>& own : metrics->of_each)
      all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

std::int64_t epochs_of(const Scenario& scenario) { return scenario.training.epochs.value_or(1); }

std::int64_t steps_of(const Scenario& scenario, const Job& job) {
  if (scenario.training.steps) return *scenario.training.steps;
  const std::int64_t epochs = epochs_of(scenario), each = steps_per_epoch(scenario, job);
  return each > 0 && epochs > json::most / each ? json::most : epochs * each;  // check_steps refuses more
}

std::int64_t steps_per_epoch(const Scenario& scenario, const Job& job) {
  return scenario.training.steps_per_epoch.value_or(job.steps_of_dataset);
}

Job build(const Scenario& scenario) {
  Problems problems;
  Job job;
  configure(scenario, job, problems);
  check_file_of_strategy(scenario, problems);
  check_saving(scenario, problems);
  check_time(scenario, problems);
  check_profile(scenario, problems);
  job.machine = placed(scenario.place("platform"), problems, [&] {
                  return build_machine(scenario);
                }).value_or(cluster::Machine{});
  if (job.machine.platform) check_price(scenario, job.machine, problems);
  check_inference(scenario, job, problems);
  if (!job.machine.replicas.empty()) {
    job.input = distribution(scenario, job.machine);
    job.global_batch = scenario.global_batch(job.input.replicas);
    choose_learning_rate(scenario, job, problems);
  }
  const Place model_place = scenario.place("model");
  job.model = placed(model_place, problems, [&] { return make_model(scenario, job); }).value_or(nullptr);
  if (job.model)
    placed(scenario.place("training.precision"), problems, [&] {
      set_precision(scenario, job);
      return true;
    });
  if (job.model) order_by_outputs(scenario, job, problems);
  if (job.model)
    job.machine.assigned = scenario.strategy->assigned_layers(*job.model, report_to(problems, scenario));
  problems.throw_if_any();

  const std::vector<TensorSpec> inputs = wanted_inputs(*job.model);
  std::optional<model::Forward> forward;
  if (!inputs.empty()) {
    forward = trace_model(*job.model, inputs, scenario, problems);
    problems.throw_if_any();
    check_lists_of_losses(job.loss, forward->outputs.size(), scenario, problems);
    problems.throw_if_any();
  }
  const Purpose purpose = purpose_of(scenario, job, forward);
  job.batches = make_batches(scenario.dataset, purpose, scenario, "dataset", job, problems);
  problems.throw_if_any();
  job.steps_of_dataset = steps_of_dataset(*job.batches, job, "dataset", scenario, problems);
  problems.throw_if_any();
  note_unequal_inputs(scenario, job);
  check_steps(job.steps_of_dataset, scenario, problems);
  job.step_rows = rows_of_steps(scenario, job);
  note_missing_rows(scenario, job);
  note_missing_price(scenario, job);
  note_what_keras_refuses(scenario, job);
  note_what_inference_ignores(scenario, job);
  check_closures(scenario, job, problems);
  problems.throw_if_any();
  job.faults = placed(scenario.place("faults"), problems, [&] {
                 return faults_of(scenario, job.machine, steps_of(scenario, job));
               }).value_or(timing::Faults{});
  make_evaluation(purpose, scenario, job, problems);
  if (!forward) forward = trace_model(*job.model, job.inputs, scenario, problems);
  problems.throw_if_any();

  check_comparisons(*forward, model_place, scenario, job, problems);
  check_callbacks(scenario, job, problems);
  job.weights = forward->weights;
  check_printed(scenario, job, problems);
  note_troubles(scenario, forward->outputs, job);
  const auto* saved = std::get_if<SavedKerasModel>(&scenario.model.form);
  const InputPath* file = scenario.model.weights ? &*scenario.model.weights
                          : saved != nullptr     ? &saved->keras
                                                 : nullptr;
  if (file != nullptr && scenario.numerics != Numerics::none) {
    const Place place = scenario.place(scenario.model.weights ? "model.weights" : "model.keras");
    auto weights =
        placed(place, problems, [&] { return read_weights(*file, *job.model, job.weights, place); });
    job.initial_weights = std::move(weights).value_or(std::map<std::string, Tensor>{});
  }
  problems.throw_if_any();
  return job;
}

RowsOfJob rows_of(const Scenario& scenario, const Job& job) {
  std::optional<model::Forward> forward;
  if (const std::vector<TensorSpec> inputs = wanted_inputs(*job.model); !inputs.empty())
    forward = model::forward(*job.model, model::batched(inputs, 2), false, scenario.semantics);
  const Purpose purpose = purpose_of(scenario, job, forward);
  RowsOfJob rows{
      .training = make_rows(read_source(scenario.dataset, purpose, scenario, "dataset"), scenario.dataset)};
  const std::optional<Evaluation>& evaluation = scenario.training.evaluation;
  if (evaluation && evaluation->dataset)
    rows.evaluation =
        make_rows(read_source(*evaluation->dataset, purpose, scenario, "training.evaluation.dataset"),
                  *evaluation->dataset);
  return rows;
}

}  // namespace wt::scenario
