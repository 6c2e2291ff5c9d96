#include "cli/verify_measurements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <set>
#include <span>

#include "base/median.h"
#include "base/table.h"
#include "cli/prediction.h"
#include "platform/device_types.h"

namespace wt {

namespace {

using device::Efficiency;
using Group = std::span<const Prediction>;

// ---- What a group of rows comes to

// The error of every row, predicted over published less 1.
using Errors = std::vector<double>;

template <class Predict>
Errors errors(Group group, Predict predict) {
  Errors result;
  for (const Prediction& each : group) result.push_back(predict(each) / each.published - 1);
  return result;
}

double middle(Errors sizes) {
  for (double& each : sizes) each = std::abs(each);
  return median(std::move(sizes));
}

double largest(const Errors& errors) {
  double most = 0;
  for (const double each : errors) most = std::max(most, std::abs(each));
  return most;
}

// The measured row of the one number: a ResNet-50 of the largest batch, the first of those.
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

// Each row with the constants that rows of the other networks give.
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

bool has_several_networks(Group group) {
  return std::any_of(group.begin(), group.end(),
                     [&](const Prediction& each) { return each.network != group.front().network; });
}

// Products are each device's own: no row of one tells another's.
bool are_products(Group group) { return group.front().batch == 0; }

struct Study {
  Group group{};
  Errors zero_shot{}, one_number{}, own{};  // one_number is empty where no row can be the one
  double scale = 1;                         // of the one number
};

Study study_of(Group group) {
  Study study{.group = group};
  study.zero_shot = errors(group, [](const Prediction& each) { return each.predicted({}); });
  study.own = errors(group, [](const Prediction& each) {
    return each.predicted(
        plan::efficiency_of(platform::device_type_named(each.setup->device), each.setup->precision));
  });
  if (are_products(group)) return study;
  const plan::MeasuredStep& known = reference(group).step;
  study.scale = known.measured / plan::predicted(known, Efficiency{});
  study.one_number = errors(group, [&](const Prediction& each) { return each.predicted({}) / study.scale; });
  return study;
}

// ---- Text

std::string percent(double error) { return fmt::format("{:+.1f} %", 100 * error); }
std::string size(double error) { return fmt::format("{:.1f} %", 100 * error); }

std::string print(const Efficiency& efficiency) {
  return fmt::format("convolution {:.3f}, product {:.3f}, memory {:.3f}", efficiency.convolution,
                     efficiency.product, efficiency.memory);
}

std::string print_fit(Group group) {
  const auto in_short = [](const Errors& errors) {
    return fmt::format("median {}, largest {}", size(middle(errors)), size(largest(errors)));
  };
  if (are_products(group)) return {};
  if (!has_several_networks(group)) {
    return fmt::format("  one overall scale fits the reference row: {}\n",
                       print(plan::scaled(reference(group).step)));
  }
  const Efficiency fit = fitted_to(group);
  const Errors with = errors(group, [&](const Prediction& each) { return each.predicted(fit); });
  return fmt::format("  fitted here: {}: {}; each network by the others: {}\n", print(fit), in_short(with),
                     in_short(errors_left_out(group)));
}

std::string print(const Study& study) {
  std::vector<TableRow> rows{
      {"network", "batch", "published", "zero-shot", "one number", "own constants", "unit", "system"}};
  for (std::size_t i = 0; i < study.group.size(); ++i) {
    const Prediction& each = study.group[i];
    rows.push_back({each.network, each.batch > 0 ? std::to_string(each.batch) : "-",
                    fmt::format("{:.1f}", each.published), percent(study.zero_shot[i]),
                    study.one_number.empty() ? "" : percent(study.one_number[i]), percent(study.own[i]),
                    each.row->unit, each.row->system});
  }
  const auto add = [&](std::string_view what, double (*of)(const Errors&)) {
    rows.push_back({std::string(what), "", "", size(of(study.zero_shot)),
                    study.one_number.empty() ? "" : size(of(study.one_number)), size(of(study.own))});
  };
  add("median", [](const Errors& all) { return middle(all); });
  add("largest", largest);
  const std::string one_number =
      study.one_number.empty() ? "" : fmt::format(", one number: time x {:.3f}", study.scale);
  return fmt::format("{}: {} row{}{}\n{}{}", study.group.front().setup->group, study.group.size(),
                     study.group.size() == 1 ? "" : "s", one_number, print_table(rows, "lrrrrrll", "  "),
                     print_fit(study.group));
}

std::string csv_cell(std::string_view text) {
  return text.find(',') == std::string_view::npos ? std::string(text) : fmt::format("\"{}\"", text);
}

std::string print_csv(const Study& study) {
  std::string text;
  for (std::size_t i = 0; i < study.group.size(); ++i) {
    const Prediction& each = study.group[i];
    const auto predicted = [&](const Errors& errors) {
      return errors.empty() ? std::string() : fmt::format("{:.6g}", each.published * (1 + errors[i]));
    };
    text += fmt::format("{},{},{},{},{},{},{:.6g},{},{},{}\n", csv_cell(each.setup->group),
                        csv_cell(each.row->system), each.setup->device, each.network, each.batch,
                        each.row->unit, each.published, predicted(study.zero_shot),
                        predicted(study.one_number), predicted(study.own));
  }
  return text;
}

// Predictions come grouped.
std::vector<Group> groups_of(std::span<const Prediction> made) {
  std::vector<Group> groups;
  while (!made.empty()) {
    const auto end = std::find_if(made.begin(), made.end(), [&](const Prediction& each) {
      return each.setup->group != made.front().setup->group;
    });
    const auto size = static_cast<std::size_t>(end - made.begin());
    groups.push_back(made.first(size));
    made = made.subspan(size);
  }
  return groups;
}

}  // namespace

Exit verify_measurements(const VerifyMeasurementsOptions& options, const Streams& streams) {
  const std::vector<Measurement> rows = read_measurements(options.folder);
  const Predictions predictions = predict(rows);
  if (predictions.made.empty())
    throw InputError(fmt::format("no row in \"{}\" is about one device", options.folder));
  if (options.csv)
    streams.results
        << "group,system,device,network,batch,unit,published,zero_shot,one_number,own_constants\n";
  for (const Group group : groups_of(predictions.made)) {
    const Study study = study_of(group);
    streams.results << (options.csv ? print_csv(study) : print(study) + "\n");
  }
  if (!options.csv)
    for (const std::string& reason : predictions.left_out)
      streams.results << fmt::format("left out: {}\n", reason);
  return Exit::done;
}

}  // namespace wt
