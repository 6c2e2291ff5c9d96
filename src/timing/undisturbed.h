#pragma once
// A training in which nothing fails, as a line of time: equal steps one after the other, between them pauses such as
// evaluations, and saves after which a restart may begin. It answers where the training is at a time, and when it is
// at a step:
//
//   Undisturbed job;
//   job.add_steps(100, Seconds(2));
//   job.add_save(Seconds(5));           // a checkpoint of the state after 100 steps
//   job.add_steps(100, Seconds(2));
//   job.begin_of(100)                   // 205 s: the checkpoint lies before step 100
//   job.at(Seconds(203))                // 100 steps are done, and nothing is saved yet
//
// A checkpoint may be written while the training goes on. Then it counts when it is written, and the next one waits for
// that.

#include <cstdint>
#include <optional>
#include <vector>

#include "base/quantity.h"

namespace wt::timing {

class Undisturbed {
 public:
  // A step that begins while a checkpoint is written takes `beside`, if that is longer.
  void add_steps(std::int64_t count, Seconds each, Seconds beside = {});
  void add_pause(Seconds time);  // after the steps so far
  // Of the state after the steps so far. The training waits at first, and from then on the checkpoint is written.
  void add_save(Seconds waits, Seconds written = {});
  void finish();  // the training ends when its last checkpoint is written

  std::int64_t steps() const { return steps_; }
  Seconds time_of_steps() const { return time_of_steps_; }
  Seconds end() const { return end_; }

  // When step number `step` begins, counted from 0: after all pauses and saves that lie before it. Of steps(): end().
  Seconds begin_of(std::int64_t step) const;
  Seconds length_of(std::int64_t step) const;

  struct Position {
    std::int64_t steps = 0;  // that are complete
    std::optional<std::int64_t>
        saved{};  // as many steps are in the newest complete save; unset: there is none
  };
  Position at(Seconds time) const;
  // The newest save of at most so many steps.
  std::optional<std::int64_t> saved_before(std::int64_t steps) const;

 private:
  // Equal steps, and what follows them.
  struct Piece {
    std::int64_t first = 0;
    std::int64_t count = 0;
    Seconds each{};
    Seconds begin{};
    Seconds after{};  // pauses and saves
    bool is_saved = false;
    Seconds end() const { return begin + each * static_cast<double>(count) + after; }
  };

  struct Save {
    std::int64_t steps = 0;  // that are in it
    Seconds written{};       // when a restart may begin from it
  };

  void append(std::int64_t count, Seconds each);
  const Piece& piece_of(std::int64_t step) const;
  std::optional<std::int64_t> saved_at(Seconds time) const;

  std::vector<Piece> pieces_{};
  std::vector<Save> saves_{};
  std::int64_t steps_ = 0;
  Seconds time_of_steps_{};  // if nothing is written beside them
  Seconds end_{};
};

}  // namespace wt::timing
