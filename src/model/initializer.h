#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "base/json_reader.h"
#include "tensor/tensor.h"

namespace wt::model {

// Initial values of weights. The formulas and the random streams are those of Keras 2 on TensorFlow: an
// initializer with a given seed yields TensorFlow's values bit for bit (base/random.h). For example, a dense
// layer with 784 inputs and 128 units begins with uniform numbers between -l and l, where l = sqrt(6 / (784 +
// 128)).

struct Constant {
  double value = 0;
};

struct Uniform {
  double low = -0.05;
  double high = 0.05;
};

struct Normal {
  double mean = 0;
  double deviation = 0.05;
  bool truncated = false;  // values beyond two standard deviations are drawn again
};

// Glorot and Bengio, 2010; He et al., 2015. The variance is scale / fan, where the fan is the number of
// inputs of the weight, the number of its outputs, or their average.
struct VarianceScaling {
  enum class Fan : std::uint8_t { in, out, average };
  enum class Distribution : std::uint8_t { uniform, truncated_normal, untruncated_normal };
  double scale = 1;
  Fan fan = Fan::average;
  Distribution distribution = Distribution::uniform;
};

// Saxe, McClelland and Ganguli, 2014: the columns of a matrix of normal numbers, or the rows if there are fewer of
// them, made orthonormal by the QR decomposition whose triangle has a positive diagonal. All axes but the last are
// rows.
struct Orthogonal {
  double gain = 1;
};

// gain times the identity matrix, which may have more rows than columns, or fewer.
struct Identity {
  double gain = 1;
};

// The bias of an LSTM whose forget gate begins open (Jozefowicz et al., 2015): 1 in the second of four quarters, and 0
// in the others.
struct UnitForgetBias {};

// The state of a random stream (Building::random_stream) at step 0: {seed, 0}. Each replica has a stream of its own, unless
// they are to draw the same numbers.
struct StreamStart {
  bool is_same_on_all_replicas = false;
};

// The value of another variable at the time at which this one is created: of that whose slot this one is.
struct CopyOfVariable {};

struct Initializer {
  std::variant<Constant, Uniform, Normal, VarianceScaling, Orthogonal, Identity, UnitForgetBias, StreamStart,
               CopyOfVariable>
      rule{};
  std::optional<std::int64_t> seed{};  // unset: derived from the run's seed and the weight's name
};

// The defaults of most layers: kernels begin with glorot_uniform, and biases with zeros.
inline const Initializer zeros{Constant{0}, {}};
inline const Initializer ones{Constant{1}, {}};
inline const Initializer glorot_uniform{VarianceScaling{}, {}};
inline const Initializer orthogonal{Orthogonal{}, {}};
inline const Initializer copy_of_variable{CopyOfVariable{}, {}};

// Computes the initial value of the weight named `weight`. `run_seed` is used if the initializer has no seed
// of its own. Requires: a floating-point type, unless the rule is Constant or StreamStart; not CopyOfVariable.
Tensor initial_value(const Initializer& initializer, const TensorSpec& spec, std::string_view weight,
                     std::uint64_t run_seed);

// An initializer that a JSON file can name.
struct InitializerName {
  std::string_view name{};
  std::string_view class_name{};
  std::string_view summary{};
  Initializer value{};  // with Keras' defaults
};
std::span<const InitializerName> initializers();

// Reads "glorot_uniform" or {"class_name": "GlorotUniform", "config": {"seed": 1}}. Returns zeros after a
// problem.
Initializer initializer_from_json(const json::Value& value, Problems& problems,
                                  json::PassedOver* passed = nullptr);

}  // namespace wt::model
