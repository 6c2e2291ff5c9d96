#pragma once
// Predictions of published throughput on several devices. Each row becomes the text of a scenario, which is
// then planned and simulated as `windtunnel run` does it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/calibration.h"
#include "study/evidence/prediction.h"

namespace wt::evidence {

// When gradients are reduced. Errors of one regime say nothing about another.
enum class Regime : std::uint8_t {
  one_pack,       // all gradients together after the backward pass, as TensorFlow's strategies do by default
  overlapped,     // in buckets during the backward pass, as Horovod and PyTorch's DDP do
  on_one_device,  // gradients are gathered where the variables are, and added there
};
std::string_view name(Regime regime);  // "one pack"

// How the rows of a group are written as scenarios.
struct Arrangement {
  std::string_view group{};
  Regime regime{};
  std::string_view system{};    // a part of the row's system
  std::string_view strategy{};  // a prefix of the row's strategy
  std::string_view source{};    // a part of the row's source
  // The scenario's "platform" and "strategy", as JSON, for the row's number of devices.
  std::string (*platform_of)(int devices) = nullptr;
  std::string (*strategy_of)(int devices) = nullptr;
  // What meeting in collectives costs is fitted to overlapped rows, but for those with two digits, by which it is judged.
  bool is_only_judged = false;
};

struct ScalingPrediction {
  const Measurement* row = nullptr;
  const Measurement* base =
      nullptr;  // the row with the fewest devices and the same batch per device; null: none
  const Arrangement* arrangement = nullptr;
  std::string network{};
  std::int64_t batch = 0;          // of each device
  double absolute = 0;             // throughput with the constants of the devices' generation
  std::optional<double> scaled{};  // throughput with the compute time of the base row
};

struct ScalingPredictions {
  std::vector<ScalingPrediction> made{};  // sorted by group
  std::vector<std::string> left_out{};
};

// Requires: the rows outlive their predictions. Throws InputError if a row's batch can't be read.
ScalingPredictions predict_scaling(const std::vector<Measurement>& rows);
ScalingPredictions predict_scaling(const std::vector<Measurement>&& rows) = delete;

// What devices lose that meet in every step, such that the rows whose gradients are reduced during the backward pass
// are predicted best from their bases: the least sum of e / (e + 2 %), where e is |log(predicted / published)|. Other
// rows show more of how gradients travel than of how devices meet.
struct SynchronizationFit {
  platform::MeasuredSynchronization found{};
  std::size_t rows = 0;
  double before = 0, after = 0;  // medians of |predicted / published - 1|
};
SynchronizationFit fit_synchronization(const std::vector<Measurement>& rows);

// The scenario of a row. `alone` is the measured time of one device for its share of a step. Without it, the
// roofline gives that time.
std::string scenario_text(const Measurement& row, const Arrangement& arrangement,
                          std::optional<Seconds> alone = {});

// The arrangement of the group with this name. Requires: there is one.
const Arrangement& arrangement_named(std::string_view group);

}  // namespace wt::evidence
