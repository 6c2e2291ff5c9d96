#pragma once
// What this house needs to predict a published row: which device type, network, batch, precision and
// framework it speaks of.

#include <string>
#include <vector>

#include "plan/efficiency_fit.h"
#include "study/evidence/measurements.h"

namespace wt::evidence {

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

// A network of the zoo, and what the published one differs by.
struct Network {
  std::string_view published{};  // how the row's model begins
  std::string_view zoo{};
  std::int64_t classes = 1000;
  bool is_first_version = false;  // of the residual networks
};

// What a row speaks of; null where nothing here knows it.
const Setup* setup_of(const Measurement& row);
const Network* network_of(const Measurement& row);

bool is_throughput(const Measurement& row);
// Devices of the catalogue: a chip may have two cores.
int parts_of(const Measurement& row, const Setup& setup);
// Of one of so many devices: "64/GPU", "192/GPU (..)", "32768 global". Throws InputError at the row.
std::int64_t batch_of(const Measurement& row, int parts);

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

// "27 rows: several devices".
std::string count_of_rows(std::int64_t count, std::string_view reason);

}  // namespace wt::evidence
