#include "simulate/flows.h"

#include <algorithm>
#include <map>
#include <utility>

namespace wt::simulate {

Flows::Flows(const Job& job, Folding folding, Network& network,
             std::function<void(std::int32_t, double)> foresee)
    : job_(job),
      folding_(folding),
      network_(network),
      foresee_(std::move(foresee)),
      components_(job),
      progress_(job.activities.size()),
      occupancy_(job.bandwidths.size()),
      loads_(job.bandwidths.size()) {}

void Flows::begin(std::span<const std::int32_t> flows, double now) {
  now_ = now;
  if (folding_ == Folding::expanded) {
    for (const std::int32_t flow : flows) enter(flow), begin_whole(flow);
    return;
  }
  for (const std::int32_t flow : flows)
    for (const std::int32_t link : route(flow)) expand(occupancy(link).folded);
  components_.split(flows);
  std::vector<std::size_t> choral;
  for (std::size_t component = 0; component < components_.size(); ++component)
    begin_component(component, choral);
  begin_choirs(choral);
}

void Flows::begin_component(std::size_t component, std::vector<std::size_t>& choral) {
  const std::span<const std::int32_t> flows = components_.flows(component);
  const bool is_apart = !meets_others(flows);
  for (const std::int32_t flow : flows) enter(flow);
  if (!is_apart)
    for (const std::int32_t flow : flows) begin_whole(flow);
  else if (flows.size() == 1)
    begin_alone(flows.front());
  else
    choral.push_back(component);
}

bool Flows::meets_others(std::span<const std::int32_t> flows) {
  return std::ranges::any_of(flows, [this](std::int32_t flow) {
    return std::ranges::any_of(route(flow), [this](std::int32_t link) { return occupancy(link).flows > 0; });
  });
}

void Flows::begin_alone(std::int32_t flow) {
  ++effort_.alone;
  progress(flow).phase = Phase::alone;
  mark(flow, flow);
  foresee_(flow, now_ + static_cast<double>(activity(flow).bytes) / job_.bottleneck(activity(flow)));
}

void Flows::begin_whole(std::int32_t flow) {
  ++effort_.shared;
  share(flow, static_cast<double>(activity(flow).bytes));
}

void Flows::begin_choirs(const std::vector<std::size_t>& components) {
  std::map<std::vector<std::uint64_t>, std::vector<std::size_t>> alike;
  for (const std::size_t component : components)
    alike[components.size() > 1 ? components_.likeness(component) : std::vector<std::uint64_t>{}].push_back(
        component);
  for (const auto& [likeness, equals] : alike) {
    for (const std::int32_t flow : components_.flows(equals.front())) begin_whole(flow);
    if (equals.size() > 1) begin_choir(equals);
  }
}

void Flows::begin_choir(const std::vector<std::size_t>& components) {
  Choir& choir = choirs_.emplace_back();
  choir.singing = components_.flows(components.front()).size();
  for (const std::size_t component : components) {
    const std::span<const std::int32_t> flows = components_.flows(component);
    for (const std::int32_t flow : flows) {
      progress(flow).choir = static_cast<std::int32_t>(choirs_.size() - 1);
      progress(flow).member = static_cast<std::int32_t>(choir.members.size());
      mark(flow, flow);
      if (choir.members.empty()) continue;
      progress(flow).phase = Phase::following;
      ++effort_.following;
    }
    choir.members.emplace_back(flows.begin(), flows.end());
  }
}

void Flows::enter(std::int32_t flow) {
  progress(flow).begun = now_;
  for (const std::int32_t link : route(flow)) {
    if (occupancy(link).flows++ == 0) occupancy(link).since = now_;
    loads_[static_cast<std::size_t>(link)].carried += activity(flow).bytes;
  }
}

void Flows::leave(std::int32_t flow) {
  progress(flow).phase = Phase::done;
  for (const std::int32_t link : route(flow)) {
    if (--occupancy(link).flows > 0) continue;
    occupancy(link).folded = nobody;
    loads_[static_cast<std::size_t>(link)].busy += now_ - occupancy(link).since;
  }
}

void Flows::mark(std::int32_t flow, std::int32_t folded) {
  for (const std::int32_t link : route(flow)) occupancy(link).folded = folded;
}

// Somebody enters a link of a flow that isn't SimGrid's own yet.
void Flows::expand(std::int32_t flow) {
  if (flow == nobody) return;
  if (progress(flow).phase == Phase::alone)
    overtake(flow);
  else
    leave_choir(choirs_[static_cast<std::size_t>(progress(flow).choir)],
                static_cast<std::size_t>(progress(flow).member));
}

void Flows::overtake(std::int32_t flow) {
  const double rate = job_.bottleneck(activity(flow));
  const double left = static_cast<double>(activity(flow).bytes) - rate * (now_ - progress(flow).begun);
  if (left <= rate * network_.precision()) {  // over, but for the last rounding
    leave(flow);
    foresee_(flow, now_);
    return;
  }
  mark(flow, nobody);
  --effort_.alone;
  ++effort_.overtaken;
  share(flow, left);
}

// The leader's flows are SimGrid's already; where it leaves, the next member takes over.
void Flows::leave_choir(Choir& choir, std::size_t member) {
  if (choir.singing == 0) return;  // all have arrived and are about to end
  const std::vector<std::int32_t> leading = choir.members[choir.leader];
  const std::vector<std::int32_t> leaving = std::exchange(choir.members[member], {});
  if (member != choir.leader) {
    go_on_as(leading, leaving);
  } else {
    while (choir.leader < choir.members.size() && choir.members[choir.leader].empty()) ++choir.leader;
    if (choir.leader < choir.members.size()) go_on_as(leading, choir.members[choir.leader]);
  }
  for (const std::int32_t flow : leaving) {
    progress(flow).choir = nobody;
    if (progress(flow).phase != Phase::done) mark(flow, nobody);
  }
}

// Followers become SimGrid's, with what the leader's flows have left.
void Flows::go_on_as(std::span<const std::int32_t> leading, std::span<const std::int32_t> followers) {
  for (std::size_t place = 0; place < followers.size(); ++place) {
    if (progress(followers[place]).phase != Phase::following) continue;
    --effort_.following;
    ++effort_.overtaken;
    share(followers[place], network_.left(leading[place]));
  }
}

void Flows::share(std::int32_t flow, double bytes) {
  progress(flow).phase = Phase::shared;
  network_.start(flow, bytes);
}

void Flows::arrive(std::int32_t flow, double clock) {
  if (progress(flow).choir == nobody) return land(flow, clock);
  Choir& choir = choirs_[static_cast<std::size_t>(progress(flow).choir)];
  const std::vector<std::int32_t>& leading = choir.members[choir.leader];
  const auto place = std::lower_bound(leading.begin(), leading.end(), flow) - leading.begin();
  for (const std::vector<std::int32_t>& member : choir.members)
    if (!member.empty()) land(member[static_cast<std::size_t>(place)], clock);
  if (--choir.singing == 0) choir.members = {};
}

void Flows::land(std::int32_t flow, double clock) {
  progress(flow).phase = Phase::arrived;
  foresee_(flow, clock);
}

// The end of a flow alone was foreseen for nothing once another has entered its links.
bool Flows::is_over(std::int32_t flow) const {
  const Phase phase = progress_[static_cast<std::size_t>(flow)].phase;
  return phase != Phase::shared && phase != Phase::following;
}

void Flows::end(std::int32_t flow, double now) {
  now_ = now;
  if (progress(flow).phase != Phase::done) leave(flow);
}

}  // namespace wt::simulate
