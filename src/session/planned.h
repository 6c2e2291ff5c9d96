#pragma once
// What is known of a training before anything runs: its model, how rows and gradients are divided among the
// replicas, and what their devices hold. Plain data; report/ writes it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/memory_report.h"
#include "strategy/reduction.h"

namespace wt::session {

struct Planned {
  std::string model{};
  std::int64_t trainable_parameters = 0;
  std::int64_t other_parameters = 0;
  std::int64_t replicas = 1;
  std::int64_t devices_of_each = 1;                      // replica: cores of TPUs
  std::int64_t workers = 1;                              // tasks that take part
  std::vector<std::int64_t> replica_rows{};              // of a whole batch, by replica
  std::optional<strategy::ReductionChoice> reduction{};  // several replicas
  std::int64_t global_batch = 0;
  std::int64_t tokens_per_row = 0;  // of a sequence model; 0: rows are no sequences
  std::int64_t epochs = 0;
  std::int64_t steps = 0;  // all epochs together
  plan::MemoryReport memory{};
  std::optional<std::int64_t> steps_per_epoch{};  // absent: rows without end
};

// The largest arena of the devices that have a memory limit; without limits, the largest of all.
Bytes peak_memory(const Planned& planned);

}  // namespace wt::session
