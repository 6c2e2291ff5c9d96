#pragma once
// The scenario of a published row on several devices, played with the compute time of the row that has the fewest: what
// both a prediction of scaling and a fit of its constants ask for.

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/calibration.h"
#include "study/evidence/arrangements.h"

namespace wt::evidence {

// Empty: the row can be predicted.
std::string_view reason_to_leave_out(const Measurement& row);

// The batch of one device.
std::int64_t own_batch(const Measurement& row);

// A step of a row's scenario.
struct PlayedRow {
  Seconds step{}, alone{};  // alone: of one device
  std::int64_t rows = 0;

  double throughput() const { return static_cast<double>(rows) / step.count(); }
};

using Synchronization = std::optional<platform::MeasuredSynchronization>;  // absent: that of all systems

// `alone`: the measured time of one device; absent: by its constants.
PlayedRow play(const Measurement& row, const Arrangement& arrangement, std::optional<Seconds> alone,
               const Synchronization& synchronization);

// Finds the base of each row, and keeps the step time of one device that follows from it.
class Bases {
 public:
  // Requires: the rows outlive it.
  explicit Bases(const std::vector<Measurement>& rows, const Synchronization& synchronization = {})
      : rows_(rows), synchronization_(synchronization) {}

  // The row with the fewest devices and the same batch per device; null: none.
  const Measurement* base_of(const Measurement& row) const;
  // The row with the compute time of its base. Requires: it has one.
  PlayedRow scaled(const Measurement& row, const Arrangement& arrangement);

 private:
  Seconds alone(const Measurement& base, const Arrangement& arrangement);

  const std::vector<Measurement>& rows_;
  const Synchronization synchronization_;
  std::map<std::pair<const Measurement*, const Arrangement*>, Seconds> known_{};
};

}  // namespace wt::evidence
