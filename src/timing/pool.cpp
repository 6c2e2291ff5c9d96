#include "timing/pool.h"

#include <algorithm>
#include <functional>
#include <map>

#include "base/id.h"
#include "base/narrow.h"
#include "simulate/simulate.h"
#include "timing/pool_losses.h"
#include "timing/pool_queues.h"
#include "timing/simulation.h"

namespace wt::timing {

namespace {

using plan::Purpose;

// What a node does with a variable that several workers share.
enum class Access : std::uint8_t { none, read, update };

struct VariableAccess {
  Access access = Access::none;
  plan::BufferId variable{};
};

bool is_variable(const plan::Plan& plan, plan::BufferId buffer) {
  return plan.buffer(buffer).kind == plan::BufferKind::variable;
}

// By node. An update is the kernel of an optimizer on the server, whose first output is the variable.
std::vector<VariableAccess> accesses_of(const plan::Plan& plan) {
  std::vector<VariableAccess> accesses(plan.nodes.size());
  for (std::size_t id = 0; id < plan.nodes.size(); ++id) {
    const plan::Node& node = plan.nodes[id];
    const auto* move = std::get_if<plan::Move>(&node.action);
    const auto* run = std::get_if<plan::Run>(&node.action);
    if (move != nullptr && node.role.purpose == Purpose::pull && is_variable(plan, move->source.buffer))
      accesses[id] = {Access::read, move->source.buffer};
    if (run == nullptr) continue;
    if (node.role.purpose == Purpose::update) {
      if (!run->outputs.empty() && is_variable(plan, run->outputs.front().buffer))
        accesses[id] = {Access::update, run->outputs.front().buffer};
    } else {  // a look-up where the table is
      for (const plan::Operand& input : run->inputs)
        if (is_variable(plan, input.buffer)) accesses[id] = {Access::read, input.buffer};
    }
  }
  return accesses;
}

std::vector<Seconds> ends_in_order(const plan::PoolTimeline& timeline) {
  std::vector<Seconds> ends;
  for (const plan::Closure& closure : timeline.closures)
    if (!closure.lost) ends.push_back(closure.end);
  std::ranges::sort(ends);
  return ends;
}

// Between the closures that end after each worker had its first ones and before the first worker finds an
// empty queue. `round` is how many all workers take together. Workers that are in phase end their closures in clumps of
// one round, so it is the mean of whole rounds. The mean of all where there are too few.
Seconds interval_of(const plan::PoolTimeline& timeline, std::int64_t round) {
  const std::vector<Seconds> ends = ends_in_order(timeline);
  const auto count = std::ssize(ends);
  const std::ptrdiff_t first = std::max<std::ptrdiff_t>(1, count / 5 / round), last = count / round - 1;
  if (last <= first) return timeline.end / static_cast<double>(count);
  const auto end_of = [&](std::ptrdiff_t rounds) {
    return ends[static_cast<std::size_t>(rounds * round - 1)];
  };
  return (end_of(last) - end_of(first)) / static_cast<double>((last - first) * round);
}

// With the joins of the coordinator: the mean of whole rounds after the first one. Where less than two rounds were
// played, a round is what was played, from its beginning until the last worker is free, and the closures that it
// has beyond, at the steady interval.
Seconds joined_interval(const plan::PoolTimeline& timeline, std::int64_t join_every, Seconds steady) {
  const auto round = static_cast<double>(join_every);
  const std::int64_t played = std::ssize(timeline.closures), rounds = played / join_every;
  if (rounds < 2)
    return (timeline.end + steady * (round - static_cast<double>(std::min(played, join_every)))) / round;
  const std::vector<Seconds> ends = ends_in_order(timeline);
  const Seconds first = ends[static_cast<std::size_t>(join_every - 1)],
                last = ends[static_cast<std::size_t>(rounds * join_every - 1)];
  return (last - first) / (static_cast<double>(rounds - 1) * round);
}

// What all closures would take at the pace of the steady ones. Shares are of this time, since at the
// beginning and at the end of a training few workers use what they share.
Seconds steady_time(const PoolTime& time) { return time.interval * static_cast<double>(time.closures); }

void add_staleness(const PlayedPool& played, PoolTime& time) {
  std::vector<std::int64_t> updates(time.by_worker.size());
  double sum = 0;
  const std::vector<Update> all = updates_of(played);
  for (const Update& update : all) {
    const auto staleness = static_cast<std::size_t>(update.staleness);
    if (time.staleness.size() <= staleness) time.staleness.resize(staleness + 1);
    ++time.staleness[staleness];
    const std::int32_t worker = played.timeline.closures[static_cast<std::size_t>(update.closure)].worker;
    time.by_worker[static_cast<std::size_t>(worker)] += update.staleness;
    ++updates[static_cast<std::size_t>(worker)];
    sum += update.staleness;
  }
  for (std::size_t worker = 0; worker < updates.size(); ++worker)
    if (updates[worker] > 0) time.by_worker[worker] /= static_cast<double>(updates[worker]);
  if (!all.empty()) time.mean_staleness = sum / static_cast<double>(all.size());
}

void add_servers(const PlayedPool& played, PoolTime& time) {
  const plan::Plan& plan = played.pooled.plan;
  std::map<plan::DeviceId, Seconds> busy;
  for (const plan::Occurrence& each : played.timeline.occurrences) {
    const plan::Node& node = plan.node(each.node);
    const auto* run = std::get_if<plan::Run>(&node.action);
    if (run != nullptr && node.role.purpose == Purpose::update) busy[run->device] += each.end - each.start;
  }
  for (const auto& [device, seconds] : busy)
    time.servers_busy.push_back({plan.devices[index(device)].name, seconds / steady_time(time)});
}

void add_links(const PlayedPool& played, PoolTime& time) {
  for (const plan::LinkUse& link : played.timeline.links) {
    const double share = (link.carried / link.bandwidth) / steady_time(time);
    if (share > time.busiest_link.share) time.busiest_link = {link.name, share};
  }
}

// How many closures the worker with the most of them executes between two joins, if all take equally long. 0:
// there are no joins.
std::int64_t most_between_joins(const PoolOptions& pool) {
  const auto divided = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  const std::int64_t turns = divided(divided(pool.join_every, pool.at_once), std::ssize(pool.workers));
  return std::min(pool.join_every, turns * pool.at_once);
}

// How long a worker is busy with a closure if nothing meets it, from the dispatch on. All workers are alike, but for
// kernels that are slow. Then it is the harmonic mean, with which as many closures end.
Seconds cycle_of(const PlayedPool& alone, const PoolOptions& pool) {
  const auto closures = static_cast<double>(alone.timeline.closures.size());
  const Seconds cycle = alone.timeline.end / closures;
  if (pool.slow.empty()) return cycle;
  Seconds kernels{};  // of a closure on one replica
  for (const plan::Occurrence& each : alone.timeline.occurrences) {
    const auto* run = std::get_if<plan::Run>(&alone.pooled.plan.node(each.node).action);
    if (run == nullptr || alone.pooled.worker_of[index(run->device)] == plan::Pooled::none) continue;
    kernels += (each.end - each.start) / (closures * static_cast<double>(pool.replicas));
  }
  std::vector<double> factors(pool.workers.size(), 1);
  for (const plan::SlowWorker& slow : pool.slow)
    factors[static_cast<std::size_t>(slow.worker)] *= slow.factor;
  double rate = 0;  // of all workers
  for (const double factor : factors) rate += 1 / (cycle + kernels * (factor - 1)).count();
  return Seconds(static_cast<double>(factors.size()) / rate);
}

void add_limits(const PlayedPool& alone, const PoolOptions& pool, PoolTime& time) {
  const auto limit = [&](std::string name, double share) {
    time.limits.push_back({std::move(name), time.interval * share});
  };
  if (time.coordinator > 0) limit("the coordinator", time.coordinator);
  const auto busiest = std::ranges::max_element(time.servers_busy, {}, &PoolTime::Share::share);
  if (busiest != time.servers_busy.end()) limit("the CPU of " + busiest->name, busiest->share);
  if (!time.busiest_link.name.empty()) limit("link " + time.busiest_link.name, time.busiest_link.share);

  const Seconds cycle = cycle_of(alone, pool);
  const auto workers = static_cast<double>(time.workers);
  time.limits.push_back({"the workers", cycle / workers});
  if (const std::int64_t most = most_between_joins(pool); most * time.workers > pool.join_every)
    time.limits.push_back({"the joins of the coordinator",
                           cycle * (static_cast<double>(most) / static_cast<double>(pool.join_every))});
  std::ranges::stable_sort(time.limits, std::greater<>(), &PoolTime::Limit::alone);
  // By Little's law, cycle / interval of them are busy.
  time.waiting_workers = std::max(0.0, workers - cycle / time.interval);
}

}  // namespace

PoolOptions PoolOptions::without_losses() const {
  PoolOptions options = *this;
  options.losses.clear();
  options.carried_losses = 0;
  options.random_losses = {};
  return options;
}

PlayedPool play_pool(const plan::Plan& one, const PoolOptions& pool, const cluster::Machine& machine,
                     StepClock& clock, const StepTimeOptions& options, double jitter, std::int64_t seed) {
  PlayedPool played{.pooled = plan::pooled(one, pool.workers, pool.replicas),
                    .carried_losses = pool.carried_losses};
  std::vector<double> pace;  // all devices are faster, or none is
  const std::vector<platform::Endpoint> where = endpoints_of(played.pooled.plan, machine);
  StepTimeOptions of_all = options;
  if (!options.pace.empty()) pace.assign(played.pooled.plan.devices.size(), options.pace.front());
  of_all.pace = pace;
  played.costs = clock.costs_of(played.pooled.plan, where, of_all);
  plan::Pool queue{.closures = pool.closures,
                   .dispatch = pool.dispatch,
                   .at_once = pool.at_once,
                   .join_every = pool.join_every,
                   .slow = pool.slow};
  if (jitter > 0) queue.paces = jitter_factors(jitter, seed, static_cast<std::size_t>(pool.closures));
  played.timeline = play_with_losses(pool, [&](std::vector<plan::Absence> absences) {
    queue.absences = std::move(absences);
    return simulate::simulate(played.pooled, queue, played.costs, *machine.platform, where);
  });
  return played;
}

PlayedPool play_alone(const plan::Plan& one, const PoolOptions& pool, const cluster::Machine& machine,
                      StepClock& clock, const StepTimeOptions& options) {
  PoolOptions first = pool.without_losses();
  first.slow.clear();
  first.workers.resize(1);
  first.closures = pool.at_once;
  return play_pool(one, first, machine, clock, options, 0, 0);
}

std::vector<Update> updates_of(const PlayedPool& played) {
  const std::vector<VariableAccess> accesses = accesses_of(played.pooled.plan);
  std::map<plan::BufferId, std::int32_t> version;
  std::map<std::pair<std::int32_t, plan::BufferId>, std::int32_t> read;
  std::vector<Update> updates;
  for (const plan::Occurrence& each : played.timeline.occurrences) {
    const auto& [access, variable] = accesses[index(each.node)];
    if (access == Access::read) read[{each.closure, variable}] = version[variable];
    if (access != Access::update) continue;
    const std::int32_t before = version[variable]++;
    // A variable that the closure updates without having read it is as it was.
    const auto found = read.find({each.closure, variable});
    updates.push_back({each.closure, found == read.end() ? 0 : before - found->second});
    if (found != read.end()) read.erase(found);
  }
  return updates;
}

plan::Timeline typical_closure(const PlayedPool& played) {
  const plan::PoolTimeline& timeline = played.timeline;
  std::vector<std::pair<Seconds, std::int32_t>> own;
  for (std::size_t i = 0; i < timeline.closures.size(); ++i)
    if (const plan::Closure& closure = timeline.closures[i]; closure.worker == 0)
      own.emplace_back(closure.end - closure.taken, narrow<std::int32_t>(i));
  std::ranges::sort(own);
  const auto [duration, number] = own[own.size() / 2];
  const Seconds begin = timeline.closures[static_cast<std::size_t>(number)].taken;
  plan::Timeline typical{.end = duration};
  typical.nodes.resize(index(played.pooled.tasks.front().end));
  for (const plan::Occurrence& each : timeline.occurrences)
    if (each.closure == number) typical.nodes[index(each.node)] = {each.start - begin, each.end - begin};
  const double share = duration / timeline.end;  // of what the links carry in all
  for (plan::LinkUse link : timeline.links) {
    link.carried = Bytes(static_cast<std::int64_t>(static_cast<double>(link.carried.count()) * share));
    link.busy = link.busy * share;
    typical.links.push_back(std::move(link));
  }
  return typical;
}

PoolTime summary_of(const PlayedPool& played, const PlayedPool& alone, const PoolOptions& pool) {
  PoolTime time{.workers = std::ssize(pool.workers),
                .servers = pool.servers,
                .closures = std::ssize(played.timeline.closures),
                .end = played.timeline.end};
  time.interval = interval_of(played.timeline, time.workers * pool.at_once);
  if (pool.join_every > 0) time.interval = joined_interval(played.timeline, pool.join_every, time.interval);
  time.by_worker.resize(pool.workers.size());
  time.coordinator = pool.dispatch / (time.interval * static_cast<double>(pool.at_once));
  add_staleness(played, time);
  add_servers(played, time);
  add_links(played, time);
  add_limits(alone, pool, time);
  time.queues = queues_of(played, pool.dispatch > Seconds(0));
  return time;
}

}  // namespace wt::timing
