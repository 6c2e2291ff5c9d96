#pragma once
// How a job ends before its end, by TensorFlow's rules: a worker is lost, or a collective's time runs out. As
// the results' JSON has it, and for people.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "base/quantity.h"

namespace wt::report {

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

void write_lost(json::Writer& out, const LostWorker& lost);          // the member "lost_worker"
void write_timed_out(json::Writer& out, const TimedOut& timed_out);  // the member "timed_out"
std::string lost_text(const LostWorker& lost);
std::string timed_out_text(const TimedOut& timed_out);

}  // namespace wt::report
