#pragma once
// Finds the smallest size of a machine that is fast enough, with few measurements.
//
// A measurement is a simulation, so each one counts. A bound that costs nothing discards sizes first: a machine
// is never faster than its devices would be without any communication. Then the sizes that remain are halved,
// as if a larger machine were always faster. It isn't where the global batch is limited: the rows of each device
// become few, and communication takes over. So every measurement is compared with the others. Once a larger size
// was slower than a smaller one, halving proves nothing, and the sizes below the answer are measured one by one.

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace wt::recommend {

// Sizes are positions 0, 1, ..., count - 1. A size is fast enough if its speed is at least `target`.
struct Search {
  int count = 0;
  double target = 1;
  std::function<double(int)> bound{};  // never below the speed, and never falls with the position
  std::function<double(int)> speed{};  // negative: the size can't be used
  int most_scanned = 48;               // sizes that are measured one by one
};

struct Found {
  std::optional<int> smallest{};     // the answer; unset: no size was found that is fast enough
  std::map<int, double> measured{};  // speeds by position
  bool is_monotone = true;           // no measured size was slower than a smaller one
  // True if every size below the answer, or every size if there is no answer, was measured or is excluded by
  // the bound. Otherwise the answer holds if speed grows with size between the measured sizes.
  bool is_proven = false;

  // The fastest of the measured sizes. Unset: none can be used.
  std::optional<int> fastest() const;
};

Found search(const Search& wanted);

}  // namespace wt::recommend
