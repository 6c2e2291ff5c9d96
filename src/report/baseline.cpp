#include "report/baseline.h"

#include <fmt/format.h>

#include "base/rough.h"

namespace wt::report {

std::string_view scaling_name(const timing::Baseline& baseline) {
  return baseline.is_weak ? "weak" : "strong";
}

std::string alone_text(const timing::Baseline& baseline) {
  const std::string one =
      baseline.devices > 1 ? fmt::format("one replica of {} devices", baseline.devices) : "one device";
  return fmt::format("{} with {}", one, counted(baseline.rows, "row"));
}

std::string memory_text(const timing::Baseline& baseline) {
  if (baseline.fits) return "";
  return fmt::format("; {} do not fit into its memory, and its time is simulated as if they did",
                     counted(baseline.rows, "row"));
}

void write_baseline(json::Writer& out, const timing::Simulated& simulated) {
  const timing::Baseline& baseline = *simulated.baseline;
  out.key("one_device")
      .begin_object()
      .member("scaling", scaling_name(baseline))
      .member("devices", baseline.devices)
      .member("rows", baseline.rows)
      .member("step_time_s", baseline.step.count())
      .member("samples_per_second", baseline.samples_per_second)
      .member("fits_in_memory", baseline.fits)
      .end_object();
  out.member("speed_up", simulated.speed_up()).member("scaling_efficiency", simulated.efficiency);
}

Cell speed_up_cell(const timing::Simulated& simulated) { return number(simulated.speed_up(), 2); }

Cell efficiency_cell(const timing::Simulated& simulated) { return share(simulated.efficiency); }

Cell baseline_cell(const timing::Simulated& simulated) {
  const timing::Baseline& baseline = *simulated.baseline;
  const std::string name(scaling_name(baseline));
  return {name, fmt::format("{} ({}){}", alone_text(baseline), name, baseline.fits ? "" : ", does not fit")};
}

Cell baseline_devices_cell(const timing::Simulated& simulated) { return cell(simulated.baseline->devices); }

Cell baseline_rows_cell(const timing::Simulated& simulated) { return cell(simulated.baseline->rows); }

Cell baseline_rate_cell(const timing::Simulated& simulated) {
  return number(simulated.baseline->samples_per_second, 0);
}

Cell baseline_memory_cell(const timing::Simulated& simulated) {
  return cell(std::string(simulated.baseline->fits ? "fits" : "does not fit"));
}

}  // namespace wt::report
