#include "timing/pool_losses.h"

#include <algorithm>
#include <map>

#include "base/error.h"

namespace wt::timing {

namespace {

plan::Absence absence_of(const WorkerLoss& loss, Seconds from) {
  plan::Absence absence{.worker = loss.worker, .from = from + loss.grace, .is_stall = loss.is_stall};
  if (loss.back_after) absence.until = absence.from + *loss.back_after;
  return absence;
}

// A worker is back when it is there and no other worker is away.
std::vector<plan::Absence> recovered_together(const std::vector<plan::Absence>& absences) {
  std::vector<plan::Absence> all = absences;
  for (plan::Absence& absence : all)
    for (bool waits = !absence.is_stall; waits && absence.until;) {
      const auto other = std::ranges::find_if(absences, [&](const plan::Absence& each) {
        return !each.is_stall && each.from <= *absence.until && (!each.until || *absence.until < *each.until);
      });
      waits = other != absences.end();
      if (waits) absence.until = other->until;
    }
  return all;
}

// When so many closures have been completed; unset if there are fewer.
std::optional<Seconds> end_of(std::int64_t closures, const plan::PoolTimeline& timeline) {
  if (closures == 0) return Seconds(0);
  std::vector<Seconds> ends;
  for (const plan::Closure& closure : timeline.closures)
    if (!closure.lost) ends.push_back(closure.end);
  if (closures > std::ssize(ends)) return std::nullopt;
  const auto last = ends.begin() + (closures - 1);
  std::ranges::nth_element(ends, last);
  return *last;
}

// By the number of completed closures, the losses that come then.
std::map<std::int64_t, std::vector<WorkerLoss>> losses_by_closures(const std::vector<WorkerLoss>& losses) {
  std::map<std::int64_t, std::vector<WorkerLoss>> by_closures;
  for (const WorkerLoss& loss : losses)
    if (!loss.time) by_closures[loss.closures].push_back(loss);
  return by_closures;
}

// The time that workers are away until the end, or their networks stall. Absences of a worker may overlap.
Seconds time_away(std::vector<plan::Absence> absences, bool are_stalls, Seconds end) {
  std::erase_if(absences, [&](const plan::Absence& absence) { return absence.is_stall != are_stalls; });
  std::ranges::stable_sort(absences, {}, &plan::Absence::from);
  std::map<std::int32_t, Seconds> counted_until;  // by worker
  Seconds away{};
  for (const plan::Absence& absence : absences) {
    Seconds& counted = counted_until[absence.worker];
    const Seconds from = std::max(absence.from, counted);
    const Seconds until = std::min(end, absence.until.value_or(end));
    if (until <= from) continue;
    away += until - from;
    counted = until;
  }
  return away;
}

}  // namespace

plan::PoolTimeline play_with_losses(
    const PoolOptions& pool, const std::function<plan::PoolTimeline(std::vector<plan::Absence>)>& play) {
  constexpr int most_plays =
      30;  // each of which finds random losses before its end that the one before had not
  const auto play_absences = [&](const std::vector<plan::Absence>& absences) {
    return play(pool.recover_together ? recovered_together(absences) : absences);
  };
  std::vector<WorkerLoss> drawn;
  for (int played = 0; played < most_plays; ++played) {
    std::vector<plan::Absence> absences;
    const auto add_timed = [&](const std::vector<WorkerLoss>& losses) {
      for (const WorkerLoss& loss : losses)
        if (loss.time) absences.push_back(absence_of(loss, *loss.time));
    };
    add_timed(pool.losses);
    add_timed(drawn);
    plan::PoolTimeline timeline = play_absences(absences);
    for (const auto& [closures, losses] : losses_by_closures(pool.losses)) {
      const std::optional<Seconds> from = end_of(closures, timeline);
      if (!from) break;
      for (const WorkerLoss& loss : losses) absences.push_back(absence_of(loss, *from));
      timeline = play_absences(absences);
    }
    if (!pool.random_losses) return timeline;
    std::vector<WorkerLoss> all = pool.random_losses(timeline.end);
    if (all.size() <= drawn.size()) return timeline;
    drawn = std::move(all);
  }
  throw InputError("workers are lost so often that hardly a closure is completed",
                   "raise the mean time between their failures");
}

PoolLosses losses_of(const PlayedPool& played) {
  const plan::PoolTimeline& timeline = played.timeline;
  PoolLosses losses{.away = time_away(timeline.absences, false, timeline.end),
                    .stalled = time_away(timeline.absences, true, timeline.end),
                    .never_executed = timeline.never_executed,
                    .end = timeline.end};
  const auto begun = [&](bool are_stalls) {
    return std::ranges::count_if(timeline.absences, [&](const plan::Absence& absence) {
      return absence.is_stall == are_stalls && absence.from < timeline.end;
    });
  };
  losses.losses = begun(false) - played.carried_losses;
  losses.stalls = begun(true);
  losses.executions = std::ranges::count_if(
      timeline.closures, [](const plan::Closure& closure) { return closure.lost.has_value(); });
  losses.closures = std::ssize(timeline.closures) - losses.executions;
  std::vector<bool> has_read(timeline.closures.size());
  for (const plan::Occurrence& each : timeline.occurrences) {
    const auto closure = static_cast<std::size_t>(each.closure);
    if (!timeline.closures[closure].lost || has_read[closure]) continue;
    has_read[closure] = true;
    ++losses.batches;
  }
  for (const Update& update : updates_of(played))
    if (timeline.closures[static_cast<std::size_t>(update.closure)].lost) ++losses.updates;
  return losses;
}

void add(PoolLosses& sum, const PoolLosses& later) {
  sum.losses += later.losses;
  sum.away += later.away;
  sum.stalls += later.stalls;
  sum.stalled += later.stalled;
  sum.executions += later.executions;
  sum.batches += later.batches;
  sum.updates += later.updates;
  sum.closures += later.closures;
  sum.never_executed += later.never_executed;
  sum.end += later.end;
}

}  // namespace wt::timing
