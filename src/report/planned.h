#pragma once
// What is known of a training before anything runs: its model, how rows and gradients go to and fro between
// replicas, and what their devices hold. As the results' JSON has it, and for people.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "plan/memory_report.h"

namespace wt::report {

// How a strategy brings the replicas' gradients together.
struct Reduction {
  std::string name{};       // TensorFlow's: "CollectiveAllReduce (NCCL)"
  std::string algorithm{};  // "ring"
  std::string protocol{};   // of NCCL: "Simple"
  std::string why{};
  std::string otherwise{};   // what NCCL would take, where something else runs
  bool is_librarys = false;  // NCCL carries it out
};

struct Planned {
  std::string model{};
  std::int64_t trainable_parameters = 0;
  std::int64_t other_parameters = 0;
  std::int64_t replicas = 1;
  std::int64_t devices_of_each = 1;          // replica: cores of TPUs
  std::int64_t workers = 1;                  // tasks that take part
  std::vector<std::int64_t> replica_rows{};  // of a whole batch, by replica
  std::optional<Reduction> reduction{};      // several replicas
  std::int64_t global_batch = 0;
  std::int64_t epochs = 0;
  std::int64_t steps = 0;  // all epochs together
  plan::MemoryReport memory{};
  std::optional<std::int64_t> steps_per_epoch{};  // absent: rows without end
};

void write_planned(json::Writer& out, const Planned& planned);  // the members "model" and "planned"
std::string planned_text(const Planned& planned);
std::string reduction_text(const Planned& planned);  // "ring with Simple"; empty: nothing is reduced

// The most that a device which limits it holds; without limits, the most at all.
Bytes peak_memory(const Planned& planned);

}  // namespace wt::report
