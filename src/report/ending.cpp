#include "report/ending.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/rough.h"

namespace wt::report {

void write_lost(json::Writer& out, const timing::LostWorker& lost) {
  out.key("lost_worker")
      .begin_object()
      .member("worker", lost.worker)
      .member("step", lost.step)
      .member("collective", lost.collective)
      .member("status", lost.status)
      .member("arrival_s", lost.arrival.count())
      .member("end_s", lost.end.count());
  const auto write_names = [&](std::string_view key, const std::vector<std::string>& names) {
    out.key(key).begin_array();
    for (const std::string& name : names) out.value(name);
    out.end_array();
  };
  write_names("arrived", lost.arrived);
  write_names("missing", lost.missing);
  if (!lost.waits.empty()) out.member("waits", lost.waits);
  out.end_object();
}

void write_timed_out(json::Writer& out, const timing::TimedOut& timed_out) {
  out.key("timed_out")
      .begin_object()
      .member("step", timed_out.step)
      .member("collective", timed_out.collective)
      .member("status", timing::timed_out_status)
      .member("last", timed_out.last)
      .member("late_s", timed_out.late.count())
      .member("arrival_s", timed_out.arrival.count())
      .member("span_s", timed_out.span.count())
      .member("timeout_s", timed_out.timeout.count())
      .member("end_s", timed_out.end().count())
      .end_object();
}

std::string fault_text(const session::EndedByFault& end) {
  return fmt::format("{}: {}", end.fault.name_of_error(), end.fault.sentence);
}

std::string lost_text(const timing::LostWorker& lost) {
  std::string text = fmt::format(
      "the job ended {} after its begin, with {} done\n"
      "  {} did not reach step {}\n",
      rough(lost.end), counted(lost.step, "step"), lost.worker, lost.step + 1);
  if (!lost.collective.empty())
    text += fmt::format("  waiting in {} since {}: {}\n", lost.collective, rough(lost.arrival),
                        fmt::join(lost.arrived, ", "));
  if (!lost.missing.empty()) text += fmt::format("  missing: {}\n", fmt::join(lost.missing, ", "));
  text += fmt::format("  {}: {}\n", lost.status, lost.message);
  if (!lost.waits.empty()) text += fmt::format("  {}\n", lost.waits);
  return text;
}

std::string timed_out_text(const timing::TimedOut& timed_out) {
  const std::string who = timed_out.late == Seconds(0) ? "all of them entered it at once"
                                                       : fmt::format("last: {}, {} after the first",
                                                                     timed_out.last, rough(timed_out.late));
  return fmt::format(
      "the job ended {} after its begin, with {} done\n"
      "  {} of step {} takes {} from the first that enters it, and may take {}\n"
      "  {}\n"
      "  {}: {}\n",
      rough(timed_out.end()), counted(timed_out.step, "step"), timed_out.collective, timed_out.step + 1,
      rough(timed_out.span), rough(timed_out.timeout), who, timing::timed_out_status,
      timing::timed_out_message);
}

std::string interrupted_text(const session::Results& results) {
  return fmt::format("interrupted by {} after {} of {}", results.interrupted->by, results.interrupted->step,
                     counted(results.planned.steps, "step"));
}

}  // namespace wt::report
