#pragma once
// The constants of a call of a kernel: axes, strides, an optimizer's momentum. They are plain data, so a plan
// can print, compare and export them. None of them changes from step to step; learning rates and step counts
// are operands.

#include <array>
#include <string>
#include <string_view>
#include <variant>

#include "tensor/tensor.h"

namespace wt {

struct NoAttributes {
  friend bool operator==(const NoAttributes&, const NoAttributes&) = default;
};

// matmul: a is stored [.., k, m] if transpose_a, b is stored [.., n, k] if transpose_b.
struct ProductAttributes {
  bool transpose_a = false;
  bool transpose_b = false;
  friend bool operator==(const ProductAttributes&, const ProductAttributes&) = default;
};

// TensorFlow's rules (tf.nn.convolution). `valid` gives ceil((n - window + 1) / stride) outputs. `same` gives
// ceil(n / stride); an odd row of padding is at the bottom and an odd column at the right.
enum class Padding : std::uint8_t { valid, same };

// Convolutions and pooling: a window that slides over height and width. Shapes are [height, width].
struct WindowAttributes {
  Shape size{1, 1};
  Shape strides{1, 1};
  Shape dilation{1, 1};
  Padding padding = Padding::valid;
  std::int64_t groups = 1;  // of channels, each convolved on its own
  // The shape of x, for conv2d_input_gradient and average_pool_gradient. With strides, several shapes of x
  // give the same y. (max_pool_gradient has x as an operand.)
  Shape input{};
  friend bool operator==(const WindowAttributes&, const WindowAttributes&) = default;
};

// Reductions over axes.
struct AxesAttributes {
  Shape axes{};            // ascending, not negative
  bool keep_dims = false;  // a reduced axis stays, with extent 1
  friend bool operator==(const AxesAttributes&, const AxesAttributes&) = default;
};

// concat, split: the extents of the parts along one axis.
struct PartsAttributes {
  int axis = 0;
  Shape sizes{};
  friend bool operator==(const PartsAttributes&, const PartsAttributes&) = default;
};

// broadcast_to: the result's shape. embedding_gradient: the table's shape. transpose: the permutation, in
// which entry i is the axis of x that becomes axis i.
struct ShapeAttributes {
  Shape shape{};
  friend bool operator==(const ShapeAttributes&, const ShapeAttributes&) = default;
};

// batch_norm and layer_norm, with the defaults of Keras.
struct NormalizationAttributes {
  double epsilon = 1e-3;   // added to the variance
  double momentum = 0.99;  // weight of the old value in a moving average; layer_norm has none
  // Whether batch_norm gives the moving average the unbiased variance, with Bessel's correction n / (n - 1).
  // TensorFlow's fused kernel does so, which Keras 2 calls for images and volumes. Keras 3 does not call it.
  bool corrects_variance = false;
  friend bool operator==(const NormalizationAttributes&, const NormalizationAttributes&) = default;
};

struct DropoutAttributes {
  double rate = 0.5;  // the share of elements that become 0
  friend bool operator==(const DropoutAttributes&, const DropoutAttributes&) = default;
};

struct CastAttributes {
  Type type = Type::float32;
  friend bool operator==(const CastAttributes&, const CastAttributes&) = default;
};

struct FillAttributes {
  TensorSpec spec{};
  double value = 0;
  friend bool operator==(const FillAttributes&, const FillAttributes&) = default;
};

// The optimizers, with the names and defaults of Keras 2. A weight decay of 0 is none.
//
// Where `given_squares` is set, the gradients' squares are operands of their own instead of g * g
// (OptimizerLayout in kernel/optimizer.h).

struct SgdAttributes {
  double momentum = 0;
  bool nesterov = false;
  double weight_decay = 0;
  friend bool operator==(const SgdAttributes&, const SgdAttributes&) = default;
};

struct AdamAttributes {
  double beta_1 = 0.9;
  double beta_2 = 0.999;
  double epsilon = 1e-7;
  double weight_decay = 0;
  bool given_squares = false;
  friend bool operator==(const AdamAttributes&, const AdamAttributes&) = default;
};

struct RmsPropAttributes {
  double rho = 0.9;
  double momentum = 0;
  double epsilon = 1e-7;
  bool centered = false;
  bool given_squares = false;
  friend bool operator==(const RmsPropAttributes&, const RmsPropAttributes&) = default;
};

// The activations of a recurrent cell. Each has a derivative that follows from its value, so that a backward
// pass needs no further numbers. Keras 2 computes hard_sigmoid as clip(0.2 x + 0.5, 0, 1), Keras 3 as
// clip(x / 6 + 0.5, 0, 1).
enum class CellActivation : std::uint8_t {
  linear,
  tanh,
  sigmoid,
  relu,
  hard_sigmoid,
  hard_sigmoid_keras2,
  softsign,
  softplus,
  elu,
  exponential
};
std::string_view name(CellActivation activation);

// What tf.image.resize knows. Rows are copied (nearest), averaged by what of them lies within a new row (area), or weighted
// by a function of their distance.
enum class ResizeMethod : std::uint8_t {
  nearest,
  bilinear,
  area,
  bicubic,
  gaussian,
  lanczos3,
  lanczos5,
  mitchellcubic
};
std::string_view name(ResizeMethod method);

// resize_shares: an axis of `given` rows becomes one of `rows`.
struct ResizeAttributes {
  ResizeMethod method = ResizeMethod::bilinear;
  std::int64_t given = 1;
  std::int64_t rows = 1;
  bool antialias = false;  // functions of the distance are stretched where rows become fewer
  friend bool operator==(const ResizeAttributes&, const ResizeAttributes&) = default;
};

// hash_bucket: the number of buckets, and what a salted hash begins with.
struct HashAttributes {
  std::int64_t buckets = 1;
  bool is_salted = false;
  std::array<std::int64_t, 2> salt{};
  friend bool operator==(const HashAttributes&, const HashAttributes&) = default;
};

// simple_rnn, gru and lstm, with the defaults of Keras. simple_rnn has no gates, so it ignores
// recurrent_activation.
struct RecurrentAttributes {
  CellActivation activation = CellActivation::tanh;
  CellActivation recurrent_activation = CellActivation::sigmoid;  // of the gates
  bool go_backwards = false;  // the steps are computed from the last to the first
  bool reset_after = true;    // gru: the reset gate is applied after the recurrent product
  bool is_masked = false;     // a mask boolean[batch, time] is the last operand
  // The share of the state's elements that a step's product drops. Then a mask boolean[gates, batch, units] of those that
  // it keeps stands before that of the steps. It is the same in every step.
  double state_dropout = 0;
  friend bool operator==(const RecurrentAttributes&, const RecurrentAttributes&) = default;
};

using Attributes = std::variant<NoAttributes, ProductAttributes, WindowAttributes, AxesAttributes,
                                PartsAttributes, ShapeAttributes, NormalizationAttributes, DropoutAttributes,
                                CastAttributes, FillAttributes, SgdAttributes, AdamAttributes,
                                RmsPropAttributes, RecurrentAttributes, ResizeAttributes, HashAttributes>;

// "strides=[2,2] padding=same". Members that have their default are left out.
std::string print(const Attributes& attributes);

}  // namespace wt
