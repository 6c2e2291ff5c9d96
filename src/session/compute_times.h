#pragma once
// Kernel times that don't come from the roofline model. They are measured on this machine's CPU or GPU, read
// from a profile (plan/profile.h), or transferred from the profile of another device by the ratio of the two
// rooflines.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "device/cpu/workers.h"
#include "execute/measure.h"
#include "plan/profiled.h"
#include "scenario/scenario.h"
#include "session/host_device.h"
#include "timing/simulation.h"

namespace wt::session {

struct ComputeOptions {
  int threads = 1;
  std::string version{};                           // of the program
  std::string today{};                             // "2026-11-22"
  std::function<void(const std::string&)> note{};  // receives messages for the user
  execute::MeasureOptions measure{};
};

std::string today();  // UTC, as in "2026-11-22"

// The device with its two rates: of matrix products, and of memory. Both are measured on the queue.
plan::ProfiledDevice with_rates(plan::ProfiledDevice device, device::Queue& queue,
                                const ComputeOptions& options);

class ComputeTimes final : public timing::KernelTimes {
 public:
  // If the scenario's devices have the type "this_machine", the constructor writes that type's description
  // into the scenario. Build the scenario's job afterwards. Requires: the scenario outlives this object.
  ComputeTimes(scenario::Scenario& scenario, ComputeOptions options);

  // The profile of the plan's first device and of the others of its type. Calls of the plan that it lacks are
  // measured or transferred first, if the scenario allows that. Null if the scenario uses the roofline.
  // Throws InputError if the scenario's profile is of another device and may not be transferred.
  const plan::Profile* of(const plan::Plan& plan, std::span<const device::DeviceType* const> types,
                          const plan::RooflineOptions& roofline) override;

  // The kernel times used so far, which may be written to a file. Unset before the first use.
  const std::optional<plan::Profile>& profile() const { return profile_; }

  // The measurement of the first device. A round runs all of its kernels once.
  struct Rounds {
    int count = 0;
    Seconds each{};
    Seconds expected{};  // the sum of the kernels' medians
  };
  const Rounds& rounds() const { return rounds_; }

  // Measures the plan's calls on this machine, whatever devices the scenario describes.
  void measure(const plan::Plan& plan, std::span<const device::DeviceType* const> types);

 private:
  device::Queue& queue();
  void describe_this_machine();
  void choose_profile(const device::DeviceType& type);
  void require_memory(const plan::Plan& plan, const plan::Device& device);
  void note_rounds(const execute::Measured& found);
  bool is_measured() const;

  scenario::Scenario& scenario_;
  ComputeOptions options_;
  device::Workers workers_;
  std::unique_ptr<device::Queue> queue_{};      // created at the first measurement
  std::optional<plan::ProfiledDevice> host_{};  // set if it is described or measured
  std::optional<plan::Profile> given_{};        // the profile that the scenario names
  std::optional<plan::Profile> profile_{};      // the profile of the scenario's devices
  bool is_transferred_ = false;
  Rounds rounds_{};
};

}  // namespace wt::session
