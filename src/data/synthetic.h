#pragma once
// Data made from a seed, with labels that can be learned, so that a loss falls. Row i depends on the seed and
// on i alone: any number of rows costs nothing until they are read, and the test rows of a dataset are simply
// others of its rows.

#include <cstdint>
#include <memory>

#include "data/rows.h"

namespace wt::data {

// Each class is a hidden picture; a row is the picture of its class under noise, in [0, 1). Images (height,
// width, channels) get coarse pictures of 7 x 7 fields, which survive convolutions and pooling.
// x: float32 `shape`; y: int32, the class.
struct Classification {
  std::int64_t rows{0};
  Shape shape{28, 28, 1};
  std::int64_t classes{10};
  double noise{0.5};  // the share of noise in a row, 0 to 1
  std::int64_t seed{0};
};
std::shared_ptr<const Rows> synthetic_rows(const Classification& wanted);

// y = W x + b + noise, with hidden W and b.  x: float32 [features] in [-1, 1); y: float32 [targets].
struct Regression {
  std::int64_t rows{0};
  std::int64_t features{1};
  std::int64_t targets{1};
  double noise{0.1};  // the largest deviation
  std::int64_t seed{0};
};
std::shared_ptr<const Rows> synthetic_rows(const Regression& wanted);

// Each token has a hidden successor; now and then any other token follows instead.
// x: int32 [length], the tokens; y: int32 [length], the next ones.
struct TokenSequences {
  std::int64_t rows{0};
  std::int64_t length{1};
  std::int64_t vocabulary{2};
  double noise{0.1};  // how often the successor does not follow
  std::int64_t seed{0};
};
std::shared_ptr<const Rows> synthetic_rows(const TokenSequences& wanted);

// One of an element's tensors. Integers are from 0 and below `below`: ids, classes.
struct Component {
  TensorSpec row{};
  std::int64_t below{0};
};

// Any number of inputs and labels. Every row is of a hidden kind, and each kind has values of its own for all
// that a row holds; inputs stray from them, labels don't.
struct Kinds {
  std::int64_t rows{0};
  std::vector<Component> inputs{};
  std::vector<Component> labels{};
  std::int64_t kinds{10};
  double noise{0.1};  // the share of other values: of ids how many, of floating inputs how much
  std::int64_t seed{0};
};
std::shared_ptr<const Rows> synthetic_rows(const Kinds& wanted);

}  // namespace wt::data
