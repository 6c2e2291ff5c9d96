#include "scenario/source.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/suggest.h"
#include "base/utf8.h"
#include "data/csv.h"
#include "data/idx.h"
#include "data/stored.h"
#include "data/tfrecord.h"
#include "scenario/input_files.h"
#include "scenario/labels.h"

namespace wt::scenario {
namespace {

data::Dataset make_source(const SyntheticData& wanted, const Purpose& purpose, const Scenario&,
                          const std::string&) {
  return synthetic_data(wanted, purpose);
}

data::Dataset slices(const data::LabelledImages& images) {
  return data::Dataset::from_tensor_slices({images.images, images.labels});
}

data::Dataset make_source(const IdxData& idx, const Purpose&, const Scenario& scenario,
                          const std::string& key) {
  const Place images = scenario.place(key + ".images"), labels = scenario.place(key + ".labels");
  return slices(
      data::read_idx_images(existing(idx.images, images), existing(idx.labels, labels), images, labels));
}

data::Dataset make_source(const FashionMnistData& fashion, const Purpose&, const Scenario& scenario,
                          const std::string& key) {
  const data::FashionMnist all =
      data::read_fashion_mnist(fashion.folder.path, scenario.place(key + ".folder"));
  return slices(fashion.part == Part::train ? all.train : all.test);
}

data::Dataset make_source(const SafetensorsData& stored, const Purpose& purpose, const Scenario& scenario,
                          const std::string& key) {
  const Place place = scenario.place(key + ".file");
  data::StoredRows rows{.file = existing(stored.file, place), .x = stored.x.names, .y = stored.y.names};
  if (purpose.loss.each.empty()) rows.y.clear();
  rows.file_named_at = place;
  rows.x_named_at = scenario.place(key + ".x");
  rows.y_named_at = scenario.place(key + ".y");
  if (stored.sample_weight) rows.sample_weight = stored.sample_weight->names;
  rows.sample_weight_named_at = scenario.place(key + ".sample_weight");
  return data::read_stored_rows(rows);
}

Tensor tensor_of(const Numbers& numbers) {
  return Tensor::of<float>(Shape(numbers.shape),
                           std::vector<float>(numbers.values.begin(), numbers.values.end()));
}

data::Dataset make_source(const ConstantData& constant, const Purpose&, const Scenario&, const std::string&) {
  return data::Dataset::from_tensors({tensor_of(constant.x), tensor_of(constant.y)}).repeat(constant.rows);
}

// ---- Rows that the model decides

// The inputs as the model takes them. A model that doesn't know its inputs takes them as they come.
data::WantedRow input_row(const Purpose& purpose, std::size_t i) {
  if (i >= purpose.inputs.size()) return {};
  return {.type = purpose.inputs[i].type, .shape = purpose.inputs[i].shape, .below = purpose.ids[i]};
}

// A class that a loss ignores may be any number.
bool ignores_a_class(const Training& training) {
  return std::ranges::any_of(training.loss.each(), [](const json::Value& loss) {
    const json::Value* config = loss.kind() == json::Kind::object ? loss.find("config") : nullptr;
    return config != nullptr && config->kind() == json::Kind::object &&
           config->find("ignore_class") != nullptr;
  });
}

data::WantedRow label_row(const Purpose& purpose, const Training& training, std::size_t i) {
  if (purpose.loss.each.empty()) return {};  // inference passes over labels
  if (purpose.loss.is_list && i >= purpose.loss.each.size()) return {};
  const bool has_output = i < purpose.outputs.size();
  data::WantedRow row =
      labels_for(purpose.loss.of(i), has_output ? std::optional(purpose.outputs[i]) : std::nullopt);
  if (ignores_a_class(training)) row.below = 0;
  return row;
}

data::WantedRow weight_row() { return {.type = Type::float32, .shape = Shape{}}; }

// ---- CSV

data::Dataset make_source(const CsvData& csv, const Purpose& purpose, const Scenario& scenario,
                          const std::string& key) {
  data::CsvRows rows{.files = existing(csv.file, scenario.place(key + ".file")),
                     .names = csv.names,
                     .delimiter = csv.delimiter.front(),
                     .classes = csv.classes,
                     .classes_named_at = scenario.place(key + ".classes")};
  const auto add = [&](const std::vector<std::string>& columns, data::WantedRow row, bool is_label,
                       const char* named) {
    rows.tensors.push_back({columns, std::move(row), is_label, scenario.place(key + named)});
  };
  const auto inputs = csv.x.tensors.empty() ? std::vector<std::vector<std::string>>(1) : csv.x.tensors;
  for (std::size_t i = 0; i < inputs.size(); ++i) add(inputs[i], input_row(purpose, i), false, ".x");
  for (std::size_t i = 0; i < csv.y.tensors.size(); ++i)
    add(csv.y.tensors[i], label_row(purpose, scenario.training, i), true, ".y");
  if (csv.sample_weight)
    for (const std::string& column : csv.sample_weight->names)
      add({column}, weight_row(), true, ".sample_weight");
  return data::read_csv(rows);
}

// ---- TFRecord

data::Dataset make_source(const TfRecordData& stored, const Purpose& purpose, const Scenario& scenario,
                          const std::string& key) {
  data::RecordRows rows{.files = existing(stored.file, scenario.place(key + ".file"))};
  std::vector<std::string_view> known;
  for (const auto& [name, feature] : stored.features) {
    rows.features.push_back({name, Shape(feature.shape), feature.dtype});
    known.push_back(name);
  }
  Problems problems;
  const auto add = [&](const std::string& name, data::WantedRow row, bool is_label, const char* named) {
    const Place place = scenario.place(key + named);
    const auto found = std::ranges::find(known, name);
    if (found == known.end())
      problems.add(place, fmt::format("\"features\" describes no \"{}\"", printable(name)),
                   did_you_mean(name, known));
    else
      rows.tensors.push_back(
          {static_cast<std::size_t>(found - known.begin()), std::move(row), is_label, place});
  };
  for (std::size_t i = 0; i < stored.x.names.size(); ++i)
    add(stored.x.names[i], input_row(purpose, i), false, ".x");
  for (std::size_t i = 0; i < stored.y.names.size(); ++i)
    add(stored.y.names[i], label_row(purpose, scenario.training, i), true, ".y");
  if (stored.sample_weight)
    for (const std::string& name : stored.sample_weight->names)
      add(name, weight_row(), true, ".sample_weight");
  problems.throw_if_any();
  return data::read_tfrecords(rows);
}

}  // namespace

data::Dataset read_source(const Dataset& wanted, const Purpose& purpose, const Scenario& scenario,
                          const std::string& key) {
  return std::visit([&](const auto& source) { return make_source(source, purpose, scenario, key); },
                    wanted.source);
}

}  // namespace wt::scenario
