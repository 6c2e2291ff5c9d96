#include "model/zoo.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"
#include "model/zoo/families.h"

namespace wt::model {

namespace {

std::vector<ZooModel> make_table() {
  std::vector<ZooModel> table;
  for (const auto family : {small_models(), residual_models(), vgg_models(), alexnet_models(),
                            inception_models(), transformer_models(), bert_models()})
    table.insert(table.end(), family.begin(), family.end());
  std::sort(table.begin(), table.end(), [](const ZooModel& a, const ZooModel& b) { return a.name < b.name; });
  return table;
}

template <class Rows>
auto* find_named(const Rows& rows, std::string_view name) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

template <class Rows>
std::string names_like(const Rows& rows, std::string_view name) {
  std::vector<std::string_view> known;
  for (const auto& row : rows) known.push_back(row.name);
  return did_you_mean(name, known);
}

Problem unknown_model(Place place, std::string_view name) {
  return {std::move(place), fmt::format("unknown model \"{}\"", printable(name)), names_like(zoo(), name)};
}

ZooValues defaults_of(const ZooModel& model) {
  ZooValues values;
  for (const ZooParameter& parameter : model.parameters) values.emplace(parameter.name, parameter.otherwise);
  return values;
}

std::int64_t read_value(const ZooParameter& parameter, json::Reader& reader) {
  if (parameter.is_flag) return reader.optional<bool>(parameter.name, parameter.otherwise != 0) ? 1 : 0;
  return reader.optional<std::int64_t>(parameter.name, parameter.otherwise,
                                       {.at_least = parameter.at_least, .at_most = parameter.at_most});
}

}  // namespace

std::span<const ZooModel> zoo() {
  static const std::vector<ZooModel> table = make_table();
  return table;
}

ZooChoice zoo_model(std::string_view name, const ZooValues& values) {
  const ZooModel* model = find_named(zoo(), name);
  if (model == nullptr) throw InputError(unknown_model({}, name));
  ZooChoice choice{model, defaults_of(*model)};
  for (const auto& [key, value] : values) {
    const ZooParameter* parameter = find_named(model->parameters, key);
    if (parameter == nullptr)
      throw InputError(fmt::format("{} has no parameter \"{}\"", model->name, printable(key)),
                       names_like(model->parameters, key));
    if (value < parameter->at_least || value > parameter->at_most)
      throw InputError(fmt::format("[{}] {} is {}", model->name, key, value),
                       fmt::format("it must be at {} {}", value < parameter->at_least ? "least" : "most",
                                   std::clamp(value, parameter->at_least, parameter->at_most)));
    choice.values[key] = value;
  }
  return choice;
}

std::optional<ZooChoice> read_zoo_model(const json::Value& value, Problems& problems) {
  const bool is_name = value.kind() == json::Kind::string;
  std::optional<json::Reader> reader;
  if (!is_name) reader.emplace(value, problems);
  const std::string name = is_name ? value.string() : reader->required<std::string>("zoo");
  if (name.empty() && !is_name) return std::nullopt;
  const ZooModel* model = find_named(zoo(), name);
  if (model == nullptr) {
    problems.add(unknown_model(is_name ? value.place() : reader->place("zoo"), name));
    return std::nullopt;
  }
  ZooChoice choice{model, defaults_of(*model)};
  if (is_name) return choice;
  for (const ZooParameter& parameter : model->parameters)
    choice.values[std::string(parameter.name)] = read_value(parameter, *reader);
  reader->finish();
  return choice;
}

}  // namespace wt::model
