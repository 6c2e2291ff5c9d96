#include "study/sureness.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/platform.h"
#include "platform/slice.h"
#include "study/model_name.h"

namespace wt::study {

namespace {

using evidence::Asked, evidence::Expected, evidence::Known, evidence::PublishedRow;

const std::vector<PublishedRow>& published_rows() {
  static const std::vector<PublishedRow> rows = rows_of(evidence::known_records().rows);
  return rows;
}

// Published rows of TPUs count chips, which have one or two devices.
std::int64_t devices_as_published(const cluster::Machine& machine, const session::Planned& planned) {
  const platform::Slice* slice = machine.platform->slice();
  return slice == nullptr
             ? planned.devices()
             : std::max<std::int64_t>(1, planned.devices() / std::max(1, slice->devices_per_chip()));
}

bool is_calibrated(const cluster::Machine& machine) {
  const platform::Calibration* calibration = machine.platform->calibration();
  return calibration != nullptr && calibration->kernels;
}

Asked asked_about(const scenario::Scenario& scenario, const cluster::Machine& machine,
                  const session::Planned& planned, const timing::Simulated& simulated) {
  const device::DeviceType& device = machine.platform->type(machine.endpoint(print(machine.device().name)));
  return {.device = device.id,
          .generation = device.generation,
          .is_tpu = device.kind == device::Kind::tpu,
          .precision = simulated.precision,
          .network = model_name(scenario),
          .batch = planned.replica_rows.empty() ? 0 : std::ranges::max(planned.replica_rows),
          .devices = devices_as_published(machine, planned),
          .is_calibrated = is_calibrated(machine),
          .transport = simulated.transport};
}

// Kernels that were measured have no error of a prediction.
void take_measurement_into_account(const scenario::Scenario& scenario, Expected& errors) {
  const bool is_profiled = !scenario.time.compute.is_roofline();
  if (!scenario.time.measured_step && !is_profiled) return;
  errors.known = Known::measured_here;
  errors.kernels = {{}, is_profiled ? "kernels as measured" : "the measured step that the scenario gives"};
}

}  // namespace

Sureness sureness_of(const scenario::Scenario& scenario, const cluster::Machine& machine,
                     const session::Planned& planned, const timing::Simulated& simulated) {
  const std::vector<PublishedRow>& rows = published_rows();
  const Asked asked = asked_about(scenario, machine, planned, simulated);
  Expected errors = expected(rows, asked);
  take_measurement_into_account(scenario, errors);
  Sureness sureness{.known = errors.known,
                    .band = band(errors, usual_quantile),
                    .kernels_basis = errors.kernels.basis,
                    .communication_basis = errors.communication.basis,
                    .extrapolation = extrapolation(rows, asked)};
  if (planned.is_inference) {
    constexpr std::string_view reason = "published steps train, and this one predicts";
    sureness.extrapolation = sureness.extrapolation.empty()
                                 ? std::string(reason)
                                 : fmt::format("{}; {}", reason, sureness.extrapolation);
  }
  if (const PublishedRow* row = nearest(rows, asked)) sureness.nearest = as_nearest(*row);
  return sureness;
}

std::string basis(const Sureness& sureness) {
  std::string text = "kernels: " + sureness.kernels_basis;
  if (!sureness.communication_basis.empty()) text += "; communication: " + sureness.communication_basis;
  return text;
}

}  // namespace wt::study
