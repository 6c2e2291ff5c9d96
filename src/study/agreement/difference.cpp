#include "study/agreement/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

namespace wt::agreement {

namespace {

using session::Results;

constexpr double rounding = 1e-12;  // of a sum of times, relative

// Of two results, the first thing that differs.
class Comparison {
 public:
  explicit Comparison(double tolerance) : tolerance_(tolerance) {}

  template <class T>
  void equal(std::string_view what, const T& other, const T& first) {
    if (found_.empty() && !(other == first))
      found_ = fmt::format("{}: {}, and before {}", what, other, first);
  }
  void same_bits(std::string_view what, double other, double first) {
    if (std::bit_cast<std::uint64_t>(other) != std::bit_cast<std::uint64_t>(first)) equal(what, other, first);
  }
  void same_time(std::string_view what, Seconds other, Seconds first) {
    const double apart = std::abs((other - first).count());
    if (!(apart <= tolerance_ * std::abs(first.count()))) equal(what, other.count(), first.count());
  }
  void between(std::string_view what, Seconds other, Seconds least, Seconds most) {
    const Seconds margin = most * std::max(tolerance_, rounding);
    if (found_.empty() && !(other >= least - margin && other <= most + margin))
      found_ =
          fmt::format("{}: {}, which isn't from {} to {}", what, other.count(), least.count(), most.count());
  }
  const std::string& found() const { return found_; }

 private:
  double tolerance_;
  std::string found_{};
};

void compare_logs(const std::string& what, const train::StepResult& other, const train::StepResult& first,
                  Comparison& out) {
  out.equal(what + " has metrics", other.metrics.size(), first.metrics.size());
  if (other.metrics.size() != first.metrics.size()) return;
  for (std::size_t i = 0; i < first.metrics.size(); ++i) {
    out.equal(what + " has a metric", other.metrics[i].name, first.metrics[i].name);
    out.same_bits(what + " has " + first.metrics[i].name, other.metrics[i].value, first.metrics[i].value);
  }
}

// Steps before `from` belong to another run.
void compare_numbers(const drawn::Trained& other, const drawn::Trained& first, const Compared& compared,
                     Comparison& out) {
  const auto &others = other.results.steps, &firsts = first.results.steps;
  const std::size_t skipped = firsts.size() - std::min(firsts.size(), others.size());
  const bool is_whole = compared.first == 0;
  if (is_whole) out.equal("steps", others.size(), firsts.size());
  for (std::size_t i = 0; i < std::min(firsts.size(), others.size()); ++i) {
    const train::StepResult& step = firsts[is_whole ? i : i + skipped];
    const std::string what = fmt::format("step {}", step.step);
    out.equal(what + " is step", others[i].step, step.step);
    out.same_bits(what + " has the loss", others[i].loss, step.loss);
    compare_logs(what, others[i], step, out);
  }
  if (!compared.weights) return;
  out.equal("there are weights", other.weights.has_value(), first.weights.has_value());
  out.equal("the weights are the same", other.weights == first.weights, true);
}

void compare_parts(const timing::Simulated& other, const timing::Simulated& first, Comparison& out) {
  // Parts of a step are compared with the whole, since a part that is a difference of two times may be nothing at all.
  const auto part = [&](std::string_view what, Seconds of_other, Seconds of_first) {
    out.same_time(what, other.step + of_other, first.step + of_first);
  };
  part("compute", other.compute, first.compute);
  part("communication", other.communication, first.communication);
  part("exposed communication", other.exposed, first.exposed);
  part("waiting", other.waiting, first.waiting);
  for (const Seconds each : {other.exposed, other.input, other.software, other.waiting})
    out.between("a part of the step", each, Seconds(0), other.step);
}

void compare_steps(const timing::Simulated& other, const timing::Simulated& first, Comparison& out) {
  out.same_time("the step", other.step, first.step);
  out.same_time("what a step adds", other.each_step(), first.each_step());
}

void compare_plans(const Results& other, const Results& first, Comparison& out) {
  out.equal("planned steps", other.planned.steps, first.planned.steps);
  out.equal("replicas", other.planned.replicas, first.planned.replicas);
  out.equal("memory", session::peak_memory(other.planned).count(),
            session::peak_memory(first.planned).count());
  out.equal("a step is timed", other.simulated.has_value(), first.simulated.has_value());
}

void compare_bound(const timing::Simulated& other, const timing::Simulated& first, Comparison& out) {
  out.between("the step", other.step, first.step - other.exposed, first.step + other.exposed);
}

void compare_times(const Results& other, const Results& first, bool has_parts, Comparison& out) {
  if (other.simulated && first.simulated) {
    compare_steps(*other.simulated, *first.simulated, out);
    if (has_parts) compare_parts(*other.simulated, *first.simulated, out);
  }
  out.equal("the job has a time", other.job.has_value(), first.job.has_value());
  if (other.job && first.job) out.same_time("the job", other.job->total(), first.job->total());
  out.equal("the job has a course", other.course.has_value(), first.course.has_value());
  if (other.course && first.course) {
    out.equal("attempts", other.course->attempts.size(), first.course->attempts.size());
    out.equal("lost steps", other.course->lost_steps(), first.course->lost_steps());
    out.same_time("the end of the job", other.course->end, first.course->end);
  }
  out.equal("the step that ended the job", other.last_step().value_or(-1), first.last_step().value_or(-1));
}

}  // namespace

std::string difference(const drawn::Trained& other, const drawn::Trained& first, const Compared& compared) {
  Comparison comparison(compared.tolerance);
  if (compared.times || compared.is_bound) compare_plans(other.results, first.results, comparison);
  if (compared.times) compare_times(other.results, first.results, compared.parts, comparison);
  if (compared.is_bound && other.results.simulated && first.results.simulated)
    compare_bound(*other.results.simulated, *first.results.simulated, comparison);
  if (compared.numbers) compare_numbers(other, first, compared, comparison);
  return comparison.found();
}

}  // namespace wt::agreement
