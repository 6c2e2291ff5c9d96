#include "study/evidence/expected_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/rough.h"
#include "platform/device_types.h"

namespace wt::evidence {

namespace {

using Ratio = std::optional<double> Record::*;

// Too few rows say nothing about the ends of a distribution.
constexpr std::size_t fewest_rows = 5;

// A row to which constants were fitted alone is repeated exactly, and its error says nothing.
constexpr double exact = 1e-5;

bool is_useful(const Record& record, Ratio ratio) {
  return record.*ratio && std::abs(*(record.*ratio) - 1) > exact;
}

// The rows that `accepts`, as samples. Those of an arrangement have a weight of 1 together.
template <class Accepts>
Samples samples(const std::vector<PublishedRow>& rows, Ratio ratio, Accepts accepts) {
  std::map<std::string_view, double> counts;
  for (const PublishedRow& row : rows)
    if (is_useful(*row.record, ratio) && accepts(row)) counts[row.record->arrangement] += 1;
  Samples found;
  for (const PublishedRow& row : rows)
    if (is_useful(*row.record, ratio) && accepts(row))
      found.push_back({std::log(*(row.record->*ratio)), 1 / counts[row.record->arrangement]});
  return found;
}

bool is_of_generation(const PublishedRow& row, const Asked& asked) {
  return row.record->device == asked.device ||
         (!asked.generation.empty() && row.generation == asked.generation);
}

// A generation of TPUs is one product: a chip, and each of its cores.
bool is_of_device(const PublishedRow& row, const Asked& asked) {
  return row.record->device == asked.device || (row.is_tpu && is_of_generation(row, asked));
}

// A row of one device whose generation has constants of its own.
bool is_of_fitted_device(const PublishedRow& row) { return row.record->own.has_value(); }

Known known_of(const std::vector<PublishedRow>& rows, const Asked& asked) {
  if (asked.is_calibrated) return Known::calibrated_here;
  Known known = Known::data_sheet_alone;
  const auto learn = [&](Known better) { known = std::min(known, better); };  // the surest comes first
  for (const PublishedRow& row : rows) {
    if (!is_of_fitted_device(row) || row.record->precision != asked.precision) continue;
    if (is_of_device(row, asked))
      learn(row.record->network == asked.network ? Known::published : Known::other_networks);
    else if (is_of_generation(row, asked))
      learn(Known::other_devices);
  }
  return known;
}

struct Class {
  Known known{};
  Ratio ratio{};
  std::string_view basis{};
};
constexpr std::array classes{
    Class{
        Known::published, &Record::own,
        "published rows of one device with the constants of its generation, which were fitted to such rows"},
    Class{Known::other_networks, &Record::other_networks,
          "published rows of one device with constants fitted to the rows of other networks"},
    Class{
        Known::other_devices, &Record::other_devices,
        "published rows of one device with constants fitted to the rows of other devices of its generation"},
    Class{
        Known::calibrated_here, &Record::other_networks,
        "published rows of one device with constants fitted to the rows of other networks, less their median "
        "error, since you calibrated this machine"},
    Class{Known::data_sheet_alone, &Record::generic,
          "published rows of one device with generic constants, as for a device known from its data sheet"},
};

std::string counted_rows(const Samples& samples, std::string_view of) {
  return fmt::format("{}: {}", counted(static_cast<std::int64_t>(samples.size()), "row"), of);
}

Cause kernels_of(const std::vector<PublishedRow>& rows, Known known) {
  const Class& of = *std::ranges::find(classes, known, &Class::known);
  Samples found = samples(rows, of.ratio, [](const PublishedRow&) { return true; });
  std::string basis = counted_rows(found, of.basis);
  if (known == Known::calibrated_here && !found.empty()) {
    const double bias = quantile(found, 0.5);
    for (Sample& sample : found) sample.error -= bias;
  }
  return {std::move(found), std::move(basis)};
}

// Variables on the host are not how this program would train on several devices.
bool is_all_reduce(const PublishedRow& row) {
  return !row.record->arrangement.starts_with("central storage");
}

Cause communication_of(const std::vector<PublishedRow>& rows, const Asked& asked) {
  if (asked.devices < 2) return {};
  const auto alike = [&](const PublishedRow& row) {
    return is_all_reduce(row) && row.is_tpu == asked.is_tpu;
  };
  Samples found = samples(rows, &Record::from_one_device, alike);
  if (found.size() >= fewest_rows) {
    std::string basis = counted_rows(
        found, fmt::format("published rows of several {} that all-reduce, from the row of the fewest",
                           asked.is_tpu ? "TPU cores" : "GPUs"));
    return {std::move(found), std::move(basis)};
  }
  found = samples(rows, &Record::from_one_device, is_all_reduce);
  std::string basis = counted_rows(
      found, "published rows of several devices of any kind that all-reduce, from the row of the fewest");
  return {std::move(found), std::move(basis)};
}

double distance(const PublishedRow& row, const Asked& asked) {
  const auto apart = [](std::int64_t left, std::int64_t right) {
    return std::abs(std::log2(static_cast<double>(std::max<std::int64_t>(left, 1)) /
                              static_cast<double>(std::max<std::int64_t>(right, 1))));
  };
  const Record& record = *row.record;
  return (row.is_tpu != asked.is_tpu ? 64 : 0) + (is_of_generation(row, asked) ? 0 : 16) +
         (record.network == asked.network ? 0 : 12) + (record.precision == asked.precision ? 0 : 8) +
         (record.device == asked.device ? 0 : 2) + apart(record.devices, asked.devices) +
         0.25 * apart(record.batch, asked.batch);
}

Samples sorted(Samples samples) {
  std::ranges::sort(samples, {}, &Sample::error);
  return samples;
}

double quantile_of_sorted(const Samples& samples, double q) {
  WT_EXPECT(!samples.empty() && q > 0 && q <= 1, "quantile {} of {} samples", q, samples.size());
  double all = 0, sum = 0;
  for (const Sample& sample : samples) all += sample.weight;
  for (const Sample& sample : samples)
    if ((sum += sample.weight) >= q * all * (1 - 1e-12)) return sample.error;
  return samples.back().error;
}

}  // namespace

double quantile(Samples samples, double q) { return quantile_of_sorted(sorted(std::move(samples)), q); }

Samples sums(const Samples& left, const Samples& right) {
  Samples all;
  for (const Sample& a : left)
    for (const Sample& b : right) all.push_back({a.error + b.error, a.weight * b.weight});
  return all;
}

std::string_view name(Known known) {
  switch (known) {
    case Known::measured_here:
      return "measured by you";
    case Known::calibrated_here:
      return "calibrated by you";
    case Known::published:
      return "published";
    case Known::other_networks:
      return "other networks";
    case Known::other_devices:
      return "other devices";
    case Known::data_sheet_alone:
      break;
  }
  return "data sheet alone";
}

std::vector<PublishedRow> rows_of(const std::vector<Record>& records) {
  std::vector<PublishedRow> rows;
  for (const Record& record : records) {
    const device::DeviceType* type = platform::find_device_type(record.device);
    rows.push_back({.record = &record,
                    .generation = type != nullptr ? type->generation : "",
                    .is_tpu = type != nullptr && type->kind == device::Kind::tpu});
  }
  return rows;
}

Expected expected(const std::vector<PublishedRow>& rows, const Asked& asked) {
  const Known known = known_of(rows, asked);
  Expected found{known, kernels_of(rows, known), communication_of(rows, asked)};
  if (!asked.transport.empty())
    found.communication.basis += fmt::format("; {}, which none of these rows has", asked.transport);
  return found;
}

Band band(const Expected& expected, double q) {
  const Samples none{{0, 1}};
  const auto or_none = [&](const Samples& samples) -> const Samples& {
    return samples.empty() ? none : samples;
  };
  const Samples all =
      sorted(sums(or_none(expected.kernels.samples), or_none(expected.communication.samples)));
  return {std::exp(quantile_of_sorted(all, q)), std::exp(quantile_of_sorted(all, 0.5)),
          std::exp(quantile_of_sorted(all, 1 - q))};
}

const PublishedRow* nearest(const std::vector<PublishedRow>& rows, const Asked& asked) {
  const auto found =
      std::ranges::min_element(rows, {}, [&](const PublishedRow& row) { return distance(row, asked); });
  return found == rows.end() ? nullptr : &*found;
}

Nearest as_nearest(const PublishedRow& row) {
  const Record& record = *row.record;
  return {fmt::format("{} on {} {} in {}, batch {}: {:g} {} ({}; {})", record.network, record.devices,
                      record.device, record.precision, record.batch, record.published, record.unit,
                      record.source, record.framework),
          record.own.value_or(record.generic.value_or(record.absolute.value_or(1)))};
}

std::string extrapolation(const std::vector<PublishedRow>& rows, const Asked& asked) {
  std::int64_t most = 0;
  for (const PublishedRow& row : rows)
    if (row.is_tpu == asked.is_tpu && is_all_reduce(row))
      most = std::max<std::int64_t>(most, row.record->devices);
  if (asked.devices <= std::max<std::int64_t>(most, 1)) return {};
  return fmt::format("evidence to {} {}, asked {}", most, asked.is_tpu ? "TPU chips" : "GPUs", asked.devices);
}

}  // namespace wt::evidence
