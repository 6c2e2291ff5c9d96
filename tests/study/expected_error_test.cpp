// Claims: quantiles are those of the sorted samples, written out as often as they weigh; sums are all pairs; and
// the class of errors follows what is published of a device.

#include "study/evidence/expected_error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "platform/constants_version.h"

namespace wt::evidence {
namespace {

// With whole weights, the samples can be written out and counted.
double by_counting(const Samples& samples, double q) {
  std::vector<double> all;
  for (const Sample& sample : samples)
    for (int i = 0; i < static_cast<int>(sample.weight); ++i) all.push_back(sample.error);
  std::ranges::sort(all);
  const auto position = static_cast<std::size_t>(std::ceil(q * static_cast<double>(all.size()) - 1e-9));
  return all.at(std::max<std::size_t>(position, 1) - 1);
}

Samples random_samples(std::mt19937_64& random) {
  Samples samples(std::uniform_int_distribution<std::size_t>(1, 12)(random));
  for (Sample& sample : samples)
    sample = {std::normal_distribution<>(0, 1)(random), 1.0 * std::uniform_int_distribution<>(1, 5)(random)};
  return samples;
}

TEST(AQuantile, IsThatOfTheSortedSamples) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    const Samples samples = random_samples(random);
    for (const double q : {0.05, 0.1, 0.25, 0.5, 0.9, 1.0})
      ASSERT_EQ(quantile(samples, q), by_counting(samples, q)) << i << " " << q;
  }
}

TEST(Sums, AreAllPairs) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 100; ++i) {
    const Samples left = random_samples(random), right = random_samples(random);
    const Samples all = sums(left, right);
    ASSERT_EQ(all.size(), left.size() * right.size());
    double weight = 0, expected_weight_left = 0, expected_weight_right = 0;
    for (const Sample& sample : all) weight += sample.weight;
    for (const Sample& sample : left) expected_weight_left += sample.weight;
    for (const Sample& sample : right) expected_weight_right += sample.weight;
    EXPECT_NEAR(weight, expected_weight_left * expected_weight_right, 1e-9);
    EXPECT_NEAR(quantile(all, 1), quantile(left, 1) + quantile(right, 1), 1e-12);
  }
}

// Errors of both causes, by hand: kernels 10 % too fast or right, communication right or twice too fast.
TEST(ABand, AddsTheErrorsOfBothCauses) {
  const Expected errors{.kernels = {{{std::log(1.1), 1}, {0, 1}}, ""},
                        .communication = {{{0, 1}, {std::log(2), 1}}, ""}};
  const Band of = band(errors, 0.25);
  EXPECT_NEAR(of.low, 1, 1e-12);
  EXPECT_NEAR(of.bias, 1.1, 1e-12);
  EXPECT_NEAR(of.high, 2, 1e-12);
  EXPECT_NEAR(band(errors, 0.1).high, 2.2, 1e-12);
}

evidence::Record record(std::string device, std::string precision, std::string network, int devices,
                        double ratio) {
  evidence::Record made{.arrangement = device + precision,
                        .device = std::move(device),
                        .precision = std::move(precision),
                        .network = std::move(network),
                        .devices = devices,
                        .batch = 64,
                        .published = 100,
                        .unit = "images/s"};
  if (devices == 1)
    made.generic = made.own = made.other_networks = made.other_devices = ratio;
  else
    made.absolute = made.from_one_device = ratio;
  return made;
}

class Rows : public ::testing::Test {
 protected:
  const std::vector<evidence::Record> records_{record("a100_sxm_40", "tf32", "resnet50", 1, 1.1),
                                               record("p100_sxm2", "float32", "vgg16", 1, 0.9),
                                               record("p100_sxm2", "float32", "vgg16", 8, 1.3)};
  const std::vector<PublishedRow> rows_ = rows_of(records_);
  static Asked asked(std::string device, std::string generation, std::string precision, std::string network,
                     std::int64_t devices = 1) {
    return {.device = std::move(device),
            .generation = std::move(generation),
            .precision = std::move(precision),
            .network = std::move(network),
            .batch = 64,
            .devices = devices};
  }
};

TEST_F(Rows, DecideHowADeviceIsKnown) {
  const auto known = [&](const Asked& what) { return expected(rows_, what).known; };
  EXPECT_EQ(known(asked("a100_sxm_40", "ampere", "tf32", "resnet50")), Known::published);
  EXPECT_EQ(known(asked("a100_pcie_80", "ampere", "tf32", "resnet50")), Known::other_devices);
  EXPECT_EQ(known(asked("a100_sxm_40", "ampere", "tf32", "bert_large")), Known::other_networks);
  EXPECT_EQ(known(asked("a100_sxm_40", "ampere", "float32", "resnet50")), Known::data_sheet_alone);
  EXPECT_EQ(known(asked("h100_sxm", "hopper", "tf32", "resnet50")), Known::data_sheet_alone);
  EXPECT_EQ(known(asked("mine", "", "tf32", "resnet50")), Known::data_sheet_alone);
}

TEST_F(Rows, AreNearestByGenerationNetworkAndSize) {
  const auto nearest_to = [&](const Asked& what) { return nearest(rows_, what)->record - records_.data(); };
  EXPECT_EQ(nearest_to(asked("a100_sxm_80", "ampere", "tf32", "vgg16", 8)), 0);
  EXPECT_EQ(nearest_to(asked("p100_sxm2", "pascal", "float32", "resnet50", 1)), 1);
  EXPECT_EQ(nearest_to(asked("p100_sxm2", "pascal", "float32", "resnet50", 64)), 2);
  EXPECT_EQ(nearest({}, asked("p100_sxm2", "pascal", "float32", "vgg16")), nullptr);
}

TEST_F(Rows, FlagLargerMachinesThanThereIsEvidenceFor) {
  EXPECT_EQ(extrapolation(rows_, asked("p100_sxm2", "pascal", "float32", "vgg16", 8)), "");
  EXPECT_EQ(extrapolation(rows_, asked("p100_sxm2", "pascal", "float32", "vgg16", 16)),
            "evidence to 8 GPUs, asked 16");
}

TEST_F(Rows, AreReadBackAsTheyWereWritten) {
  const evidence::Records read = evidence::parse_records(evidence::print_records(records_), "test");
  EXPECT_EQ(read.constants_version, platform::constants_version);
  ASSERT_EQ(read.rows.size(), records_.size());
  for (std::size_t i = 0; i < records_.size(); ++i) {
    EXPECT_EQ(read.rows[i].device, records_[i].device);
    EXPECT_EQ(read.rows[i].generic, records_[i].generic);
    EXPECT_EQ(read.rows[i].from_one_device, records_[i].from_one_device);
  }
  EXPECT_THROW(evidence::parse_records(R"({"constants_version": 1, "rows": [{"devices": "x"}]})", "test"),
               InputError);
}

}  // namespace
}  // namespace wt::evidence
