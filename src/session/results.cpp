#include "session/results.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/rough.h"

namespace wt::session {

std::optional<train::EpochResult> Results::last_evaluation() const {
  if (evaluation) return evaluation;
  if (beside && !beside->evaluations.empty()) return beside->evaluations.back().result;
  return epochs.empty() ? std::nullopt : epochs.back().evaluation;
}

Beside::Evaluation* Beside::find(std::int64_t epoch) {
  const auto found = std::ranges::find(evaluations, epoch, &Evaluation::epoch);
  return found == evaluations.end() ? nullptr : &*found;
}

std::string print(const Turns& turns) {
  return fmt::format("replicas take turns in this machine's pieces: in each step {}, {} in and out",
                     counted(turns.swaps, "swap"), rough(turns.swapped));
}

std::optional<ReachedTarget> reached_target(const Results& results) {
  if (!results.target_loss) return std::nullopt;
  const auto found = std::ranges::find_if(
      results.steps, [&](const train::StepResult& step) { return step.loss <= *results.target_loss; });
  if (found == results.steps.end()) return std::nullopt;
  ReachedTarget reached{.step = found->step, .loss = found->loss};
  if (results.steps.front().step > 0 || results.step_times.empty()) return reached;
  if (const auto closure = results.closures.find(found->step); closure != results.closures.end()) {
    reached.time = closure->second.end;
    return reached;
  }
  Seconds sum{};
  for (const auto& [step, time] : results.step_times)
    if (step <= found->step) sum += time;
  reached.time = sum;
  return reached;
}

}  // namespace wt::session
