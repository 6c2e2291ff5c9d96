#pragma once
// What a step's rows cost the hosts that read and decode them: one pipeline on each worker's host, as
// tf_distribute.md G15 has it.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "report/simulated.h"
#include "scenario/build.h"

namespace wt {

struct RowsTime {
  std::vector<Seconds> by_task{};
  report::RowsPipeline slowest{};
};

// For a step whose first replicas have so many rows each. None: the scenario says nothing of its input, which
// then costs nothing.
std::optional<RowsTime> rows_time(const scenario::Scenario& scenario, const scenario::Job& job,
                                  std::span<const std::int64_t> replica_rows);

}  // namespace wt
