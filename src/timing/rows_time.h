#pragma once
// The time that hosts need to read and decode the rows of a step. Each worker's host has one input pipeline, which
// feeds all of its replicas (tf_distribute.md, row G15).

#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "cluster/machine.h"
#include "timing/simulated.h"

namespace wt::timing {

// What a host's input pipeline can do. It reads and decodes at the same time, so the slower of the two counts.
struct InputPipeline {
  Bytes stored_row{};                       // bytes of a row as it is stored
  std::optional<BytesPerSecond> storage{};  // absent: reading takes no time
  std::optional<std::variant<double, BytesPerSecond>>
      decoding{};             // rows or stored bytes per second; absent: no time
  std::int64_t prefetch = 0;  // batches that are prepared ahead
  bool reads_all_rows =
      false;  // every host reads the rows of all replicas and keeps its own (sharding by DATA)
};

struct RowsTime {
  std::vector<Seconds> by_task{};
  RowsPipeline slowest{};
};

// The time for a step whose first replicas have so many rows each. A machine may have more replicas than that.
RowsTime rows_time(const InputPipeline& pipeline, const cluster::Machine& machine,
                   std::span<const std::int64_t> replica_rows);

}  // namespace wt::timing
