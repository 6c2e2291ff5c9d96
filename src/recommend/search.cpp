#include "recommend/search.h"

#include <algorithm>
#include <cmath>

namespace wt::recommend {

namespace {

class Searcher {
 public:
  explicit Searcher(const Search& wanted) : wanted_(wanted) {}

  Found run() {
    first_ = first_possible();
    if (first_ == wanted_.count) {
      measure_top();
      found_.is_proven = true;  // by the bound alone
      return std::move(found_);
    }
    std::optional<int> reached = climb();
    if (!reached) reached = around_the_peak();
    if (reached) found_.smallest = halve(*reached);
    found_.is_monotone = is_monotone();
    if (!found_.is_monotone) scan();
    found_.is_proven = is_proven();
    return std::move(found_);
  }

 private:
  double speed(int size) {
    const auto [place, is_new] = found_.measured.try_emplace(size, 0);
    if (is_new) place->second = wanted_.speed(size);
    return place->second;
  }
  bool is_enough(int size) { return speed(size) >= wanted_.target; }

  // The first position whose bound reaches the target.
  int first_possible() const {
    int low = 0, high = wanted_.count;
    while (low < high) {
      const int middle = low + (high - low) / 2;
      if (wanted_.bound(middle) >= wanted_.target)
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  }

  // What the most is, for a target that no size can reach.
  void measure_top() {
    if (wanted_.count > 0) speed(wanted_.count - 1);
  }

  // Steps that at least double, and are longer where the speed is far from the target.
  std::optional<int> climb() {
    int at = first_, step = 1;
    while (true) {
      if (is_enough(at)) return at;
      if (at == wanted_.count - 1) return std::nullopt;
      const double now = speed(at);
      const double wanted = now > 0 ? (at + 1) * wanted_.target / now : 0;  // if speed grew with size
      const double farther = std::max(std::ceil(wanted) - 1, static_cast<double>(at) + step);
      const double next = std::min(farther, static_cast<double>(wanted_.count) - 1);
      at = static_cast<int>(next);
      step *= 2;
    }
  }

  // The largest size is too slow, and a smaller one may be fast enough: the gaps next to the fastest measured
  // size are divided until they are closed.
  std::optional<int> around_the_peak() {
    for (int tries = 0; tries < wanted_.most_scanned; ++tries) {
      const std::optional<int> peak = found_.fastest();
      if (!peak) return std::nullopt;
      const auto at = found_.measured.find(*peak);
      const int below = at == found_.measured.begin() ? first_ - 1 : std::prev(at)->first;
      const int above = std::next(at) == found_.measured.end() ? wanted_.count : std::next(at)->first;
      const int left = *peak - below, right = above - *peak;
      if (left <= 1 && right <= 1) return std::nullopt;
      const int next = left > right ? *peak - left / 2 : *peak + right / 2;
      if (is_enough(next)) return next;
    }
    return std::nullopt;
  }

  // Between the largest measured size below that is too slow, and one that is fast enough.
  int halve(int high) {
    int low = first_ - 1;
    for (const auto& [size, speed] : found_.measured)
      if (size < high && speed < wanted_.target) low = size;
    while (high - low > 1) {
      const int middle = low + (high - low) / 2;
      (is_enough(middle) ? high : low) = middle;
    }
    for (const auto& [size, speed] : found_.measured)
      if (speed >= wanted_.target) return size;
    return high;
  }

  bool is_monotone() const {
    double most = -1;
    for (const auto& [size, speed] : found_.measured) {
      if (speed < most) return false;
      most = speed;
    }
    return true;
  }

  int end() const { return found_.smallest.value_or(wanted_.count); }

  void scan() {
    int left = wanted_.most_scanned;
    for (int size = first_; size < end(); ++size) {
      if (found_.measured.contains(size)) continue;
      if (left-- == 0) return;
      if (is_enough(size)) found_.smallest = size;
    }
  }

  bool is_proven() const {
    for (int size = first_; size < end(); ++size)
      if (!found_.measured.contains(size)) return false;
    return true;
  }

  const Search& wanted_;
  int first_ = 0;
  Found found_{};
};

}  // namespace

std::optional<int> Found::fastest() const {
  std::optional<int> best;
  for (const auto& [size, speed] : measured)
    if (speed >= 0 && (!best || speed > measured.at(*best))) best = size;
  return best;
}

Found search(const Search& wanted) { return Searcher(wanted).run(); }

}  // namespace wt::recommend
