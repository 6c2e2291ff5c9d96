#pragma once
// Writes the times of a collective over its size as an entry of a report, with what was measured, one size as a
// schedule of moves between ranks, and the load of the machine's links.

#include <optional>
#include <string>

#include "base/json_writer.h"
#include "communication/collective_clock.h"
#include "platform/platform.h"
#include "report/collective_table.h"

namespace wt::report {

// One size of one algorithm, move by move.
struct ShownSchedule {
  std::string algorithm{};
  Bytes bytes{};
  communication::Recording recording{};
};

struct ShownCollective {
  const CollectiveTable& table;  // has rows
  const platform::Platform& platform;
  std::optional<ShownSchedule> schedule{};  // unset: every size has too many moves to be drawn
};

std::string name_of(const CollectiveTable& table);  // "all_reduce of 8 ranks on dgx_h100"

void write_collective(json::Writer& out, const ShownCollective& shown);

}  // namespace wt::report
