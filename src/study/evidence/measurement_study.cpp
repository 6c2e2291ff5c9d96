#include "study/evidence/measurement_study.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.h"
#include "base/median.h"
#include "platform/device_types.h"

namespace wt::evidence {

namespace {

using device::Efficiency;
using Group = PredictionGroup;

template <class Predict>
Errors errors(Group group, Predict predict) {
  Errors result;
  for (const Prediction& each : group) result.push_back(predict(each) / each.published - 1);
  return result;
}

// The row that gives "one number" its scale: the first ResNet-50 with the largest batch, or the first row
// with the largest batch if there is no ResNet-50.
const Prediction& reference(Group group) {
  return *std::max_element(group.begin(), group.end(), [](const Prediction& a, const Prediction& b) {
    const bool a_is = a.network == "resnet50", b_is = b.network == "resnet50";
    return a_is != b_is ? b_is : a.batch < b.batch;
  });
}

Efficiency fitted_to(Group group) {
  std::vector<plan::MeasuredStep> steps;
  for (const Prediction& each : group) steps.push_back(each.step);
  return plan::fitted(steps);
}

// The error of each row with constants fitted to the rows of the other networks.
Errors errors_left_out(Group group) {
  std::map<std::string, Efficiency> without;
  for (const Prediction& each : group) {
    if (without.contains(each.network)) continue;
    std::vector<plan::MeasuredStep> others;
    for (const Prediction& other : group)
      if (other.network != each.network) others.push_back(other.step);
    without[each.network] = plan::fitted(others);
  }
  return errors(group, [&](const Prediction& each) { return each.predicted(without.at(each.network)); });
}

MeasurementFit with_one_scale(Group group) {
  const Efficiency scaled = plan::scaled(reference(group).step);
  return {.efficiency = scaled, .is_one_scale = true, .with = errors(group, [&](const Prediction& each) {
                                                        return each.predicted(scaled);
                                                      })};
}

bool has_several_networks(Group group) {
  return std::any_of(group.begin(), group.end(),
                     [&](const Prediction& each) { return each.network != group.front().network; });
}

// A group of matrix products has rows of several devices, so one device's row can't scale the others. Batch 0
// marks a product.
bool are_products(Group group) { return group.front().batch == 0; }

// Rows of another device in the same precision, which are no products.
bool is_of_another(const Prediction& each, const Prediction& other) {
  return !are_products({&other, 1}) && other.setup.device != each.setup.device &&
         other.setup.precision == each.setup.precision;
}

bool are_of_one_generation(const Prediction& left, const Prediction& right) {
  return platform::device_type_named(left.setup.device).generation ==
         platform::device_type_named(right.setup.device).generation;
}

// The steps from which the catalogue would take the constants of a device without rows: those of the other devices of
// its generation. The catalogue gives a generation of TPUs without rows the constants of the measured ones, and other
// devices the generic constants.
std::vector<plan::MeasuredStep> steps_of_others(const Prediction& each, std::span<const Prediction> all) {
  const auto is_tpu = [](const Prediction& one) {
    return platform::device_type_named(one.setup.device).kind == device::Kind::tpu;
  };
  std::vector<plan::MeasuredStep> siblings, relatives;
  for (const Prediction& other : all) {
    if (!is_of_another(each, other)) continue;
    if (are_of_one_generation(each, other)) siblings.push_back(other.step);
    if (is_tpu(other) && is_tpu(each)) relatives.push_back(other.step);
  }
  return siblings.empty() ? relatives : siblings;
}

}  // namespace

MeasurementStudy study_of(Group group) {
  MeasurementStudy study{.group = group};
  study.zero_shot = errors(group, [](const Prediction& each) { return each.predicted({}); });
  study.own = errors(group, [](const Prediction& each) {
    return each.predicted(
        plan::efficiency_of(platform::device_type_named(each.setup.device), each.setup.precision));
  });
  if (are_products(group)) return study;
  const plan::MeasuredStep& known = reference(group).step;
  study.scale = known.measured / plan::predicted(known, Efficiency{});
  study.one_number = errors(group, [&](const Prediction& each) { return each.predicted({}) / study.scale; });
  return study;
}

std::optional<MeasurementFit> fit_of(Group group) {
  if (are_products(group)) return std::nullopt;
  if (!has_several_networks(group)) return with_one_scale(group);
  const Efficiency fit = fitted_to(group);
  return MeasurementFit{.efficiency = fit,
                        .with = errors(group, [&](const Prediction& each) { return each.predicted(fit); }),
                        .left_out = errors_left_out(group)};
}

Errors without_own_device(Group group, std::span<const Prediction> all) {
  std::map<std::string_view, Efficiency> without;
  for (const Prediction& each : group)
    if (!without.contains(each.setup.device))
      without[each.setup.device] = plan::fitted(steps_of_others(each, all));
  return errors(group, [&](const Prediction& each) { return each.predicted(without.at(each.setup.device)); });
}

bool has_siblings(const Prediction& each, std::span<const Prediction> all) {
  return std::ranges::any_of(all, [&](const Prediction& other) {
    return is_of_another(each, other) && are_of_one_generation(each, other);
  });
}

ErrorSummary summary_of(const Errors& errors) {
  WT_EXPECT(!errors.empty(), "no errors");
  ErrorSummary summary;
  Errors sizes;
  for (const double error : errors) {
    sizes.push_back(std::abs(error));
    summary.largest = std::max(summary.largest, std::abs(error));
    summary.bias += error / static_cast<double>(errors.size());
  }
  summary.median = median(std::move(sizes));
  return summary;
}

std::vector<Group> groups_of(std::span<const Prediction> made) {
  std::vector<Group> groups;
  while (!made.empty()) {
    const auto end = std::find_if(made.begin(), made.end(), [&](const Prediction& each) {
      return each.setup.group != made.front().setup.group;
    });
    const auto size = static_cast<std::size_t>(end - made.begin());
    groups.push_back(made.first(size));
    made = made.subspan(size);
  }
  return groups;
}

}  // namespace wt::evidence
