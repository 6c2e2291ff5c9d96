#include "report/pool.h"

#include <fmt/format.h>

#include "base/rough.h"

namespace wt::report {

namespace {

using json::Layout;

std::string share_text(double share) { return fmt::format("{:.1f} %", 100 * share); }

// The most common staleness first would hide the tail, so the last row holds the largest one.
std::string histogram_text(const timing::PoolTime& pool) {
  constexpr std::size_t most_shown = 8;
  double all = 0;
  for (const std::int64_t count : pool.staleness) all += static_cast<double>(count);
  std::string text;
  for (std::size_t staleness = 0; staleness < pool.staleness.size() && staleness < most_shown; ++staleness)
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", staleness,
                        share_text(static_cast<double>(pool.staleness[staleness]) / all));
  if (pool.staleness.size() > most_shown) text += fmt::format(", more up to {}", pool.staleness.size() - 1);
  return text;
}

}  // namespace

void write_pool(json::Writer& out, const timing::PoolTime& pool) {
  out.key("pool")
      .begin_object()
      .member("workers", pool.workers)
      .member("servers", pool.servers)
      .member("updates_per_second", pool.updates_per_second())
      .member("interval_s", pool.interval.count())
      .member("closures", pool.closures)
      .member("end_s", pool.end.count())
      .member("bottleneck", pool.bottleneck())
      .key("limits")
      .begin_array();
  for (const timing::PoolTime::Limit& limit : pool.limits)
    out.begin_object(Layout::one_line)
        .member("name", limit.name)
        .member("interval_s", limit.alone.count())
        .end_object();
  out.end_array().member("waiting_workers", pool.waiting_workers).key("queues").begin_array();
  for (const timing::PoolTime::Queue& queue : pool.queues)
    out.begin_object(Layout::one_line)
        .member("name", queue.name)
        .member("mean", queue.mean)
        .member("longest", queue.longest)
        .end_object();
  out.end_array().member("coordinator_busy", pool.coordinator).key("servers_busy").begin_array();
  for (const timing::PoolTime::Share& server : pool.servers_busy)
    out.begin_object(Layout::one_line).member("name", server.name).member("share", server.share).end_object();
  out.end_array();
  out.key("busiest_link")
      .begin_object(Layout::one_line)
      .member("name", pool.busiest_link.name)
      .member("share", pool.busiest_link.share)
      .end_object()
      .key("staleness")
      .begin_object()
      .member("mean", pool.mean_staleness)
      .key("updates")
      .begin_array(Layout::one_line);
  for (const std::int64_t count : pool.staleness) out.value(count);
  out.end_array().key("mean_by_worker").begin_array(Layout::one_line);
  for (const double mean : pool.by_worker) out.value(mean);
  out.end_array().end_object();
  if (pool.losses) {
    out.key("losses").begin_object(Layout::one_line);
    write_losses(out, *pool.losses);
    out.end_object();
  }
  out.end_object();
}

void write_losses(json::Writer& out, const timing::PoolLosses& losses) {
  out.member("workers_lost", losses.losses)
      .member("away_s", losses.away.count())
      .member("stalls", losses.stalls)
      .member("stalled_s", losses.stalled.count())
      .member("executions_lost", losses.executions)
      .member("batches_lost", losses.batches)
      .member("updates_twice", losses.updates)
      .member("closures", losses.closures)
      .member("never_executed", losses.never_executed)
      .member("end_s", losses.end.count());
  if (losses.undisturbed) out.member("undisturbed_end_s", losses.undisturbed->count());
}

std::string limits_text(const timing::PoolTime& pool) {
  std::string text;
  for (const timing::PoolTime::Limit& limit : pool.limits)
    text += fmt::format("{}{} {} ({:.0f} %)", text.empty() ? "" : ", ", limit.name, rough(limit.alone),
                        100 * (limit.alone / pool.interval));
  return text;
}

std::string waiting_text(const timing::PoolTime& pool) {
  return fmt::format("{:.1f} of {} wait", pool.waiting_workers, counted(pool.workers, "worker"));
}

std::string losses_text(const timing::PoolLosses& losses) {
  const auto plural = [](std::int64_t count, std::string_view one, std::string_view several) {
    return fmt::format("{} {}", count, count == 1 ? one : several);
  };
  std::string text = fmt::format("{} of workers, which are away for {} in all",
                                 plural(losses.losses, "loss", "losses"), rough(losses.away));
  if (losses.stalls > 0)
    text += fmt::format(", and {} of their networks for {}", counted(losses.stalls, "stall"),
                        rough(losses.stalled));
  text += fmt::format(": {} in {}", counted(losses.closures, "closure"), rough(losses.end));
  if (losses.undisturbed && losses.never_executed == 0)
    text += fmt::format(" instead of {}", rough(*losses.undisturbed));
  text += fmt::format("; {} cut off, after {} and {} of variables that are made once more",
                      counted(losses.executions, "execution"), plural(losses.batches, "batch", "batches"),
                      counted(losses.updates, "update"));
  if (losses.never_executed > 0)
    text += fmt::format("; no worker is left, and {} never executed",
                        plural(losses.never_executed, "closure is", "closures are"));
  return text;
}

std::string pool_text(const timing::PoolTime& pool) {
  std::string queues;
  for (const timing::PoolTime::Queue& queue : pool.queues)
    queues += fmt::format("{}{} {:.2f} in the mean, {} at most", queues.empty() ? "" : "; ", queue.name,
                          queue.mean, queue.longest);
  return fmt::format(
      "{} and {}: {:.1f} updates/s, one every {}; bound by {}; {}\n"
      "each alone would allow an update every: {}\n"
      "closures that wait for {}\n"
      "staleness of an update (updates of others since its worker read the variable): {:.2f} in the mean; "
      "{}\n{}",
      counted(pool.workers, "worker"), counted(pool.servers, "server"), pool.updates_per_second(),
      rough(pool.interval), pool.bottleneck(), waiting_text(pool), limits_text(pool), queues,
      pool.mean_staleness, histogram_text(pool), pool.losses ? losses_text(*pool.losses) + "\n" : "");
}

}  // namespace wt::report
