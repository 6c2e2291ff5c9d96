#include "model/zoo/language.h"

#include <fmt/format.h>

#include "model/layers/attention.h"
#include "model/layers/dense.h"
#include "model/layers/dropout.h"
#include "model/layers/merging.h"
#include "model/layers/normalization.h"

namespace wt::model {

namespace {

Weight table(std::string name, Type type, std::int64_t rows, std::int64_t columns) {
  return {std::move(name), {type, {rows, columns}}, small_normal, {}, {}};
}

class ReversibleEmbedding : public Layer {
 public:
  explicit ReversibleEmbedding(ReversibleEmbeddingConfig config)
      : Layer(config.name), config_(std::move(config)) {}
  std::string_view class_name() const override { return "ReversibleEmbedding"; }

 protected:
  UnderHalves under_halves() const override { return UnderHalves::rounds_output; }
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    const Symbol x = only(inputs);
    const Type given = x.spec().type, type = is_floating(given) ? given : Type::float32;
    const Symbol words = building.weight(table(name() + "/embeddings", type, config_.words, config_.hidden));
    if (!is_floating(given)) return {embedding(x, words)};
    const Symbol logits = matmul(x, words, {.transpose_b = true});
    if (!config_.has_logits_bias) return {logits};
    const TensorSpec spec{type, {config_.words}};
    return {bias_add(logits, building.weight({name() + "/reverse_bias", spec, zeros, {}, {}}))};
  }

 private:
  ReversibleEmbeddingConfig config_;
};

class PositionEmbedding : public Layer {
 public:
  PositionEmbedding(std::int64_t positions, std::string name)
      : Layer(std::move(name)), positions_(positions) {}
  std::string_view class_name() const override { return "PositionEmbedding"; }

 protected:
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    const Symbol x = only(inputs, 3);
    const std::int64_t words = x.shape()[1];
    if (words > positions_)
      refuse(fmt::format("a sequence of {} words is longer than {} positions", words, positions_));
    const Symbol all =
        building.weight(table(name() + "/embeddings", x.spec().type, positions_, x.shape().last()));
    return {x + (words == positions_ ? all : split(all, 0, {words, positions_ - words})[0])};
  }

 private:
  std::int64_t positions_;
};

class FirstToken : public Layer {
 public:
  using Layer::Layer;
  std::string_view class_name() const override { return "FirstToken"; }

 protected:
  std::vector<Symbol> call(Building&, const std::vector<Symbol>& inputs) const override {
    const Symbol x = only(inputs, 3);
    const std::int64_t words = x.shape()[1];
    const Symbol first = words == 1 ? x : split(x, 1, {1, words - 1})[0];
    return {reshape(first, {x.shape()[0], x.shape()[2]})};
  }
};

// A column [rows, 1] with the position at which each row begins when the rows of a batch are joined into one
// sequence: 0, words, 2 words, ... Replicas may have different numbers of rows, and their programs have to
// consist of the same nodes all the same.
Symbol row_starts(Trace& trace, Type type, std::int64_t rows, std::int64_t words) {
  return reshape(range(trace, {type, {rows}}, static_cast<double>(words)), {rows, 1});
}

class GatherPositions : public Layer {
 public:
  using Layer::Layer;
  std::string_view class_name() const override { return "GatherPositions"; }

 protected:
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    if (inputs.size() != 2 || inputs[0].shape().rank() != 3)
      refuse("the inputs are not vectors [batch, words, hidden] and positions [batch, n]");
    const Shape shape = inputs[0].shape();
    const Symbol starts = row_starts(building.trace(), inputs[1].spec().type, shape[0], shape[1]);
    return {embedding(inputs[1] + starts, reshape(inputs[0], {shape[0] * shape[1], shape[2]}))};
  }
};

Output dropped(const TransformerBlock& block, const std::string& part, const Output& x) {
  return block.dropout == 0 ? x : dropout({.name = block.name + part, .rate = block.dropout})(x);
}

Output attended(const TransformerBlock& block, const Output& x) {
  const LayerPtr attention = multi_head_attention({.name = block.name + "_self_attention",
                                                   .num_heads = block.heads,
                                                   .key_dim = block.hidden / block.heads,
                                                   .dropout = block.dropout,
                                                   .causal = block.causal,
                                                   .kernel = {small_normal}});
  return dropped(block, "_self_attention_dropout", attention(x));
}

Output fed_forward(const TransformerBlock& block, const Output& x) {
  const Output wide = dense({.name = block.name + "_feedforward_intermediate_dense",
                             .units = 4 * block.hidden,
                             .activation = "gelu",
                             .kernel = {small_normal}})(x);
  const Output narrow = dense({.name = block.name + "_feedforward_output_dense",
                               .units = block.hidden,
                               .kernel = {small_normal}})(wide);
  return dropped(block, "_feedforward_dropout", narrow);
}

}  // namespace

LayerPtr reversible_embedding(ReversibleEmbeddingConfig config) {
  return std::make_shared<ReversibleEmbedding>(std::move(config));
}
LayerPtr position_embedding(std::int64_t positions, std::string name) {
  return std::make_shared<PositionEmbedding>(positions, std::move(name));
}
LayerPtr first_token(std::string name) { return std::make_shared<FirstToken>(std::move(name)); }
LayerPtr gather_positions(std::string name) { return std::make_shared<GatherPositions>(std::move(name)); }

Output transformer_block(const TransformerBlock& block, const Output& x) {
  const auto with = [&](const std::string& part, auto&& branch, const Output& given, bool adds_in_float32) {
    const LayerPtr norm =
        layer_normalization({.name = block.name + part + "_layer_norm", .epsilon = block.epsilon});
    const LayerPtr sum = add(block.name + part + "_add");
    if (block.normalizes_in_float32) norm->compute_in(Type::float32);
    if (adds_in_float32) sum->compute_in(Type::float32);
    if (block.normalizes_first) return sum({given, branch(block, norm(given))});
    return norm(sum({given, branch(block, given)}));
  };
  return with("_feedforward", fed_forward, with("_self_attention", attended, x, false),
              block.normalizes_in_float32);
}

}  // namespace wt::model
