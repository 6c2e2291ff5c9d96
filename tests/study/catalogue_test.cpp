// Claims: the catalogue's devices come in the order in which published throughput has them, and no device is slower
// than another GPU that has less of everything in its data sheet.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "plan/roofline.h"
#include "platform/device_types.h"
#include "scenario/build.h"
#include "scenario/parse.h"
#include "session/training.h"
#include "study/evidence/prediction.h"
#include "study/evidence/row_scenario.h"

namespace wt::evidence {
namespace {

// The places of the values in their order. Equal values share the mean of their places.
std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<double> ranks;
  for (const double value : values) {
    const auto below = std::ranges::count_if(values, [&](double other) { return other < value; });
    const auto equal = std::ranges::count(values, value);
    ranks.push_back(static_cast<double>(below) + (static_cast<double>(equal) - 1) / 2);
  }
  return ranks;
}

// Spearman's: the correlation of the ranks.
double rank_correlation(const std::vector<double>& left, const std::vector<double>& right) {
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

TEST(RankCorrelation, IsOneForTheSameOrderAndMinusOneForTheOpposite) {
  EXPECT_DOUBLE_EQ(rank_correlation({1, 5, 9}, {10, 20, 1000}), 1);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 5, 9}, {3, 2, 1}), -1);
  EXPECT_NEAR(rank_correlation({1, 2, 3, 4}, {1, 3, 2, 4}), 0.8, 1e-12);
}

// The means of what is published and predicted of a network, by device and precision.
struct Means {
  std::vector<double> published{}, predicted{};
  std::set<std::string> devices{};
};

Means means_of(std::string_view network) {
  static const std::vector<Measurement> rows = read_measurements(std::string(WT_TEST_DATA) + "/measurements");
  static const Predictions predictions = predict(rows);
  struct Sum {
    double published = 0, predicted = 0, rows = 0;
  };
  std::map<std::string, Sum> sums;
  Means means;
  for (const Prediction& each : predictions.made) {
    if (each.network != network) continue;
    const Setup& setup = each.setup;
    const auto own = plan::efficiency_of(platform::device_type_named(setup.device), setup.precision);
    Sum& sum = sums[fmt::format("{} {}", setup.device, device::name(setup.precision))];
    sum.published += each.published;
    sum.predicted += each.predicted(own);
    sum.rows += 1;
    means.devices.emplace(setup.device);
  }
  for (const auto& [name, sum] : sums) {
    means.published.push_back(sum.published / sum.rows);
    means.predicted.push_back(sum.predicted / sum.rows);
  }
  return means;
}

TEST(TheCatalogue, HasDevicesInTheOrderOfTheirPublishedThroughput) {
  const Means resnet50 = means_of("resnet50"), bert_large = means_of("bert_large");
  ASSERT_GE(resnet50.devices.size(), 10U);
  ASSERT_GE(bert_large.devices.size(), 6U);
  EXPECT_GT(rank_correlation(resnet50.predicted, resnet50.published), 0.95);
  EXPECT_GT(rank_correlation(bert_large.predicted, bert_large.published), 0.95);
}

// Rows per second of ResNet-50 on one device of the type.
double resnet50_on(const device::DeviceType& type, std::string_view precision, int batch) {
  const RowPlace place = on_one_device(Setup{.device = type.id});
  const scenario::Scenario scenario =
      scenario::parse(fmt::format(R"({{"name": "{}", "platform": {}, "strategy": {}, "model": "resnet50",
                       "dataset": {{"type": "synthetic", "rows": {}}},
                       "training": {{"loss": "sparse_categorical_crossentropy", "optimizer": "sgd",
                                     "per_replica_batch": {}, "precision": "{}"}},
                       "numerics": "none"}})",
                                  type.id, place.platform, place.strategy, batch, batch, precision),
                      "catalogue_test.json");
  session::Training training(scenario, scenario::build(scenario), {});
  return training.clock().step().summary.samples_per_second;
}

double resnet50_on(std::string_view id, std::string_view precision, int batch) {
  return resnet50_on(platform::device_type_named(id), precision, batch);
}

// Lambda's rows in float32, which are in tf32 there: 1066, 1248 and 1895 images/s with 640 rows.
TEST(TheCatalogue, HasTheRatiosThatArePublished) {
  const double a100 = resnet50_on("a100_sxm_80", "tf32", 640);
  EXPECT_NEAR(resnet50_on("h100_sxm", "tf32", 640) / a100 / (1895.0 / 1066), 1, 0.15);
  EXPECT_NEAR(resnet50_on("h100_pcie", "tf32", 640) / a100 / (1248.0 / 1066), 1, 0.15);
}

// Whether the data sheet of `better` has more of everything than that of `worse`, in the precision.
bool has_more(const device::DeviceType& better, const device::DeviceType& worse,
              device::Precision precision) {
  const auto peak = [&](const device::DeviceType& type) {
    return type.peak.at(plan::computed_in(type, precision));
  };
  return peak(better) > peak(worse) && better.memory_bandwidth > worse.memory_bandwidth &&
         better.processors > worse.processors;
}

TEST(TheCatalogue, HasNoGpuThatIsSlowerThanOneWithLessOfEverything) {
  for (const auto& [policy, precision] :
       {std::pair("tf32", device::Precision::tf32), {"mixed_float16", device::Precision::float16}}) {
    std::map<const device::DeviceType*, double> rates;
    for (const device::DeviceType& type : platform::device_types())
      if (type.kind == device::Kind::gpu) rates[&type] = resnet50_on(type, policy, 64);
    int compared = 0;
    for (const auto& [better, fast] : rates)
      for (const auto& [worse, slow] : rates) {
        if (!has_more(*better, *worse, precision)) continue;
        ++compared;
        EXPECT_GT(fast, slow) << better->id << " and " << worse->id << " in " << policy;
      }
    EXPECT_GT(compared, 200) << policy;
  }
}

// More of one thing and less of another: the A10's card of 150 W, the GeForce cards' matrix units, which sum in float32
// at half the rate, and the one die that software sees of an MI250X.
TEST(TheCatalogue, HasGraphicsCardsBehindTheA100) {
  for (const std::string_view precision : {"tf32", "mixed_float16"}) {
    const double a100 = resnet50_on("a100_sxm_40", precision, 64);
    EXPECT_LT(resnet50_on("rtx4090", precision, 64), a100) << precision;
    EXPECT_LT(resnet50_on("a10", precision, 64), resnet50_on("rtx3080_10", precision, 64)) << precision;
    EXPECT_LT(resnet50_on("tpu_v4", "mixed_bfloat16", 64), resnet50_on("h100_sxm", "mixed_bfloat16", 64));
  }
}

}  // namespace
}  // namespace wt::evidence
