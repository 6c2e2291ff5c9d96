#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/axes.h"
#include "model/layers/attention.h"
#include "model/layers/attention_scoring.h"
#include "model/mask.h"

namespace wt::model {

namespace {

class MultiHeadAttention final : public Layer {
 public:
  explicit MultiHeadAttention(MultiHeadAttentionConfig config)
      : Layer(config.name, config.trainable), config_(std::move(config)) {
    require_positive("num_heads", config_.num_heads);
    require_positive("key_dim", config_.key_dim);
    require_positive("value_dim", value_dim());
    require_positive("num_key_value_heads", key_value_heads());
    if (config_.num_heads % key_value_heads() != 0)
      refuse(fmt::format("{} query heads don't divide into {} key-value heads", config_.num_heads,
                         key_value_heads()),
             "num_query_heads must be a multiple of num_key_value_heads");
    if (!(config_.dropout >= 0 && config_.dropout < 1))
      refuse(fmt::format("dropout is {}", config_.dropout), "it must be at least 0 and less than 1");
  }
  std::string_view class_name() const override {
    return config_.num_key_value_heads ? "GroupQueryAttention" : "MultiHeadAttention";
  }

 protected:
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& given) const override {
    std::vector<Symbol> inputs = given;
    std::optional<Symbol> pairs;
    if (building.options().attention_mask_is_last && !inputs.empty()) {
      pairs = inputs.back();
      inputs.pop_back();
    }
    if (inputs.empty() || inputs.size() > 3)
      refuse(fmt::format("it is given {} inputs", inputs.size()), "it takes query, value and key");
    for (const Symbol& input : inputs)
      if (input.shape().rank() < 3 || input.shape().rank() != inputs[0].shape().rank())
        refuse(fmt::format("it is given {}", print(input.spec())), "it takes [batch, sequence..., hidden]");
    require_axes_of_positions(inputs[0]);
    const Attended query(inputs[0], config_.attention_axes);
    const Attended value(inputs.size() > 1 ? inputs[1] : inputs[0], config_.attention_axes);
    const Attended key(inputs.size() > 2   ? inputs[2]
                       : inputs.size() > 1 ? inputs[1]
                                           : inputs[0],
                       config_.attention_axes);
    const Symbol q = heads_of(building, "query", query.rows(), config_.num_heads, config_.key_dim);
    const Symbol k = repeated(heads_of(building, "key", key.rows(), key_value_heads(), config_.key_dim));
    const Symbol v = repeated(heads_of(building, "value", value.rows(), key_value_heads(), value_dim()));
    const double scale = 1 / std::sqrt(static_cast<double>(config_.key_dim));
    const Scoring scoring{building,
                          name(),
                          config_.dropout,
                          config_.seed,
                          config_.causal || building.options().use_causal_mask,
                          mask_of_pairs(building, inputs, pairs),
                          true};
    const Symbol shares = scoring.shares(matmul(q * scale, k, {.transpose_b = true}));
    std::vector<Symbol> outputs{query.back(joined(building, matmul(shares, v), inputs[0].shape().last()))};
    if (building.options().return_attention_scores) outputs.push_back(shares);
    return outputs;
  }
  std::optional<Symbol> mask_of_outputs(Building& building, const std::vector<Symbol>&) const override {
    return building.mask();
  }

 private:
  void require_axes_of_positions(Symbol query) const {
    for (const int axis : config_.attention_axes)
      if (const int i = axis_of(axis, query.spec()); i == 0 || i == query.shape().rank() - 1)
        refuse(fmt::format("attention over axis {} of {}", axis, print(query.spec())),
               "attention_axes may hold neither the batch axis nor the last axis, which holds the features");
  }

  // An input whose attention axes are one axis: [batch and other axes, positions, features].
  class Attended {
   public:
    Attended(Symbol x, std::vector<int> axes) : x_(x) {
      const int rank = x.shape().rank();
      if (axes.empty())
        for (int axis = 1; axis < rank - 1; ++axis) axes.push_back(axis);
      for (int& axis : axes) axis = axis_of(axis, x.spec());
      std::ranges::sort(axes);
      for (int axis = 0; axis < rank - 1; ++axis)
        if (std::ranges::count(axes, axis) == 0) order_.append(axis);
      const int others = order_.rank();
      for (const int axis : axes) order_.append(axis);
      order_.append(rank - 1);
      for (int i = 0; i < rank; ++i) moved_.append(x.shape()[static_cast<int>(order_[i])]);
      rows_ = {moved_.elements(0, others), moved_.elements(others, rank - 1), moved_.last()};
    }
    Symbol rows() const {
      return wt::reshape(std::ranges::is_sorted(order_) ? x_ : transpose(x_, order_), rows_);
    }
    // Of [rows, positions, features...] to the axes of x with these features.
    Symbol back(Symbol y) const {
      Shape apart, inverse;
      for (int i = 0; i + 1 < moved_.rank(); ++i) apart.append(moved_[i]);
      for (int axis = 2; axis < y.shape().rank(); ++axis) apart.append(y.shape()[axis]);
      for (int axis = 0; axis + 1 < order_.rank(); ++axis)
        inverse.append(std::ranges::find(order_, axis) - order_.begin());
      for (int axis = inverse.rank(); axis < apart.rank(); ++axis) inverse.append(axis);
      const Symbol whole = wt::reshape(y, apart);
      return std::ranges::is_sorted(inverse) ? whole : transpose(whole, inverse);
    }

   private:
    Symbol x_;
    Shape order_{};
    Shape moved_{};
    Shape rows_{};
  };

  std::int64_t key_value_heads() const { return config_.num_key_value_heads.value_or(config_.num_heads); }
  std::int64_t value_dim() const { return config_.value_dim.value_or(config_.key_dim); }

  // The pairs of query and key that all masks keep: those of the inputs, and the given one, [batch, queries, keys].
  std::optional<Symbol> mask_of_pairs(Building& building, const std::vector<Symbol>& inputs,
                                      std::optional<Symbol> given) const {
    std::optional<Symbol> merged = given;
    const auto add = [&](Symbol mask) { merged = merged ? both(*merged, mask) : mask; };
    if (given && given->shape().rank() != 3)
      refuse(fmt::format("its attention mask is {}", print(given->spec())),
             "it takes [batch, queries, keys]");
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const auto mask = building.mask_of(inputs[i]);
      if (!mask) continue;
      if (i == 0) add(mask_of_queries(*mask));
      if (i > 0 || inputs.size() == 1) add(mask_of_keys(*mask));
    }
    if (merged && inputs[0].shape().rank() != 3)
      refuse("masks of sequences along several axes are not offered", "drop the mask");
    return merged;
  }

  Symbol kernel(Building& building, std::string_view part, const TensorSpec& spec) const {
    return building.weight(fmt::format("{}/{}/kernel", name(), part), spec, config_.kernel);
  }
  Symbol bias(Building& building, std::string_view part, const TensorSpec& spec) const {
    return building.weight(fmt::format("{}/{}/bias", name(), part), spec, config_.bias);
  }

  // Projects x [rows, positions, hidden] to [rows, heads, positions, extent].
  Symbol heads_of(Building& building, std::string_view part, Symbol x, std::int64_t heads,
                  std::int64_t extent) const {
    const Type type = x.spec().type;
    const std::int64_t hidden = x.shape().last();
    Symbol y = matmul(
        x, wt::reshape(kernel(building, part, {type, {hidden, heads, extent}}), {hidden, heads * extent}));
    if (config_.use_bias)
      y = bias_add(y, wt::reshape(bias(building, part, {type, {heads, extent}}), {heads * extent}));
    return transpose(wt::reshape(y, {x.shape()[0], x.shape()[1], heads, extent}), {0, 2, 1, 3});
  }

  // Each head of keys or values for several heads of queries.
  Symbol repeated(Symbol x) const {
    const Shape s = x.shape();
    const std::int64_t times = config_.num_heads / s[1];
    if (times == 1) return x;
    const Symbol apart = wt::reshape(x, {s[0], s[1], 1, s[2], s[3]});
    return wt::reshape(broadcast_to(apart, {s[0], s[1], times, s[2], s[3]}),
                       {s[0], s[1] * times, s[2], s[3]});
  }

  // Projects x [rows, heads, positions, value_dim] to [rows, positions, output shape...].
  Symbol joined(Building& building, Symbol x, std::int64_t hidden) const {
    const Type type = x.spec().type;
    const std::int64_t inner = config_.num_heads * value_dim();
    Shape output, kernel_shape{config_.num_heads, value_dim()}, result{x.shape()[0], x.shape()[2]};
    for (const std::int64_t extent : config_.output_shape) output.append(extent);
    if (output.rank() == 0) output.append(hidden);
    for (const std::int64_t extent : output) {
      kernel_shape.append(extent);
      result.append(extent);
    }
    const Symbol rows = wt::reshape(transpose(x, {0, 2, 1, 3}), {x.shape()[0], x.shape()[2], inner});
    const std::string_view part = "attention_output";
    Symbol y =
        matmul(rows, wt::reshape(kernel(building, part, {type, kernel_shape}), {inner, output.elements()}));
    if (config_.use_bias)
      y = bias_add(y, wt::reshape(bias(building, part, {type, output}), {output.elements()}));
    return wt::reshape(y, result);
  }

  MultiHeadAttentionConfig config_;
};

}  // namespace

LayerPtr multi_head_attention(MultiHeadAttentionConfig config) {
  return std::make_shared<MultiHeadAttention>(std::move(config));
}

}  // namespace wt::model
