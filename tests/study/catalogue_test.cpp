// Claims: the catalogue's devices come in the order in which published throughput has them, and no device is slower
// than another GPU that has less of everything in its data sheet.

#include "study/evidence/catalogue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "plan/roofline.h"
#include "platform/device_types.h"

namespace wt::evidence {
namespace {

TEST(RankCorrelation, IsOneForTheSameOrderAndMinusOneForTheOpposite) {
  EXPECT_DOUBLE_EQ(rank_correlation({1, 5, 9}, {10, 20, 1000}), 1);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 5, 9}, {3, 2, 1}), -1);
  EXPECT_NEAR(rank_correlation({1, 2, 3, 4}, {1, 3, 2, 4}), 0.8, 1e-12);
}

std::vector<CataloguedRate> rates_of(std::string_view network) {
  static const std::vector<Measurement> rows = read_measurements(std::string(WT_TEST_DATA) + "/measurements");
  static const std::vector<CataloguedRate> all = catalogued_rates(predict(rows).made);
  std::vector<CataloguedRate> rates;
  std::ranges::copy_if(all, std::back_inserter(rates),
                       [&](const CataloguedRate& rate) { return rate.network == network; });
  return rates;
}

std::size_t devices_of(const std::vector<CataloguedRate>& rates) {
  std::set<std::string> devices;
  for (const CataloguedRate& rate : rates) devices.insert(rate.device);
  return devices.size();
}

TEST(TheCatalogue, HasDevicesInTheOrderOfTheirPublishedThroughput) {
  const std::vector<CataloguedRate> resnet50 = rates_of("resnet50"), bert_large = rates_of("bert_large");
  ASSERT_GE(devices_of(resnet50), 10U);
  ASSERT_GE(devices_of(bert_large), 6U);
  EXPECT_GT(rank_correlation(resnet50), 0.95);
  EXPECT_GT(rank_correlation(bert_large), 0.95);
  EXPECT_GT(rank_correlation(rates_of("bert_base")), 0.95);
}

double resnet50_on(const device::DeviceType& type, std::string_view precision, int batch) {
  return throughput_on(type, "resnet50", precision, batch).value();
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

bool has_power(const device::DeviceType& better, const device::DeviceType& worse) {
  return !better.power || !worse.power || better.power->power >= worse.power->power;
}

// Whether the data sheet of `better` has more of everything than that of `worse`, in the precision, and isn't of an older
// generation, whose caches were smaller: an RTX 3090 trains ResNet-50 in mixed precision faster than a V100 (905 and 833
// images/s, Lambda), which has more arithmetic, about the same memory and as many processors. It has the power for it, too:
// an L4 of 72 W has the arithmetic of larger cards only as long as it is cool.
bool has_more(const device::DeviceType& better, const device::DeviceType& worse,
              device::Precision precision) {
  const auto peak = [&](const device::DeviceType& type) {
    return type.peak.at(plan::computed_in(type, precision));
  };
  const bool is_older = better.compute_capability && worse.compute_capability &&
                        *worse.compute_capability > *better.compute_capability;
  return !is_older && peak(better) > peak(worse) && better.memory_bandwidth > worse.memory_bandwidth &&
         better.processors > worse.processors && has_power(better, worse);
}

TEST(TheCatalogue, HasNoGpuThatIsSlowerThanOneWithLessOfEverything) {
  for (const auto& [policy, precision] :
       {std::pair("tf32", device::Precision::tf32), {"mixed_float16", device::Precision::float16}}) {
    std::map<const device::DeviceType*, double> rates;
    for (const device::DeviceType& type : platform::device_types())
      if (type.kind == device::Kind::gpu) rates[&type] = resnet50_on(type, policy, 32);
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
