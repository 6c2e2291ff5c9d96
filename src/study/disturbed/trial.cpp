#include "study/disturbed/trial.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/temporary_folder.h"
#include "scenario/build.h"
#include "scenario/parse.h"
#include "study/disturbed/drawn_scenario.h"
#include "study/drawn/trained.h"

namespace wt::disturbed {

namespace {

using drawn::Trained;

Trained train(const scenario::Scenario& scenario) {
  const TemporaryFolder around;
  return drawn::train(scenario, around.path() / "out");
}

// What doesn't hold of the attempts; empty: everything holds.
std::string wrong_with(const timing::JobCourse& course, std::int64_t steps) {
  std::int64_t kept = 0;
  Seconds before{};
  for (const timing::Attempt& attempt : course.attempts) {
    if (attempt.first != kept)
      return fmt::format("an attempt begins with step {}, and {} steps are kept", attempt.first, kept);
    if (attempt.begin < before || attempt.stop < attempt.begin)
      return fmt::format("an attempt begins at {} s, and the one before ended at {} s", attempt.begin.count(),
                         before.count());
    if (attempt.kept > attempt.end) return "more steps are kept than trained";
    kept = attempt.kept;
    before = attempt.lost ? attempt.lost->end : attempt.stop;
  }
  if (course.is_complete && kept != steps) return fmt::format("{} of {} steps are kept", kept, steps);
  return course.end == before ? "" : "the end of the job isn't that of its last attempt";
}

std::string wrong_with_steps(const session::Results& results, std::int64_t steps) {
  for (std::size_t i = 0; i < results.steps.size(); ++i)
    if (results.steps[i].step != static_cast<std::int64_t>(i))
      return fmt::format("step {} stands where step {} belongs", results.steps[i].step, i);
  const auto last = results.last_step();
  if (const std::int64_t wanted = last.value_or(steps); std::ssize(results.steps) != wanted)
    return fmt::format("{} steps are reported, and {} were trained", results.steps.size(), wanted);
  return "";
}

std::string difference(const Trained& disturbed, const Trained& undisturbed) {
  for (std::size_t i = 0; i < disturbed.results.steps.size(); ++i)
    if (disturbed.results.steps[i].loss != undisturbed.results.steps[i].loss)
      return fmt::format("the loss of step {} is {:.9g}, and {:.9g} if nothing fails", i,
                         disturbed.results.steps[i].loss, undisturbed.results.steps[i].loss);
  const bool is_complete = !disturbed.results.last_step();
  if (is_complete && disturbed.weights != undisturbed.weights)
    return "the weights are other ones than if nothing fails";
  return "";
}

// The report says so if a step or a batch was used twice.
bool uses_something_twice(const timing::JobCourse& course) {
  return std::ranges::any_of(course.attempts, [](const timing::Attempt& attempt) {
    return attempt.applied_twice > 0 || attempt.read_twice > 0;
  });
}

void judge(const scenario::Scenario& scenario, Trial& trial) {
  const Trained disturbed = train(scenario);
  const session::Results& results = disturbed.results;
  if (!results.course) {
    trial.wrong = "the results say nothing of failures";
    return;
  }
  const timing::JobCourse& course = *results.course;
  trial.attempts = std::ssize(course.attempts);
  trial.lost_steps = course.lost_steps();
  trial.stalls = std::ssize(course.stalls);
  trial.is_complete = course.is_complete;
  if (trial.wrong = wrong_with(course, results.planned.steps); !trial.wrong.empty()) return;
  if (trial.wrong = wrong_with_steps(results, results.planned.steps); !trial.wrong.empty()) return;
  const Trained again = train(scenario);
  if (again.results.course->end != course.end || !difference(again, disturbed).empty()) {
    trial.wrong = "a second training has other results";
    return;
  }
  const bool waits_for_all = !scenario::build(scenario).machine.pool;
  trial.is_compared = waits_for_all && !uses_something_twice(course);
  if (!trial.is_compared) return;
  scenario::Scenario without = scenario;
  without.faults.clear();
  trial.wrong = difference(disturbed, train(without));
}

}  // namespace

Trial try_out(std::int64_t seed) {
  const DrawnScenario drawn = draw_scenario(seed);
  Trial trial{.seed = seed, .strategy = drawn.strategy};
  try {
    judge(scenario::parse(drawn.text, "trial.json"), trial);
  } catch (const std::exception& error) {
    trial.wrong = error.what();
  }
  return trial;
}

}  // namespace wt::disturbed
