#include "study/recordings/workers.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "model/layers/dense.h"
#include "model/sequential.h"
#include "study/recordings/numpy_draws.h"

namespace wt::recordings {

namespace {

constexpr const char* cpu_machines =
    "cpu_cluster_10gbe";  // machines with one CPU, as those of the recordings

// Ports that no recorded text has otherwise.
constexpr std::string_view recorded_port = ":PORT", given_port = ":5710";

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

void add_shape(const json::Value& lists, std::vector<std::int64_t>& extents) {
  if (lists.kind() != json::Kind::array) return;
  extents.push_back(std::ssize(lists.elements()));
  if (!lists.elements().empty()) add_shape(lists.elements().front(), extents);
}

void add_numbers(const json::Value& lists, std::vector<double>& numbers) {
  if (lists.kind() != json::Kind::array) return numbers.push_back(number_of(lists));
  for (const json::Value& each : lists.elements()) add_numbers(each, numbers);
}

template <class T>
Tensor tensor_from(const std::vector<std::int64_t>& extents, const std::vector<double>& numbers) {
  std::vector<T> values;
  for (const double number : numbers) values.push_back(static_cast<T>(number));
  return Tensor::of<T>(Shape(extents), values);
}

// Keras 2 writes "hidden/kernel:0", and Keras 3 may write "sequential/hidden/kernel".
std::string name_of_weight(const std::string& recorded) {
  const std::string path = recorded.substr(0, recorded.find(':'));
  const std::size_t layer = path.rfind('/', path.rfind('/') - 1);
  return path.rfind('/') == std::string::npos || layer == std::string::npos ? path : path.substr(layer + 1);
}

}  // namespace

std::string with_ports(std::string text) { return replaced(std::move(text), recorded_port, given_port); }
std::string without_ports(std::string text) { return replaced(std::move(text), given_port, recorded_port); }

RecordedWorkers::RecordedWorkers(const Recording& recording, Comparison& comparison,
                                 std::string communication)
    : recording_(recording),
      comparison_(comparison),
      communication_(std::move(communication)),
      strategies_(count()),
      compared_(count()) {
  for (std::size_t i = 0; i < count(); ++i) {
    const json::Value* config = recording.text(fmt::format("tf_config/{}", i));
    resolvers_.push_back(std::make_unique<cluster::TFConfigClusterResolver>(
        config == nullptr ? cluster::TfConfig{}
                          : cluster::parse_tf_config_for_resolver(with_ports(config->string()))));
  }
}

const distribute::Strategy& RecordedWorkers::strategy(std::size_t worker) const {
  if (!strategies_.at(worker))
    strategies_[worker].reset(new distribute::Strategy(distribute::multi_worker_mirrored(
        {.platform = cpu_machines, .communication = communication_, .cluster_resolver = &resolver(worker)})));
  return *strategies_[worker];
}

const train::Worker& RecordedWorkers::worker(std::size_t worker) const {
  if (workers_.empty()) workers_ = train::workers(strategy());
  return workers_.at(worker);
}

// Processes, which end and have a limit of time, are not what is compared.
void RecordedWorkers::require_compared(const std::set<std::string>& others) const {
  for (std::size_t i = 0; i < count(); ++i)
    for (const json::Member& member : recording_.value("workers")->elements()[i].members())
      if (!compared_[i].contains(member.key) && !others.contains(member.key) && member.key != "exit" &&
          member.key != "no_end_in_limit")
        comparison_.fail(named(i, member.key) + " is not compared");
}

const json::Value* RecordedWorkers::find(std::size_t worker, std::string_view key) const {
  compared_.at(worker).emplace(key);
  return recording_.value("workers")->elements().at(worker).find(key);
}

const json::Value& RecordedWorkers::value(std::size_t worker, std::string_view key) const {
  const json::Value* found = find(worker, key);
  if (found == nullptr) throw InputError(named(worker, key) + " was not recorded", "record it anew");
  return *found;
}

std::string RecordedWorkers::named(std::size_t worker, std::string_view key) const {
  return fmt::format("{} of worker {}", key, worker);
}

void RecordedWorkers::compare_log(std::size_t worker) const {
  const std::vector<std::string> theirs = lines_of(recording_.text(fmt::format("log/{}", worker))->string());
  for (const std::string& line : strategy(worker).log()) {
    const std::string ours = without_ports(line);
    if (std::ranges::find(theirs, ours) == theirs.end())
      comparison_.fail(fmt::format("worker {} did not log \"{}\"", worker, ours));
    else
      comparison_.same("a line of the log", ours, ours);
  }
}

void RecordedWorkers::compare_text(std::size_t worker, std::string_view key, const std::string& ours) const {
  comparison_.same(named(worker, key), ours, json::compact(value(worker, key)));
}

void RecordedWorkers::compare_numbers(std::size_t worker, std::string_view key,
                                      const std::vector<double>& ours) const {
  const Tensor theirs = tensor_of(value(worker, key), Type::float64);
  if (theirs.shape().elements() != std::ssize(ours))
    return comparison_.fail(fmt::format("{} has {} numbers, recorded {}", named(worker, key), ours.size(),
                                        theirs.shape().elements()));
  const auto numbers = theirs.values<double>();
  for (std::size_t i = 0; i < ours.size(); ++i)
    comparison_.near(fmt::format("{} [{}]", named(worker, key), i), ours[i], numbers[i]);
}

std::string list_of(const Tensor& numbers) {
  std::string text = "[";
  const auto add = [&](auto values) {
    for (const auto value : values) text += fmt::format("{}{}", text.size() > 1 ? "," : "", value);
  };
  if (numbers.type() == Type::int64)
    add(numbers.values<std::int64_t>());
  else
    add(numbers.values<std::int32_t>());
  return text + "]";
}

Tensor tensor_of(const json::Value& lists, Type type) {
  std::vector<std::int64_t> extents;
  std::vector<double> numbers;
  add_shape(lists, extents);
  add_numbers(lists, numbers);
  switch (type) {
    case Type::float64:
      return tensor_from<double>(extents, numbers);
    case Type::int64:
      return tensor_from<std::int64_t>(extents, numbers);
    default:
      return tensor_from<float>(extents, numbers);
  }
}

model::LayerPtr recorded_mlp() {
  return model::sequential(
      "mlp", {model::input_layer({4}), model::dense({.name = "hidden", .units = 5, .activation = "relu"}),
              model::dense({.name = "scores", .units = 3})});
}

RecordedRows recorded_rows(std::int64_t rows) {
  NumpyDraws draws(11);
  std::vector<float> x;
  for (const double number : draws.normal(4 * rows)) x.push_back(static_cast<float>(number));
  return {Tensor::of<float>({rows, 4}, x), Tensor::of<std::int64_t>({rows}, draws.integers(0, 3, rows))};
}

std::map<std::string, Tensor> recorded_weights(const json::Value& weights) {
  std::map<std::string, Tensor> found;
  for (const json::Value& weight : weights.elements())
    found.emplace(name_of_weight(weight.elements().at(0).string()), tensor_of(weight.elements().at(1)));
  return found;
}

void compare_weights(Comparison& comparison, const std::string& what, const train::State& state,
                     const json::Value& recorded) {
  for (const auto& [name, theirs] : recorded_weights(recorded))
    comparison.near(fmt::format("{} {}", name, what), state.read(name), theirs, weight_limit);
}

}  // namespace wt::recordings
