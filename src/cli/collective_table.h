#pragma once
// What `collective` prints: nccl-tests' columns, and beside them what nothing beats and who chose.

#include <optional>
#include <string>
#include <vector>

#include "cli/collective_question.h"
#include "plan/timeline.h"

namespace wt {

struct CollectiveRow {
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

// What all rows share.
struct CollectiveTable {
  std::string platform{};
  collective::Operation operation{};
  int ranks = 0;   // of a group
  int groups = 1;  // at once
  int machines = 1;
  std::string_view type{};
  std::string reduction{};
  int root = 0;
  std::string launch{};  // "mpi"; empty: no library's call is known
  std::string order{};   // of the ranks; empty: the platform's
  bool links = false;
  std::vector<std::string> warnings{};
  std::vector<CollectiveRow> rows{};
};

std::string collective_text(const CollectiveTable& table);
std::string collective_csv(const CollectiveTable& table);
std::string collective_json(const CollectiveTable& table);

}  // namespace wt
