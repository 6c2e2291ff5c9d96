#pragma once
// A simulator for tests, which consists of little more than the definition of max-min fairness; and seeded
// dice.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "base/random.h"
#include "simulate/job.h"

namespace wt::simulate {

inline constexpr double never = std::numeric_limits<double>::infinity();

// Max-min fair rates by progressive filling: all rates grow together, and when a link is full, its flows stop
// growing (Bertsekas and Gallager, "Data Networks", 1992, section 6.5.2).
inline std::vector<double> fair_rates(const Job& job, const std::vector<std::size_t>& flows) {
  std::vector<double> rates(flows.size(), -1), free = job.bandwidths;
  for (std::size_t settled = 0; settled < flows.size();) {
    std::vector<int> growing(free.size(), 0);
    for (std::size_t flow = 0; flow < flows.size(); ++flow)
      if (rates[flow] < 0)
        for (const std::int32_t link : job.route_of(job.activities[flows[flow]])) ++growing[link];
    std::size_t narrowest = 0;
    double least = never;
    for (std::size_t link = 0; link < free.size(); ++link)
      if (growing[link] > 0 && free[link] / growing[link] < least)
        least = free[narrowest = link] / growing[link];
    for (std::size_t flow = 0; flow < flows.size(); ++flow) {
      const auto route = job.route_of(job.activities[flows[flow]]);
      if (rates[flow] >= 0 || std::ranges::find(route, static_cast<std::int32_t>(narrowest)) == route.end())
        continue;
      rates[flow] = least;
      ++settled;
      for (const std::int32_t link : route) free[link] -= least;
    }
  }
  return rates;
}

// Advances all activities from one event to the next, and computes all rates anew each time.
class BruteForce {
 public:
  explicit BruteForce(const Job& job)
      : job_(job), state_(job.activities.size()), delay_(state_.size()), left_(delay_) {
    outcome_.activities.resize(state_.size());
    outcome_.links.resize(job.bandwidths.size());
  }

  Outcome play() {
    start_what_is_ready();
    while (advance()) start_what_is_ready();
    outcome_.end = now_;
    return outcome_;
  }

 private:
  enum State { waiting, delayed, standing, flowing, done };

  bool is_done(std::int32_t id) const { return state_[static_cast<std::size_t>(id)] == done; }

  // An activity continues when the activity that it stands behind is done, which may let a later one
  // continue, too.
  void start_what_is_ready() {
    for (std::size_t id = 0; id < state_.size(); ++id)
      if (state_[id] == standing && is_done(job_.activities[id].behind)) go_on(id);
    for (std::size_t id = 0; id < state_.size(); ++id) {
      if (state_[id] != waiting) continue;
      const auto waits = job_.waits_of(id);
      if (!std::ranges::all_of(waits, [&](std::int32_t other) { return is_done(other); })) continue;
      state_[id] = delayed;
      outcome_.activities[id].start = now_;
      delay_[id] = job_.activities[id].delay;
      left_[id] = job_.flows(job_.activities[id]) ? static_cast<double>(job_.activities[id].bytes) : 0;
    }
  }

  bool advance() {
    std::vector<std::size_t> flows;
    for (std::size_t id = 0; id < state_.size(); ++id)
      if (state_[id] == flowing) flows.push_back(id);
    const std::vector<double> rates = fair_rates(job_, flows);
    std::vector<double> needs(state_.size(), never);
    for (std::size_t id = 0; id < state_.size(); ++id)
      if (state_[id] == delayed) needs[id] = delay_[id];
    for (std::size_t flow = 0; flow < flows.size(); ++flow)
      needs[flows[flow]] = left_[flows[flow]] / rates[flow];
    const double step = needs.empty() ? never : *std::ranges::min_element(needs);
    if (step == never) return false;
    load_links(flows, step);
    now_ += step;
    for (std::size_t flow = 0; flow < flows.size(); ++flow) left_[flows[flow]] -= rates[flow] * step;
    for (std::size_t id = 0; id < state_.size(); ++id) settle(id, needs[id], step);
    return true;
  }

  void settle(std::size_t id, double needs, double step) {
    if (state_[id] == delayed) delay_[id] -= step;
    if (needs > step * (1 + 1e-14)) return;
    const std::int32_t ahead = job_.activities[id].behind;
    if (state_[id] == flowing || ahead == none || is_done(ahead))
      go_on(id);
    else
      state_[id] = standing;
  }

  void go_on(std::size_t id) {
    state_[id] = state_[id] != flowing && left_[id] > 0 ? flowing : done;
    if (state_[id] == done) outcome_.activities[id].end = now_;
  }

  void load_links(const std::vector<std::size_t>& flows, double step) {
    std::vector<bool> busy(job_.bandwidths.size());
    for (const std::size_t flow : flows)
      for (const std::int32_t link : job_.route_of(job_.activities[flow])) busy[link] = true;
    for (std::size_t link = 0; link < busy.size(); ++link)
      if (busy[link]) outcome_.links[link].busy += step;
  }

  const Job& job_;
  std::vector<State> state_;
  std::vector<double> delay_, left_;
  double now_ = 0;
  Outcome outcome_{};
};

class Dice {
 public:
  explicit Dice(int seed) : stream_(stream_of({seed, 0})) {}
  std::int32_t below(std::int32_t count) { return static_cast<std::int32_t>(next() % count); }
  double fraction() { return next() / 4294967296.0; }

 private:
  std::uint32_t next() {
    std::array<std::uint32_t, 1> word{};
    fill_words(word, {stream_.block(drawn_++), stream_.key});
    return word[0];
  }
  PhiloxStream stream_;
  std::uint64_t drawn_ = 0;
};

}  // namespace wt::simulate
