#include "train/epoch_line.h"

#include <fmt/format.h>

#include <algorithm>

namespace wt::train {

namespace {

std::string per_unit(Seconds time, std::string_view unit) {
  const double seconds = time.count();
  if (seconds >= 1 || seconds == 0) return fmt::format(" - {:.0f}s/{}", seconds, unit);
  if (seconds >= 1e-3) return fmt::format(" - {:.0f}ms/{}", 1e3 * seconds, unit);
  return fmt::format(" - {:.0f}us/{}", 1e6 * seconds, unit);
}

std::string with_name(std::string_view name, double value) {
  return value > 1e-3 ? fmt::format(" - {}: {:.4f}", name, value) : fmt::format(" - {}: {:.4e}", name, value);
}

}  // namespace

std::string epoch_line(const EpochResult& result, std::optional<Seconds> time, model::Semantics semantics) {
  std::string results = with_name("loss", result.loss);
  for (const Log& metric : result.metrics) results += with_name(metric.name, metric.value);
  const std::string count = fmt::format("{}/{}", result.steps, result.steps);
  if (!time) return count + results;
  const auto steps = static_cast<double>(std::max<std::int64_t>(1, result.steps));
  const std::string begin = fmt::format("{} - {:.0f}s", count, time->count());
  const std::string step = per_unit(Seconds(time->count() / steps), "step");
  return semantics == model::Semantics::keras3 ? begin + step + results
                                               : begin + results + per_unit(*time, "epoch") + step;
}

}  // namespace wt::train
