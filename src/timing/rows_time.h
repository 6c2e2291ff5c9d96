#pragma once
// The time that hosts need to read and decode the rows of a step. Each worker's host has one input pipeline,
// which feeds all of its replicas (tf_distribute.md, row G15).

#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "cluster/machine.h"
#include "timing/simulated.h"

namespace wt::timing {

// The performance of the input pipeline of a host. It reads and decodes at the same time, so the slower of
// the two counts.
struct InputPipeline {
  Bytes stored_row{};                       // bytes of a row as it is stored
  std::optional<BytesPerSecond> storage{};  // absent: reading takes no time
  std::optional<std::variant<double, BytesPerSecond>>
      decoding{};             // rows or stored bytes per second; absent: no time
  std::string decoders{};     // what decodes at that rate; empty: the user says the rate
  std::int64_t prefetch = 0;  // batches that are prepared ahead
  bool reads_all_rows =
      false;  // every host reads the rows of all replicas and keeps its own (sharding by DATA)
};

// The time that each host needs for the rows of a step.
struct RowsTime {
  std::vector<Seconds> by_task{};
  RowsPipeline slowest{};  // of the host that needs most
};

// The time that a host needs to read and decode this number of rows.
Seconds reading_time(const InputPipeline& pipeline, std::int64_t rows);

// `replica_rows` gives the rows of the first replicas in a step. The machine may have more replicas than
// that.
RowsTime rows_time(const InputPipeline& pipeline, const cluster::Machine& machine,
                   std::span<const std::int64_t> replica_rows);

}  // namespace wt::timing
