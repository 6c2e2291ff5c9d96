#pragma once
// What published rows leave unsaid, in tables: which device of the catalogue a system has, in which precision its
// words mean, how its framework trained, and which network of the model zoo a name means. For example the row
//
//   system "... (8x V100 16GB)", devices 1, model "RN50v1.5", batch "192/GPU", dtype "AMP", value 1376
//
// of NVIDIA's MXNet page is a step of resnet50 on a v100_sxm2_16 with the policy mixed_float16, fusion
// "activations" and SGD with momentum. tests/measurements/README.md has the source of each assumption.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "device/type.h"
#include "study/evidence/measurements.h"

namespace wt::evidence {

// How a row is predicted.
struct Setup {
  std::string group{};                 // rows of one device and precision: "V100 float16"
  std::string_view device{};           // an id of devices.json
  device::Precision precision{};       // of the products and convolutions
  std::string_view policy{};           // "training.precision" of a scenario; empty: a matrix product alone
  std::string_view fusion{};           // "time.fusion" of a scenario
  std::string_view optimizer{};        // "training.optimizer" of a scenario, as JSON
  bool updates_by_operations = false;  // "time.updates" of a scenario
  bool is_channels_first = false;      // "time.image_data_format" of a scenario
  int replicas_per_device = 1;         // the cores of a TPU's chip that are devices
  int most_devices = 1;                // rows of more devices say something about communication, too

  friend bool operator==(const Setup&, const Setup&) = default;
};

// A network of the model zoo.
struct Network {
  std::string_view published{};  // a prefix of the row's model
  std::string_view zoo{};
  std::string_view parameters{};  // further members of the scenario's "model", as JSON
};

// The setup of a row. Nothing if its source doesn't state the machine or the precision, or if the catalogue doesn't
// have the device.
std::optional<Setup> setup_of(const Measurement& row);
// The network of a row. Null if its source doesn't state one, or if the zoo doesn't have it.
const Network* network_of(const Measurement& row);

bool is_throughput(const Measurement& row);
// The number of replicas of the row's devices.
int parts_of(const Measurement& row, const Setup& setup);
// The batch of one device if the row has `parts` devices. Cells are written "64/GPU", "64 per replica",
// "192/GPU (..)", "32768 global", or "..: mixed precision, FP32=6,3" for two precisions. Throws InputError at the row's
// place for other texts.
std::int64_t batch_of(const Measurement& row, int parts);

}  // namespace wt::evidence
