#include "timing/undisturbed.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace wt::timing {

void Undisturbed::add_steps(std::int64_t count, Seconds each) {
  if (count == 0) return;
  steps_ += count;
  time_of_steps_ += each * static_cast<double>(count);
  if (!pieces_.empty() && pieces_.back().each == each && pieces_.back().after == Seconds(0) &&
      !pieces_.back().is_saved) {
    pieces_.back().count += count;
  } else {
    std::optional<std::int64_t> saved;
    if (!pieces_.empty()) saved = pieces_.back().is_saved ? steps_ - count : pieces_.back().saved;
    pieces_.push_back({.first = steps_ - count, .count = count, .each = each, .begin = end_, .saved = saved});
  }
  end_ = pieces_.back().end();
}

void Undisturbed::add_pause(Seconds time) {
  if (pieces_.empty()) return;
  pieces_.back().after += time;
  end_ = pieces_.back().end();
}

void Undisturbed::add_save(Seconds time) {
  add_pause(time);
  if (!pieces_.empty()) pieces_.back().is_saved = true;
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
  if (pieces_.empty()) return {};
  if (time >= end_) return {steps_, saved_before(steps_)};
  const auto next = std::ranges::upper_bound(pieces_, time, {}, &Piece::begin);
  if (next == pieces_.begin()) return {};
  const Piece& piece = *std::prev(next);
  const auto done = static_cast<std::int64_t>(std::floor((time - piece.begin) / piece.each));
  return {piece.first + std::clamp<std::int64_t>(done, 0, piece.count), piece.saved};
}

std::optional<std::int64_t> Undisturbed::saved_before(std::int64_t steps) const {
  if (pieces_.empty()) return std::nullopt;
  if (steps >= steps_) return pieces_.back().is_saved ? std::optional(steps_) : pieces_.back().saved;
  return piece_of(steps).saved;
}

}  // namespace wt::timing
