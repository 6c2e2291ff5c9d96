#include "scenario/synthetic.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/one_hot.h"
#include "data/synthetic.h"
#include "model/weights.h"
#include "scenario/labels.h"

namespace wt::scenario {

namespace {

[[noreturn]] void refuse(std::string fact, std::string remedy) {
  throw InputError(std::move(fact), std::move(remedy));
}

bool is_integer(const TensorSpec& spec) { return spec.type == Type::int32 || spec.type == Type::int64; }

std::int64_t last_of(const TensorSpec& output) { return output.shape.rank() == 0 ? 1 : output.shape.last(); }

// The kind of the labels of each output: as the scenario says, or else as the output's loss compares them. Without a loss
// rows have no labels.
std::vector<LabelKind> kinds_of_labels(const SyntheticData& wanted, const Purpose& purpose) {
  if (purpose.loss.each.empty()) return {};
  const std::size_t outputs = purpose.outputs.size();
  const std::vector<LabelKind> given = wanted.labels ? wanted.labels->kinds : std::vector<LabelKind>{};
  if (given.size() > 1 && given.size() != outputs)
    refuse(fmt::format("\"labels\" has {} kinds, and the model \"{}\" has {} outputs", given.size(),
                       purpose.model, outputs),
           "give one kind for all outputs, or one for each");
  std::vector<LabelKind> kinds;
  for (std::size_t i = 0; i < outputs; ++i)
    kinds.push_back(given.empty() ? kind_of_labels(purpose.loss.of(i)) : given[given.size() == 1 ? 0 : i]);
  return kinds;
}

// Rows of the inputs and then the labels. Where a distribution over the classes is wanted, the
// labels are classes that become one-hot.
template <class Kind>
data::Dataset rows_of(Kind kind, const SyntheticData& wanted, const Purpose& purpose) {
  kind.rows = wanted.rows;
  kind.seed = *wanted.seed;
  if (wanted.noise) kind.noise = *wanted.noise;
  std::vector<std::int64_t> classes(purpose.inputs.size());
  const std::vector<LabelKind> kinds = kinds_of_labels(wanted, purpose);
  for (std::size_t i = 0; i < kinds.size(); ++i)
    classes.push_back(kinds[i] == LabelKind::distribution ? last_of(purpose.outputs[i]) : 0);
  return data::Dataset::from_rows(data::one_hot_rows(data::synthetic_rows(kind), std::move(classes)));
}

bool draws_ids(const SyntheticData& wanted) { return wanted.zipf || wanted.popularity; }

// Whether the model predicts the next token: each token has as many outputs as there are tokens.
bool is_language_model(const Purpose& purpose) {
  const TensorSpec& row = purpose.inputs[0];
  const Shape& output = purpose.outputs[0].shape;
  return row.type == Type::int32 && row.shape.rank() == 1 && output.rank() == 2 &&
         output[0] == row.shape[0] && (purpose.ids[0] == 0 || purpose.ids[0] == output[1]);
}

// ---- Several inputs or outputs, and what only ids decide

data::Component input_of(const Purpose& purpose, std::size_t i, const data::Popularity& popularity) {
  const TensorSpec& row = purpose.inputs[i];
  if (row.type != Type::int32 && row.type != Type::float32)
    refuse(fmt::format("no synthetic data for rows of {}", print(row)), "take inputs of float32 or int32");
  const bool is_looked_up = purpose.ids[i] > 0;
  if (is_looked_up && popularity.counted && popularity.counted->largest() >= purpose.ids[i])
    refuse(fmt::format("\"popularity\" counts the id {}, and the model \"{}\" has {} of them",
                       popularity.counted->largest(), purpose.model, purpose.ids[i]),
           fmt::format("count ids below {}", purpose.ids[i]));
  return {row, is_looked_up ? purpose.ids[i] : last_of(purpose.outputs[0]),
          is_looked_up ? popularity : data::Popularity{}};
}

// Classes have no last axis: the output has an entry for each of them there.
data::Component label_of(LabelKind kind, const TensorSpec& output) {
  const bool has_axis = output.shape.rank() > 0;
  switch (kind) {
    case LabelKind::classes:
    case LabelKind::distribution:
      return {{Type::int32, has_axis ? output.shape.without(output.shape.rank() - 1) : output.shape},
              last_of(output),
              {}};
    case LabelKind::binary:
      return {{Type::int32, output.shape}, 2, {}};
    case LabelKind::positive:
    case LabelKind::numbers:
      break;
  }
  return {{Type::float32, output.shape}, 0, {}};
}

data::Dataset rows_of_kinds(const SyntheticData& wanted, const Purpose& purpose) {
  data::Kinds kinds;
  const data::Popularity popularity = popularity_of(wanted);
  for (std::size_t i = 0; i < purpose.inputs.size(); ++i)
    kinds.inputs.push_back(input_of(purpose, i, popularity));
  const std::vector<LabelKind> labels = kinds_of_labels(wanted, purpose);
  for (std::size_t i = 0; i < labels.size(); ++i)
    kinds.labels.push_back(label_of(labels[i], purpose.outputs[i]));
  return rows_of(kinds, wanted, purpose);
}

// ---- One input, one output

// Classes of pictures and linear functions have rules of their own. All else is made of kinds.
data::Dataset rows_of_numbers(const SyntheticData& wanted, const Purpose& purpose) {
  const TensorSpec& row = purpose.inputs[0];
  const std::int64_t outputs = last_of(purpose.outputs[0]);
  const int rank = purpose.outputs[0].shape.rank();
  const LabelKind kind = kinds_of_labels(wanted, purpose)[0];
  const bool is_class = (kind == LabelKind::classes || kind == LabelKind::distribution) && rank <= 1;
  if (is_class || (kind == LabelKind::binary && outputs == 1 && rank <= 1))
    return rows_of(data::Classification{.shape = row.shape, .classes = is_class ? outputs : 2}, wanted,
                   purpose);
  if (kind == LabelKind::numbers && row.shape.rank() == 1 && rank <= 1)
    return rows_of(data::Regression{.features = row.shape[0], .targets = outputs}, wanted, purpose);
  return rows_of_kinds(wanted, purpose);
}

// The limit of each integer value, by the tables in which the value or a value made from it is looked up.
class Lookups {
 public:
  explicit Lookups(const Program& program) : program_(program) {}

  std::int64_t fewest_ids(ValueId input) const {
    std::vector<bool> comes_from(program_.values.size());
    comes_from[static_cast<std::size_t>(input)] = true;
    std::int64_t fewest = 0;
    for (const Node& node : program_.nodes) {
      const bool is_reached = std::ranges::any_of(
          node.inputs, [&](ValueId id) { return comes_from[static_cast<std::size_t>(id)]; });
      if (!is_reached) continue;
      if (const auto rows = table_rows(node)) fewest = fewest == 0 ? *rows : std::min(fewest, *rows);
      for (const ValueId output : node.outputs)
        comes_from[static_cast<std::size_t>(output)] = is_integer(program_.spec(output));
    }
    return fewest;
  }

 private:
  std::optional<std::int64_t> table_rows(const Node& node) const {
    const auto* apply = std::get_if<Apply>(&node.operation);
    if (apply == nullptr || apply->kernel->name != "embedding") return std::nullopt;
    return program_.spec(node.inputs[1]).shape[0];
  }

  const Program& program_;
};

}  // namespace

// For a single row: if all rows of a batch lie in one table, the limit of one of them.
std::vector<std::int64_t> ids_of(const model::Layer& model, model::Semantics semantics) {
  const model::Forward single = model::forward(model, 1, false, semantics);
  const Lookups lookups(single.step.program);
  std::vector<std::int64_t> ids;
  for (const NamedValue& input : single.step.inputs)
    ids.push_back(is_integer(single.step.program.spec(input.value)) ? lookups.fewest_ids(input.value) : 0);
  return ids;
}

data::Popularity popularity_of(const SyntheticData& wanted) {
  if (!wanted.popularity) return {wanted.zipf.value_or(0), nullptr};
  return {0, std::make_shared<const data::CountedIds>(data::read_counted_ids(wanted.popularity->path, {}))};
}

data::Dataset synthetic_data(const SyntheticData& wanted, const Purpose& purpose) {
  if (purpose.inputs.empty())
    refuse(fmt::format("the model \"{}\" doesn't say what its rows are like, so none can be made",
                       purpose.model),
           "give its first layer an input shape");
  if (draws_ids(wanted) && std::ranges::all_of(purpose.ids, [](std::int64_t ids) { return ids == 0; })) {
    const std::string_view key = wanted.zipf ? "zipf" : "popularity";
    refuse(fmt::format("the model \"{}\" looks no ids up, which {} could draw", purpose.model, key),
           fmt::format("leave \"{}\" out", key));
  }
  if (purpose.loss.each.empty()) return rows_of_kinds(wanted, purpose);
  const bool has_one = purpose.inputs.size() == 1 && purpose.outputs.size() == 1;
  const bool has_classes = has_one && kinds_of_labels(wanted, purpose)[0] == LabelKind::classes;
  if (has_classes && !draws_ids(wanted) && is_language_model(purpose))
    return rows_of(
        data::TokenSequences{.length = purpose.inputs[0].shape[0], .vocabulary = last_of(purpose.outputs[0])},
        wanted, purpose);
  if (has_one && !is_integer(purpose.inputs[0])) return rows_of_numbers(wanted, purpose);
  return rows_of_kinds(wanted, purpose);
}

}  // namespace wt::scenario
