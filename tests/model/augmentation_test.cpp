// Claims: in training RandomFlip, RandomBrightness, RandomContrast, RandomCrop, RandomTranslation, RandomRotation and RandomZoom
// change images as Keras' formulas say, by as much as Keras draws in each version, and each image or the batch for itself as
// there; out of training images pass; other augmentations are refused in training. What is filled beyond an image, and pixels
// between pixels, are compared with recordings of TensorFlow.

#include "model/layers/augmentation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <set>

#include "numbers.h"

namespace wt::model {
namespace {

constexpr std::int64_t count = 64, height = 3, width = 4;
constexpr std::int64_t extent = 16;  // of the square images of which places are measured

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
  for (const StepVariable& variable : step.variables)
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

// Of a ramp along one axis, what a place in the middle shows is where it comes from.
Tensor ramp(bool is_across) {
  std::vector<float> numbers;
  for (std::int64_t row = 0; row < count; ++row)
    for (int y = 0; y < extent; ++y)
      for (int x = 0; x < extent; ++x) numbers.push_back(static_cast<float>(is_across ? x : y));
  return test::floats({count, extent, extent, 1}, numbers);
}

// Where each image's pixel at a place comes from.
struct Origins {
  std::vector<double> x{}, y{};
};
Origins origins(const std::function<LayerPtr()>& layer, Semantics semantics, std::int64_t y, std::int64_t x) {
  Origins found;
  const auto at = static_cast<std::size_t>(y * extent + x);
  for (const auto& image : changed(layer(), semantics, true, ramp(true))) found.x.push_back(image[at]);
  for (const auto& image : changed(layer(), semantics, true, ramp(false))) found.y.push_back(image[at]);
  return found;
}

// Numbers that are drawn uniformly, each image's own.
void expect_uniform(std::vector<double> numbers, const Between& between) {
  const auto draws = static_cast<double>(numbers.size());
  const double span = between.high - between.low;
  std::ranges::sort(numbers);
  EXPECT_GE(numbers.front(), between.low - 1e-4);
  EXPECT_LE(numbers.back(), between.high + 1e-4);
  EXPECT_LT(numbers.front(), between.low + span / 8);
  EXPECT_GT(numbers.back(), between.high - span / 8);
  double mean = 0;
  for (const double number : numbers) mean += number / draws;
  EXPECT_NEAR(mean, (between.low + between.high) / 2, 4 * span / std::sqrt(12 * draws));
  EXPECT_GT((std::set<double>(numbers.begin(), numbers.end()).size()), numbers.size() / 2);
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto draws = static_cast<double>(a.size());
  double mean_a = 0, mean_b = 0, ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    mean_a += a[i] / draws;
    mean_b += b[i] / draws;
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return ab / std::sqrt(aa * bb);
}

TEST(RandomTranslation, MovesByWholePixelsWithoutChangingThem) {
  const auto moved = [](double down, double right) {
    return changed(random_translation({.name = "t",
                                       .height = {down / height, down / height},
                                       .width = {right / width, right / width},
                                       .warp = {FillMode::constant, Interpolation::nearest, -1}}),
                   Semantics::keras3)[0];
  };
  EXPECT_EQ(moved(1, 0), (std::vector<double>{-1, -1, -1, -1, 0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(moved(0, -2), (std::vector<double>{2, 3, -1, -1, 6, 7, -1, -1, 10, 11, -1, -1}));
  EXPECT_EQ(moved(-3, 4), std::vector<double>(12, -1));
}

TEST(RandomTranslation, DrawsForEachImageAndDirection) {
  for (const Semantics semantics : both_versions) {
    const Origins from = origins(
        [] {
          return random_translation({.name = "t", .height = {-0.25, 0.125}, .width = {-0.125, 0.375}});
        },
        semantics, 8, 8);
    expect_uniform(from.y, {8 - 0.125 * extent, 8 + 0.25 * extent});
    expect_uniform(from.x, {8 - 0.375 * extent, 8 + 0.125 * extent});
    EXPECT_LT(std::abs(correlation(from.x, from.y)), 4 / std::sqrt(count));
  }
}

// Keras' matrix is of the way back, so that a positive angle turns the image against the clock.
TEST(RandomRotation, ByAQuarterTurnTransposesAndMirrors) {
  std::vector<float> numbers;
  for (std::int64_t row = 0; row < count; ++row) numbers.insert(numbers.end(), {1, 2, 3, 4});
  const Tensor square = test::floats({count, 2, 2, 1}, numbers);
  using Turned = std::pair<double, std::vector<double>>;
  for (const auto& [turns, expected] : std::vector<Turned>{{0.25, {2, 4, 1, 3}},
                                                           {-0.25, {3, 1, 4, 2}},
                                                           {0.5, {4, 3, 2, 1}},
                                                           {-0.75, {2, 4, 1, 3}},
                                                           {3, {1, 2, 3, 4}}})
    test::expect_near(
        changed(random_rotation({.name = "r", .factor = {turns, turns}}), Semantics::keras3, true, square)[0],
        expected, 1e-5);
}

TEST(RandomRotation, DrawsAnAngleForEachImage) {
  constexpr double middle = (extent - 1) / 2.0;
  constexpr std::int64_t right = 12;
  for (const Semantics semantics : both_versions) {
    const Origins from = origins(
        [] {
          return random_rotation({.name = "r", .factor = {-0.25, 0.125}});
        },
        semantics, 7, right);
    std::vector<double> turns;
    for (std::size_t i = 0; i < from.x.size(); ++i) {
      const double own_x = right - middle, own_y = 7 - middle;
      const double x = from.x[i] - middle, y = from.y[i] - middle;
      EXPECT_NEAR(std::hypot(x, y), std::hypot(own_x, own_y), 1e-4);
      turns.push_back((std::atan2(y, x) - std::atan2(own_y, own_x)) / (2 * std::numbers::pi));
    }
    expect_uniform(turns, {-0.25, 0.125});
  }
}

TEST(RandomZoom, DrawsForEachImageAndDirection) {
  constexpr double middle = (extent - 1) / 2.0;
  const auto zooms = [&](std::vector<double> from, double own) {
    for (double& place : from) place = (place - middle) / (own - middle) - 1;
    return from;
  };
  for (const Semantics semantics : both_versions) {
    const Origins from = origins(
        [] {
          return random_zoom({.name = "z", .height = {-0.5, 0.25}, .width = Between{-0.25, 0.75}});
        },
        semantics, 10, 4);
    const auto down = zooms(from.y, 10), across = zooms(from.x, 4);
    expect_uniform(down, {-0.5, 0.25});
    expect_uniform(across, {-0.25, 0.75});
    EXPECT_LT(std::abs(correlation(down, across)), 4 / std::sqrt(count));
    const Origins together = origins(
        [] {
          return random_zoom({.name = "z", .height = {-0.5, 0.25}});
        },
        semantics, 10, 4);
    test::expect_near(zooms(together.x, 4), zooms(together.y, 10), 1e-4);
    expect_uniform(zooms(together.x, 4), {-0.5, 0.25});
  }
}

TEST(Augmentation, PassesOutOfTraining) {
  for (const Semantics semantics : both_versions) {
    const LayerPtr layers[] = {random_flip({.name = "f"}),
                               random_brightness({.name = "b", .factor = {1, 1}}),
                               random_contrast({.name = "c", .factor = {1, 1}}),
                               random_translation({.name = "t", .height = {1, 1}}),
                               random_rotation({.name = "r", .factor = {0.5, 0.5}}),
                               random_zoom({.name = "z", .height = {1, 1}}),
                               random_augmentation("RandomHeight", "h")};
    for (const LayerPtr& layer : layers)
      EXPECT_EQ(changed(layer, semantics, false)[0], mirrored(false, false)) << layer->class_name();
  }
}

TEST(Augmentation, OfOtherKindsIsRefusedInTraining) {
  for (const std::string_view name : other_augmentations())
    EXPECT_NE(test::refusal([&] {
                changed(random_augmentation(name, "a"), Semantics::keras3);
              }).find("a random size"),
              std::string::npos);
}

}  // namespace
}  // namespace wt::model
