#include "model/layers/normalization.h"

#include <fmt/format.h>

namespace wt::model {

namespace {

// Every replica keeps its own moving statistics. Outside of a step, Keras 2 reads the mean of the replicas'
// copies and Keras 3 reads replica 0's copy (Keras 2: batch_normalization.py, aggregation=MEAN; Keras 3: no
// aggregation).
VariableOptions statistics_in(Semantics semantics) {
  if (!is_on(Switch::moving_statistics_are_averaged, semantics)) return {.trainable = false};
  return {.trainable = false, .synchronization = Synchronization::on_read, .aggregation = Aggregation::mean};
}

class BatchNormalization final : public Layer {
 public:
  explicit BatchNormalization(BatchNormalizationConfig config)
      : Layer(config.name, config.trainable), config_(std::move(config)) {}
  std::string_view class_name() const override { return "BatchNormalization"; }

 protected:
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    const Symbol x = only(inputs);
    if (x.shape().rank() < 2)
      refuse(fmt::format("it is given {}", print(x.spec())), "it takes a batch axis and at least one more");
    if (config_.axis != -1 && config_.axis != x.shape().rank() - 1)
      refuse(fmt::format("it normalizes axis {} of {}", config_.axis, print(x.spec())),
             "only the last axis is offered");
    const TensorSpec spec{x.spec().type, {x.shape().last()}};
    const auto weight = [&](std::string_view own, const Initializer& initializer,
                            const VariableOptions& options, const std::optional<Regularizer>& regularizer) {
      return building.weight({fmt::format("{}/{}", name(), own), spec, initializer, options, regularizer});
    };
    const Symbol gamma = config_.scale
                             ? weight("gamma", config_.gamma_initializer, {}, config_.gamma_regularizer)
                             : fill(building.trace(), spec, 1);
    const Symbol beta = config_.center
                            ? weight("beta", config_.beta_initializer, {}, config_.beta_regularizer)
                            : fill(building.trace(), spec, 0);
    const VariableOptions statistics = statistics_in(building.semantics());
    const Symbol mean = weight("moving_mean", config_.moving_mean_initializer, statistics, {});
    const Symbol variance = weight("moving_variance", config_.moving_variance_initializer, statistics, {});
    const Symbol mean_now = building.latest(mean), variance_now = building.latest(variance);
    NormalizationAttributes attributes{.epsilon = config_.epsilon, .momentum = config_.momentum};
    if (!building.training() || building.frozen())
      return {batch_norm_inference(x, gamma, beta, mean_now, variance_now, attributes)};
    attributes.corrects_variance =
        is_on(Switch::moving_variance_of_images_is_corrected, building.semantics());
    const Normalized normalized = batch_norm(x, gamma, beta, mean_now, variance_now, attributes);
    building.update(mean, normalized.moving_mean);
    building.update(variance, normalized.moving_variance);
    return {normalized.y};
  }

 private:
  BatchNormalizationConfig config_;
};

class LayerNormalization final : public Layer {
 public:
  explicit LayerNormalization(LayerNormalizationConfig config)
      : Layer(config.name, config.trainable), config_(std::move(config)) {}
  std::string_view class_name() const override { return "LayerNormalization"; }

 protected:
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    const Symbol x = only(inputs);
    if (x.shape().rank() < 2)
      refuse(fmt::format("it is given {}", print(x.spec())), "it takes a batch axis and at least one more");
    if (config_.axis != -1 && config_.axis != x.shape().rank() - 1)
      refuse(fmt::format("it normalizes axis {} of {}", config_.axis, print(x.spec())),
             "only the last axis is offered");
    const TensorSpec spec{x.spec().type, {x.shape().last()}};
    const Symbol gamma =
        config_.scale
            ? building.weight(
                  {name() + "/gamma", spec, config_.gamma_initializer, {}, config_.gamma_regularizer})
            : fill(building.trace(), spec, 1);
    const Symbol beta =
        config_.center ? building.weight(
                             {name() + "/beta", spec, config_.beta_initializer, {}, config_.beta_regularizer})
                       : fill(building.trace(), spec, 0);
    return {layer_norm(x, gamma, beta, {.epsilon = config_.epsilon})};
  }

 private:
  LayerNormalizationConfig config_;
};

}  // namespace

LayerPtr batch_normalization(BatchNormalizationConfig config) {
  return std::make_shared<BatchNormalization>(std::move(config));
}
LayerPtr layer_normalization(LayerNormalizationConfig config) {
  return std::make_shared<LayerNormalization>(std::move(config));
}

}  // namespace wt::model
