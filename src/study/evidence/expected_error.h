#pragma once
// How far a prediction may be from the truth: the errors of predictions of published throughput
// (study/evidence/records.h), chosen by what is known about a device, its network and its size.
//
// An error is the logarithm of predicted over true throughput, so that errors of two causes add up. The causes are
// the time of the kernels, known from rows of one device, and the time of communication, known from rows of
// several devices whose kernel time was given. They are taken to be independent: their sums are all sums of one
// error of each kind. What counts are quantiles of these sums, since there are too few rows for any law of
// distribution. Every arrangement of rows has the same weight in all, or else the nineteen rows of the K80 would
// decide for all devices.

#include <span>
#include <string>
#include <vector>

#include "study/evidence/records.h"

namespace wt::evidence {

struct Sample {
  double error = 0;  // log(predicted / true)
  double weight = 1;
};
using Samples = std::vector<Sample>;

// The smallest error such that the errors up to it have the share `q` of all weights. Requires: there are
// samples, and 0 < q <= 1.
double quantile(Samples samples, double q);

// All sums of a sample of each.
Samples sums(const Samples& left, const Samples& right);

// How a device's kernels are known.
enum class Known {
  measured_here,    // a row of the user's own for this device and network
  calibrated_here,  // a step of the user's own on this machine, perhaps of another network
  published,        // published rows of the device in this precision, of the network
  other_networks,   // published rows of the device in this precision, of other networks
  other_devices,    // published rows of the generation in this precision, none of the device
  data_sheet_alone  // no published row of the generation in this precision
};
std::string_view name(Known known);

// What is to be predicted.
struct Asked {
  std::string device{};      // an id of devices.json
  std::string generation{};  // of the device; empty if it has none
  bool is_tpu = false;
  std::string precision{};
  std::string network{};   // of the model zoo; empty: a network of the user's own
  std::int64_t batch = 0;  // of one device
  std::int64_t devices = 1;
  bool is_calibrated = false;  // the platform's kernels, by its user
  std::string transport{};     // between machines, if no published row was measured with it; empty: a library
};

// A published row.
struct PublishedRow {
  const Record* record = nullptr;
  std::string generation{};
  bool is_tpu = false;
};
std::vector<PublishedRow> rows_of(const std::vector<Record>& records);

// The errors of one cause, and the sentence that says which rows they are of.
struct Cause {
  Samples samples{};
  std::string basis{};
};

struct Expected {
  Known known = Known::data_sheet_alone;
  Cause kernels{};
  Cause communication{};  // no samples: one device has none
};

Expected expected(const std::vector<PublishedRow>& rows, const Asked& asked);

// Predicted over true throughput, at three quantiles.
struct Band {
  double low = 1;   // at the quantile q: few predictions are lower
  double bias = 1;  // at 0.5
  double high = 1;  // at 1 - q
};
// Requires: 0 < q < 0.5.
Band band(const Expected& expected, double q);

// The row that is most like what is asked. Null without rows.
const PublishedRow* nearest(const std::vector<PublishedRow>& rows, const Asked& asked);

// A published row as text, and how far the prediction of it is off.
struct Nearest {
  std::string text{};
  double ratio = 1;  // predicted over published
};
Nearest as_nearest(const PublishedRow& row);

// "evidence to 16 GPUs, asked 512", or empty if rows go as far.
std::string extrapolation(const std::vector<PublishedRow>& rows, const Asked& asked);

}  // namespace wt::evidence
