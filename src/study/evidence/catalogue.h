#pragma once
// What the catalogue's devices are predicted to train, beside what is published of them: whether they make sense as a
// whole. A planner who compares devices needs their order more than their times.

#include <optional>
#include <string>
#include <vector>

#include "device/type.h"
#include "study/evidence/prediction.h"

namespace wt::evidence {

// Rows per second of a network of the zoo on one device without a strategy, whose rows are there. Unset if the step
// doesn't fit. `precision` is a value of the scenario's key training.precision;
// empty: what TensorFlow computes in.
std::optional<double> throughput_on(const device::DeviceType& type, std::string_view network,
                                    std::string_view precision, int batch);

// A network on a device in a precision, by all published rows of one device.
struct CataloguedRate {
  std::string device{};
  std::string precision{};
  std::string network{};
  std::string unit{};
  std::size_t rows = 0;
  double published = 0;  // the mean of the rows
  double predicted = 0;
};

// By network; in each the slowest first, as published.
std::vector<CataloguedRate> catalogued_rates(const std::vector<Prediction>& made);

// Spearman's: the correlation of the ranks of published and predicted rates. Equal values share the mean of their
// ranks. Requires: there are at least two rates.
double rank_correlation(const std::vector<CataloguedRate>& rates);
double rank_correlation(const std::vector<double>& left, const std::vector<double>& right);

}  // namespace wt::evidence
