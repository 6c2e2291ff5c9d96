#pragma once
// study/evidence/ compares predictions with published measurements. Most comparisons have the same form: a
// CSV row states what was measured, a table in the code maps the row to something that this program can plan
// and time, and the error is predicted / published - 1. For example the row
//
//   system "... (8x V100 16GB)", devices 1, model "RN50v1.5", batch "192/GPU", dtype "AMP", value 1376
//
// is mapped by a Setup (device type v100_sxm2_16, float16, SGD with momentum 0.9) and a Network (resnet50 of
// the model zoo). This file predicts rows of single devices by a roofline: each kernel takes the longer of
// its arithmetic and its memory time, at the efficiencies of the device type (plan/efficiency_fit.h). Rows
// that these tables do not map are counted, together with the reason (Predictions::left_out).
//
// Read next: measurements.h for the rows, measurement_study.h for the errors of single devices,
// scaling_prediction.h for several devices, nccl_study.h for collectives, and oracle.h for numerical
// agreement with reference runs.

#include <string>
#include <vector>

#include "plan/efficiency_fit.h"
#include "study/evidence/measurements.h"

namespace wt::evidence {

// How a group of rows is predicted.
struct Setup {
  std::string_view group{};
  std::string_view system{};  // a part of the row's system
  std::string_view type{};    // the row's dtype
  std::string_view device{};
  device::Precision precision{};
  plan::Fusion fusion{};
  double momentum = 0;
  double weight_decay = 0;
  bool is_core_of_chips = false;  // The row counts chips of two cores, and one core is predicted.
};

// A network of the model zoo, with the parameters that make it the published network.
struct Network {
  std::string_view published{};  // a prefix of the row's model
  std::string_view zoo{};
  std::int64_t classes = 1000;
  bool is_first_version = false;  // of the ResNet family, v1 instead of v1.5
};

// The setup and network of a row. Null if the tables have none for it.
const Setup* setup_of(const Measurement& row);
const Network* network_of(const Measurement& row);

bool is_throughput(const Measurement& row);
// The number of devices of the catalogue that the row's devices are. A TPU chip has two cores, which are two
// devices.
int parts_of(const Measurement& row, const Setup& setup);
// The batch of one device if the row has `parts` devices. Cells are written "64/GPU", "192/GPU (..)" or
// "32768 global". Throws InputError at the row's place for other texts.
std::int64_t batch_of(const Measurement& row, int parts);

// What is needed to predict one row with any constants.
struct Prediction {
  const Measurement* row = nullptr;
  const Setup* setup = nullptr;
  std::string network{};   // or the sizes of a matrix product, "1024x10240x5120"
  std::int64_t batch = 0;  // of one device; 0 for a matrix product
  double amount = 0;       // of work in a step: images, or 1e12 floating-point operations
  double published = 0;    // amount per second on one device
  plan::MeasuredStep step{};

  // Amount per second with these constants.
  double predicted(const device::Efficiency& efficiency) const {
    return amount / plan::predicted(step, efficiency).count();
  }
};

// The rows whose throughput depends only on the compute of one device, and the reasons why other rows are
// left out.
struct Predictions {
  std::vector<Prediction> made{};       // sorted by group
  std::vector<std::string> left_out{};  // "27 rows: several devices"
};

Predictions predict(const std::vector<Measurement>& rows);

// "27 rows: several devices".
std::string count_of_rows(std::int64_t count, std::string_view reason);

}  // namespace wt::evidence
