#include "model/layers/normalization.h"

#include "model/layers/json/rows.h"
#include "model/layers/spectral.h"

namespace wt::model {

namespace {

// Nothing where the layer doesn't renormalize: then its other keys say nothing.
std::optional<Renormalization> read_renormalization(LayerReader& r) {
  const json::Value* clipping = r.given("renorm_clipping");
  Renormalization renorm{.momentum = r.number("renorm_momentum", 0.99, {.at_least = 0.0, .at_most = 1.0})};
  if (!r.flag("renorm", false)) return {};
  if (clipping == nullptr) return renorm;
  json::Reader bounds(*clipping, r.problems());
  renorm.rmin = bounds.maybe<double>("rmin");
  renorm.rmax = bounds.maybe<double>("rmax");
  renorm.dmax = bounds.maybe<double>("dmax");
  bounds.finish();
  return renorm;
}

LayerPtr read_batch_normalization(LayerReader& r) {
  return batch_normalization(
      {.name = r.name(),
       .axis = r.axis(-1),
       .momentum = r.number("momentum", 0.99, {.at_least = 0.0, .at_most = 1.0}),
       .epsilon = r.number("epsilon", 1e-3, {.at_least = 0.0}),
       .center = r.flag("center", true),
       .scale = r.flag("scale", true),
       .renorm = read_renormalization(r),
       .synchronized = r.flag("synchronized", false),
       .beta = r.rule("beta", zeros),
       .gamma = r.rule("gamma", ones),
       .moving_mean_initializer = r.initializer("moving_mean_initializer", zeros),
       .moving_variance_initializer = r.initializer("moving_variance_initializer", ones),
       .trainable = r.trainable()});
}

LayerPtr read_layer_normalization(LayerReader& r) {
  return layer_normalization({.name = r.name(),
                              .axes = r.axes("axis", {-1}),
                              .epsilon = r.number("epsilon", 1e-3, {.at_least = 0.0}),
                              .center = r.flag("center", true),
                              .scale = r.flag("scale", true),
                              .rms_scaling = r.flag("rms_scaling", false),
                              .beta = r.rule("beta", zeros),
                              .gamma = r.rule("gamma", ones),
                              .trainable = r.trainable()});
}

LayerPtr read_group_normalization(LayerReader& r) {
  return group_normalization({.name = r.name(),
                              .groups = r.optional<std::int64_t>("groups", 32, {.at_least = -1}),
                              .axis = r.axis(-1),
                              .epsilon = r.number("epsilon", 1e-3, {.at_least = 0.0}),
                              .center = r.flag("center", true),
                              .scale = r.flag("scale", true),
                              .beta = r.rule("beta", zeros),
                              .gamma = r.rule("gamma", ones),
                              .trainable = r.trainable()});
}

LayerPtr read_rms_normalization(LayerReader& r) {
  return rms_normalization({.name = r.name(),
                            .axes = r.axes("axis", {-1}),
                            .epsilon = r.number("epsilon", 1e-6, {.at_least = 0.0}),
                            .trainable = r.trainable()});
}

LayerPtr read_unit_normalization(LayerReader& r) {
  return unit_normalization({r.name(), r.axes("axis", {-1})});
}

// "axis" null: one mean and one variance for all elements.
LayerPtr read_normalization(LayerReader& r) {
  const json::Value* axis = r.value("axis");
  const bool is_scalar = axis != nullptr && axis->kind() == json::Kind::null;
  return normalization({.name = r.name(),
                        .axes = r.axes("axis", is_scalar ? std::vector<int>{} : std::vector<int>{-1}),
                        .mean = r.numbers("mean", {}),
                        .variance = r.numbers("variance", {}),
                        .invert = r.flag("invert", false)});
}

LayerPtr read_spectral_normalization(LayerReader& r) {
  LayerPtr layer = r.layer("layer");
  if (r.given("layer") == nullptr)
    r.problem("layer", "this wrapper has no layer", "add the layer that it wraps");
  if (layer == nullptr) return nullptr;
  return spectral_normalization(
      {.name = r.name(),
       .layer = std::move(layer),
       .power_iterations = r.optional<std::int64_t>("power_iterations", 1, {.at_least = 1}),
       .trainable = r.trainable()});
}

}  // namespace

std::span<const LayerClass> normalization_rows() {
  static constexpr LayerClass rows[] = {
      {"BatchNormalization", "mean 0 and variance 1 over the batch, then scale and shift",
       read_batch_normalization},
      {"GroupNormalization", "mean 0 and variance 1 over groups of channels, then scale and shift",
       read_group_normalization},
      {"LayerNormalization", "mean 0 and variance 1 over axes of each row, then scale and shift",
       read_layer_normalization},
      {"Normalization", "minus a given mean, divided by the root of a given variance", read_normalization},
      {"RMSNormalization", "divided by the root mean square of each row, then scaled",
       read_rms_normalization},
      {"SpectralNormalization", "a layer whose kernel is divided by its largest singular value",
       read_spectral_normalization},
      {"UnitNormalization", "divided by the norm along axes", read_unit_normalization},
  };
  return rows;
}

}  // namespace wt::model
