#include "base/suggest.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace wt {
namespace {

// Longer names get no suggestion, because computing the distance takes quadratic time.
constexpr std::size_t longest_compared = 64;

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

template <class Same>
std::size_t distance_under(std::string_view left, std::string_view right, Same same) {
  const std::size_t width = right.size() + 1;
  std::vector<std::size_t> table((left.size() + 1) * width);
  auto at = [&](std::size_t i, std::size_t j) -> std::size_t& { return table[i * width + j]; };
  for (std::size_t i = 0; i <= left.size(); ++i) at(i, 0) = i;
  for (std::size_t j = 0; j <= right.size(); ++j) at(0, j) = j;
  for (std::size_t i = 1; i <= left.size(); ++i) {
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t changed = same(left[i - 1], right[j - 1]) ? 0 : 1;
      std::size_t best = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + changed});
      const bool swapped =
          i > 1 && j > 1 && same(left[i - 1], right[j - 2]) && same(left[i - 2], right[j - 1]);
      if (swapped) best = std::min(best, at(i - 2, j - 2) + 1);
      at(i, j) = best;
    }
  }
  return at(left.size(), right.size());
}

std::size_t distance_with_case(std::string_view left, std::string_view right) {
  return distance_under(left, right, [](char a, char b) { return a == b; });
}

}  // namespace

std::size_t edit_distance(std::string_view left, std::string_view right) {
  return distance_under(left, right, [](char a, char b) { return lower(a) == lower(b); });
}

std::string_view nearest(std::string_view given, std::span<const std::string_view> known) {
  if (given.empty() || given.size() > longest_compared) return {};
  const std::size_t limit = std::max<std::size_t>(1, given.size() / 3);
  std::string_view best;
  std::pair<std::size_t, std::size_t> least{};
  for (std::string_view candidate : known) {
    if (candidate.empty() || candidate.size() > longest_compared) continue;
    const std::size_t distance = edit_distance(given, candidate);
    // For short names the limit of one edit would accept a name without any common letter.
    if (distance > limit || distance >= std::max(given.size(), candidate.size())) continue;
    const std::pair ranked{distance, distance_with_case(given, candidate)};
    if (best.empty() || ranked < least) {
      best = candidate;
      least = ranked;
    }
  }
  return best;
}

// A message lists at most this many names.
constexpr std::size_t most_shown = 32;

std::string list_known(std::span<const std::string_view> known) {
  if (known.empty()) return "";
  const std::size_t shown = known.size() <= most_shown ? known.size() : most_shown;
  std::string text = fmt::format("known: {}", fmt::join(known.first(shown), ", "));
  if (shown < known.size()) text += fmt::format(" and {} more", known.size() - shown);
  return text;
}

std::string did_you_mean(std::string_view given, std::span<const std::string_view> known) {
  const std::string_view near = nearest(given, known);
  return near.empty() ? list_known(known) : fmt::format("did you mean \"{}\"? {}", near, list_known(known));
}

}  // namespace wt
