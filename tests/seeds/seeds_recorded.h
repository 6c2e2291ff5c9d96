// What TensorFlow was recorded to do in the programs of the documents that this project began with (programs.tar.gz, packed
// by tests/recordings/pack.py from the kind `programs`): a tutorial's custom loop over images, the guide's fit and loop on
// one number, TF_CONFIGs with placeholders for hosts, and a guide to accelerators. Each test here is the same program
// against our headers.
//
// A key of a recording that is neither compared nor listed in not_compared() with a reason fails the test.
#pragma once

#include <fmt/ranges.h>

#include "base/temporary_folder.h"
#include "distribute/strategy.h"
#include "model/layers/dense.h"
#include "model/sequential.h"
#include "model/weights.h"
#include "support/recorded.h"
#include "train/epoch_line.h"
#include "train/model.h"

namespace wt::test::seeds {

using model::Building;
using Symbols = std::vector<Symbol>;

inline const recordings::PackedRecordings& recorded() {
  static const recordings::PackedRecordings all(
      {"../seeds/programs.tar.gz", "../seeds/further_programs.tar.gz"});
  return all;
}

// The recordings of a family, in both versions.
inline std::vector<const Recording*> family(const std::string& beginning) {
  std::vector<const Recording*> found;
  for (const Recording& recording : recorded().all())
    if (recording.id.starts_with("programs_" + beginning)) found.push_back(&recording);
  EXPECT_FALSE(found.empty()) << beginning;
  return found;
}

// ---- Keys

// Texts of the recorded program itself, and what no program of C++ does. Keys begin with their section where that is not
// `values` or `errors`.
struct NotCompared {
  std::string recording{};  // the beginning of its id, after "programs_"
  std::string key{};
  std::string reason{};
};
const std::vector<NotCompared>& not_compared();

// All keys of a recording: of values, errors and texts, each group of tensors, the printed lines and the log.
inline std::set<std::string> keys_of(const Recording& recording) {
  std::set<std::string> keys;
  for (const std::string section : {"values", "errors"})
    for (const json::Member& member : recording.content.find(section)->members()) keys.insert(member.key);
  for (const json::Member& member : recording.content.find("texts")->members())
    keys.insert("texts: " + member.key);
  for (const json::Value& name : recording.content.find("tensors")->elements())
    keys.insert("tensors: " + name.string().substr(0, name.string().find('/')));
  for (const std::string lines : {"stdout", "log"})
    if (!recording.content.find(lines)->elements().empty()) keys.insert(lines);
  return keys;
}

inline const NotCompared* left_out(const Recording& recording, const std::string& key) {
  for (const NotCompared& row : not_compared())
    if (recording.id.starts_with("programs_" + row.recording) && row.key == key) return &row;
  return nullptr;
}

inline void expect_all_compared(const Recording& recording) {
  std::vector<std::string> missing;
  for (const std::string& key : keys_of(recording))
    if (!compared()[&recording].keys.contains(key) && left_out(recording, key) == nullptr)
      missing.push_back(key);
  EXPECT_EQ(missing, std::vector<std::string>{}) << recording.version << " " << recording.id;
}

// ---- Comparing

inline std::string at(const Recording& recording, const std::string& key) {
  return fmt::format("{} {} {}", recording.version, recording.id, key);
}

// The value under a key, which counts as compared from here on.
inline const json::Value& wanted(const Recording& recording, const std::string& key) {
  compared()[&recording].insert(key);
  const json::Value* value = recording.value(key);
  if (value == nullptr) throw std::out_of_range(at(recording, key) + " was not recorded");
  return *value;
}

inline std::vector<double> numbers_of(const json::Value& value) {
  std::vector<double> numbers;
  add_numbers(value, numbers);
  return numbers;
}

// Relative to the largest element.
inline void expect_close(const std::string& where, const std::vector<double>& wanted,
                         const std::vector<double>& found, double tolerance = 1e-5) {
  ASSERT_EQ(wanted.size(), found.size()) << where;
  double largest = 0;
  for (const double number : wanted) largest = std::max(largest, std::abs(number));
  for (std::size_t i = 0; i < wanted.size(); ++i)
    EXPECT_NEAR(wanted[i], found[i], tolerance * largest) << where << " [" << i << "]";
}

inline void expect_numbers(const Recording& recording, const std::string& key,
                           const std::vector<double>& found, double tolerance = 1e-5) {
  expect_close(at(recording, key), numbers_of(wanted(recording, key)), found, tolerance);
}

// Keras' history of a model without metrics.
inline void expect_history(const Recording& recording, const std::string& key,
                           const std::vector<double>& losses) {
  const json::Value& history = wanted(recording, key);
  EXPECT_EQ(history.members().size(), 1u) << at(recording, key);
  expect_close(at(recording, key), numbers_of(*history.find("loss")), losses);
}

// A printed line without its numbers, which are compared apart from it.
struct Line {
  std::string words{};
  std::vector<double> numbers{};

  explicit Line(const std::string& line) {
    static const std::regex number("[-+]?[0-9]+(\\.[0-9]*)?(e[-+]?[0-9]+)?");
    for (std::sregex_iterator it(line.begin(), line.end(), number), end; it != end; ++it)
      numbers.push_back(std::stod(it->str()));
    words = std::regex_replace(line, number, "#");
  }
};

inline std::vector<std::string> texts_of(const json::Value& lines) {
  std::vector<std::string> texts;
  for (const json::Value& line : lines.elements()) texts.push_back(line.string());
  return texts;
}

// The same words; numbers within the tolerance of losses.
inline void expect_lines(const std::string& where, const std::vector<std::string>& wanted,
                         const std::vector<std::string>& found) {
  ASSERT_EQ(wanted.size(), found.size()) << where << ": " << fmt::format("{}", fmt::join(found, "\n"));
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const Line a(wanted[i]), b(found[i]);
    EXPECT_EQ(a.words, b.words) << where;
    ASSERT_EQ(a.numbers.size(), b.numbers.size()) << where << ": " << found[i];
    for (std::size_t k = 0; k < a.numbers.size(); ++k)
      EXPECT_NEAR(a.numbers[k], b.numbers[k], 1e-5 * std::abs(a.numbers[k])) << where << ": " << found[i];
  }
}

inline void expect_printed(const Recording& recording, const std::string& key,
                           const std::vector<std::string>& found) {
  expect_lines(at(recording, key), texts_of(*wanted(recording, key).find("out")), found);
}

inline void expect_stdout(const Recording& recording, const std::vector<std::string>& found) {
  compared()[&recording].insert("stdout");
  expect_lines(at(recording, "stdout"), texts_of(*recording.content.find("stdout")), found);
}

// Lines of Python's logging, "INFO:tensorflow:...", apart from those that a test leaves out by a part of them. Our program
// has no gRPC and no runtime whose own lines could be compared.
inline std::vector<std::string> logged(const json::Value& lines, const std::vector<std::string>& without) {
  std::vector<std::string> kept;
  for (const std::string& line : texts_of(lines)) {
    const auto is_in = [&](const std::string& part) { return line.find(part) != line.npos; };
    const bool is_logged = line.starts_with("INFO:tensorflow:") || line.starts_with("WARNING:tensorflow:");
    if (is_logged && std::ranges::none_of(without, is_in)) kept.push_back(line);
  }
  return kept;
}

// What is logged while the strategy is made.
inline void expect_strategy_log(const Recording& recording, const std::vector<std::string>& log,
                                const std::vector<std::string>& without = {}) {
  const json::Value& printed = wanted(recording, "printed strategy");
  EXPECT_EQ(logged(*printed.find("err"), without), log) << at(recording, "printed strategy");
  EXPECT_EQ(texts_of(*printed.find("out")), std::vector<std::string>{});
}

// Tensors "final/00/sequential/dense/kernel", in the order of Keras' get_weights.
inline void expect_weights(const Recording& recording, const std::string& when,
                           const std::vector<Tensor>& found) {
  compared()[&recording].insert("tensors: " + when);
  std::size_t count = 0;
  for (const auto& [name, tensor] : recording.tensors()) {
    if (!name.starts_with(when + "/")) continue;
    const auto number = static_cast<std::size_t>(std::stoi(name.substr(when.size() + 1)));
    ++count;
    ASSERT_LT(number, found.size()) << at(recording, name);
    EXPECT_EQ(tensor.shape(), found[number].shape()) << at(recording, name);
    EXPECT_LT(relative_difference(found[number], tensor), 1e-4) << at(recording, name);
  }
  EXPECT_EQ(count, found.size()) << at(recording, when);
}

inline void expect_tensor(const Recording& recording, const std::string& name, const Tensor& found,
                          double tolerance = 1e-5) {
  compared()[&recording].insert("tensors: " + name);
  const std::map<std::string, Tensor> tensors = recording.tensors();
  ASSERT_TRUE(tensors.contains(name)) << at(recording, name);
  EXPECT_EQ(tensors.at(name).shape(), found.shape()) << at(recording, name);
  EXPECT_LT(relative_difference(found, tensors.at(name)), tolerance) << at(recording, name);
}

// ---- What the programs have in common

// MirroredStrategy() on a host whose CPU is split into logical devices, as in the recordings.
inline distribute::LogicalDevices logical_cpus(std::int64_t count) {
  if (count == 1) return {};
  return {{"CPU:0", std::vector<Bytes>(static_cast<std::size_t>(count))}};
}
inline distribute::Strategy mirrored(std::int64_t cpus, const std::string& cross_device_ops = {}) {
  return distribute::mirrored(
      {.platform = "cpu_server", .cross_device_ops = cross_device_ops, .logical = logical_cpus(cpus)});
}

inline std::vector<std::string> names_of_weights(const model::Layer& layer) {
  std::vector<std::string> names;
  for (const model::Weight& weight : model::weights_of(layer)) names.push_back(weight.name);
  return names;
}

// In the order of Keras' get_weights.
inline std::vector<Tensor> weights_in(const train::State& state, const model::Layer& layer) {
  std::vector<Tensor> weights;
  for (const std::string& name : names_of_weights(layer)) weights.push_back(state.read(name));
  return weights;
}

inline model::LayerPtr dense_model(std::int64_t units) {
  return model::sequential("sequential", {model::input_layer({1}), model::dense({.units = units})});
}

// tf.data.Dataset.from_tensors((row, label)).repeat(rows).batch(batch).
inline data::Dataset constant_rows(const std::vector<float>& label, std::int64_t rows, std::int64_t batch) {
  return data::Dataset::from_tensors(
             {Tensor::of<float>({1}, {1.f}), Tensor::of<float>({std::ssize(label)}, label)})
      .repeat(rows)
      .batch(batch);
}

inline double number(const Tensor& scalar) {
  return train::cast({scalar}, Type::float64).numbers.values<double>()[0];
}

inline std::int64_t config_number(const Recording& recording, const std::string& key) {
  compared()[&recording].insert("config");
  return recording.config(key)->integer();
}
inline std::string config_text(const Recording& recording, const std::string& key) {
  compared()[&recording].insert("config");
  return recording.config(key)->string();
}
inline bool config_flag(const Recording& recording, const std::string& key) {
  compared()[&recording].insert("config");
  return recording.config(key)->boolean();
}

}  // namespace wt::test::seeds
