#include "model/layers/spectral.h"

#include <fmt/format.h>

#include "model/constants.h"
#include "model/layers/wrapper.h"

namespace wt::model {

namespace {

class SpectralNormalization final : public Layer, public Wrapper {
 public:
  explicit SpectralNormalization(SpectralNormalizationConfig config)
      : Layer(config.name, config.trainable), config_(std::move(config)) {
    require_positive("power_iterations", config_.power_iterations);
  }
  std::string_view class_name() const override { return "SpectralNormalization"; }
  std::vector<Inner> inner() const override { return {{"layer", config_.layer}}; }

 protected:
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    const Symbol x = only(inputs);
    // Weights are known by their names, and only the layer inside knows the shape of its own.
    for (const auto* own : {"kernel", "embeddings"})
      building.assign_before_use(fmt::format("{}/{}", config_.layer->name(), own),
                                 [&](Symbol weight) { return normalized(building, weight); });
    const Symbol y = (*config_.layer)(building, x);
    const bool is_cast = y.spec().type != x.spec().type &&
                         is_on(Switch::spectral_results_have_the_inputs_type, building.semantics());
    return {is_cast ? cast(y, x.spec().type) : y};
  }

 private:
  static Symbol unit(Symbol x, Semantics semantics) {
    const double least_norm = is_on(Switch::unit_vectors_bound_the_inverse, semantics) ? 1e-7 : 1e-6;
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
      v = unit(matmul(u, matrix, {.transpose_b = true}), building.semantics());
      u = unit(matmul(v, matrix), building.semantics());
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
