#include "model/layers/embedding.h"

#include "model/mask.h"

namespace wt::model {

namespace {

class Embedding final : public Layer {
 public:
  explicit Embedding(EmbeddingConfig config)
      : Layer(config.name, config.trainable), config_(std::move(config)) {
    require_positive("input_dim", config_.input_dim);
    require_positive("output_dim", config_.output_dim);
  }
  std::string_view class_name() const override { return "Embedding"; }

 protected:
  UnderHalves under_halves() const override { return UnderHalves::rounds_output; }
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    const Symbol x = only(inputs);
    const Symbol table = building.weight(
        name() + "/embeddings", {Type::float32, {config_.input_dim, config_.output_dim}}, config_.embeddings);
    const bool is_index = x.spec().type == Type::int32 || x.spec().type == Type::int64;
    const Symbol ids = is_index ? x : cast(x, Type::int32);
    const Symbol rows = wt::embedding(ids, table);
    if (config_.mask_zero) building.set_mask(rows, not_equal(ids, 0));
    return {rows};
  }

 private:
  EmbeddingConfig config_;
};

}  // namespace

LayerPtr embedding(EmbeddingConfig config) { return std::make_shared<Embedding>(std::move(config)); }

}  // namespace wt::model
