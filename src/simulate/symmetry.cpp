#include "simulate/symmetry.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"

namespace wt::simulate {

namespace {

// More lanes than any library has.
constexpr std::size_t most_parts = 64;

using Numbers = std::vector<std::int32_t>;

// What waiting joins: activities in ascending order, part after part.
class Parts {
 public:
  explicit Parts(const Job& job) : job_(job), parent_(job.activities.size()) {
    std::iota(parent_.begin(), parent_.end(), 0);
    for (std::size_t id = 0; id < job.activities.size(); ++id) {
      for (const std::int32_t other : job.waits_of(id)) join(static_cast<std::int32_t>(id), other);
      if (job.activities[id].behind != nobody) join(static_cast<std::int32_t>(id), job.activities[id].behind);
    }
    list();
  }

  std::size_t size() const { return parts_.size(); }
  std::span<const std::int32_t> operator[](std::size_t part) const { return parts_[part]; }

  // Equal but for the names of their links.
  bool are_alike(std::size_t a, std::size_t b) const {
    const Numbers &mine = parts_[a], &others = parts_[b];
    if (mine.size() != others.size()) return false;
    for (std::size_t i = 0; i < mine.size(); ++i)
      if (!are_alike(mine[i], others[i])) return false;
    return true;
  }

 private:
  bool are_alike(std::int32_t mine, std::int32_t other) const {
    const Activity &a = job_.activities[static_cast<std::size_t>(mine)],
                   &b = job_.activities[static_cast<std::size_t>(other)];
    if (a.delay != b.delay || a.bytes != b.bytes || a.links != b.links) return false;
    if ((a.behind == nobody) != (b.behind == nobody)) return false;
    if (a.behind != nobody && position(a.behind) != position(b.behind)) return false;
    return std::ranges::equal(
        job_.waits_of(static_cast<std::size_t>(mine)), job_.waits_of(static_cast<std::size_t>(other)), {},
        [&](std::int32_t id) { return position(id); }, [&](std::int32_t id) { return position(id); });
  }

  std::int32_t position(std::int32_t activity) const { return position_[static_cast<std::size_t>(activity)]; }

  std::int32_t root(std::int32_t id) {
    auto at = static_cast<std::size_t>(id);
    while (parent_[at] != static_cast<std::int32_t>(at)) {
      parent_[at] = parent_[static_cast<std::size_t>(parent_[at])];
      at = static_cast<std::size_t>(parent_[at]);
    }
    return static_cast<std::int32_t>(at);
  }

  void join(std::int32_t a, std::int32_t b) {
    const std::int32_t one = root(a), other = root(b);
    parent_[static_cast<std::size_t>(std::max(one, other))] = std::min(one, other);
  }

  // Stops at one part too many.
  void list() {
    Numbers part_of(parent_.size(), nobody);
    position_.resize(parent_.size());
    for (std::size_t id = 0; id < parent_.size() && parts_.size() <= most_parts; ++id) {
      std::int32_t& part = part_of[static_cast<std::size_t>(root(static_cast<std::int32_t>(id)))];
      if (part == nobody) {
        part = static_cast<std::int32_t>(parts_.size());
        parts_.emplace_back();
      }
      Numbers& members = parts_[static_cast<std::size_t>(part)];
      position_[id] = static_cast<std::int32_t>(members.size());
      members.push_back(static_cast<std::int32_t>(id));
    }
  }

  const Job& job_;
  Numbers parent_;
  Numbers position_{};  // by activity, in its part
  std::vector<Numbers> parts_{};
};

// A bijection of links, and of the parts that use them.
class Turn {
 public:
  Turn(const Job& job, const Parts& parts, const Numbers& kinds)
      : job_(job),
        parts_(parts),
        kinds_(kinds),
        link_(job.bandwidths.size(), nobody),
        from_(link_),
        part_(parts.size(), nobody),
        taken_(parts.size(), false) {}

  // The one that takes a part to another, if there is one.
  bool find(std::size_t from, std::size_t to) {
    if (!take(from, to)) return false;
    for (std::size_t part = 0; part < parts_.size(); ++part)
      if (part_[part] == nobody && !find_image(part)) return false;
    return true;
  }

  std::int32_t link(std::int32_t link) const { return link_[static_cast<std::size_t>(link)]; }
  std::size_t part(std::size_t part) const { return static_cast<std::size_t>(part_[part]); }

 private:
  bool find_image(std::size_t part) {
    for (std::size_t image = 0; image < parts_.size(); ++image)
      if (!taken_[image] && kinds_[image] == kinds_[part] && take(part, image)) return true;
    return false;
  }

  bool take(std::size_t part, std::size_t image) {
    noted_.clear();
    const auto mine = parts_[part], others = parts_[image];
    for (std::size_t i = 0; i < mine.size(); ++i)
      if (!take_route(static_cast<std::size_t>(mine[i]), static_cast<std::size_t>(others[i]))) {
        forget();
        return false;
      }
    part_[part] = static_cast<std::int32_t>(image);
    taken_[image] = true;
    return true;
  }

  bool take_route(std::size_t mine, std::size_t other) {
    const auto links = job_.route_of(job_.activities[mine]), images = job_.route_of(job_.activities[other]);
    for (std::size_t hop = 0; hop < links.size(); ++hop)
      if (!take_link(static_cast<std::size_t>(links[hop]), static_cast<std::size_t>(images[hop])))
        return false;
    return true;
  }

  bool take_link(std::size_t link, std::size_t image) {
    if (link_[link] != nobody || from_[image] != nobody)
      return link_[link] == static_cast<std::int32_t>(image);
    if (job_.bandwidths[link] != job_.bandwidths[image]) return false;
    link_[link] = static_cast<std::int32_t>(image);
    from_[image] = static_cast<std::int32_t>(link);
    noted_.push_back(link);
    return true;
  }

  void forget() {
    for (const std::size_t link : noted_) {
      from_[static_cast<std::size_t>(link_[link])] = nobody;
      link_[link] = nobody;
    }
  }

  const Job& job_;
  const Parts& parts_;
  const Numbers& kinds_;
  Numbers link_, from_;  // by link: its image, and whose image it is
  Numbers part_;         // by part: its image
  std::vector<bool> taken_;
  std::vector<std::size_t> noted_{};  // links of the part at hand
};

// By part: the first one that is like it.
Numbers kinds_of(const Parts& parts) {
  Numbers kinds;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    std::size_t like = 0;
    while (kinds.size() > like &&
           (kinds[like] != static_cast<std::int32_t>(like) || !parts.are_alike(like, part)))
      ++like;
    kinds.push_back(static_cast<std::int32_t>(like));
  }
  return kinds;
}

// So many turns bring every part back, none of them sooner. 0: some come back before others.
std::int32_t order_of(const Turn& turn, std::size_t parts) {
  std::int32_t order = 0;
  for (std::size_t part = 0; part < parts; ++part) {
    std::int32_t steps = 1;
    for (std::size_t at = turn.part(part); at != part; at = turn.part(at)) ++steps;
    if (part > 0 && steps != order) return 0;
    order = steps;
  }
  return order;
}

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
  const Parts parts(job);
  if (parts.size() < 2 || parts.size() > most_parts) return std::nullopt;
  const Numbers kinds = kinds_of(parts);
  std::optional<Turn> best;
  std::int32_t most = 1;
  for (std::size_t image = 1; image < parts.size(); ++image) {
    if (kinds[image] != kinds[0]) continue;
    Turn turn(job, parts, kinds);
    if (!turn.find(0, image)) continue;
    if (const std::int32_t order = order_of(turn, parts.size()); order > most) {
      most = order;
      best.emplace(std::move(turn));
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
