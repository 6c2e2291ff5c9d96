#include "tensorflow/data.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/dataset.h"
#include "model/keras/archive.h"
#include "scenario/names.h"
#include "scenario/rows.h"
#include "tensor/npy.h"
#include "train/state.h"

namespace wt::tensorflow {

namespace {

// ---- data.npz

// All rows in one batch.
data::Element read_all(const data::Dataset& rows, std::string_view key, const Subject& subject) {
  Bytes row{};
  for (const data::ComponentSpec& spec : rows.specs())
    row += TensorSpec{spec.type, Shape(spec.extents)}.bytes();
  const std::int64_t count = rows.cardinality();
  WT_EXPECT(count > 0, "the dataset has {} rows", count);
  if (row.count() > 0 && count > largest_data.count() / row.count())
    subject.refuse(
        key,
        fmt::format("{} rows of {} each are more than the {} that data.npz may have", count, print(row),
                    print(largest_data)),
        fmt::format("export fewer rows, --set {0}.take={1}; or --set numerics=none, for a program that makes "
                    "rows of the same shape",
                    key, largest_data.count() / row.count()));
  return *rows.batch(count).iterate().next();
}

void add(const data::Dataset& rows, std::string_view key, std::string_view prefix, const Subject& subject,
         std::map<std::string, Tensor>& tensors) {
  const data::Element all = read_all(rows, key, subject);
  const std::vector<std::string> names = subject.names.all();
  WT_EXPECT(names.size() == all.size(), "{} tensors have {} names", all.size(), names.size());
  for (std::size_t i = 0; i < all.size(); ++i) tensors.emplace(std::string(prefix) + names[i], all[i]);
}

// ---- The dataset

// One of the tensors that an element consists of, or a tuple of them.
Expression one_or_tuple(const std::vector<std::string>& names, std::string_view before,
                        std::string_view after) {
  const auto wrap = [&](const std::string& name) { return fmt::format("{}{}{}", before, name, after); };
  if (names.size() == 1) return wrap(names.front());
  Expression all = tuple({});
  for (const std::string& name : names) all.with(wrap(name));
  return all;
}

Expression element(const Subject& subject, std::string_view before, std::string_view after) {
  Expression parts = tuple({});
  parts.with(one_or_tuple(subject.names.inputs, before, after));
  parts.with(one_or_tuple(subject.names.labels, before, after));
  if (!subject.names.weights.empty()) parts.with(one_or_tuple(subject.names.weights, before, after));
  return parts;
}

// A row of random numbers, again and again. Whole numbers are 0, which is a class and an id.
void made_rows(const Subject& subject, std::int64_t rows, Lines& lines) {
  lines.add("random = np.random.default_rng(0)");
  const auto make = [&](const std::vector<std::string>& names, const std::vector<TensorSpec>& specs) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      Expression shape = tuple({});
      for (const std::int64_t extent : specs[i].shape) shape.with(literal(extent));
      const std::string type = fmt::format("'{}'", name(specs[i].type));
      lines.assign(names[i],
                   is_floating(specs[i].type)
                       ? call("random.random").with(shape).followed_by(fmt::format(".astype({})", type))
                       : call("np.zeros").with(shape).with("dtype", type));
    }
  };
  make(subject.names.inputs, subject.job.inputs);
  make(subject.names.labels, subject.job.labels);
  make(subject.names.weights, subject.job.sample_weights);
  lines.assign("rows", call("tf.data.Dataset.from_tensors")
                           .with(element(subject, "", ""))
                           .followed_by(fmt::format(".repeat({})", rows)));
}

// A file is a shard where the scenario reads files, and the program reads one archive.
void refuse_shards_by_file(const Subject& subject, const scenario::Dataset& dataset) {
  const bool has_workers = subject.job.machine.tasks > 1;
  const bool by_file =
      dataset.autoshard == data::AutoShardPolicy::file ||
      (dataset.autoshard == data::AutoShardPolicy::automatic && subject.job.input.is_from_files);
  if (has_workers && by_file)
    subject.refuse("dataset.autoshard",
                   "each worker reads files of its own, and the exported program has all rows in one archive",
                   R"(write "autoshard": "data", or "off")");
}

void transform(const Subject& subject, const scenario::Dataset& dataset, std::int64_t rows_of_pass,
               Lines& lines) {
  if (dataset.shuffle) {
    const std::int64_t buffer = dataset.shuffle->buffer.value_or(rows_of_pass);
    lines.add(fmt::format("rows = rows.shuffle({}, seed={})", buffer, *dataset.shuffle->seed));
  }
  if (dataset.repeat < 0) lines.add("rows = rows.repeat()");
  if (dataset.repeat > 1) lines.add(fmt::format("rows = rows.repeat({})", dataset.repeat));
  lines.add(fmt::format("rows = rows.batch(BATCH{})", dataset.drop_remainder ? ", drop_remainder=True" : ""));
  const bool fuses = dataset.shuffle && dataset.repeat != 1;
  const bool shards = subject.job.machine.tasks > 1;
  if (!fuses && !shards) return;
  lines.add("options = tf.data.Options()");
  if (fuses)
    lines.add(
        "options.experimental_optimization.shuffle_and_repeat_fusion = False  # keeps the order of each "
        "pass");
  if (shards)
    lines.add(
        "policies = tf.data.experimental.AutoShardPolicy\n"
        "options.experimental_distribute.auto_shard_policy = policies." +
        std::string(data::name(dataset.autoshard)));
  lines.add("rows = rows.with_options(options)");
}

void function(const Subject& subject, std::string_view name, const scenario::Dataset& dataset,
              std::string_view prefix, std::int64_t rows, bool repeats, Lines& lines) {
  refuse_shards_by_file(subject, dataset);
  lines.add(fmt::format("def {}():", name)).indented([&] {
    if (subject.has_numbers())
      lines.assign("rows", call("tf.data.Dataset.from_tensor_slices")
                               .with(element(subject, fmt::format("stored['{}", prefix), "']")));
    else
      made_rows(subject, rows, lines);
    transform(subject, dataset, rows, lines);
    if (repeats) lines.add("rows = rows.repeat()  # one pass after the other, each shuffled anew");
    lines.add("return rows");
  });
  lines.blank().blank();
}

}  // namespace

std::map<std::string, Tensor> rows_of(const Subject& subject) {
  const scenario::RowsOfJob rows = scenario::rows_of(subject.scenario, subject.job);
  std::map<std::string, Tensor> tensors;
  add(rows.training, "dataset", "", subject, tensors);
  if (rows.evaluation) add(*rows.evaluation, "training.evaluation.dataset", "evaluation_", subject, tensors);
  return tensors;
}

std::map<std::string, Tensor> weights_of(const Subject& subject) {
  train::State state(static_cast<std::uint64_t>(subject.scenario.seed));
  state.preset(subject.job.initial_weights);
  state.add(subject.job.weights);
  std::map<std::string, Tensor> tensors;
  for (const model::Weight& weight : subject.job.weights)
    if (!std::holds_alternative<model::StreamStart>(weight.initializer.rule))
      tensors.emplace(weight.name, state.read(weight.name));
  return tensors;
}

// An entry of an archive is a file whose name ends with .npy.
void write_npz(const std::filesystem::path& path, const std::map<std::string, Tensor>& tensors) {
  std::map<std::string, std::string> entries;
  for (const auto& [name, tensor] : tensors) entries.emplace(name + ".npy", to_npy(tensor));
  model::keras::write_archive(path, entries);
}

bool repeats_for_fit(const Subject& subject) {
  return subject.is_fit() && subject.scenario.dataset.shuffle &&
         scenario::starts_anew(subject.scenario, subject.job) && scenario::epochs_of(subject.scenario) > 1;
}

void dataset_functions(const Subject& subject, Lines& lines) {
  if (subject.has_numbers()) lines.add("stored = np.load(os.path.join(HERE, 'data.npz'))").blank().blank();
  const scenario::Scenario& scenario = subject.scenario;
  const bool is_opened_twice = subject.is_keras3() && subject.is_fit() && scenario.dataset.shuffle;
  function(subject, is_opened_twice ? "shuffled_rows" : "training_rows", scenario.dataset, "",
           subject.job.rows_of_pass, repeats_for_fit(subject), lines);
  // keras/src/backend/tensorflow/trainer.py, _maybe_symbolic_build.
  if (is_opened_twice)
    lines.add(R"(def training_rows():
    """Keras 3 opens the rows once before it trains, and a shuffle counts that. Made in a function, it begins anew."""
    return tf.data.Dataset.range(1).flat_map(lambda _: shuffled_rows())


)");
  const std::optional<scenario::Evaluation>& evaluation = scenario.training.evaluation;
  if (!evaluation) return;
  scenario::Dataset evaluated = evaluation->dataset.value_or(scenario.dataset);
  if (!evaluation->dataset) {
    evaluated.shuffle.reset();
    evaluated.repeat = 1;
    evaluated.drop_remainder = false;
  }
  function(subject, "evaluation_rows", evaluated, evaluation->dataset ? "evaluation_" : "",
           subject.job.evaluated_rows, false, lines);
}

void weight_function(const Subject& subject, Lines& lines) {
  if (!subject.has_numbers()) return;
  lines.add(R"(def load_weights(model):
    """Gives the model the weights that the scenario's training begins with."""
    weights = np.load(os.path.join(HERE, 'weights.npz'))
    rows = {}  # of a variable in shards, those that earlier shards have taken
    for variable in model.weights:
        name = getattr(variable, 'path', variable.name).split(':')[0]
        name, _, shard = name.partition('/part_')
        while name not in weights and '/' in name:
            name = name.split('/', 1)[1]
        if name not in weights:
            sys.exit(f'weights.npz has no {variable.name}')
        value = weights[name]
        if shard:
            first = rows.get(name, 0)
            rows[name] = first + variable.shape[0]
            value = value[first:rows[name]]
        variable.assign(value)


)");
}

}  // namespace wt::tensorflow
