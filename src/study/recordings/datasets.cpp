#include "study/recordings/datasets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <regex>

#include "base/tensorflow_error.h"
#include "data/text_lines.h"
#include "train/errors.h"

namespace wt::recordings {

namespace {

std::string list(const std::vector<std::string>& items) {
  return fmt::format("[{}]", fmt::join(items, ", "));
}

std::string replicas_text(const std::vector<std::string>& each) {
  return each.size() == 1 ? each.front() : fmt::format("({})", fmt::join(each, " | "));
}

// Numbers nested as their shape says.
template <class T>
std::string nested(const Tensor& tensor, int axis, std::size_t& next) {
  if (axis == tensor.shape().rank())
    return fmt::format("{}", static_cast<double>(tensor.values<T>()[next++]));
  std::vector<std::string> items;
  for (std::int64_t i = 0; i < tensor.shape()[axis]; ++i) items.push_back(nested<T>(tensor, axis + 1, next));
  return list(items);
}

std::string text_of(const Tensor& tensor) {
  std::size_t next = 0;
  switch (tensor.type()) {
    case Type::uint8: {
      const std::vector<std::string> texts = data::texts_of(tensor);
      return tensor.shape().rank() == 1 ? texts.front() : list(texts);
    }
    case Type::int32:
      return nested<std::int32_t>(tensor, 0, next);
    case Type::int64:
      return nested<std::int64_t>(tensor, 0, next);
    default:
      return nested<float>(tensor, 0, next);
  }
}

// TensorFlow's own class of an error.
std::string class_of(const InputError& error) {
  const auto is = [&]<class E>(const E*) { return dynamic_cast<const E*>(&error) != nullptr; };
  if (is(static_cast<const StopIteration*>(nullptr))) return "StopIteration";
  if (is(static_cast<const ValueError*>(nullptr))) return "ValueError";
  if (is(static_cast<const InvalidArgumentError*>(nullptr))) return "InvalidArgumentError";
  if (is(static_cast<const NotFoundError*>(nullptr))) return "NotFoundError";
  if (is(static_cast<const OutOfRangeError*>(nullptr))) return "OutOfRangeError";
  if (is(static_cast<const FailedPreconditionError*>(nullptr))) return "FailedPreconditionError";
  if (is(static_cast<const DataLossError*>(nullptr))) return "DataLossError";
  if (is(static_cast<const train::NotImplementedError*>(nullptr))) return "NotImplementedError";
  return "InputError";
}

// The versions differ in the spaces of their sentences.
std::string without_spaces(std::string text) {
  std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
  return text;
}

// What Python itself says of an error has no counterpart: any refusal will do.
void compare_error(const Recording& recording, Comparison& comparison, const std::string& key,
                   const InputError& error) {
  const std::optional<std::string> sentence = recording.error_text(key);
  if (!sentence) return comparison.fail(key + " was accepted, here: " + error.what());
  const json::Value& recorded = *recording.error(key);
  const json::Value* python = recorded.find("python");
  const std::string& type = recorded.find("type")->string();
  const bool is_python = python != nullptr && python->kind() == json::Kind::boolean && python->boolean();
  comparison.same("the kind of error of " + key, is_python ? type : class_of(error), type);
  if (is_python) return;
  comparison.same("the error of " + key, without_spaces(error.problems().front().fact),
                  without_spaces(*sentence));
}

}  // namespace

std::string text_of(const json::Value& recorded) {
  switch (recorded.kind()) {
    case json::Kind::array: {
      std::vector<std::string> items;
      for (const json::Value& item : recorded.elements()) items.push_back(text_of(item));
      return list(items);
    }
    case json::Kind::object: {
      if (const json::Value* replicas = recorded.find("replicas")) {
        std::vector<std::string> each;
        for (const json::Value& part : replicas->elements()) each.push_back(text_of(part));
        return replicas_text(each);
      }
      std::vector<std::string> members;
      for (const json::Member& member : recorded.members())
        members.push_back(fmt::format("{}: {}", member.key, text_of(member.value)));
      return fmt::format("{{{}}}", fmt::join(members, ", "));
    }
    case json::Kind::string:
      return recorded.string();
    case json::Kind::null:
      return "none";
    case json::Kind::boolean:
      return recorded.boolean() ? "1" : "0";
    default:
      return fmt::format("{}", number_of(recorded));
  }
}

std::string text_of(const data::Element& element, const ComponentNames& names) {
  return text_of(std::vector<data::Element>{element}, names);
}

// TensorFlow puts the replicas inside of the element's structure.
std::string text_of(const std::vector<data::Element>& replicas, const ComponentNames& names) {
  std::vector<std::string> components;
  for (std::size_t i = 0; i < replicas.front().size(); ++i) {
    std::vector<std::string> each;
    for (const data::Element& element : replicas) each.push_back(text_of(element[i]));
    components.push_back(names.empty() ? replicas_text(each)
                                       : fmt::format("{}: {}", names.at(i), replicas_text(each)));
  }
  if (!names.empty()) return fmt::format("{{{}}}", fmt::join(components, ", "));
  return components.size() == 1 ? components.front() : list(components);
}

namespace {

// The elements that an iterator gives, at most so many.
template <class Iterator, class Text>
std::string taken(Iterator iterator, std::int64_t limit, const Text& text) {
  std::vector<std::string> elements;
  while (std::ssize(elements) < limit) {
    const auto element = iterator.next();
    if (!element) break;
    elements.push_back(text(*element));
  }
  return list(elements);
}

template <class Data, class Text>
std::string epochs_of(const Data& dataset, const Epochs& epochs, const Text& text) {
  std::vector<std::string> all;
  for (std::uint64_t i = 0; i < epochs.count; ++i)
    all.push_back(taken(dataset.iterate(epochs.first + i), epochs.limit, text));
  return list(all);
}

}  // namespace

std::string text_of(const data::Dataset& dataset, const Epochs& epochs) {
  return epochs_of(dataset, epochs, [](const data::Element& element) { return text_of(element); });
}

std::string text_of(const data::DistributedDataset& dataset, const Epochs& epochs,
                    const ComponentNames& names) {
  return epochs_of(dataset, epochs,
                   [&](const std::vector<data::Element>& replicas) { return text_of(replicas, names); });
}

std::string recorded_spec(const std::string& element_spec) {
  static const std::regex bytes(R"(\(((\w+,)?)( ?)(\d+|None),?\), dtype=tf\.uint8)");
  return std::regex_replace(element_spec, bytes, "($1), dtype=tf.string");
}

void compare_call(const Recording& recording, Comparison& comparison, const std::string& key,
                  const std::function<std::string()>& call) {
  const json::Value* value = recording.value(key);
  const json::Value* error = recording.error(key);
  try {
    const std::string ours = call();
    if (value != nullptr) return comparison.same(key, ours, text_of(*value));
    if (error == nullptr) return comparison.fail(key + " was not recorded");
    if (const std::optional<std::string> sentence = recording.error_text(key))
      comparison.fail(fmt::format("{} gives {}, recorded: {}", key, ours, *sentence));
  } catch (const InputError& refusal) {
    if (error == nullptr) return comparison.fail(fmt::format("{}: {}", key, refusal.what()));
    compare_error(recording, comparison, key, refusal);
  }
}

data::Distribution distribution_named(const std::string& strategy) {
  const bool has_one = strategy == "default" || strategy.starts_with("one");
  const bool is_central = strategy.starts_with("central");
  if (!has_one && !is_central && !strategy.starts_with("mirrored"))
    throw InputError(fmt::format("the strategy \"{}\" is unknown", strategy));
  return {.replicas = has_one ? 1 : strategy.back() - '0', .goes_on_with_empty_replicas = !is_central};
}

void compare_distributed(const Recording& recording, Comparison& comparison, const std::string& tag,
                         const data::DistributedDataset& dataset, const ComponentNames& names) {
  const auto compare = [&](const char* key, const auto& call) {
    compare_call(recording, comparison, tag + key, call);
  };
  compare("/element_spec", [&] { return recorded_spec(dataset.element_spec(names)); });
  compare("/replicas", [&] { return text_of(dataset, {.limit = most_steps}, names); });
  compare("/as optional", [&] {
    data::DistributedIterator iterator = dataset.iterate(1);
    std::vector<std::string> elements;
    while (std::ssize(elements) < most_steps) {
      const auto replicas = iterator.get_next_as_optional();
      elements.push_back(replicas ? text_of(*replicas, names) : "no value");
      if (!replicas) break;
    }
    return list(elements);
  });
  compare("/exhausted", [&] {
    data::DistributedIterator iterator = dataset.iterate();
    for (std::int64_t i = 0; i < most_steps; ++i)
      if (!iterator.next()) throw StopIteration();
    return std::string();
  });
  const auto get_next = [&] {
    data::DistributedIterator iterator = dataset.iterate();
    for (std::int64_t i = 0; i < most_steps; ++i) iterator.get_next();
    return std::string();
  };
  compare("/get_next exhausted", get_next);
  compare("/function exhausted", get_next);
}

std::vector<std::string> keys_of(const Recording& recording) {
  std::vector<std::string> keys;
  for (const char* section : {"values", "errors"})
    if (const json::Value* members = recording.content.find(section))
      for (const json::Member& member : members->members())
        if (member.key != "config") keys.push_back(member.key);
  return keys;
}

void TextFiles::add(std::int64_t first, std::int64_t count) {
  paths_.push_back((folder_.path() / fmt::format("part{}.txt", paths_.size())).string());
  std::ofstream file(paths_.back());
  for (std::int64_t i = 0; i < count; ++i) file << first + i << "\n";
}

data::Dataset TextFiles::lines() const {
  return data::Dataset::from_files(data::read_text_lines(paths_), paths_);
}
data::Dataset TextFiles::lines(data::Interleaving interleaving) const {
  return data::Dataset::from_files(data::read_text_lines(paths_), paths_, interleaving);
}

}  // namespace wt::recordings
