#include "simulate/translate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "base/narrow.h"
#include "base/overloaded.h"
#include "simulate/ends.h"

namespace wt::simulate {
namespace {

using platform::Endpoint;
using platform::LinkId;

struct Path {
  double latency{};
  std::int32_t first_link{};  // in Job::routes
  std::int32_t links{};
};

// Computes the route between two endpoints once, and stores it once in the job.
class Paths {
 public:
  Paths(const platform::Platform& platform, Job& job) : platform_(platform), job_(job) {}

  const Path& between(Endpoint from, Endpoint to) {
    const auto row = static_cast<std::size_t>(from);
    if (row >= known_.size()) known_.resize(row + 1);
    const auto [place, is_new] = known_[row].try_emplace(to);
    if (is_new) place->second = route(from, to);
    return place->second;
  }

 private:
  Path route(Endpoint from, Endpoint to) {
    const platform::Route found = platform_.route(from, to);
    const Path path{found.latency.count(), narrow<std::int32_t>(job_.routes.size()),
                    narrow<std::int32_t>(found.links.size())};
    for (const LinkId link : found.links) job_.routes.push_back(static_cast<std::int32_t>(link));
    return path;
  }

  const platform::Platform& platform_;
  Job& job_;
  std::vector<std::map<Endpoint, Path>> known_{};  // by source; most sources have few targets
};

class Translator {
 public:
  Translator(const plan::Plan& plan, const plan::Costs& costs, const platform::Platform& platform,
             std::span<const Endpoint> where)
      : plan_(plan), costs_(costs), platform_(platform), where_(where), paths_(platform, result_.job) {
    WT_EXPECT(costs.nodes.size() == plan.nodes.size(), "{} costs for {} nodes", costs.nodes.size(),
              plan.nodes.size());
    WT_EXPECT(where.size() == plan.devices.size(), "{} endpoints for {} devices", where.size(),
              plan.devices.size());
  }

  Translation translate() {
    result_.job.activities.reserve(plan_.nodes.size());
    result_.job.first_after.reserve(plan_.nodes.size() + 1);
    find_cut();
    for (std::size_t id = 0; id < plan_.nodes.size(); ++id) add(id);
    renumber_links();
    return std::move(result_);
  }

  Translation translate(const plan::Pooled& pooled, const plan::Pool& pool) {
    const std::span<const plan::Task> tasks = pooled.tasks;
    worker_of_ = pooled.worker_of;
    WT_EXPECT(worker_of_.size() == plan_.devices.size(),
              "{} devices have a worker or none, and the plan has {}", worker_of_.size(),
              plan_.devices.size());
    Job& job = result_.job;
    std::int32_t coordinator = none;
    if (pool.dispatch > Seconds(0)) coordinator = job.stations++;
    find_shared(tasks);
    for (const plan::Task& task : tasks) {
      first_ = index(task.first);
      job.tasks.first.push_back(narrow<std::int32_t>(job.activities.size()));
      dispatch_ = job.add({.delay = pool.dispatch.count(), .station = coordinator, .is_taking = true});
      ++before_;
      for (std::size_t id = index(task.first); id < index(task.end); ++id) add(id);
    }
    job.tasks.first.push_back(narrow<std::int32_t>(job.activities.size()));
    job.tasks.runs = pool.closures;
    job.tasks.at_once = pool.at_once;
    job.tasks.round = pool.join_every;
    job.tasks.paces = pool.paces;
    for (const plan::Absence& absence : pool.absences)
      job.tasks.absences.push_back(
          {absence.worker, absence.from.count(),
           absence.until ? absence.until->count() : std::numeric_limits<double>::infinity(),
           absence.is_stall});
    for (const plan::SlowWorker& slow : pool.slow)
      job.tasks.slow.push_back({slow.worker, slow.from, slow.until, slow.factor});
    renumber_links();
    return std::move(result_);
  }

 private:
  using Resource = std::pair<plan::DeviceId, plan::Stream>;

  // The stream that a node occupies; none for copies and for what needs no stream.
  static std::optional<Resource> resource_of(const plan::Node& node) {
    if (node.stream == plan::Stream::none) return std::nullopt;
    if (const auto* run = std::get_if<plan::Run>(&node.action)) return Resource(run->device, node.stream);
    if (const auto* sum = std::get_if<plan::Sum>(&node.action)) return Resource(sum->device, node.stream);
    return std::nullopt;
  }

  // Streams that several tasks occupy become stations.
  void find_shared(std::span<const plan::Task> tasks) {
    std::map<Resource, std::size_t> first_task;
    for (std::size_t task = 0; task < tasks.size(); ++task)
      for (std::size_t id = index(tasks[task].first); id < index(tasks[task].end); ++id)
        if (const auto resource = resource_of(plan_.nodes[id]))
          if (first_task.try_emplace(*resource, task).first->second != task)
            stations_.try_emplace(*resource, 0);
    for (auto& [resource, station] : stations_) station = result_.job.stations++;
  }

  // Logical devices that are cut from one physical device have streams of their own, but its processors compute
  // for one of them at a time: each of its streams becomes a station. (Kernels of two streams can also share a GPU
  // fairly, CUDA C++ Programming Guide, "Concurrent Kernel Execution". All of them then end as late.)
  void find_cut() {
    std::map<Endpoint, std::vector<plan::DeviceId>> cut;
    for (std::size_t i = 0; i < where_.size(); ++i)
      if (platform_.is_device(where_[i])) cut[where_[i]].push_back(static_cast<plan::DeviceId>(i));
    for (const auto& [endpoint, devices] : cut) {
      if (devices.size() < 2) continue;
      for (const plan::Stream stream : {plan::Stream::compute, plan::Stream::communication}) {
        for (const plan::DeviceId device : devices) stations_[{device, stream}] = result_.job.stations;
        ++result_.job.stations;
      }
    }
  }

  std::int32_t activity_of(plan::NodeId node) const { return static_cast<std::int32_t>(node) + before_; }

  void add(std::size_t id) {
    const plan::Node& node = plan_.nodes[id];
    waits_.clear();
    for (const plan::NodeId other : node.after) {
      WT_EXPECT(index(other) < id, "node {} ({}) waits for node {}, whose id isn't smaller", id, node.scope,
                index(other));
      WT_EXPECT(index(other) >= first_, "node {} ({}) waits for node {} of another task", id, node.scope,
                index(other));
      waits_.push_back(activity_of(other));
    }
    const Activity activity = std::visit(
        overloaded{
            [&](const plan::Move& move) { return flow(id, move); },
            [&](const plan::Collective&) { return Activity{.delay = costs_.nodes[id].seconds.count()}; },
            [&](const auto& work) { return in_stream(id, work.device); }},
        node.action);  // in_stream adds to waits_
    if (dispatch_ && waits_.empty()) waits_.push_back(*dispatch_);
    result_.job.add(activity, waits_);
  }

  Activity in_stream(std::size_t id, plan::DeviceId device) {
    Activity activity{.delay = costs_.nodes[id].seconds.count(),
                      .is_paced = true,
                      .is_own = is_pooled() && worker_of_[index(device)] != plan::Pooled::none};
    if (plan_.nodes[id].stream == plan::Stream::none) return activity;
    const Resource resource(device, plan_.nodes[id].stream);
    if (const auto station = stations_.find(resource); station != stations_.end()) {
      activity.station = station->second;
      activity.is_paced = false;
      if (is_pooled()) return activity;  // the tasks of a stream have no order
    }
    const std::int32_t own = activity_of(static_cast<plan::NodeId>(id));
    const auto [last, is_first] = last_in_stream_.try_emplace(resource, own);
    if (!is_first && std::ranges::find(waits_, last->second) == waits_.end()) waits_.push_back(last->second);
    last->second = own;
    return activity;
  }

  Activity flow(std::size_t id, const plan::Move& move) {
    const Ends ends = ends_of(plan_, plan_.nodes[id], move, platform_, where_);
    const Path& path = paths_.between(ends.source, ends.target);
    const plan::Cost& cost = costs_.nodes[id];
    const std::optional<plan::NodeId> behind = plan_.nodes[id].behind;
    // The cost may be negative: a measured step can be shorter than the latency of the described route.
    return {.delay = std::max(0.0, cost.seconds.count() + path.latency),
            .bytes = on_wire(plan::payload(plan_.nodes[id]).count(), cost.wire),
            .first_link = path.first_link,
            .links = path.links,
            .behind = behind ? activity_of(*behind) : none};
  }

  static std::int64_t on_wire(std::int64_t bytes, double wire) {
    return wire == 1 ? bytes : static_cast<std::int64_t>(std::ceil(static_cast<double>(bytes) * wire));
  }

  // Keeps the links that bytes flow over, and numbers them without gaps.
  void renumber_links() {
    std::vector<std::int32_t> number(static_cast<std::size_t>(platform_.links()), -1);
    for (const Activity& activity : result_.job.activities)
      if (result_.job.flows(activity))
        for (const std::int32_t link : result_.job.route_of(activity))
          number[static_cast<std::size_t>(link)] = 0;
    for (std::size_t link = 0; link < number.size(); ++link) {
      if (number[link] != 0) continue;
      number[link] = narrow<std::int32_t>(result_.links.size());
      result_.links.push_back(static_cast<LinkId>(link));
      result_.job.bandwidths.push_back(platform_.link(static_cast<LinkId>(link)).bandwidth.count());
    }
    for (Activity& activity : result_.job.activities)
      if (!result_.job.flows(activity)) activity.first_link = activity.links = 0;
    for (std::int32_t& link : result_.job.routes) link = number[static_cast<std::size_t>(link)];
  }

  const plan::Plan& plan_;
  const plan::Costs& costs_;
  const platform::Platform& platform_;
  std::span<const Endpoint> where_;
  Translation result_{};
  Paths paths_;
  std::vector<std::int32_t> waits_{};  // of the node that is being added
  std::map<Resource, std::int32_t> last_in_stream_{};
  std::map<Resource, std::int32_t>
      stations_{};  // of streams that share processors, or that several tasks occupy
  // Of a plan with tasks.
  bool is_pooled() const { return !worker_of_.empty(); }
  std::span<const std::int32_t> worker_of_{};  // by device
  std::size_t first_ = 0;                      // node of the task
  std::optional<std::int32_t> dispatch_{};     // the activity that the task begins with
  std::int32_t before_ = 0;                    // such activities so far
};

std::vector<plan::LinkUse> links_of(const Translation& translation, const platform::Platform& platform,
                                    const Outcome& outcome) {
  std::vector<plan::LinkUse> links;
  for (std::size_t link = 0; link < translation.links.size(); ++link)
    links.push_back({platform.name(translation.links[link]), BytesPerSecond(translation.job.bandwidths[link]),
                     Bytes(outcome.links[link].carried), Seconds(outcome.links[link].busy)});
  return links;
}

}  // namespace

Translation translate(const plan::Plan& plan, const plan::Costs& costs, const platform::Platform& platform,
                      std::span<const platform::Endpoint> where) {
  return Translator(plan, costs, platform, where).translate();
}

plan::Timeline timeline_of(const Translation& translation, const platform::Platform& platform,
                           const Outcome& outcome) {
  plan::Timeline timeline{.end = Seconds(outcome.end)};
  timeline.nodes.reserve(outcome.activities.size());
  for (const Interval& interval : outcome.activities)
    timeline.nodes.push_back({Seconds(interval.start), Seconds(interval.end)});
  timeline.links = links_of(translation, platform, outcome);
  return timeline;
}

Translation translate(const plan::Pooled& pooled, const plan::Pool& pool, const plan::Costs& costs,
                      const platform::Platform& platform, std::span<const platform::Endpoint> where) {
  return Translator(pooled.plan, costs, platform, where).translate(pooled, pool);
}

namespace {

// What a lost worker has left under way may end later.
Seconds end_of_completed(const plan::PoolTimeline& timeline) {
  Seconds end{};
  for (const plan::Closure& closure : timeline.closures)
    if (!closure.lost) end = std::max(end, closure.end);
  return end;
}

}  // namespace

plan::PoolTimeline pool_timeline_of(const Translation& translation, const platform::Platform& platform,
                                    const Outcome& outcome) {
  const Tasks& tasks = translation.job.tasks;
  plan::PoolTimeline timeline{.links = links_of(translation, platform, outcome), .end = Seconds(outcome.end)};
  timeline.never_executed = tasks.runs;
  for (const Execution& each : outcome.executions) {
    const bool is_lost = std::isfinite(each.lost);
    if (!is_lost) --timeline.never_executed;
    timeline.closures.push_back({.worker = each.worker,
                                 .number = each.run,
                                 .taken = Seconds(each.begun),
                                 .end = Seconds(each.begun),
                                 .lost = is_lost ? std::optional(Seconds(each.lost)) : std::nullopt});
  }
  for (const Absence& each : tasks.absences)
    timeline.absences.push_back(
        {each.worker, Seconds(each.from),
         std::isfinite(each.until) ? std::optional(Seconds(each.until)) : std::nullopt, each.is_stall});
  timeline.occurrences.reserve(outcome.occurred.size());
  for (const Occurred& each : outcome.occurred) {
    plan::Closure& closure = timeline.closures[static_cast<std::size_t>(each.execution)];
    closure.end = std::max(closure.end, Seconds(each.end));
    if (each.activity == tasks.first[static_cast<std::size_t>(closure.worker)]) {
      closure.taken = Seconds(each.start);
    } else {
      timeline.occurrences.push_back({static_cast<plan::NodeId>(each.activity - closure.worker - 1),
                                      each.execution, Seconds(each.start), Seconds(each.end)});
    }
  }
  if (timeline.never_executed == 0) timeline.end = end_of_completed(timeline);
  return timeline;
}

}  // namespace wt::simulate
