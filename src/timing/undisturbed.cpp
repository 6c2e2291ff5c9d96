#include "timing/undisturbed.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace wt::timing {

void Undisturbed::add_steps(std::int64_t count, Seconds each, Seconds beside) {
  time_of_steps_ += each * static_cast<double>(count);
  if (const Seconds writing = saves_.empty() ? Seconds(0) : saves_.back().written - end_;
      beside > each && writing > Seconds(0)) {
    const double slow = std::ceil(writing / beside);
    const std::int64_t meanwhile =
        slow < static_cast<double>(count) ? static_cast<std::int64_t>(slow) : count;
    append(meanwhile, beside);
    count -= meanwhile;
  }
  append(count, each);
}

void Undisturbed::append(std::int64_t count, Seconds each) {
  if (count == 0) return;
  const bool goes_on = !pieces_.empty() && pieces_.back().each == each &&
                       pieces_.back().after == Seconds(0) && !pieces_.back().is_saved;
  if (goes_on)
    pieces_.back().count += count;
  else
    pieces_.push_back({.first = steps_, .count = count, .each = each, .begin = end_});
  steps_ += count;
  end_ = pieces_.back().end();
}

void Undisturbed::add_pause(Seconds time) {
  if (pieces_.empty()) return;
  pieces_.back().after += time;
  end_ = pieces_.back().end();
}

void Undisturbed::add_save(Seconds waits, Seconds written) {
  if (pieces_.empty()) return;
  finish();
  add_pause(waits);
  pieces_.back().is_saved = true;
  saves_.push_back({steps_, end_ + written});
}

void Undisturbed::finish() {
  if (!saves_.empty() && saves_.back().written > end_) add_pause(saves_.back().written - end_);
}

const Undisturbed::Piece& Undisturbed::piece_of(std::int64_t step) const {
  WT_EXPECT(step >= 0 && step < steps_, "step {} of {}", step, steps_);
  const auto next = std::ranges::upper_bound(pieces_, step, {}, &Piece::first);
  return *std::prev(next);
}

Seconds Undisturbed::begin_of(std::int64_t step) const {
  if (step >= steps_) return end_;
  const Piece& piece = piece_of(step);
  return piece.begin + piece.each * static_cast<double>(step - piece.first);
}

Seconds Undisturbed::length_of(std::int64_t step) const { return piece_of(step).each; }

Undisturbed::Position Undisturbed::at(Seconds time) const {
  const std::optional<std::int64_t> saved = saved_at(time);
  if (time >= end_) return {steps_, saved};
  const auto next = std::ranges::upper_bound(pieces_, time, {}, &Piece::begin);
  if (next == pieces_.begin()) return {0, saved};
  const Piece& piece = *std::prev(next);
  const auto done = static_cast<std::int64_t>(std::floor((time - piece.begin) / piece.each));
  return {piece.first + std::clamp<std::int64_t>(done, 0, piece.count), saved};
}

std::optional<std::int64_t> Undisturbed::saved_before(std::int64_t steps) const {
  return saved_at(begin_of(steps));
}

std::optional<std::int64_t> Undisturbed::saved_at(Seconds time) const {
  const auto next = std::ranges::upper_bound(saves_, time, {}, &Save::written);
  return next == saves_.begin() ? std::nullopt : std::optional(std::prev(next)->steps);
}

}  // namespace wt::timing
