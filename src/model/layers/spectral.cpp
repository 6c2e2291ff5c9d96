#include "model/layers/spectral.h"

#include <fmt/format.h>

#include "model/constants.h"

namespace wt::model {

namespace {

class SpectralNormalization final : public Layer {
 public:
  explicit SpectralNormalization(SpectralNormalizationConfig config)
      : Layer(config.name, config.trainable), config_(std::move(config)) {
    require_positive("power_iterations", config_.power_iterations);
  }
  std::string_view class_name() const override { return "SpectralNormalization"; }

 protected:
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    const Symbol x = only(inputs);
    if (!is_floating(x.spec().type))
      refuse(fmt::format("it is given {}", print(x.spec())),
             "Keras makes the result integers, too: normalize a layer of real numbers");
    // Weights are known by their names, and only the layer inside knows the shape of its own.
    for (const auto* own : {"kernel", "embeddings"})
      building.assign_before_use(fmt::format("{}/{}", config_.layer->name(), own),
                                 [&](Symbol weight) { return normalized(building, weight); });
    return {(*config_.layer)(building, x)};
  }

 private:
  static constexpr double least_norm = 1e-7;  // Keras' backend.epsilon()

  static Symbol unit(Symbol x) {
    return x / maximum(sqrt(reduce_sum(square(x))), number_like(x, least_norm));
  }

  Symbol normalized(Building& building, Symbol weight) const {
    const Shape shape = weight.shape();
    const Symbol matrix = wt::reshape(weight, {shape.elements(0, shape.rank() - 1), shape.last()});
    const Symbol last = building.weight({.name = name() + "/vector_u",
                                         .spec = {weight.spec().type, {1, shape.last()}},
                                         .initializer = {Normal{.deviation = 0.02, .truncated = true}},
                                         .options = {.trainable = false}});
    if (!building.training()) return weight;
    Symbol u = last, v = last;
    for (std::int64_t i = 0; i < config_.power_iterations; ++i) {
      v = unit(matmul(u, matrix, {.transpose_b = true}));
      u = unit(matmul(v, matrix));
    }
    const Symbol largest = wt::reshape(matmul(matmul(v, matrix), u, {.transpose_b = true}), {});
    const Symbol is_zero = cast(equal(largest, number_like(largest, 0)), weight.spec().type);
    building.update(last, u + last * is_zero);  // a weight of zeros stays as it is
    return weight / (largest + is_zero);
  }

  SpectralNormalizationConfig config_;
};

}  // namespace

LayerPtr spectral_normalization(SpectralNormalizationConfig config) {
  return std::make_shared<SpectralNormalization>(std::move(config));
}

}  // namespace wt::model
