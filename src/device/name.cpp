#include "device/name.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <type_traits>
#include <vector>

#include "base/error.h"
#include "base/narrow.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "device/name_text.h"
#include "device/other_kinds.h"

namespace wt::device {
namespace {

constexpr std::array<std::string_view, 3> kinds{"CPU", "GPU", "TPU"};  // in the order of Kind
constexpr std::array<std::string_view, 7> beginnings{"job", "replica", "task", "device", "CPU", "GPU", "TPU"};
constexpr std::string_view open = "*";
constexpr std::string_view looks_like =
    "a device is named like /job:worker/replica:0/task:1/device:GPU:0, or in short /GPU:0";

bool is_letter(char letter) { return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z'); }
bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

// Parses one name. Its parts are views into `text_`, so that an error can point at them.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Name parse() {
    if (text_.empty() || text_ == "/") return name_;
    for (std::string_view part : split(text_.substr(text_.front() == '/' ? 1 : 0), '/')) read_part(part);
    return name_;
  }

 private:
  void read_part(std::string_view part) {
    const std::vector<std::string_view> words = split(part, ':');
    if (part.empty()) fail(part, "a part of the device name is empty");
    if (words[0] == "device") return read_device(part, words, 1);
    if (kind_named(words[0])) return read_device(part, words, 0);
    if (words[0] == "job") return give(part, words, name_.job, job_given_);
    if (words[0] == "replica") return give(part, words, name_.replica, replica_given_);
    if (words[0] == "task") return give(part, words, name_.task, task_given_);
    if (words[0] == "physical_device") {
      fail(part, "a physical device runs no operations", "name a logical device, as in /GPU:0");
    }
    fail(words[0], fmt::format("unknown part \"{}\" of a device name", printable(words[0])),
         did_you_mean(words[0], beginnings));
  }

  // Reads "job:worker", "replica:0" or "task:1". With a star as value, the part stays open, but it must not
  // appear again.
  template <class Value>
  void give(std::string_view part, const std::vector<std::string_view>& words, std::optional<Value>& value,
            bool& given) {
    if (words.size() != 2) fail(part, fmt::format("{} needs one value", words[0]));
    refuse_repetition(part, given);
    if (words[1] == open) return;
    if constexpr (std::is_same_v<Value, int>) {
      value = read_number(words[1]);
    } else {
      value = read_job(words[1]);
    }
  }

  // Reads "device:GPU:0", "device:GPU", "GPU:0" or "GPU". The type is the word with the index `at`.
  void read_device(std::string_view part, const std::vector<std::string_view>& words, std::size_t at) {
    const std::size_t rest = words.size() - at;
    if (rest != 1 && rest != 2) fail(part, "a device consists of a type and, optionally, an index");
    refuse_repetition(part, device_given_);
    if (words[at] != open) name_.kind = read_kind(words[at]);
    if (rest == 2 && words[at + 1] != open) name_.index = read_number(words[at + 1]);
  }

  void refuse_repetition(std::string_view part, bool& given) const {
    if (given) fail(part, fmt::format("\"{}\" repeats a part of the device name", printable(part)));
    given = true;
  }

  Kind read_kind(std::string_view word) const {
    const std::optional<Kind> kind = kind_named(word);
    if (!kind) {
      fail(word, fmt::format("unknown device type \"{}\"", printable(word)), did_you_mean(word, kinds));
    }
    return *kind;
  }

  std::string read_job(std::string_view word) const {
    const bool good =
        !word.empty() && is_letter(word.front()) && std::all_of(word.begin(), word.end(), [](char letter) {
          return is_letter(letter) || is_digit(letter) || letter == '_';
        });
    if (!good) {
      fail(word, fmt::format("\"{}\" is not a valid name of a job", printable(word)),
           "it must begin with a letter and consist of letters, digits and underscores");
    }
    return std::string(word);
  }

  int read_number(std::string_view word) const {
    if (word.empty() || !std::all_of(word.begin(), word.end(), is_digit)) {
      fail(word, fmt::format("\"{}\" is not an index", printable(word)),
           "indices count from 0, and * stands for any index");
    }
    int number = 0;
    if (std::from_chars(word.data(), word.data() + word.size(), number).ec != std::errc{}) {
      fail(word, fmt::format("{} is larger than any index", word));
    }
    return number;
  }

  [[noreturn]] void fail(std::string_view piece, std::string fact, std::string_view remedy = {}) const {
    const auto before = static_cast<std::size_t>(piece.data() - text_.data());
    const Place place{.line = 1,
                      .column = narrow<int>(count_characters(text_.substr(0, before))) + 1,
                      .source_line = std::string(text_),
                      .length = narrow<int>(count_characters(piece))};
    throw InputError(Problem{place, std::move(fact),
                             fmt::format("{}{}{}", remedy, remedy.empty() ? "" : "; ", looks_like)});
  }

  std::string_view text_;
  Name name_{};
  bool job_given_ = false;
  bool replica_given_ = false;
  bool task_given_ = false;
  bool device_given_ = false;
};

}  // namespace

std::string_view name(Kind kind) {
  const auto number = static_cast<std::size_t>(kind);
  return number < kinds.size() ? kinds[number] : name_of_other_kind(kind);
}

std::optional<Kind> kind_named(std::string_view name) {
  const auto found = std::find(kinds.begin(), kinds.end(), upper(name));
  if (found == kinds.end()) return std::nullopt;
  return static_cast<Kind>(found - kinds.begin());
}

Name parse_name(std::string_view text) { return Parser(text).parse(); }

Name merged(const Name& inner, const Name& outer) {
  Name result = inner;
  if (!result.job) result.job = outer.job;
  if (!result.replica) result.replica = outer.replica;
  if (!result.task) result.task = outer.task;
  if (!result.kind) result.kind = outer.kind;
  if (!result.index) result.index = outer.index;
  return result;
}

Name canonical(const Name& name, const Name& task) {
  static const Name defaults{.job = "localhost", .replica = 0, .task = 0, .kind = Kind::cpu, .index = 0};
  return merged(merged(name, task), defaults);
}

Name host_of(const Name& device) {
  Name host = device;
  host.kind = Kind::cpu;
  host.index = 0;
  return host;
}

std::string print(const Name& name) {
  std::string text;
  if (name.job) text += fmt::format("/job:{}", *name.job);
  if (name.replica) text += fmt::format("/replica:{}", *name.replica);
  if (name.task) text += fmt::format("/task:{}", *name.task);
  if (!name.kind && !name.index) return text;
  text += fmt::format("/device:{}:", name.kind ? device::name(*name.kind) : open);
  text += name.index ? std::to_string(*name.index) : std::string(open);
  return text;
}

}  // namespace wt::device
