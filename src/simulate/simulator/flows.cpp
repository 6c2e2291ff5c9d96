#include "simulate/simulator/flows.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/narrow.h"

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
    for (const std::int32_t flow : flows) enter(flow), begin_shared(flow);
    return;
  }
  for (const std::int32_t flow : flows)
    for (const std::int32_t link : route(flow)) expand(occupancy(link).folded);
  components_.split(flows);
  std::vector<std::size_t> apart;
  for (std::size_t component = 0; component < components_.size(); ++component)
    begin_component(component, apart);
  begin_apart(apart);
}

void Flows::begin_component(std::size_t component, std::vector<std::size_t>& apart) {
  const std::span<const std::int32_t> flows = components_.flows(component);
  const bool is_apart = !meets_others(flows);
  for (const std::int32_t flow : flows) enter(flow);
  if (!is_apart)
    for (const std::int32_t flow : flows) begin_shared(flow);
  else if (flows.size() == 1)
    begin_alone(flows.front());
  else
    apart.push_back(component);
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

void Flows::begin_shared(std::int32_t flow) {
  ++effort_.shared;
  share(flow, static_cast<double>(activity(flow).bytes));
}

void Flows::begin_apart(const std::vector<std::size_t>& components) {
  std::map<std::vector<std::uint64_t>, std::vector<std::size_t>> by_form;
  for (const std::size_t component : components)
    by_form[components.size() > 1 ? components_.canonical_form(component) : std::vector<std::uint64_t>{}]
        .push_back(component);
  for (const auto& [form, equals] : by_form) {
    for (const std::int32_t flow : components_.flows(equals.front())) begin_shared(flow);
    if (equals.size() > 1) begin_equals(equals);
  }
}

void Flows::begin_equals(const std::vector<std::size_t>& components) {
  EqualGroups& equals = equals_.emplace_back();
  equals.flowing = components_.flows(components.front()).size();
  for (const std::size_t component : components) {
    const std::span<const std::int32_t> flows = components_.flows(component);
    for (const std::int32_t flow : flows) {
      progress(flow).equals = static_cast<std::int32_t>(equals_.size() - 1);
      progress(flow).group = narrow<std::int32_t>(equals.groups.size());
      mark(flow, flow);
      if (equals.groups.empty()) continue;
      progress(flow).phase = Phase::following;
      ++effort_.following;
    }
    equals.groups.emplace_back(flows.begin(), flows.end());
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
    occupancy(link).folded = none;
    loads_[static_cast<std::size_t>(link)].busy += now_ - occupancy(link).since;
  }
}

void Flows::mark(std::int32_t flow, std::int32_t folded) {
  for (const std::int32_t link : route(flow)) occupancy(link).folded = folded;
}

// Called when another flow enters a link of this flow, which SimGrid doesn't simulate itself.
void Flows::expand(std::int32_t flow) {
  if (flow == none) return;
  if (progress(flow).phase == Phase::alone)
    overtake(flow);
  else
    leave_equals(equals_[static_cast<std::size_t>(progress(flow).equals)],
                 static_cast<std::size_t>(progress(flow).group));
}

void Flows::overtake(std::int32_t flow) {
  const double rate = job_.bottleneck(activity(flow));
  const double left = static_cast<double>(activity(flow).bytes) - rate * (now_ - progress(flow).begun);
  if (left <= rate * network_.precision()) {  // over, except for a rounding error
    leave(flow);
    foresee_(flow, now_);
    return;
  }
  mark(flow, none);
  --effort_.alone;
  ++effort_.overtaken;
  share(flow, left);
}

// SimGrid has the flows of the leader already. When the leader leaves, the next group becomes the leader.
void Flows::leave_equals(EqualGroups& equals, std::size_t group) {
  if (equals.flowing == 0) return;  // all flows have arrived and are about to end
  const std::vector<std::int32_t> leading = equals.groups[equals.leader];
  const std::vector<std::int32_t> leaving = std::exchange(equals.groups[group], {});
  if (group != equals.leader) {
    go_on_as(leading, leaving);
  } else {
    while (equals.leader < equals.groups.size() && equals.groups[equals.leader].empty()) ++equals.leader;
    if (equals.leader < equals.groups.size()) go_on_as(leading, equals.groups[equals.leader]);
  }
  for (const std::int32_t flow : leaving) {
    progress(flow).equals = none;
    if (progress(flow).phase != Phase::done) mark(flow, none);
  }
}

// Followers go over to SimGrid, with the bytes that the flows of the leader have left.
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
  if (progress(flow).equals == none) return land(flow, clock);
  EqualGroups& equals = equals_[static_cast<std::size_t>(progress(flow).equals)];
  const std::vector<std::int32_t>& leading = equals.groups[equals.leader];
  const auto place = std::lower_bound(leading.begin(), leading.end(), flow) - leading.begin();
  for (const std::vector<std::int32_t>& group : equals.groups)
    if (!group.empty()) land(group[static_cast<std::size_t>(place)], clock);
  if (--equals.flowing == 0) equals.groups = {};
}

void Flows::land(std::int32_t flow, double clock) {
  progress(flow).phase = Phase::arrived;
  foresee_(flow, clock);
}

// The date that was foreseen for a flow is wrong when the flow has gone over to SimGrid since.
bool Flows::is_over(std::int32_t flow) const {
  const Phase phase = progress_[static_cast<std::size_t>(flow)].phase;
  return phase != Phase::shared && phase != Phase::following;
}

void Flows::end(std::int32_t flow, double now) {
  now_ = now;
  if (progress(flow).phase != Phase::done) leave(flow);
}

}  // namespace wt::simulate
