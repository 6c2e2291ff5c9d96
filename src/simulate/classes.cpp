#include "simulate/classes.h"

#include <algorithm>
#include <bit>
#include <span>

namespace wt::simulate {
namespace {

using Colour = std::uint64_t;
using Colours = std::vector<Colour>;

// A path, whose ends are noticed one by one, needs a round for each of its activities. Then little is equal.
constexpr int most_rounds = 64;

// The finalizer of SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
Colour mixed(Colour colour) {
  colour += 0x9e3779b97f4a7c15;
  colour = (colour ^ (colour >> 30)) * 0xbf58476d1ce4e5b9;
  colour = (colour ^ (colour >> 27)) * 0x94d049bb133111eb;
  return colour ^ (colour >> 31);
}
Colour joined(Colour a, Colour b) { return mixed(a * 3 + mixed(b)); }

// The position of each colour's first occurrence, in an open hash table.
class FirstPlaces {
 public:
  void find(const Colours& colours, std::vector<std::int32_t>& first) {
    table_.assign(std::bit_ceil(2 * colours.size() + 1), none);
    first.resize(colours.size());
    count_ = 0;
    const std::size_t mask = table_.size() - 1;
    for (std::size_t i = 0; i < colours.size(); ++i) {
      std::size_t at = colours[i] & mask;
      while (table_[at] != none && colours[static_cast<std::size_t>(table_[at])] != colours[i])
        at = (at + 1) & mask;
      if (table_[at] == none) {
        table_[at] = static_cast<std::int32_t>(i);
        ++count_;
      }
      first[i] = table_[at];
    }
  }
  std::size_t count() const { return count_; }  // of different colours

 private:
  std::vector<std::int32_t> table_{};
  std::size_t count_ = 0;
};

class Refinement {
 public:
  Refinement(const Job& job, const Repetition* repetition)
      : job_(job), repetition_(repetition), activity_(job.activities.size()), link_(job.bandwidths.size()) {
    Colour stage = 0;
    for (std::size_t id = 0; id < activity_.size(); ++id) {
      const Activity& activity = job.activities[id];
      while (repetition != nullptr && repetition->stages[stage + 1] <= static_cast<std::int64_t>(id)) ++stage;
      activity_[id] =
          joined(stage, joined(std::bit_cast<Colour>(activity.delay), static_cast<Colour>(activity.bytes)));
    }
    for (std::size_t link = 0; link < link_.size(); ++link)
      link_[link] = std::bit_cast<Colour>(job.bandwidths[link]);
  }

  std::optional<Classes> refine() {
    if (activity_.empty() || !waits_for_earlier_ones()) return std::nullopt;
    std::size_t before = 0;
    for (int round = 0; round < most_rounds; ++round) {
      divide_activities();
      divide_links();
      activities_.find(activity_, classes_.activity);
      if (2 * activities_.count() > activity_.size()) return std::nullopt;
      links_.find(link_, classes_.link);
      const std::size_t count = activities_.count() + links_.count();
      if (count == before) return finished();
      before = count;
    }
    return std::nullopt;
  }

 private:
  bool waits_for_earlier_ones() const {
    for (std::size_t id = 0; id < activity_.size(); ++id)
      for (const std::int32_t other : job_.waits_of(id))
        if (other >= static_cast<std::int64_t>(id)) return false;
    return true;
  }

  // In the order of ids, so that one pass brings a difference to everything that follows it.
  void divide_activities() {
    if (repetition_ != nullptr) before_ = activity_;
    for (std::size_t id = 0; id < activity_.size(); ++id) {
      const Activity& activity = job_.activities[id];
      Colour colour = joined(activity_[id], waits(job_.waits_of(id), activity_));
      if (activity.behind != none)
        colour = joined(colour, activity_[static_cast<std::size_t>(activity.behind)]);
      if (repetition_ != nullptr)
        for (const Earlier* earlier : {&repetition_->again[id], &repetition_->entering[id]}) {
          colour = joined(colour, waits(earlier->waits, before_));
          if (earlier->behind != none)
            colour = joined(colour, before_[static_cast<std::size_t>(earlier->behind)]);
        }
      Colour route = 0;
      if (job_.flows(activity))
        for (const std::int32_t link : job_.route_of(activity))
          route += mixed(link_[static_cast<std::size_t>(link)]);
      activity_[id] = joined(colour, route);
    }
  }

  // The end of the last one counts, so equal ones count once.
  Colour waits(std::span<const std::int32_t> others, const Colours& colours) {
    waits_.clear();
    for (const std::int32_t other : others) waits_.push_back(colours[static_cast<std::size_t>(other)]);
    std::ranges::sort(waits_);
    waits_.erase(std::unique(waits_.begin(), waits_.end()), waits_.end());
    Colour colour = waits_.size();
    for (const Colour each : waits_) colour = joined(colour, each);
    return colour;
  }

  void divide_links() {
    on_link_.assign(link_.size(), 0);
    for (std::size_t id = 0; id < activity_.size(); ++id) {
      if (!job_.flows(job_.activities[id])) continue;
      const Colour colour = mixed(activity_[id]);
      for (const std::int32_t link : job_.route_of(job_.activities[id]))
        on_link_[static_cast<std::size_t>(link)] += colour;
    }
    for (std::size_t link = 0; link < link_.size(); ++link) link_[link] = joined(link_[link], on_link_[link]);
  }

  std::optional<Classes> finished() {
    for (std::size_t link = 0; link < link_.size(); ++link)
      if (on_link_[link] == 0) classes_.link[link] = none;
    return std::move(classes_);
  }

  const Job& job_;
  const Repetition* const repetition_;
  Colours activity_, link_;
  Colours before_{};  // of the activities, one round of refinement ago
  Colours on_link_{}, waits_{};
  FirstPlaces activities_{}, links_{};
  Classes classes_{};
};

}  // namespace

std::optional<Classes> classes_of(const Job& job, const Repetition* repetition) {
  return Refinement(job, repetition).refine();
}

}  // namespace wt::simulate
