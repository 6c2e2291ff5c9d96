#include "scenario/job/rows.h"

#include <algorithm>
#include <utility>

#include "data/row_numbers.h"
#include "model/look_ups.h"
#include "scenario/job/model.h"
#include "scenario/job/placed.h"
#include "scenario/rows.h"
#include "scenario/source.h"

namespace wt::scenario {

namespace {

[[noreturn]] void refuse(std::string fact, std::string remedy = {}) {
  throw InputError(std::move(fact), std::move(remedy));
}

// The rows of a source that a dataset takes.
data::Dataset taken(data::Dataset rows, const Dataset& wanted) {
  if (wanted.skip > 0) rows = rows.skip(wanted.skip);
  if (wanted.take) rows = rows.take(*wanted.take);
  if (wanted.shard) rows = rows.shard(data::shard_hint, data::shard_hint);
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

TensorSpec spec_of(const data::ComponentSpec& component) {
  return {component.type, Shape(component.extents)};
}

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

}  // namespace

Purpose purpose_of(const Scenario& scenario, const Job& job, const std::optional<model::Forward>& forward) {
  Purpose purpose{.model = job.model->name(), .inputs = wanted_inputs(*job.model), .loss = job.loss};
  if (!forward) return purpose;
  for (const TensorSpec& output : forward->outputs)
    purpose.outputs.push_back({output.type, output.shape.without(0)});
  purpose.ids = ids_of(*job.model, scenario.semantics);
  return purpose;
}

data::Dataset make_rows(const data::Dataset& source, const Dataset& wanted) {
  if (source.cardinality() == 0) refuse("this dataset has no rows", "name other files");
  const data::Dataset rows = taken(source, wanted);
  if (rows.cardinality() == 0)
    refuse("no rows are left of this dataset", "look at its \"skip\" and \"take\"");
  return rows;
}

std::vector<std::int64_t> rows_of_batches(std::int64_t rows, std::int64_t batch, bool drop_remainder) {
  const std::int64_t rest = rows < 0 || drop_remainder ? 0 : rows % batch;
  if (rest == 0) return {batch};
  return rows < batch ? std::vector{rest} : std::vector{batch, rest};
}

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

void note_unequal_inputs(const Scenario& scenario, Job& job) {
  if (scenario.strategy->has_coordinator()) return;
  for (Problem warning : data::DistributedDataset(*job.batches, job.input).warnings()) {
    warning.place = scenario.place("dataset");
    job.notes.push_back(std::move(warning));
  }
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
