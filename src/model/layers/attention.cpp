#include "model/layers/attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/axes.h"
#include "model/constants.h"
#include "model/mask.h"

namespace wt::model {

namespace {

// Keras adds this number to the score of a masked key. Its exponential is 0, and unlike -infinity it is
// finite.
constexpr double masked_score = -1e9;

// What a mask of pairs [batch, queries or 1, keys] adds to scores [batch, heads?, queries, keys].
Symbol penalty_of(Symbol mask, Symbol scores) {
  const Shape m = mask.shape();
  Shape shape{m[0]};
  for (int axis = m.rank(); axis < scores.shape().rank(); ++axis) shape.append(1);
  for (int axis = 1; axis < m.rank(); ++axis) shape.append(m[axis]);
  return wt::reshape((cast(mask, scores.spec().type) - 1) * -masked_score, shape);
}

Symbol of_queries(Symbol mask) { return reshape(mask, {mask.shape()[0], mask.shape()[1], 1}); }
Symbol of_keys(Symbol mask) { return reshape(mask, {mask.shape()[0], 1, mask.shape()[1]}); }

// A matrix [queries, keys] that is 0 where a query may attend to a key and masked_score above the diagonal.
// There is no kernel that enumerates positions, so the mask is doubled until it is large enough: a mask of 2n
// x 2n consists of two masks of n x n on the diagonal, a constant block above it and a block of zeros below.
Symbol causal_mask(Trace& trace, Type type, std::int64_t queries, std::int64_t keys) {
  Symbol mask = fill(trace, {type, {1, 1}}, 0);
  for (std::int64_t extent = 1; extent < std::max(queries, keys); extent *= 2) {
    const Symbol above = fill(trace, {type, {extent, extent}}, masked_score);
    const Symbol below = fill(trace, {type, {extent, extent}}, 0);
    mask = concat({concat({mask, above}, 1), concat({below, mask}, 1)}, 0);
  }
  const auto cut = [&](int axis, std::int64_t extent) {
    const std::int64_t rest = mask.shape()[axis] - extent;
    if (rest > 0) mask = split(mask, axis, {extent, rest})[0];
  };
  cut(0, queries);
  cut(1, keys);
  return mask;
}

// A call's scores: masked, made shares that add up to 1, and dropped at random while training.
struct Scoring {
  Building& building;
  const std::string& name;
  double dropout = 0;
  std::optional<std::int64_t> seed{};
  bool is_causal = false;
  std::optional<Symbol> mask{};  // boolean[batch, queries or 1, keys]
  bool may_replace = false;      // whether the switch applies to this layer

  // A pair that two masks skip has the penalty of one: a query all of whose keys are skipped gives equal shares.
  Symbol shares(Symbol scores) const {
    const Shape s = scores.shape();
    std::optional<Symbol> penalty;
    if (is_causal) penalty = causal_mask(building.trace(), scores.spec().type, s[s.rank() - 2], s.last());
    if (mask) {
      const Symbol own = penalty_of(*mask, scores);
      penalty = penalty ? minimum(*penalty, own) : own;
    }
    const bool replaces =
        may_replace && penalty && is_on(Switch::masked_scores_are_replaced, building.semantics());
    // 1 where a pair is kept. The quotient is exact.
    const Symbol kept = replaces ? *penalty / -masked_score + 1 : scores;
    if (replaces) scores = scores * kept;
    Symbol shares = wt::softmax(penalty ? scores + *penalty : scores);
    if (replaces && (dropout > 0 || building.options().return_attention_scores)) shares = shares * kept;
    if (!building.training() || dropout == 0) return shares;
    return wt::dropout(shares, building.random_stream(name + "/seed", seed), {.rate = dropout});
  }
};

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
      if (i == 0) add(of_queries(*mask));
      if (i > 0 || inputs.size() == 1) add(of_keys(*mask));
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
                          mask_of_keys(building, value)};
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
  static std::optional<Symbol> mask_of_keys(Building& building, Symbol value) {
    const std::optional<Symbol> mask = building.mask_of(value);
    return mask ? std::optional(of_keys(*mask)) : std::nullopt;
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

LayerPtr multi_head_attention(MultiHeadAttentionConfig config) {
  return std::make_shared<MultiHeadAttention>(std::move(config));
}
LayerPtr attention(AttentionConfig config) { return std::make_shared<Attention>(std::move(config)); }

}  // namespace wt::model
