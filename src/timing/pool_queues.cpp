#include "timing/pool_queues.h"

#include <algorithm>
#include <map>

#include "base/id.h"

namespace wt::timing {

namespace {

struct Wait {
  Seconds from{};
  Seconds to{};
};

PoolTime::Queue queue_of(std::string name, const std::vector<Wait>& waits, Seconds end) {
  PoolTime::Queue queue{.name = std::move(name)};
  std::vector<std::pair<Seconds, std::int64_t>> changes;  // at one moment, who leaves before who comes
  for (const Wait& wait : waits) {
    if (wait.to <= wait.from) continue;
    queue.mean += (wait.to - wait.from) / end;
    changes.emplace_back(wait.from, 1);
    changes.emplace_back(wait.to, -1);
  }
  std::ranges::sort(changes);
  std::int64_t length = 0;
  for (const auto& [at, change] : changes) queue.longest = std::max(queue.longest, length += change);
  return queue;
}

// A worker that is free waits until its next dispatch begins.
std::vector<Wait> waits_for_dispatch(const PlayedPool& played) {
  std::map<std::int32_t, Seconds> free_since;  // by worker
  std::vector<Wait> waits;
  std::vector<const plan::Closure*> closures;
  for (const plan::Closure& closure : played.timeline.closures) closures.push_back(&closure);
  std::ranges::stable_sort(closures, {}, &plan::Closure::taken);
  for (const plan::Closure* closure : closures) {
    Seconds& since = free_since[closure->worker];
    waits.push_back({since, closure->taken});
    since = closure->end;
  }
  return waits;
}

// By device, the updates' waits between the arrival of what they need and their beginning.
std::map<plan::DeviceId, std::vector<Wait>> waits_for_servers(const PlayedPool& played) {
  const plan::Plan& plan = played.pooled.plan;
  std::map<std::pair<std::int32_t, plan::NodeId>, Seconds> ends;
  for (const plan::Occurrence& each : played.timeline.occurrences) ends[{each.closure, each.node}] = each.end;
  std::map<plan::DeviceId, std::vector<Wait>> waits;
  for (const plan::Occurrence& each : played.timeline.occurrences) {
    const plan::Node& node = plan.node(each.node);
    const auto* run = std::get_if<plan::Run>(&node.action);
    if (run == nullptr || node.role.purpose != plan::Purpose::update) continue;
    Seconds ready = played.timeline.closures[static_cast<std::size_t>(each.closure)].taken;
    for (const plan::NodeId before : node.after)
      if (const auto found = ends.find({each.closure, before}); found != ends.end())
        ready = std::max(ready, found->second);
    waits[run->device].push_back({ready, each.start});
  }
  return waits;
}

}  // namespace

std::vector<PoolTime::Queue> queues_of(const PlayedPool& played, bool has_coordinator) {
  std::vector<PoolTime::Queue> queues;
  if (has_coordinator)
    queues.push_back(queue_of("the coordinator", waits_for_dispatch(played), played.timeline.end));
  for (const auto& [device, waits] : waits_for_servers(played))
    queues.push_back(
        queue_of("the CPU of " + played.pooled.plan.devices[index(device)].name, waits, played.timeline.end));
  return queues;
}

}  // namespace wt::timing
