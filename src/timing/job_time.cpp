#include "timing/job_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>

#include "base/duration.h"

namespace wt::timing {

namespace {

// Table 5 and section 3.3.4 of "The Llama 3 Herd of Models" (Dubey et al., 2024): 419 unexpected interruptions
// in 54 days on 16,384 H100.
constexpr Seconds time_between_failures_of_gpu{54 * 86'400.0 * 16'384 / 419};
constexpr std::string_view source_of_failures =
    "419 interruptions in 54 days on 16,384 H100 (Dubey et al., The Llama 3 Herd of Models, 2024)";

// With more lost time than this many times the useful time, the expectation says nothing any more.
constexpr double most_loss = 1000;

JobItem unmeasured(std::string name, std::string key, std::int64_t count, std::string note = {}) {
  return {.name = std::move(name),
          .key = std::move(key),
          .count = static_cast<double>(count),
          .basis = Basis::unmeasured,
          .note = std::move(note)};
}

// The item of an event: given by the scenario, else simulated, else unmeasured.
JobItem item(std::string name, std::string key, const Event& event, const std::optional<Seconds>& given) {
  JobItem made = unmeasured(std::move(name), std::move(key), event.count, event.note);
  if (const std::optional<Seconds>& each = given ? given : event.each) {
    made.each = *each;
    made.basis = given ? Basis::given : event.basis;
  }
  return made;
}

// Steps of several lengths are one item of their mean length.
JobItem item(std::string name, std::string key, const std::vector<EqualSteps>& steps,
             const std::optional<Seconds>& given) {
  std::int64_t count = 0;
  Seconds time{};
  for (const EqualSteps& equal : steps) {
    count += equal.count;
    time += equal.each * static_cast<double>(equal.count);
  }
  JobItem made{.name = std::move(name),
               .key = std::move(key),
               .count = static_cast<double>(count),
               .basis = given ? Basis::given : Basis::simulated};
  if (count > 0) made.each = given ? *given : time / static_cast<double>(count);
  return made;
}

Seconds sum(std::span<const JobItem> items) {
  return std::accumulate(items.begin(), items.end(), Seconds{},
                         [](Seconds so_far, const JobItem& item) { return so_far + item.time(); });
}

struct RateOfFailures {
  Seconds between{};  // of the whole job
  Basis basis{};
  std::string note{};
};

// Rates of machines and of their devices add up.
std::optional<RateOfFailures> given_failures(const JobFacts& facts) {
  double in_a_second = 0;
  std::string note;
  const auto add = [&](const std::optional<Seconds>& between, std::int64_t count, std::string_view of) {
    if (!between) return;
    in_a_second += static_cast<double>(count) / between->count();
    note += fmt::format("{} of a {} in {}", note.empty() ? "a failure" : ", and", of, duration(*between));
  };
  add(facts.given.time_between_failures, facts.machines, "machine");
  add(facts.given.time_between_device_failures, facts.devices, "device");
  if (note.empty()) return std::nullopt;
  return RateOfFailures{Seconds(1 / in_a_second), Basis::given, note};
}

std::optional<RateOfFailures> failures_of(const JobFacts& facts) {
  if (const auto given = given_failures(facts)) return given;
  if (!facts.are_gpus) return std::nullopt;
  return RateOfFailures{time_between_failures_of_gpu / static_cast<double>(facts.devices), Basis::estimated,
                        std::string(source_of_failures)};
}

// A job without its failures. Without checkpoints there is a single segment, and a failure loses all of it.
Segments segments_of(const JobFacts& facts, Seconds restart, Seconds training, Seconds saving) {
  const auto count = static_cast<double>(std::max<std::int64_t>(1, facts.checkpoints.count));
  return {.count = count,
          .work = (training - saving) / count,
          .checkpoint = saving / count,
          .restart = restart,
          .written = facts.written};
}

JobItem restarts(const JobFacts& facts, const RateOfFailures& failures, const Segments& job) {
  const double expected = expected_failures(job);
  const Seconds training = job.each() * job.count;
  const Seconds lost = expected_time(job) - training;
  const bool never_ends = !std::isfinite(expected) || lost > most_loss * training;
  if (never_ends && failures.basis == Basis::estimated)
    return unmeasured(
        "expected restarts", "job.time_between_failures", 0,
        "at the published rate of failures the job practically never ends with so few checkpoints");
  if (never_ends)
    throw InputError(Problem{
        facts.failures_at,
        fmt::format("with a failure in {} and {} from one checkpoint to the next this job practically "
                    "never ends",
                    duration(failures.between), duration(job.each())),
        R"(save more often ("training.checkpointing"), or give a longer time between failures)"});
  JobItem made{.name = "expected restarts",
               .key = "job.time_between_failures",
               .count = expected,
               .basis = failures.basis,
               .note = failures.note};
  if (expected > 0) made.each = std::max(Seconds(0), lost) / expected;
  return made;
}

// So many jobs are played, where that takes no longer than a second.
constexpr std::int64_t jobs_to_play = 1000;

// `steps` is the time of all steps, and `each` that of one. `beside` is the time outside of segments.
Goodput goodput_of(const JobFacts& facts, const Segments& job, Seconds steps, Seconds each, Seconds beside) {
  Goodput goodput{.segments = job, .checkpoints = static_cast<double>(facts.checkpoints.count)};
  goodput.share = steps / (beside + expected_time(job));
  if (std::optional<PlayedJobs> played = play_jobs(job, jobs_to_play, facts.seed)) {
    for (Seconds* time : {&played->mean, &played->low, &played->high}) *time += beside;
    goodput.played = played;
  }
  if (job.checkpoint == Seconds(0) || each == Seconds(0)) return goodput;
  goodput.best = std::max(best_interval(job.checkpoint, job.between_failures), job.written);
  goodput.daly = daly_interval(job.checkpoint, job.between_failures);
  goodput.best_steps = std::max<std::int64_t>(1, std::llround(*goodput.best / each));
  Segments best = job;
  best.work = each * static_cast<double>(*goodput.best_steps);
  best.count = job.work * job.count / best.work;
  goodput.best_share = steps / (beside + expected_time(best));
  return goodput;
}

}  // namespace

std::string_view name(Basis basis) {
  constexpr std::array<std::string_view, 4> names{"simulated", "given", "estimated", "unmeasured"};
  return names[static_cast<std::size_t>(basis)];
}

Seconds JobTime::total() const { return sum(items); }

JobTime job_time(const JobFacts& facts) {
  const GivenTimes& given = facts.given;
  std::vector<JobItem> items{item("start of processes", "job.start", Event{.count = 1}, given.start)};
  if (facts.first_values.count > 0)
    items.push_back(
        item("first values of variables", "job.first_values", facts.first_values, given.first_values));
  items.push_back(item("tracing of functions", "job.tracing", facts.functions, given.tracing));
  if (facts.programs)
    items.push_back(item("compilation", "time.compile", Event{.count = *facts.programs}, facts.compile));
  const Seconds starting = sum(items);
  if (facts.fills.count > 0)
    items.push_back(item("filling of shuffle buffers", "job.shuffle", facts.fills, given.shuffle));
  items.push_back(item("first input", "job.first_input", facts.first_input, given.first_input));
  const Seconds startup = starting + items.back().each;
  const Seconds before = sum(items);
  const JobItem whole = item("steps", "job.step", facts.whole, given.step);
  const JobItem partial =
      item("steps of partial batches", "job.partial_step", facts.partial, given.partial_step);
  const bool writes_beside = facts.written > Seconds(0);  // so that what is given is no time of the training
  const JobItem saving = item("checkpoints", "job.checkpoint", facts.checkpoints,
                              writes_beside ? std::nullopt : given.checkpoint);
  for (const JobItem& steps : {whole, partial})
    if (steps.count > 0) items.push_back(steps);
  if (facts.lost_workers.count > 0)
    items.push_back(item("lost workers", "faults", facts.lost_workers, std::nullopt));
  if (facts.evaluations.count > 0)
    items.push_back(item("validation", "job.evaluation", facts.evaluations, given.evaluation));
  if (saving.count > 0) items.push_back(saving);
  const Seconds training = sum(items) - before;
  // Nothing is left to be trained meanwhile.
  if (writes_beside)
    items.push_back(item("writing of the last checkpoint", "job.checkpoint",
                         {.count = 1, .each = facts.written}, given.checkpoint));

  // What starting takes is repeated unless the scenario says how long a restart takes.
  JobTime job{.samples = facts.samples, .epochs = facts.epochs, .restart = given.restart.value_or(startup)};
  const std::optional<RateOfFailures> failures = failures_of(facts);
  if (failures) {
    Segments segments = segments_of(facts, job.restart, training, saving.time());
    segments.between_failures = failures->between;
    items.push_back(restarts(facts, *failures, segments));
    const Seconds steps = whole.time() + partial.time();
    if (items.back().basis != Basis::unmeasured)
      job.goodput =
          goodput_of(facts, segments, steps, steps / (whole.count + partial.count), before + facts.written);
  } else {
    items.push_back(
        unmeasured("expected restarts", "job.time_between_failures", 0, "no published rate of failures"));
  }
  job.items = std::move(items);
  return job;
}

}  // namespace wt::timing
