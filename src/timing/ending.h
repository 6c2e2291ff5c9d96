#pragma once
// The two ways in which a job ends early by TensorFlow's rules: a worker is lost, or a collective exceeds its
// timeout. The types are plain data, which report/ writes.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.h"

namespace wt::timing {

// A task that does not reach a step, most often a worker. Other replicas may wait for it in a collective until the
// runtime ends the job.
struct LostWorker {
  std::string worker{};  // the task
  std::int64_t step = 0;
  std::string collective{};            // the first collective that waits; empty: nothing waits in one
  std::vector<std::string> arrived{};  // devices that entered the collective
  std::vector<std::string> missing{};  // devices of the lost worker
  Seconds arrival{};                   // when the collective was entered, since the training began
  Seconds end{};                       // of the job, since the training began
  std::string status{};                // "UNAVAILABLE"; "KILLED": the lost process was the whole program
  std::string message{};               // the text of TensorFlow's error
  std::string waits{};  // a sentence on the tasks that never end by themselves; empty: there are none
};

// A collective that takes longer than its timeout, counted from the moment when the first device enters it.
struct TimedOut {
  std::int64_t step = 0;
  std::string collective{};
  std::string last{};  // the device that entered it last
  Seconds late{};      // the time by which it was later than the first
  Seconds arrival{};   // of the first device, since the training began
  Seconds span{};      // from the first arrival to the end that it would have had without a timeout
  Seconds timeout{};
  Seconds end() const { return arrival + timeout; }  // of the job
};

// TensorFlow's status and message when a collective times out. All later collectives fail immediately.
inline constexpr std::string_view timed_out_status = "DEADLINE_EXCEEDED";
inline constexpr std::string_view timed_out_message = "Collective has timed out during execution.";

}  // namespace wt::timing
