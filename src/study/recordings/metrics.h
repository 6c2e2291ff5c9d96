#pragma once
// Recordings of metrics: three updates, without and with sample weights.

#include <optional>
#include <string>
#include <vector>

#include "study/recordings/recording.h"

namespace wt::recordings {

// What a metric is after its updates. Each update has one row for every row of labels, shared among the replicas.
struct Measured {
  std::vector<Tensor> results{};           // after each update
  std::map<std::string, Tensor> states{};  // after the last, by the name in the table: "total"
};
Measured repeat_metric(const Recording& recording, bool is_weighted, std::int64_t replicas);

}  // namespace wt::recordings
