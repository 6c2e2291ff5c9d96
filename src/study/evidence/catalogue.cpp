#include "study/evidence/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "platform/device_types.h"
#include "scenario/build.h"
#include "scenario/parse.h"
#include "session/training.h"
#include "study/evidence/row_scenario.h"

namespace wt::evidence {

namespace {

std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<double> ranks;
  for (const double value : values) {
    const auto below = std::ranges::count_if(values, [&](double other) { return other < value; });
    const auto equal = std::ranges::count(values, value);
    ranks.push_back(static_cast<double>(below) + (static_cast<double>(equal) - 1) / 2);
  }
  return ranks;
}

}  // namespace

std::optional<double> throughput_on(const device::DeviceType& type, std::string_view network,
                                    std::string_view precision, int batch) {
  const RowPlace place = on_one_device(Setup{.device = type.id});
  const scenario::Scenario scenario =
      scenario::parse(fmt::format(R"({{"name": "{}", "platform": {}, "strategy": {}, "model": "{}",
                       "dataset": {{"type": "synthetic", "rows": {}}}, "input": {{"on_device": true}},
                       "training": {{"loss": "sparse_categorical_crossentropy", "optimizer": "sgd",
                                     "per_replica_batch": {}{}}},
                       "numerics": "none"}})",
                                  type.id, place.platform, place.strategy, network, batch, batch,
                                  precision.empty() ? "" : fmt::format(R"(, "precision": "{}")", precision)),
                      "the catalogue");
  session::Training training(scenario, scenario::build(scenario), {});
  const session::Forecast found = training.forecast();
  return found.simulated ? std::optional(found.simulated->samples_per_second) : std::nullopt;
}

std::vector<CataloguedRate> catalogued_rates(const std::vector<Prediction>& made) {
  std::map<std::tuple<std::string, std::string, std::string>, CataloguedRate> rates;
  for (const Prediction& each : made) {
    if (each.batch == 0) continue;  // a matrix product
    const Setup& setup = each.setup;
    const std::string device(setup.device), precision(device::name(setup.precision));
    CataloguedRate& rate = rates[{each.network, device, precision}];
    rate.device = device, rate.precision = precision, rate.network = each.network, rate.unit = each.row->unit;
    rate.published += each.published;
    rate.predicted +=
        each.predicted(plan::efficiency_of(platform::device_type_named(setup.device), setup.precision));
    ++rate.rows;
  }
  std::vector<CataloguedRate> all;
  for (auto& [key, rate] : rates) {
    rate.published /= static_cast<double>(rate.rows), rate.predicted /= static_cast<double>(rate.rows);
    all.push_back(std::move(rate));
  }
  std::ranges::stable_sort(all, [](const CataloguedRate& a, const CataloguedRate& b) {
    return std::tie(a.network, a.published) < std::tie(b.network, b.published);
  });
  return all;
}

double rank_correlation(const std::vector<CataloguedRate>& rates) {
  std::vector<double> published, predicted;
  for (const CataloguedRate& rate : rates) {
    published.push_back(rate.published);
    predicted.push_back(rate.predicted);
  }
  return rank_correlation(predicted, published);
}

double rank_correlation(const std::vector<double>& left, const std::vector<double>& right) {
  WT_EXPECT(left.size() == right.size() && left.size() > 1, "ranks of {} and {}", left.size(), right.size());
  const std::vector<double> a = ranks(left), b = ranks(right);
  const double mean = (static_cast<double>(a.size()) - 1) / 2;
  double both = 0, of_a = 0, of_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    both += (a[i] - mean) * (b[i] - mean);
    of_a += (a[i] - mean) * (a[i] - mean);
    of_b += (b[i] - mean) * (b[i] - mean);
  }
  return both / std::sqrt(of_a * of_b);
}

}  // namespace wt::evidence
