#include "simulate/symmetry.h"

#include <algorithm>
#include <numeric>

namespace wt::simulate {
namespace {

using Numbers = std::vector<std::int32_t>;

// A link of the reduced job on the route of one of its activities.
struct Use {
  std::int32_t link{};
  std::int32_t flows{};  // of the activity's class, on that link
};

// Numbers the representatives without gaps, in their order.
Numbers numbered(const Numbers& first, std::int32_t& count) {
  Numbers number(first.size(), none);
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] == none) continue;
    number[i] =
        first[i] == static_cast<std::int32_t>(i) ? count++ : number[static_cast<std::size_t>(first[i])];
  }
  return number;
}

class Folder {
 public:
  Folder(const Job& job, const Classes& classes) : job_(job), classes_(classes) {
    std::int32_t activities = 0, links = 0;
    result_.played = numbered(classes.activity, activities);
    result_.representative = numbered(classes.link, links);
    uses_.resize(static_cast<std::size_t>(activities));
    result_.multiplicity.assign(static_cast<std::size_t>(links), 0);
  }

  Symmetry fold() && {
    count_uses();
    fold_links();
    fold_activities();
    return std::move(result_);
  }

 private:
  bool represents_itself(std::size_t id) const {
    return classes_.activity[id] == static_cast<std::int32_t>(id);
  }

  // The flows of all classes on the links that represent theirs.
  void count_uses() {
    for (std::size_t id = 0; id < job_.activities.size(); ++id) {
      if (!job_.flows(job_.activities[id])) continue;
      std::vector<Use>& uses = uses_[static_cast<std::size_t>(result_.played[id])];
      for (const std::int32_t link : job_.route_of(job_.activities[id])) {
        if (classes_.link[static_cast<std::size_t>(link)] != link) continue;
        const std::int32_t number = result_.representative[static_cast<std::size_t>(link)];
        const auto known = std::ranges::find(uses, number, &Use::link);
        if (known == uses.end())
          uses.push_back({number, 1});
        else
          ++known->flows;
      }
    }
  }

  void fold_links() {
    for (const std::vector<Use>& uses : uses_)
      for (const Use& use : uses) {
        std::int32_t& common = result_.multiplicity[static_cast<std::size_t>(use.link)];
        common = std::gcd(common, use.flows);
      }
    for (std::size_t link = 0; link < classes_.link.size(); ++link)
      if (classes_.link[link] == static_cast<std::int32_t>(link))
        result_.job.bandwidths.push_back(job_.bandwidths[link] /
                                         result_.multiplicity[result_.job.bandwidths.size()]);
  }

  void fold_activities() {
    Numbers waits, route;
    for (std::size_t id = 0; id < job_.activities.size(); ++id) {
      if (!represents_itself(id)) continue;
      const Activity& activity = job_.activities[id];
      waits.clear();
      for (const std::int32_t other : job_.waits_of(id))
        waits.push_back(result_.played[static_cast<std::size_t>(other)]);
      std::ranges::sort(waits);
      waits.erase(std::unique(waits.begin(), waits.end()), waits.end());
      route.clear();
      for (const auto& [link, flows] : uses_[static_cast<std::size_t>(result_.played[id])])
        route.insert(route.end(),
                     static_cast<std::size_t>(flows / result_.multiplicity[static_cast<std::size_t>(link)]),
                     link);
      Activity kept = result_.job.flow(activity.delay, activity.bytes, route);
      if (activity.behind != none) kept.behind = result_.played[static_cast<std::size_t>(activity.behind)];
      result_.job.add(kept, waits);
    }
  }

  const Job& job_;
  const Classes& classes_;
  std::vector<std::vector<Use>> uses_{};  // by activity of the reduced job
  Symmetry result_{};
};

}  // namespace

std::optional<Symmetry> symmetry_of(const Job& job, const Repetition* repetition) {
  if (job.stations > 0 || job.tasks.workers() > 0) return std::nullopt;
  const std::optional<Classes> classes = classes_of(job, repetition);
  if (!classes) return std::nullopt;
  return Folder(job, *classes).fold();
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
  for (const std::int32_t link : symmetry.representative) {
    LinkLoad& load = outcome.links.emplace_back();
    if (link == none) continue;
    load = played.links[static_cast<std::size_t>(link)];
    load.carried *= symmetry.multiplicity[static_cast<std::size_t>(link)];
  }
  return outcome;
}

}  // namespace wt::simulate
