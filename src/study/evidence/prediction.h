#pragma once
// study/evidence/ compares predictions with published measurements. Most comparisons have the same form: a
// CSV row states what was measured, a table in the code maps the row to something that this program can plan
// and time, and the error is predicted / published - 1. For example the row
//
//   system "... (8x V100 16GB)", devices 1, model "RN50v1.5", batch "192/GPU", dtype "AMP", value 1376
//
// is mapped by a Setup (device type v100_sxm2_16, mixed_float16, SGD with momentum 0.9) and a Network (resnet50
// of the model zoo) of setups.h, and becomes a scenario as a user would write it (row_scenario.h). This file
// predicts rows of single devices by a roofline: each kernel takes the longer of its arithmetic and its memory
// time, at the efficiencies of the device type (plan/efficiency_fit.h). Rows that these tables do not map are
// counted, together with the reason (Predictions::left_out).
//
// Read next: measurements.h for the rows, measurement_study.h for the errors of single devices,
// scaling_prediction.h for several devices, nccl_study.h for collectives, and oracle.h for numerical
// agreement with reference runs.

#include <string>
#include <vector>

#include "plan/efficiency_fit.h"
#include "study/evidence/setups.h"

namespace wt::evidence {

// What is needed to predict one row with any constants.
struct Prediction {
  const Measurement* row = nullptr;
  Setup setup{};
  std::string network{};      // or the sizes of a matrix product, "1024x10240x5120"
  std::int64_t batch = 0;     // of one device; 0 for a matrix product
  double amount = 0;          // of work in a step: images, or 1e12 floating-point operations
  double published = 0;       // amount per second on one device
  plan::MeasuredStep step{};  // its kernels in the setup's precision; the time of all others is `beside`

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
