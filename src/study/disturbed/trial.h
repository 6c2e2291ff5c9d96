#pragma once
// Trains a drawn scenario through its failures, and judges what came of it. What must hold:
//
//   it ends, and its attempts follow each other without a gap: each begins with what the one before has kept
//   every step is kept once, in order; what is lost, or used twice, is in the report
//   where replicas wait for each other in every step, the kept steps have the losses of a training in which nothing fails, and a complete
//   training its weights, bit for bit; unless the report says that Keras' BackupAndRestore reads or applies something
//   twice
//   the same scenario gives the same results a second time

#include <cstdint>
#include <string>

namespace wt::disturbed {

struct Trial {
  std::int64_t seed = 0;
  std::string strategy{};
  std::int64_t attempts = 1;
  std::int64_t lost_steps = 0;
  std::int64_t stalls = 0;
  bool is_complete = false;
  bool is_compared = false;  // with the training in which nothing fails
  std::string wrong{};       // what doesn't hold; empty: nothing
};

Trial try_out(std::int64_t seed);

}  // namespace wt::disturbed
