#include "device/spec.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "device/error.h"
#include "device/name_text.h"
#include "device/other_kinds.h"

namespace wt::device {
namespace {

bool is_blank(char letter) { return letter == ' ' || (letter >= '\t' && letter <= '\r'); }
bool is_decimal(char letter) { return letter >= '0' && letter <= '9'; }
bool is_latin(char letter) { return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z'); }

// Python's int(text), without underscores between digits.
int number_of(std::string_view text) {
  std::string_view digits = text;
  while (!digits.empty() && is_blank(digits.front())) digits.remove_prefix(1);
  while (!digits.empty() && is_blank(digits.back())) digits.remove_suffix(1);
  if (digits.starts_with('+') && digits.size() > 1 && is_decimal(digits[1])) digits.remove_prefix(1);
  int value = 0;
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || rest != digits.data() + digits.size())
    throw ValueError(fmt::format("invalid literal for int() with base 10: '{}'", text));
  return value;
}

// The types that may stand without "device:" before them.
bool is_short_type(std::string_view word) {
  constexpr std::array<std::string_view, 5> types{"CPU", "GPU", "TPU", "CUSTOM", "EPU"};
  return std::find(types.begin(), types.end(), upper(word)) != types.end();
}

// TensorFlow takes "cpu" and "gpu" for CPU and GPU, and all other words as they are.
std::string type_of(const std::string& word) { return word == "cpu" || word == "gpu" ? upper(word) : word; }

class SpecParser {
 public:
  explicit SpecParser(std::string_view text) : text_(text) {}

  DeviceSpec parse() {
    for (const std::string_view part : split(text_, '/')) read(split(part, ':'));
    return spec_;
  }

 private:
  void read(const std::vector<std::string_view>& words) {
    const std::string_view first = words[0];
    if (words.size() == 2 && first == "job") {
      spec_.job = words[1];
    } else if (words.size() == 2 && first == "replica") {
      spec_.replica = number_of(words[1]);
    } else if (words.size() == 2 && first == "task") {
      spec_.task = number_of(words[1]);
    } else if (words.size() <= 2 && is_short_type(first)) {
      read_device(upper(first), words.size() == 2 ? words[1] : "*");
    } else if (words.size() == 3 && first == "device") {
      read_device(type_of(std::string(words[1])), words[2]);
    } else if (!first.empty()) {
      throw ValueError(fmt::format(
          "Unknown attribute '{}' is encountered while parsing the device spec: '{}'.", first, text_));
    }
  }

  void read_device(std::string type, std::string_view index) {
    if (spec_.device_type)
      throw ValueError(
          fmt::format("Multiple device types are not allowed while parsing the device spec: {}.", text_));
    spec_.device_type = std::move(type);
    if (index != "*") spec_.device_index = number_of(index);
  }

  std::string_view text_;
  DeviceSpec spec_{};
};

}  // namespace

DeviceSpec DeviceSpec::from_string(std::string_view text) { return SpecParser(text).parse(); }

std::string DeviceSpec::to_string() const {
  std::string text;
  if (job) text += fmt::format("/job:{}", *job);
  if (replica) text += fmt::format("/replica:{}", *replica);
  if (task) text += fmt::format("/task:{}", *task);
  if (!device_type) return text;
  const std::string index = device_index ? std::to_string(*device_index) : "*";
  return text + fmt::format("/device:{}:{}", type_of(*device_type), index);
}

DeviceSpec DeviceSpec::make_merged_spec(const DeviceSpec& inner) const {
  DeviceSpec merged = *this;
  if (inner.job) merged.job = inner.job;
  if (inner.replica) merged.replica = inner.replica;
  if (inner.task) merged.task = inner.task;
  if (inner.device_type) merged.device_type = inner.device_type;
  if (inner.device_index) merged.device_index = inner.device_index;
  return merged;
}

Name DeviceSpec::name() const {
  Name name{.job = job, .replica = replica, .task = task, .kind = {}, .index = device_index};
  if (job == "*") name.job.reset();
  if (device_type && *device_type != "*") {
    const std::optional<Kind> known = kind_named(*device_type);
    name.kind = known ? *known : other_kind(*device_type);
  }
  return name;
}

bool is_well_formed(const Name& name) {
  const auto is_index = [](const std::optional<int>& index) { return index.value_or(0) >= 0; };
  const auto is_word = [](std::string_view word) {
    return !word.empty() && is_latin(word.front()) && std::all_of(word.begin(), word.end(), [](char letter) {
      return is_latin(letter) || is_decimal(letter) || letter == '_';
    });
  };
  return is_index(name.replica) && is_index(name.task) && is_index(name.index) &&
         (!name.job || is_word(*name.job)) && (!name.kind || is_word(device::name(*name.kind)));
}

}  // namespace wt::device
