#include "timing/failures.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace wt::timing {

DrawnTimes::DrawnTimes(Seconds mean, Seed seed) : mean_(mean), stream_(stream_of(seed)) {}

double DrawnTimes::uniform() {
  if (at_ % 4 == 0) block_ = stream_.block(static_cast<std::uint64_t>(at_ / 4));
  constexpr double words = 4'294'967'296.0;  // 2^32
  return (static_cast<double>(block_[static_cast<std::size_t>(at_++ % 4)]) + 0.5) / words;
}

Seconds DrawnTimes::next() { return mean_ * -std::log(uniform()); }

Failures::Failures(const Faults& faults, std::int64_t seed) {
  for (std::size_t i = 0; i < faults.random.size(); ++i) {
    const RandomFailures& random = faults.random[i];
    drawn_.push_back({&random, DrawnTimes(random.mean_time, Seed{seed, static_cast<std::int64_t>(i)})});
  }
  for (const Failure& failure : faults.failures)
    if (failure.time) insert({failure, drawn_.size()});
  for (std::size_t source = 0; source < drawn_.size(); ++source) draw(source);
}

void Failures::draw(std::size_t source) {
  Drawn& drawn = drawn_[source];
  drawn.last += drawn.times.next();
  const std::vector<Failure>& parts = drawn.of->parts;
  const auto part = static_cast<std::size_t>(drawn.times.uniform() * static_cast<double>(parts.size()));
  Coming coming{parts[part], source};
  coming.failure.time = drawn.last;
  insert(std::move(coming));
}

// Of several at the same time, the scenario's order counts.
void Failures::insert(Coming coming) {
  const auto at = std::ranges::upper_bound(coming_, *coming.failure.time, {},
                                           [](const Coming& each) { return *each.failure.time; });
  coming_.insert(at, std::move(coming));
}

void Failures::take() {
  constexpr std::int64_t most = 10'000'000;
  if (++taken_ > most)
    throw InputError("something fails so often that the training comes to nothing",
                     "raise the mean time between the failures");
  const std::size_t source = coming_.front().source;
  coming_.erase(coming_.begin());
  if (source < drawn_.size()) draw(source);
}

}  // namespace wt::timing
