#include "report/sureness.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "report/page/figures.h"

namespace wt::report {

namespace {

using json::Layout;

void write_band(json::Writer& out, std::string_view key, double low, double median, double high) {
  out.key(key).begin_object(Layout::one_line);
  out.member("low", low).member("median", median).member("high", high).end_object();
}

}  // namespace

std::string sureness_text(const study::Sureness& sure, const timing::Simulated& simulated) {
  const double rate = simulated.samples_per_second;
  const double bias = 100 * (sure.band.bias - 1);
  std::string text =
      fmt::format("{} to {} in {:.0f} of 100 cases; known from: {}", rate_text(rate / sure.band.high),
                  rate_text(rate / sure.band.low), 100 * (1 - 2 * sure.quantile), name(sure.known));
  if (std::abs(bias) >= 0.5)
    text += fmt::format("; in the median such predictions are {:.0f} % too {}", std::abs(bias),
                        bias < 0 ? "slow" : "fast");
  if (!sure.extrapolation.empty()) text += fmt::format("; extrapolated: {}", sure.extrapolation);
  return text + "\n";
}

void add_sureness_columns(Records& records, const std::vector<const study::Sureness*>& sureness,
                          const std::vector<double>& samples_per_second) {
  if (std::ranges::count(sureness, nullptr) == std::ssize(sureness)) return;
  records.headings.insert(records.headings.end(), {{"", "samples_per_second_low"},
                                                   {"", "samples_per_second_high"},
                                                   {"80 of 100 cases", "", 'r'},
                                                   {"known from", "known_from", 'l'}});
  for (std::size_t i = 0; i < sureness.size(); ++i) {
    std::vector<Cell>& row = records.rows[i];
    if (sureness[i] == nullptr) {
      row.resize(records.headings.size());
      continue;
    }
    const evidence::Band& band = sureness[i]->band;
    const double low = samples_per_second[i] / band.high, high = samples_per_second[i] / band.low;
    row.push_back(number(low, 0));
    row.push_back(number(high, 0));
    row.push_back({{}, fmt::format("{:.0f} to {:.0f}", low, high)});
    row.push_back(cell(std::string(name(sureness[i]->known))));
  }
}

std::string note_on_bases(const std::vector<const study::Sureness*>& sureness) {
  std::set<evidence::Known> bases;
  for (const study::Sureness* each : sureness)
    if (each != nullptr) bases.insert(each->known);
  if (bases.size() < 2) return "";
  return "these times don't rest on the same basis, and a difference within their errors says nothing\n";
}

void write_sureness(json::Writer& out, const study::Sureness& sure, const timing::Simulated& simulated) {
  const double rate = simulated.samples_per_second, time = simulated.step.count();
  out.key("uncertainty").begin_object().member("quantile", sure.quantile);
  write_band(out, "predicted_over_true", sure.band.low, sure.band.bias, sure.band.high);
  out.member("known_from", name(sure.known))
      .member("is_data_sheet_alone", sure.known == evidence::Known::data_sheet_alone)
      .member("kernels_basis", sure.kernels_basis)
      .member("communication_basis", sure.communication_basis);
  if (sure.nearest)
    out.key("nearest")
        .begin_object(Layout::one_line)
        .member("row", sure.nearest->text)
        .member("predicted_over_published", sure.nearest->ratio)
        .end_object();
  out.member("extrapolation", sure.extrapolation);
  write_band(out, "samples_per_second", rate / sure.band.high, rate / sure.band.bias, rate / sure.band.low);
  write_band(out, "step_time_s", time * sure.band.low, time * sure.band.bias, time * sure.band.high);
  out.end_object();
}

}  // namespace wt::report
