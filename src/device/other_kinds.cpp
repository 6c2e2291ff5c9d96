#include "device/other_kinds.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <mutex>
#include <string>
#include <type_traits>

#include "base/error.h"

namespace wt::device {
namespace {

constexpr std::size_t first_other = static_cast<std::size_t>(Kind::tpu) + 1;
constexpr std::size_t most_others = std::numeric_limits<std::underlying_type_t<Kind>>::max() - first_other;

struct OtherWords {
  std::mutex mutex{};
  std::deque<std::string> words{};  // which stay where they are when more are added
};

OtherWords& other_words() {
  static OtherWords words;
  return words;
}

}  // namespace

Kind other_kind(std::string_view type) {
  OtherWords& all = other_words();
  const std::scoped_lock lock(all.mutex);
  const auto found = std::find(all.words.begin(), all.words.end(), type);
  const auto number = static_cast<std::size_t>(found - all.words.begin());
  if (number >= most_others) throw InputError("device names have too many different types");
  if (found == all.words.end()) all.words.emplace_back(type);
  return static_cast<Kind>(first_other + number);
}

std::string_view name_of_other_kind(Kind kind) {
  OtherWords& all = other_words();
  const std::scoped_lock lock(all.mutex);
  return all.words.at(static_cast<std::size_t>(kind) - first_other);
}

}  // namespace wt::device
