#pragma once
// What this house needs to predict a published row: which device type, network, batch, precision and
// framework it speaks of.

#include <string>
#include <vector>

#include "cli/measurements.h"
#include "plan/efficiency_fit.h"

namespace wt {

// How a group of rows is predicted.
struct Setup {
  std::string_view group{};
  std::string_view system{};  // a part of the row's
  std::string_view type{};    // the row's dtype
  std::string_view device{};
  device::Precision precision{};
  plan::Fusion fusion{};
  double momentum = 0;
  double weight_decay = 0;
  bool is_core_of_chips = false;  // `devices` counts chips of two cores; one core's share is predicted
};

struct Prediction {
  const Measurement* row = nullptr;
  const Setup* setup = nullptr;
  std::string network{};   // or "1024x10240x5120", a product
  std::int64_t batch = 0;  // of one device; 0: a product
  double amount = 0;       // of a step: images, or operations in units of 1e12
  double published = 0;    // amount per second of one device
  plan::MeasuredStep step{};

  double predicted(const device::Efficiency& efficiency) const {
    return amount / plan::predicted(step, efficiency).count();
  }
};

// Rows that one device's compute can explain; the others are named with the reason.
struct Predictions {
  std::vector<Prediction> made{};       // grouped
  std::vector<std::string> left_out{};  // "27 rows: several devices"
};

Predictions predict(const std::vector<Measurement>& rows);

}  // namespace wt
