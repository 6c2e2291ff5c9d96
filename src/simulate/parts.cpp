#include "simulate/parts.h"

#include <algorithm>

#include "base/narrow.h"
#include "simulate/union_find.h"

namespace wt::simulate {

namespace {

UnionFind joined(const Job& job) {
  UnionFind sets(job.activities.size());
  for (std::size_t id = 0; id < job.activities.size(); ++id) {
    const auto own = static_cast<std::int32_t>(id);
    for (const std::int32_t other : job.waits_of(id)) sets.join(own, other);
    if (job.activities[id].behind != none) sets.join(own, job.activities[id].behind);
  }
  return sets;
}

}  // namespace

Parts::Parts(const Job& job, std::size_t most) : job_(job), position_(job.activities.size()) {
  UnionFind sets = joined(job);
  std::vector<std::int32_t> part_of(sets.size(), none);
  for (std::size_t id = 0; id < sets.size() && parts_.size() <= most; ++id) {
    std::int32_t& part = part_of[static_cast<std::size_t>(sets.root(static_cast<std::int32_t>(id)))];
    if (part == none) {
      part = narrow<std::int32_t>(parts_.size());
      parts_.emplace_back();
    }
    std::vector<std::int32_t>& members = parts_[static_cast<std::size_t>(part)];
    position_[id] = narrow<std::int32_t>(members.size());
    members.push_back(static_cast<std::int32_t>(id));
  }
}

bool Parts::are_alike(std::size_t a, std::size_t b) const {
  return std::ranges::equal(parts_[a], parts_[b], [&](std::int32_t mine, std::int32_t other) {
    return are_activities_alike(mine, other);
  });
}

bool Parts::are_activities_alike(std::int32_t mine, std::int32_t other) const {
  const Activity &a = job_.activities[static_cast<std::size_t>(mine)],
                 &b = job_.activities[static_cast<std::size_t>(other)];
  if (a.delay != b.delay || a.bytes != b.bytes || a.links != b.links) return false;
  if ((a.behind == none) != (b.behind == none)) return false;
  if (a.behind != none && position(a.behind) != position(b.behind)) return false;
  const auto position_of = [&](std::int32_t id) { return position(id); };
  return std::ranges::equal(job_.waits_of(static_cast<std::size_t>(mine)),
                            job_.waits_of(static_cast<std::size_t>(other)), {}, position_of, position_of);
}

std::vector<std::int32_t> Parts::kinds() const {
  std::vector<std::int32_t> kinds;
  for (std::size_t part = 0; part < size(); ++part) {
    std::size_t like = 0;
    while (kinds.size() > like && (kinds[like] != static_cast<std::int32_t>(like) || !are_alike(like, part)))
      ++like;
    kinds.push_back(static_cast<std::int32_t>(like));
  }
  return kinds;
}

}  // namespace wt::simulate
