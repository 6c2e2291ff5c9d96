#include "simulate/repetition.h"

#include <algorithm>

#include "base/narrow.h"
#include "simulate/play.h"

namespace wt::simulate {
namespace {

using Numbers = std::vector<std::int32_t>;

// Where each round begins in the unrolled job, in their order.
struct RoundPlace {
  std::size_t stage = 0;
  bool enters = false;      // it is the first round of its stage
  std::int32_t begin = 0;   // its first activity
  std::int32_t before = 0;  // the first activity of the round before
};

std::vector<RoundPlace> places_of(const Repetition& repetition, std::span<const int> rounds) {
  std::vector<RoundPlace> places;
  std::int64_t begin = 0, before = 0;
  for (std::size_t stage = 0; stage < rounds.size(); ++stage)
    for (int round = 0; round < rounds[stage]; ++round) {
      places.push_back({stage, round == 0, narrow<std::int32_t>(begin), narrow<std::int32_t>(before)});
      before = begin;
      begin += repetition.stages[stage + 1] - repetition.stages[stage];
    }
  return places;
}

void translate_to(const Symmetry& symmetry, std::vector<Earlier>& all) {
  std::vector<Earlier> folded(symmetry.job.activities.size());
  const auto played = [&](std::int32_t id) {
    return id == none ? none : symmetry.played[static_cast<std::size_t>(id)];
  };
  for (std::size_t id = all.size(); id-- > 0;) {  // representatives come first and win
    Earlier& to = folded[static_cast<std::size_t>(symmetry.played[id])];
    to = all[id];
    to.behind = played(to.behind);
    for (std::int32_t& other : to.waits) other = played(other);
    std::ranges::sort(to.waits);
    to.waits.erase(std::unique(to.waits.begin(), to.waits.end()), to.waits.end());
  }
  all = std::move(folded);
}

Repetition folded(const Symmetry& symmetry, Repetition repetition) {
  translate_to(symmetry, repetition.again);
  translate_to(symmetry, repetition.entering);
  for (std::size_t stage = 0; stage + 1 < repetition.stages.size(); ++stage)
    repetition.stages[stage] = symmetry.played[static_cast<std::size_t>(repetition.stages[stage])];
  repetition.stages.back() = narrow<std::int32_t>(symmetry.job.activities.size());
  return repetition;
}

}  // namespace

Job unrolled(const Job& job, const Repetition& repetition, std::span<const int> rounds) {
  Job all{.routes = job.routes, .bandwidths = job.bandwidths, .stations = job.stations};
  Numbers waits;
  for (const auto& [stage, enters, begin, before] : places_of(repetition, rounds)) {
    const std::int32_t first = repetition.stages[stage], last = repetition.stages[stage + 1];
    const std::int32_t first_before = enters && stage > 0 ? repetition.stages[stage - 1] : first;
    for (std::int32_t id = first; id < last; ++id) {
      const auto at = static_cast<std::size_t>(id);
      Activity activity = job.activities[at];
      waits.clear();
      for (const std::int32_t other : job.waits_of(at)) waits.push_back(begin + other - first);
      if (activity.behind != none) activity.behind += begin - first;
      if (begin > 0) {
        const Earlier& earlier = (enters ? repetition.entering : repetition.again)[at];
        for (const std::int32_t other : earlier.waits) waits.push_back(before + other - first_before);
        if (activity.behind == none && earlier.behind != none)
          activity.behind = before + earlier.behind - first_before;
      }
      all.add(activity, waits);
    }
  }
  return all;
}

Rounds::Rounds(const plan::Plan& plan, const plan::Costs& costs, const platform::Platform& platform,
               std::span<const platform::Endpoint> where, Repetition repetition)
    : platform_(platform),
      translation_(translate(plan, costs, platform, where)),
      symmetry_(symmetry_of(translation_.job, &repetition)),
      repetition_(symmetry_ ? folded(*symmetry_, std::move(repetition)) : std::move(repetition)) {}

plan::Timeline Rounds::time(std::span<const int> rounds) const {
  const Outcome all = play_whole(unrolled(job(), repetition_, rounds));
  Outcome last{.links = all.links, .end = all.end, .effort = all.effort};
  std::int64_t end = 0;
  for (std::size_t stage = 0; stage < rounds.size(); ++stage) {
    const std::int64_t count = repetition_.stages[stage + 1] - repetition_.stages[stage];
    end += count * rounds[stage];
    last.activities.insert(last.activities.end(), all.activities.begin() + (end - count),
                           all.activities.begin() + end);
  }
  return timeline_of(translation_, platform_, symmetry_ ? unfolded(*symmetry_, last) : last);
}

std::int64_t Rounds::activities(std::span<const int> rounds) const {
  std::int64_t sum = 0;
  for (std::size_t stage = 0; stage < rounds.size(); ++stage)
    sum += std::int64_t{rounds[stage]} * (repetition_.stages[stage + 1] - repetition_.stages[stage]);
  return sum;
}

std::int32_t Rounds::represented(std::size_t node) const {
  return symmetry_ ? symmetry_->played[node] : static_cast<std::int32_t>(node);
}

}  // namespace wt::simulate
