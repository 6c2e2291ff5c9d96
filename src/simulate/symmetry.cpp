#include "simulate/symmetry.h"

#include <algorithm>

#include "simulate/parts.h"
#include "simulate/turn.h"

namespace wt::simulate {

namespace {

// More lanes than any library has.
constexpr std::size_t most_parts = 64;

using Numbers = std::vector<std::int32_t>;

class Folder {
 public:
  Folder(const Job& job, const Parts& parts, const Turn& turn, std::int32_t order)
      : job_(job), parts_(parts), turn_(turn), order_(order) {}

  // None where a route has two links of one orbit.
  std::optional<Symmetry> fold() {
    fold_links();
    std::vector<bool> is_played(parts_.size(), true);
    result_.played.resize(job_.activities.size());
    for (std::size_t part = 0; part < parts_.size(); ++part)
      for (std::size_t at = turn_.part(part); is_played[part] && at != part; at = turn_.part(at)) {
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
    result_.stands.assign(links, nobody);
    result_.times.assign(links, 1);
    for (std::size_t first = 0; first < links; ++first) {
      if (result_.stands[first] != nobody) continue;
      const auto link = static_cast<std::int32_t>(first);
      Numbers orbit{link};
      for (std::int32_t at = turn_.link(link); at != nobody && at != link; at = turn_.link(at))
        orbit.push_back(at);
      const bool is_used = turn_.link(link) != nobody;
      const std::int32_t times = is_used ? order_ / static_cast<std::int32_t>(orbit.size()) : 1;
      result_.job.bandwidths[first] /= times;
      for (const std::int32_t at : orbit) {
        result_.stands[static_cast<std::size_t>(at)] = link;
        result_.times[static_cast<std::size_t>(at)] = times;
      }
    }
  }

  // In their old order, under new numbers.
  bool fold_activities() {
    Numbers number(job_.activities.size(), nobody), waits, route;
    for (std::size_t id = 0; id < job_.activities.size(); ++id) {
      if (result_.played[id] != static_cast<std::int32_t>(id)) continue;
      const Activity& activity = job_.activities[id];
      waits.clear();
      for (const std::int32_t other : job_.waits_of(id))
        waits.push_back(number[static_cast<std::size_t>(other)]);
      route.clear();
      for (const std::int32_t link : job_.route_of(activity)) {
        const std::int32_t played = result_.stands[static_cast<std::size_t>(link)];
        if (std::ranges::find(route, played) != route.end()) return false;
        route.push_back(played);
      }
      Activity kept = result_.job.flow(activity.delay, activity.bytes, route);
      if (activity.behind != nobody) kept.behind = number[static_cast<std::size_t>(activity.behind)];
      number[id] = result_.job.add(kept, waits);
    }
    for (std::int32_t& id : result_.played) id = number[static_cast<std::size_t>(id)];
    return true;
  }

  const Job& job_;
  const Parts& parts_;
  const Turn& turn_;
  const std::int32_t order_;
  Symmetry result_{};
};

}  // namespace

std::optional<Symmetry> symmetry_of(const Job& job) {
  const Parts parts(job, most_parts);
  if (parts.size() < 2 || parts.size() > most_parts) return std::nullopt;
  const Numbers kinds = parts.kinds();
  std::optional<Turn> best;
  std::int32_t most = 1;
  for (std::size_t image = 1; image < parts.size(); ++image) {
    if (kinds[image] != kinds[0]) continue;
    std::optional<Turn> turn = Turn::find(job, parts, kinds, 0, image);
    if (!turn) continue;
    if (const std::int32_t order = turn->order(); order > most) {
      most = order;
      best = std::move(turn);
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
  for (std::size_t link = 0; link < symmetry.stands.size(); ++link) {
    LinkLoad load = played.links[static_cast<std::size_t>(symmetry.stands[link])];
    load.carried *= symmetry.times[link];
    outcome.links.push_back(load);
  }
  return outcome;
}

}  // namespace wt::simulate
