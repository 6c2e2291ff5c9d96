#pragma once
// The constants of training on several devices that published rows determine.

#include <string>
#include <vector>

#include "platform/calibration.h"
#include "study/evidence/measurements.h"

namespace wt::evidence {

// What devices lose that meet in every step, such that the rows whose gradients are reduced during the backward pass
// are predicted best from their bases: the least sum of e / (e + 2 %), where e is |log(predicted / published)|. Other
// rows show more of how gradients travel than of how devices meet.
struct SynchronizationFit {
  platform::MeasuredSynchronization found{};
  std::size_t rows = 0;
  double before = 0, after = 0;  // medians of |predicted / published - 1|
};
SynchronizationFit fit_synchronization(const std::vector<Measurement>& rows);

// A constant that is fitted without the rows of one network.
struct OfOneNetwork {
  std::string network{};  // whose rows are left out
  Seconds found{};
  double error = 0;  // the median of |predicted / published - 1| over these rows
};
// How long after the end of one collective of TensorFlow the next begins, among the processes of several machines: such
// that the rows are predicted best whose gradients are reduced one by one after the backward pass.
struct CollectiveFit {
  Seconds found{};
  std::size_t rows = 0;
  double before = 0, after = 0;  // medians of |predicted / published - 1|
  std::vector<OfOneNetwork> left_out{};
};
CollectiveFit fit_collective_of_workers(const std::vector<Measurement>& rows);

}  // namespace wt::evidence
