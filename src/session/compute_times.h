#pragma once
// Where a scenario's kernel times come from, when it isn't the roofline: measured on this machine's CPU or GPU, read
// from a profile, or a profile of another device transferred to this one.

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
  std::function<void(const std::string&)> note{};  // to a person
  execute::MeasureOptions measure{};
};

std::string today();

// The device with its two rates, measured now on its queue.
plan::ProfiledDevice with_rates(plan::ProfiledDevice device, device::Queue& queue,
                                const ComputeOptions& options);

class ComputeTimes final : public timing::KernelTimes {
 public:
  // Where the scenario's devices are this machine, its description goes into the scenario: build it afterwards.
  // Requires: the scenario outlives it.
  ComputeTimes(scenario::Scenario& scenario, ComputeOptions options);

  // For the plan's devices of the first one's type, with all calls that can be had. Null: the roofline. Throws
  // InputError for a profile of another device.
  const plan::Profile* of(const plan::Plan& plan, std::span<const device::DeviceType* const> types,
                          const plan::RooflineOptions& roofline) override;

  // What was used so far, for the next time.
  const std::optional<plan::Profile>& profile() const { return profile_; }

  // The rounds that measured the first device.
  struct Rounds {
    int count = 0;
    Seconds each{};
    Seconds expected{};  // by the medians of the kernels
  };
  const Rounds& rounds() const { return rounds_; }

  // Measures what this machine takes for the plan's calls, whatever its devices are.
  void measure(const plan::Plan& plan, std::span<const device::DeviceType* const> types);

 private:
  device::Queue& queue();
  void describe_this_machine();
  void settle(const device::DeviceType& type);
  void require_memory(const plan::Plan& plan, const plan::Device& device);
  void note_rounds(const execute::Measured& found);
  bool is_measured() const;

  scenario::Scenario& scenario_;
  ComputeOptions options_;
  device::Workers workers_;
  std::unique_ptr<device::Queue> queue_{};      // made when something has to be measured
  std::optional<plan::ProfiledDevice> host_{};  // where the scenario's devices are this machine
  std::optional<plan::Profile> given_{};        // by the scenario
  std::optional<plan::Profile> profile_{};      // of the scenario's devices
  bool is_transferred_ = false;
  Rounds rounds_{};
};

}  // namespace wt::session
