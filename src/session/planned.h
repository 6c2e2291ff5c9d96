#pragma once
// The properties of a training that are known before anything runs: its model, how rows and gradients are
// divided among the replicas, and the memory that their devices need. It is plain data, which report/ writes.

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
  std::int64_t devices_of_each = 1;                      // devices of each replica: several for TPU cores
  std::int64_t workers = 1;                              // tasks that train
  std::vector<std::int64_t> replica_rows{};              // rows of a whole batch, by replica
  std::optional<strategy::ReductionChoice> reduction{};  // set if there are several replicas
  std::int64_t global_batch = 0;
  std::int64_t devices() const { return replicas * devices_of_each; }
  std::int64_t tokens_per_row = 0;  // of a sequence model; 0: rows are no sequences
  std::int64_t epochs = 0;
  std::int64_t steps = 0;  // of all epochs together
  plan::MemoryReport memory{};
  bool is_inference = false;                      // steps predict, and none trains
  std::optional<std::int64_t> steps_per_epoch{};  // unset if the dataset is endless
};

// The largest arena among the devices that have a memory limit. If none has one, the largest arena of all
// devices.
Bytes peak_memory(const Planned& planned);

}  // namespace wt::session
