#pragma once
// How a job ends early by TensorFlow's rules: a worker is lost, or a collective runs into its timeout. Plain data;
// report/ writes it.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.h"

namespace wt::timing {

// A step that a worker doesn't reach: who waits for it, and how that ends.
struct LostWorker {
  std::string worker{};
  std::int64_t step = 0;
  std::string collective{};  // the first that waits
  std::vector<std::string> arrived{};
  std::vector<std::string> missing{};
  Seconds arrival{};      // since the training began
  Seconds end{};          // of the job
  std::string status{};   // "UNAVAILABLE"
  std::string message{};  // TensorFlow's text
};

// A step in which a collective takes longer than it is given, counted from the first that enters it.
struct TimedOut {
  std::int64_t step = 0;
  std::string collective{};
  std::string last{};  // the device that entered it last
  Seconds late{};      // so long after the first
  Seconds arrival{};   // of the first, since the training began
  Seconds span{};      // from there to its end, had it been let
  Seconds timeout{};
  Seconds end() const { return arrival + timeout; }  // of the job
};

// TensorFlow's, when a collective's time is over; all later ones fail at once.
inline constexpr std::string_view timed_out_status = "DEADLINE_EXCEEDED";
inline constexpr std::string_view timed_out_message = "Collective has timed out during execution.";

}  // namespace wt::timing
