#include "study/evidence/fitted_constants.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/json_edit.h"
#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/suggest.h"

namespace wt::evidence {

namespace {

using device::Efficiency;

std::string three_digits(double share) { return fmt::format("{:.3f}", share); }

std::string source_of(PredictionGroup group, const MeasurementFit& fit) {
  std::set<std::string> networks;
  for (const Prediction& each : group) networks.insert(each.network);
  const auto percent = [](double error) { return fmt::format("{:.1f} %", 100 * error); };
  std::string text = fmt::format(
      "fitted by `windtunnel verify measurements tests/measurements --fit`: {} of {}",
      group.size() == 1 ? "1 row" : fmt::format("{} rows", group.size()), fmt::join(networks, ", "));
  if (fit.is_one_scale)
    return text + "; one scale of the generic constants, which is all that they determine";
  return text + fmt::format(" (median error {}, {} for a network left out)",
                            percent(summary_of(fit.with).median), percent(summary_of(fit.left_out).median));
}

class Fitting {
 public:
  Fitting(const std::string& text, const std::string& file, std::span<const PredictionGroup> groups)
      : groups_(groups), edits_(text, file) {}

  FittedConstants make() {
    visit(edits_.root(), "");
    problems_.throw_if_any();
    made_.text = edits_.text();
    return std::move(made_);
  }

 private:
  // Objects with "fitted_to" are efficiencies, wherever they stand. A device is named by its id.
  void visit(const json::Value& value, const std::string& place) {
    if (value.kind() == json::Kind::array)
      for (const json::Value& element : value.elements()) {
        const json::Value* const id = element.kind() == json::Kind::object ? element.find("id") : nullptr;
        visit(element, id == nullptr ? place : fmt::format("{}.{}", place, id->string()));
      }
    if (value.kind() != json::Kind::object) return;
    if (const json::Value* name = value.find("fitted_to")) fit(value, *name, place);
    for (const json::Member& member : value.members())
      visit(member.value, place.empty() ? member.key : place + "." + member.key);
  }

  void fit(const json::Value& efficiency, const json::Value& name, const std::string& place) {
    const auto group = std::ranges::find(groups_, name.string(), [](PredictionGroup each) {
      return std::string_view(each.front().setup.group);
    });
    const auto found = group == groups_.end() ? std::nullopt : fit_of(*group);
    if (!found) {
      std::vector<std::string_view> known;
      for (const PredictionGroup each : groups_) known.push_back(each.front().setup.group);
      problems_.add(name.place(), fmt::format("no measured row belongs to \"{}\"", name.string()),
                    did_you_mean(name.string(), known));
      return;
    }
    ChangedConstants changed{.place = place};
    const struct {
      std::string_view key{};
      double Efficiency::*share = nullptr;
    } rows[] = {{"convolution", &Efficiency::convolution},
                {"product", &Efficiency::product},
                {"memory", &Efficiency::memory}};
    bool is_changed = false;
    for (const auto& row : rows) {
      const json::Value* old = efficiency.find(row.key);
      if (old == nullptr) continue;
      changed.before.*row.share = json::convert<double>(*old, problems_).value_or(0);
      changed.after.*row.share = found->efficiency.*row.share;
      const std::string wanted = three_digits(changed.after.*row.share);
      is_changed = is_changed || three_digits(changed.before.*row.share) != wanted;
      edits_.replace(*old, wanted);
    }
    if (const json::Value* source = efficiency.find("source"))
      edits_.replace(*source, json::quote(source_of(*group, *found)));
    if (is_changed) made_.changed.push_back(changed);
  }

  const std::span<const PredictionGroup> groups_;
  Problems problems_{};
  json::TextEdits edits_;
  FittedConstants made_{};
};

}  // namespace

FittedConstants with_fitted_constants(const std::string& text, const std::string& file,
                                      std::span<const PredictionGroup> groups) {
  return Fitting(text, file, groups).make();
}

}  // namespace wt::evidence
