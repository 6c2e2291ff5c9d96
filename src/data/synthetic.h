#pragma once
// Synthetic data with labels that a model can learn, so that the loss of a training decreases. Row i is a
// function of the seed and of i. A dataset of any size therefore needs no memory, and other rows of the same
// dataset can serve as test data.

#include <cstdint>
#include <memory>

#include "data/popularity.h"
#include "data/rows.h"

namespace wt::data {

// Each class has a hidden random picture. A row is the picture of its class mixed with noise, with values in
// [0, 1). The pictures of image shapes (height, width, channels) consist of 7 x 7 areas of one colour, which
// remain visible after convolutions and pooling. x is float32 with the given shape, and y is the class as
// int32.
struct Classification {
  std::int64_t rows{0};
  Shape shape{28, 28, 1};
  std::int64_t classes{10};
  double noise{0.5};  // the weight of the noise, from 0 to 1
  std::int64_t seed{0};
};
std::shared_ptr<const Rows> synthetic_rows(const Classification& wanted);

// A linear function with noise: y = W x + b + noise, with hidden random W and b. x is float32[features] in
// [-1, 1), and y is float32[targets].
struct Regression {
  std::int64_t rows{0};
  std::int64_t features{1};
  std::int64_t targets{1};
  double noise{0.1};  // the largest magnitude of the noise
  std::int64_t seed{0};
};
std::shared_ptr<const Rows> synthetic_rows(const Regression& wanted);

// Token sequences for language models. Each token has a hidden successor, and with probability `noise` a
// random token follows instead. x is int32[length], the tokens, and y is int32[length], the next token at
// each position.
struct TokenSequences {
  std::int64_t rows{0};
  std::int64_t length{1};
  std::int64_t vocabulary{2};
  double noise{0.1};  // the probability of a random token
  std::int64_t seed{0};
};
std::shared_ptr<const Rows> synthetic_rows(const TokenSequences& wanted);

// One of the tensors of an element. Its integers are in [0, below), such as ids of classes.
struct Component {
  TensorSpec row{};
  std::int64_t below{0};
  Popularity popularity{};
};

// Data for models with any number of inputs and labels. Every row belongs to a hidden kind, and each kind has
// hidden values for all components. The labels of a row are the values of its kind. The inputs are those
// values with noise, so a model can learn to recognise the kind.
struct Kinds {
  std::int64_t rows{0};
  std::vector<Component> inputs{};
  std::vector<Component> labels{};
  std::int64_t kinds{10};
  double noise{0.1};  // the share of ids that are replaced, and the weight of noise in floating inputs
  std::int64_t seed{0};
};
std::shared_ptr<const Rows> synthetic_rows(const Kinds& wanted);

}  // namespace wt::data
