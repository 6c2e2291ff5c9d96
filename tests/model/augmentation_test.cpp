// Claims: in training RandomFlip, RandomBrightness, RandomContrast and RandomCrop change images as Keras' formulas say, by as
// much as Keras draws in each version, and each image or the batch for itself as there; out of training images pass; other
// augmentations are refused in training.

#include "model/layers/augmentation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "numbers.h"

namespace wt::model {
namespace {

constexpr std::int64_t count = 64, height = 3, width = 4;

// The same image of 0, 1, ... in every row of the batch, times a number.
Tensor images(float times = 1) {
  std::vector<float> numbers;
  for (std::int64_t row = 0; row < count; ++row)
    for (int i = 0; i < height * width; ++i) numbers.push_back(times * static_cast<float>(i));
  return test::floats({count, height, width, 1}, numbers);
}

// The image of each row.
std::vector<std::vector<double>> changed(const LayerPtr& layer, Semantics semantics, bool training = true,
                                         const Tensor& x = images()) {
  const Step step = trace("test", [&](Trace& trace) {
    Building building(trace, training, semantics);
    trace.result("y", (*layer)(building, trace.input("x", x.spec())));
  });
  test::Values given{{"x", x}};
  for (const Variable& variable : step.variables)
    given[variable.name] = Tensor::of<std::int64_t>({2}, std::vector<std::int64_t>{17, 3});
  const Tensor y = test::run(step, given).at("y");
  const std::size_t elements = static_cast<std::size_t>(y.spec().elements() / count);
  std::vector<std::vector<double>> all(count);
  for (std::size_t i = 0; i < elements * count; ++i) all[i / elements].push_back(test::value_at(y, i));
  return all;
}

constexpr Semantics both_versions[] = {Semantics::keras2, Semantics::keras3};

std::vector<double> mirrored(bool across, bool down) {
  std::vector<double> numbers;
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x)
      numbers.push_back(
          static_cast<double>((down ? height - 1 - y : y) * width + (across ? width - 1 - x : x)));
  return numbers;
}

std::set<std::vector<double>> kinds(const std::vector<std::vector<double>>& all) {
  return {all.begin(), all.end()};
}

TEST(RandomFlip, MirrorsHalfOfTheImages) {
  for (const Semantics semantics : both_versions) {
    const auto across = changed(random_flip({.name = "f", .vertical = false}), semantics);
    EXPECT_EQ(kinds(across), (std::set{mirrored(false, false), mirrored(true, false)}));
    EXPECT_NEAR(static_cast<double>(std::ranges::count(across, mirrored(true, false))), count / 2,
                4 * std::sqrt(count) / 2);
    EXPECT_EQ(kinds(changed(random_flip({.name = "f", .horizontal = false}), semantics)),
              (std::set{mirrored(false, false), mirrored(false, true)}));
  }
}

TEST(RandomFlip, MirrorsInBothDirectionsTogetherInKeras3) {
  EXPECT_EQ(kinds(changed(random_flip({.name = "f"}), Semantics::keras3)),
            (std::set{mirrored(false, false), mirrored(true, true)}));
  EXPECT_EQ(kinds(changed(random_flip({.name = "f"}), Semantics::keras2)).size(), 4U);
}

TEST(RandomBrightness, AddsANumberToEachImageAndStaysInItsRange) {
  for (const Semantics semantics : both_versions) {
    double least = 1e9, largest = -1e9, mean = 0;
    for (const std::vector<double>& image : changed(
             random_brightness({.name = "b", .factor = {-0.5, 0.25}, .values = {-1000, 1000}}), semantics)) {
      const double added = image[0];
      for (std::size_t i = 0; i < image.size(); ++i)
        EXPECT_NEAR(image[i], static_cast<double>(i) + added, 1e-3);
      least = std::min(least, added);
      largest = std::max(largest, added);
      mean += added / count;
    }
    EXPECT_GE(least, -1000);
    EXPECT_LT(least, -900);
    EXPECT_LE(largest, 500);
    EXPECT_GT(largest, 400);
    EXPECT_NEAR(mean, -250, 4 * 1500 / std::sqrt(12.0 * count));
    for (const std::vector<double>& image :
         changed(random_brightness({.name = "b", .factor = {1, 1}, .values = {2, 7}}), semantics))
      EXPECT_EQ(image, (std::vector<double>{5, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7}));
  }
}

TEST(RandomContrast, ScalesTheDistancesFromTheMean) {
  for (const Semantics semantics : both_versions) {
    std::set<double> factors;
    for (const std::vector<double>& image :
         changed(random_contrast({.name = "c", .factor = {0.5, 0.25}, .values = {-100, 100}}), semantics)) {
      const double factor = image[11] - image[10];
      for (std::size_t i = 0; i < image.size(); ++i)
        EXPECT_NEAR(image[i], 5.5 + factor * (static_cast<double>(i) - 5.5), 1e-4);
      factors.insert(std::round(factor * 1e4) / 1e4);
    }
    EXPECT_GE(*factors.begin(), 0.5);
    EXPECT_LE(*factors.rbegin(), 1.25);
    if (semantics == Semantics::keras2)
      EXPECT_EQ(factors.size(), 1U);
    else
      EXPECT_GT(factors.size(), count / 2U);
  }
}

// In Keras 3 one number stands for an increase, in Keras 2 for a change in both directions.
TEST(RandomContrast, OfOneNumberOnlyIncreasesInKeras3) {
  const auto layer = [] {
    return random_contrast({.name = "c", .factor = {1, 1}, .is_one = true, .values = {-100, 100}});
  };
  for (const std::vector<double>& image : changed(layer(), Semantics::keras3))
    EXPECT_GE(image[11] - image[10], 0.999);
}

TEST(RandomCrop, TakesTheSamePartOfAllImages) {
  std::set<std::vector<double>> parts;
  for (const Semantics semantics : both_versions) {
    const auto all = changed(random_crop({.name = "c", .height = 2, .width = 2}), semantics);
    EXPECT_EQ(kinds(all).size(), 1U);
    const double begin = all[0][0];
    EXPECT_EQ(all[0], (std::vector<double>{begin, begin + 1, begin + width, begin + width + 1}));
  }
}

// A 3 x 4 image for a crop of 3 x 2: Keras 2 draws one of three places, Keras 3 takes the middle.
TEST(RandomCrop, IsInTheMiddleWhereOneDirectionHasNoRoomInKeras3) {
  EXPECT_EQ(changed(random_crop({.name = "c", .height = 3, .width = 2}), Semantics::keras3)[0],
            (std::vector<double>{1, 2, 5, 6, 9, 10}));
}

TEST(RandomCrop, IsResizedOutOfTrainingInKeras2) {
  const auto layer = [] { return random_crop({.name = "c", .height = 3, .width = 3}); };
  EXPECT_EQ(changed(layer(), Semantics::keras2, false)[0], (std::vector<double>{0, 1, 2, 4, 5, 6, 8, 9, 10}));
  EXPECT_EQ(changed(layer(), Semantics::keras3, false)[0].size(), 12U);
}

TEST(Augmentation, PassesOutOfTraining) {
  for (const Semantics semantics : both_versions) {
    const LayerPtr layers[] = {random_flip({.name = "f"}), random_brightness({.name = "b", .factor = {1, 1}}),
                               random_contrast({.name = "c", .factor = {1, 1}}),
                               random_augmentation("RandomZoom", "z")};
    for (const LayerPtr& layer : layers)
      EXPECT_EQ(changed(layer, semantics, false)[0], mirrored(false, false)) << layer->class_name();
  }
}

TEST(Augmentation, OfOtherKindsIsRefusedInTraining) {
  for (const std::string_view name : other_augmentations())
    EXPECT_NE(test::refusal([&] {
                changed(random_augmentation(name, "a"), Semantics::keras3);
              }).find("not offered in training"),
              std::string::npos);
}

}  // namespace
}  // namespace wt::model
