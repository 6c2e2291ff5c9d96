#include "cli/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ostream>

#include "cli/plain_text.h"

namespace wt::cli {

namespace {

constexpr double shortest_pause = 0.1;        // seconds between two updates of the line
constexpr double first_line = 10;             // seconds until a log gets a line
constexpr double long_training = 10;          // seconds from which on the user is warned
constexpr double enough_for_an_estimate = 1;  // seconds of steps, which the noise of a clock doesn't change

std::string duration(double seconds) {
  if (seconds < 0.1) return fmt::format("{:.0f} ms", seconds * 1000);
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

double wall_clock() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Progress::Progress(std::ostream& messages, std::int64_t steps, WallClock clock, bool has_losses)
    : messages_(messages),
      steps_(steps),
      terminal_(terminal_below(messages)),
      clock_(std::move(clock)),
      start_(clock_()),
      has_losses_(has_losses) {}

void Progress::begin_steps() { begin_ = seconds(); }

// The first step also makes its tasks and touches its memory for the first time, so it counts only as long as
// there is no other.
double Progress::seconds_per_step(double now) const {
  return done_ == 1 ? now - begin_ : (now - first_done_) / static_cast<double>(done_ - 1);
}

void Progress::estimate(std::int64_t left, double now) {
  if (is_estimated_ || now - begin_ < enough_for_an_estimate) return;
  is_estimated_ = true;
  const double rest = seconds_per_step(now) * static_cast<double>(left);
  if (now - begin_ + rest <= long_training) return;
  if (terminal_ != nullptr) *terminal_ << "\r\033[K" << std::flush;
  messages_ << fmt::format("the {} of {} steps that are left take about {}, without evaluations\n", left,
                           steps_, duration(rest))
            << std::flush;
}

void Progress::show(const train::StepResult& step) {
  ++done_;
  const double now = seconds();
  const std::int64_t left = steps_ - step.step - 1;
  if (done_ == 1) first_done_ = now;
  if (left > 0) estimate(left, now);
  if (step.epoch == last_epoch_) seconds_per_row_.push_back((now - last_) / static_cast<double>(step.rows));
  last_ = now;
  last_epoch_ = step.epoch;
  if (terminal_ != nullptr ? now - shown_ < shortest_pause : now < next_line_) return;
  shown_ = now;
  next_line_ = 2 * now;
  const std::string loss = has_losses_ ? fmt::format(", loss {:.4f}", step.loss) : "";
  print(fmt::format("step {} of {}{}, {} left", step.step + 1, steps_, loss,
                    duration(seconds_per_step(now) * static_cast<double>(left))));
}

void Progress::show_evaluation(std::int64_t done, std::int64_t all) {
  const double now = seconds();
  if (done == 1) {
    evaluation_ = now;
    next_line_of_evaluation_ = first_line;
    return;
  }
  const double spent = now - evaluation_;
  if (terminal_ != nullptr ? now - shown_ < shortest_pause : spent < next_line_of_evaluation_) return;
  shown_ = now;
  next_line_of_evaluation_ = 2 * spent;
  print(fmt::format("evaluation: step {} of {}, {} left", done, all,
                    duration(spent / static_cast<double>(done - 1) * static_cast<double>(all - done))));
}

void Progress::print(const std::string& text) {
  if (terminal_ != nullptr)
    *terminal_ << "\r" << text << "\033[K" << std::flush;
  else
    messages_ << text << "\n" << std::flush;
}

void Progress::finish() {
  if (terminal_ != nullptr) *terminal_ << "\r\033[K";
  if (done_ == 0) return;
  messages_ << fmt::format("{} {} in {}", done_, done_ == 1 ? "step" : "steps", duration(seconds()));
  if (!seconds_per_row_.empty()) {
    const auto middle = seconds_per_row_.begin() + std::ssize(seconds_per_row_) / 2;
    std::nth_element(seconds_per_row_.begin(), middle, seconds_per_row_.end());
    messages_ << fmt::format(", {:.0f} rows/s within an epoch", 1 / *middle);
  }
  messages_ << "\n";
}

}  // namespace wt::cli
