#include "simulate/symmetry.h"

#include <algorithm>

#include "base/narrow.h"
#include "simulate/automorphism.h"
#include "simulate/parts.h"

namespace wt::simulate {
namespace {

// No library divides a collective among as many lanes. A job with more parts isn't examined.
constexpr std::size_t most_parts = 64;

using Numbers = std::vector<std::int32_t>;

class Folder {
 public:
  Folder(const Job& job, const Parts& parts, const Automorphism& map, std::int32_t order)
      : job_(job), parts_(parts), map_(map), order_(order) {}

  // None when a route uses two links of one orbit: their representative would occur twice in the reduced
  // route.
  std::optional<Symmetry> fold() {
    fold_links();
    std::vector<bool> is_played(parts_.size(), true);
    result_.played.resize(job_.activities.size());
    for (std::size_t part = 0; part < parts_.size(); ++part)
      for (std::size_t at = map_.part(part); is_played[part] && at != part; at = map_.part(at)) {
        is_played[at] = false;
        for (std::size_t i = 0; i < parts_[part].size(); ++i)
          result_.played[static_cast<std::size_t>(parts_[at][i])] = parts_[part][i];
      }
    for (std::size_t part = 0; part < parts_.size(); ++part)
      if (is_played[part])
        for (const std::int32_t id : parts_[part]) result_.played[static_cast<std::size_t>(id)] = id;
    if (!fold_activities()) return std::nullopt;
    return std::move(result_);
  }

 private:
  void fold_links() {
    const std::size_t links = job_.bandwidths.size();
    result_.job.bandwidths = job_.bandwidths;
    result_.representative.assign(links, none);
    result_.multiplicity.assign(links, 1);
    for (std::size_t first = 0; first < links; ++first) {
      if (result_.representative[first] != none) continue;
      const auto link = static_cast<std::int32_t>(first);
      Numbers orbit{link};
      for (std::int32_t at = map_.link(link); at != none && at != link; at = map_.link(at))
        orbit.push_back(at);
      const bool is_used = map_.link(link) != none;
      const std::int32_t multiplicity = is_used ? order_ / narrow<std::int32_t>(orbit.size()) : 1;
      result_.job.bandwidths[first] /= multiplicity;
      for (const std::int32_t at : orbit) {
        result_.representative[static_cast<std::size_t>(at)] = link;
        result_.multiplicity[static_cast<std::size_t>(at)] = multiplicity;
      }
    }
  }

  // The representatives keep their order and get new ids.
  bool fold_activities() {
    Numbers number(job_.activities.size(), none), waits, route;
    for (std::size_t id = 0; id < job_.activities.size(); ++id) {
      if (result_.played[id] != static_cast<std::int32_t>(id)) continue;
      const Activity& activity = job_.activities[id];
      waits.clear();
      for (const std::int32_t other : job_.waits_of(id))
        waits.push_back(number[static_cast<std::size_t>(other)]);
      route.clear();
      for (const std::int32_t link : job_.route_of(activity)) {
        const std::int32_t representative = result_.representative[static_cast<std::size_t>(link)];
        if (std::ranges::find(route, representative) != route.end()) return false;
        route.push_back(representative);
      }
      Activity kept = result_.job.flow(activity.delay, activity.bytes, route);
      if (activity.behind != none) kept.behind = number[static_cast<std::size_t>(activity.behind)];
      number[id] = result_.job.add(kept, waits);
    }
    for (std::int32_t& id : result_.played) id = number[static_cast<std::size_t>(id)];
    return true;
  }

  const Job& job_;
  const Parts& parts_;
  const Automorphism& map_;
  const std::int32_t order_;
  Symmetry result_{};
};

}  // namespace

std::optional<Symmetry> symmetry_of(const Job& job) {
  const Parts parts(job, most_parts);
  if (parts.size() < 2 || parts.size() > most_parts) return std::nullopt;
  const Numbers kinds = parts.kinds();
  std::optional<Automorphism> best;
  std::int32_t most = 1;
  for (std::size_t image = 1; image < parts.size(); ++image) {
    if (kinds[image] != kinds[0]) continue;
    std::optional<Automorphism> map = Automorphism::find(job, parts, kinds, 0, image);
    if (!map) continue;
    if (const std::int32_t order = map->order(); order > most) {
      most = order;
      best = std::move(map);
    }
  }
  if (!best) return std::nullopt;
  return Folder(job, parts, *best, most).fold();
}

Outcome unfolded(const Symmetry& symmetry, const Outcome& played) {
  Outcome outcome{.end = played.end, .effort = played.effort};
  outcome.activities.reserve(symmetry.played.size());
  for (const std::int32_t id : symmetry.played) {
    outcome.activities.push_back(played.activities[static_cast<std::size_t>(id)]);
    if (symmetry.job.flows(symmetry.job.activities[static_cast<std::size_t>(id)])) ++outcome.effort.following;
  }
  outcome.effort.following -= std::ranges::count_if(
      symmetry.job.activities, [&](const Activity& activity) { return symmetry.job.flows(activity); });
  for (std::size_t link = 0; link < symmetry.representative.size(); ++link) {
    LinkLoad load = played.links[static_cast<std::size_t>(symmetry.representative[link])];
    load.carried *= symmetry.multiplicity[link];
    outcome.links.push_back(load);
  }
  return outcome;
}

}  // namespace wt::simulate
