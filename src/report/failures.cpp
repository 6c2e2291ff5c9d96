#include "report/failures.h"

#include <fmt/format.h>

#include "base/rough.h"
#include "base/table.h"

namespace wt::report {

namespace {

void write_failure(json::Writer& out, const timing::Failure& failure) {
  out.member("failure", timing::name(failure.kind)).member("task", failure.name);
}

void write_attempt(json::Writer& out, const timing::Attempt& attempt) {
  out.begin_object(json::Layout::one_line)
      .member("begin_s", attempt.begin.count())
      .member("stop_s", attempt.stop.count())
      .member("first_step", attempt.first)
      .member("end_step", attempt.end)
      .member("kept_steps", attempt.kept);
  if (attempt.applied_twice > 0) out.member("steps_applied_twice", attempt.applied_twice);
  if (attempt.read_twice > 0) out.member("batches_read_twice", attempt.read_twice);
  if (attempt.failure) {
    write_failure(out, *attempt.failure);
    out.member("lost_steps", attempt.lost_steps()).member("saved_in_time", attempt.is_saved_in_time);
    if (attempt.saved_on_notice) out.member("saved_on_notice", *attempt.saved_on_notice);
    out.member("end_s", attempt.lost->end.count())
        .member("status", attempt.lost->status)
        .member("message", attempt.lost->message);
    if (!attempt.lost->waits.empty()) out.member("waits", attempt.lost->waits);
  }
  out.end_object();
}

std::string steps_text(const timing::Attempt& attempt) {
  if (attempt.end == attempt.first) return "none";
  return fmt::format("{} to {}", attempt.first + 1, attempt.end);
}

TableRow row_of(std::size_t number, const timing::Attempt& attempt) {
  const auto& failure = attempt.failure;
  const std::string kept = !failure                   ? ""
                           : attempt.is_saved_in_time ? "saved in time"
                                                      : fmt::format("back to {}", attempt.kept);
  return {std::to_string(number),
          attempt.begin > Seconds(0) ? rough(attempt.begin) : "0",
          steps_text(attempt),
          rough(attempt.stop),
          failure ? failure_text(*failure) : "all steps are trained",
          failure ? rough(attempt.lost->end) : "",
          kept};
}

std::string stalls_text(const timing::JobCourse& course) {
  std::string text;
  for (const timing::Stall& stall : course.stalls)
    text += fmt::format("  from {} to {} all waited: the network of {} was cut\n", rough(stall.begin),
                        rough(stall.end), stall.failure.name);
  return text;
}

}  // namespace

void write_failures(json::Writer& out, const timing::JobCourse& course) {
  out.key("failures")
      .begin_object()
      .member("complete", course.is_complete)
      .member("restarts", course.restarts())
      .member("lost_steps", course.lost_steps())
      .member("goodput", course.goodput())
      .member("end_s", course.end.count())
      .member("undisturbed_s", course.undisturbed.count());
  if (course.time_to_recover) out.member("time_to_recover_s", course.time_to_recover->count());
  out.key("attempts").begin_array();
  for (const timing::Attempt& attempt : course.attempts) write_attempt(out, attempt);
  out.end_array();
  out.key("stalls").begin_array();
  for (const timing::Stall& stall : course.stalls) {
    out.begin_object(json::Layout::one_line);
    write_failure(out, stall.failure);
    out.member("begin_s", stall.begin.count()).member("end_s", stall.end.count()).end_object();
  }
  out.end_array().end_object();
}

std::string failure_text(const timing::Failure& failure) {
  switch (failure.kind) {
    case timing::FailureKind::killed:
      return failure.name + " is killed";
    case timing::FailureKind::preempted:
      return failure.name + " is preempted";
    case timing::FailureKind::cut:
      break;
  }
  return failure.name + " is cut off";
}

std::string failures_text(const timing::JobCourse& course) {
  if (course.attempts.size() < 2 && course.stalls.empty()) return "";
  std::string text = fmt::format("failures    {}, {} trained again; goodput {:.1f} %: {} of steps in {}\n",
                                 counted(course.restarts(), "restart"), counted(course.lost_steps(), "step"),
                                 100 * course.goodput(), rough(course.time_of_steps), rough(course.end));
  if (course.time_to_recover)
    text += fmt::format("            {} from a failure until the training is where it was, on average\n",
                        rough(*course.time_to_recover));
  constexpr std::size_t most_rows = 20;
  std::vector<TableRow> rows{{"attempt", "begins", "steps", "stops", "because", "processes end", "next"}};
  const std::size_t count = course.attempts.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (count > most_rows && i == most_rows / 2) {
      i = count - most_rows / 2;
      rows.push_back({"...", "", "", "", "", "", ""});
    }
    rows.push_back(row_of(i + 1, course.attempts[i]));
  }
  text += print_table(rows, "rrrrlrl") + stalls_text(course);
  std::int64_t twice = 0;
  for (const timing::Attempt& attempt : course.attempts) twice += attempt.applied_twice;
  if (twice > 0)
    text += fmt::format("  {} in the weights twice: Keras 3 begins an epoch anew that was saved within\n",
                        counted(twice, "step"));
  std::int64_t again = 0;
  for (const timing::Attempt& attempt : course.attempts) again += attempt.read_twice;
  if (again > 0)
    text += fmt::format(
        "  {} batches read twice, and as many never: Keras 2 goes on within an epoch, and its dataset "
        "doesn't\n",
        again);
  if (course.never_ends) text += "  the job fails more often than it is worth waiting for\n";
  return text;
}

}  // namespace wt::report
