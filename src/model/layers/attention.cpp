#include "model/layers/attention.h"

#include <fmt/format.h>

#include "model/layers/attention_scoring.h"
#include "model/mask.h"

namespace wt::model {

namespace {

class Attention final : public Layer {
 public:
  explicit Attention(AttentionConfig config)
      : Layer(config.name, config.trainable), config_(std::move(config)) {
    if (!(config_.dropout >= 0 && config_.dropout < 1))
      refuse(fmt::format("dropout is {}", config_.dropout), "it must be at least 0 and less than 1");
  }
  std::string_view class_name() const override {
    return config_.score == AttentionConfig::Score::additive ? "AdditiveAttention" : "Attention";
  }

 protected:
  WholeNumbers whole_numbers() const override { return WholeNumbers::converts; }
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    if (inputs.size() < 2 || inputs.size() > 3)
      refuse(fmt::format("it is given {} inputs", inputs.size()), "it takes query, value and key");
    for (const Symbol& input : inputs)
      if (input.shape().rank() != 3)
        refuse(fmt::format("it is given {}", print(input.spec())), "it takes [batch, sequence, dim]");
    const Symbol query = inputs[0], value = inputs[1], key = inputs.size() > 2 ? inputs[2] : value;
    const Scoring scoring{building,
                          name(),
                          config_.dropout,
                          config_.seed,
                          config_.causal || building.options().use_causal_mask,
                          key_mask(building, value)};
    const Symbol shares = scoring.shares(scores(building, query, key));
    Symbol y = matmul(shares, value);
    if (building.mask()) y = y * as_factors(*building.mask(), y);
    std::vector<Symbol> outputs{y};
    if (building.options().return_attention_scores) outputs.push_back(shares);
    return outputs;
  }
  std::optional<Symbol> mask_of_outputs(Building& building, const std::vector<Symbol>&) const override {
    return building.mask();
  }

 private:
  static std::optional<Symbol> key_mask(Building& building, Symbol value) {
    const std::optional<Symbol> mask = building.mask_of(value);
    return mask ? std::optional(mask_of_keys(*mask)) : std::nullopt;
  }

  Symbol scores(Building& building, Symbol query, Symbol key) const {
    const Type type = query.spec().type;
    const auto one = [&](std::string_view own) {
      return building.weight(fmt::format("{}/{}", name(), own), {type, {}}, WeightRule{ones, {}, {}});
    };
    if (config_.score == AttentionConfig::Score::dot) {
      const Symbol products = matmul(query, key, {.transpose_b = true});
      return config_.use_scale ? products * one("scale") : products;
    }
    const Shape q = query.shape(), k = key.shape();
    const Symbol pairs = wt::reshape(query, {q[0], q[1], 1, q[2]}) + wt::reshape(key, {k[0], 1, k[1], k[2]});
    if (config_.score == AttentionConfig::Score::concat) {
      const Symbol sum = reduce_sum(wt::tanh(config_.use_scale ? pairs * one("scale") : pairs), {3});
      return sum * one("concat_score_weight");
    }
    const Symbol activated = wt::tanh(pairs);
    if (!config_.use_scale) return reduce_sum(activated, {3});
    const Symbol scale =
        building.weight(name() + "/scale", {type, {q[2]}}, WeightRule{glorot_uniform, {}, {}});
    return reduce_sum(activated * scale, {3});
  }

  AttentionConfig config_;
};

}  // namespace

LayerPtr attention(AttentionConfig config) { return std::make_shared<Attention>(std::move(config)); }

}  // namespace wt::model
