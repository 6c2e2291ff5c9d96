#pragma once
// The answer to a question about a collective, for one algorithm and one size.

#include <optional>
#include <string>
#include <vector>

#include "plan/timeline.h"

namespace wt::communication {

struct CollectiveRow {
  std::string series{};  // what was requested: "auto", "ring", a file
  std::string algorithm{};
  std::string protocol{};   // empty: the wires alone
  std::string runner_up{};  // that the library would choose next; empty where it doesn't choose
  std::string basis{};
  Bytes bytes{};
  std::int64_t count = 0;  // elements, counted as nccl-tests does
  Seconds time{};
  std::optional<Seconds> in_place{};  // where it isn't the same
  std::optional<Seconds> bound{};
  std::vector<plan::LinkUse> links{};
  std::int64_t moves = 0;    // of the schedule
  std::int64_t played = 0;   // of them; what folded clocks played of shorter schedules counts
  int pieces = 0;            // larger ones than the library's; 0: its own
  bool is_borrowed = false;  // NCCL has no such algorithm: its ring's messages stand in for this one's
  std::vector<std::string> warnings{};

  Seconds in_place_time() const { return in_place.value_or(time); }
};

}  // namespace wt::communication
