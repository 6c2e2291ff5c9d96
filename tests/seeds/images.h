// The recipe of the images and the first weights of the recorded loops (texts.recipe of programs_loop_*), so that no data
// travel with a recording.
#pragma once

#include "seeds/seeds_recorded.h"

namespace wt::test::seeds {

// Uniform in [0, 1): a hash of the index and the seed.
inline double uniform(std::uint32_t index, std::uint32_t seed) {
  std::uint32_t x = index * 0x9E3779B9u + seed * 0x85EBCA6Bu;
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  x ^= x >> 16;
  return static_cast<double>(x) / 4294967296.0;
}

// Noise and a pattern that depends on the label.
struct Images {
  Tensor pixels{}, labels{};

  Images(std::int64_t count, std::uint32_t seed) {
    std::vector<float> all;
    std::vector<std::uint8_t> classes;
    for (std::int64_t j = 0; j < count; ++j) {
      classes.push_back(static_cast<std::uint8_t>((j * 7 + j / 10) % 10));
      for (std::int64_t p = 0; p < 784; ++p) {
        const auto noise = static_cast<int>(uniform(static_cast<std::uint32_t>(j * 784 + p), seed) * 128);
        const bool is_bright = (p / 28 / 3 + p % 28 / 3 * 2) % 10 == classes.back();
        all.push_back(static_cast<float>(noise + (is_bright ? 127 : 0)) / 255.f);
      }
    }
    pixels = Tensor::of<float>({count, 28, 28, 1}, all);
    labels = Tensor::of<std::uint8_t>({count}, classes);
  }
  data::Dataset rows() const { return data::Dataset::from_tensor_slices({pixels, labels}); }
};

// Kernel number k is drawn within the limits of glorot_uniform; biases are 0.
inline std::map<std::string, Tensor> first_weights(const model::Layer& layer) {
  std::map<std::string, Tensor> values;
  std::uint32_t kernels = 0;
  for (const model::Weight& weight : model::weights_of(layer)) {
    const Shape& shape = weight.spec.shape;
    std::vector<float> numbers(static_cast<std::size_t>(shape.elements()));
    if (shape.rank() > 1) {
      const std::int64_t in = shape[shape.rank() - 2], out = shape[shape.rank() - 1];
      const double window = static_cast<double>(shape.elements() / (in * out));
      const double limit = std::sqrt(6.0 / (window * static_cast<double>(in + out)));
      for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] =
            static_cast<float>((2 * uniform(static_cast<std::uint32_t>(i), 100 + kernels) - 1) * limit);
      ++kernels;
    }
    values[weight.name] = Tensor::of<float>(shape, numbers);
  }
  return values;
}

// A recorded fingerprint of weights: sums, and evenly spaced elements of each.
inline void expect_fingerprint(const Recording& recording, const std::string& key,
                               const std::vector<Tensor>& found) {
  const json::Value::Elements& rows = wanted(recording, key).elements();
  ASSERT_EQ(rows.size(), found.size()) << at(recording, key);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const json::Value& row = rows[i];
    const std::string where = fmt::format("{} [{}]", at(recording, key), i);
    EXPECT_EQ(shape_of(*row.find("shape")), found[i].shape()) << where;
    double sum = 0, absolute = 0;
    const auto values = found[i].values<float>();
    for (const float value : values) {
      sum += static_cast<double>(value);
      absolute += std::abs(static_cast<double>(value));
    }
    const double size = row.find("abs sum")->real();
    EXPECT_NEAR(row.find("sum")->real(), sum, 1e-4 * size) << where;
    EXPECT_NEAR(size, absolute, 1e-4 * size) << where;
    std::vector<double> spaced;
    const std::vector<double> elements = numbers_of(*row.find("elements"));
    const auto step = static_cast<std::size_t>(row.find("step")->integer());
    for (std::size_t k = 0; k < values.size() && spaced.size() < elements.size(); k += step)
      spaced.push_back(static_cast<double>(values[k]));
    expect_close(where, elements, spaced, 1e-4);
  }
}

}  // namespace wt::test::seeds
