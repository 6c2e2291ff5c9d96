// BERT (Devlin et al., 2018). BERT-large has 24 layers, a hidden size of 1024 and 16 heads. BERT-base has 12
// layers, a hidden size of 768 and 12 heads. In pre-training
// it predicts the masked words, at their positions only, and whether the second sentence follows the first;
// it then has 336,226,108 parameters. With the parameter `squad` it predicts where an answer begins and ends
// (SQuAD) and has no pooler; it then has 334,094,338 parameters. The mask for padded positions, which adds
// one number to each attention score, is left out. BERT-tiny is the smallest model of Turc et al., 2019: 2
// layers, a hidden size of 128, 2 heads, and 4,385,920 parameters without the layers that only pre-training
// needs.
#include <fmt/format.h>

#include "model/layers/dense.h"
#include "model/layers/dropout.h"
#include "model/layers/embedding.h"
#include "model/layers/merging.h"
#include "model/layers/normalization.h"
#include "model/zoo/families.h"
#include "model/zoo/language.h"

namespace wt::model {

namespace {

constexpr std::int64_t most_positions = 512;
constexpr double epsilon = 1e-12;

struct Size {
  std::string_view name{};
  int layers = 0;
  std::int64_t hidden = 0;  // one head per 64
};

// A dense layer on top of the encoder.
LayerPtr head(std::string name, std::int64_t units, std::string activation = "linear") {
  return dense({.name = std::move(name),
                .units = units,
                .activation = std::move(activation),
                .kernel = {small_normal}});
}

Output encoded(const Size& size, const LayerPtr& words, const Output& ids, const Output& segments,
               bool normalizes_in_float32) {
  const LayerPtr kinds = embedding(
      {.name = "segment_embedding", .input_dim = 2, .output_dim = size.hidden, .embeddings = {small_normal}});
  Output x = add("embeddings_add")({words(ids), kinds(segments)});
  x = position_embedding(most_positions, "position_embedding")(x);
  const LayerPtr norm = layer_normalization({.name = "embeddings_layer_norm", .epsilon = epsilon});
  if (normalizes_in_float32) norm->compute_in(Type::float32);
  x = norm(x);
  x = dropout({.name = "embeddings_dropout", .rate = 0.1})(x);
  for (int i = 0; i < size.layers; ++i)
    x = transformer_block({.name = fmt::format("transformer_layer_{}", i),
                           .hidden = size.hidden,
                           .heads = size.hidden / 64,
                           .epsilon = epsilon,
                           .dropout = 0.1,
                           .normalizes_first = false,
                           .normalizes_in_float32 = normalizes_in_float32},
                          x);
  return x;
}

LayerPtr bert(const Size& size, const ZooValues& values) {
  const std::string name(size.name);
  const std::int64_t sequence = values.at("sequence");
  if (sequence > most_positions)
    throw InputError(fmt::format("[{}] sequence is {}", name, sequence),
                     fmt::format("it must be at most {}", most_positions));
  const Output ids = input({sequence}, Type::int32, "token_ids");
  const Output segments = input({sequence}, Type::int32, "segment_ids");
  const LayerPtr words = reversible_embedding({.name = "token_embedding",
                                               .words = values.at("vocabulary"),
                                               .hidden = size.hidden,
                                               .has_logits_bias = true});
  const Output x = encoded(size, words, ids, segments, values.at("float32_norms") != 0);
  if (values.at("squad") != 0) return functional(name, {ids, segments}, {head("span_logits", 2)(x)});

  const Output positions = input({values.at("masked")}, Type::int32, "mask_positions");
  Output masked = gather_positions("masked_tokens")({x, positions});
  masked = head("masked_lm_dense", size.hidden, "gelu")(masked);
  masked = layer_normalization({.name = "masked_lm_layer_norm", .epsilon = epsilon})(masked);
  const Output pooled = head("pooled_dense", size.hidden, "tanh")(first_token("first_token")(x));
  return functional(name, {ids, segments, positions},
                    {words(masked), head("next_sentence_logits", 2)(pooled)});
}

LayerPtr bert_large(const ZooValues& values) { return bert({"bert_large", 24, 1024}, values); }
LayerPtr bert_base(const ZooValues& values) { return bert({"bert_base", 12, 768}, values); }
LayerPtr bert_tiny(const ZooValues& values) { return bert({"bert_tiny", 2, 128}, values); }

constexpr ZooParameter bert_parameters[] = {
    {"sequence", "words per example, at most 512", 128, 2, 512},
    {"masked", "masked words per example, which are predicted", 20, 1, 512},
    {"vocabulary", "words in the vocabulary", 30522, 2},
    {"squad", "fine-tuning on SQuAD in place of pre-training", 0, 0, 1, true},
    {"float32_norms", "normalizations in float32 under a mixed policy, as in TensorFlow's model garden", 0, 0,
     1, true},
};
constexpr ZooModel bert_rows[] = {
    {.name = "bert_base",
     .summary = "BERT-base, pre-training or SQuAD: 110,106,428 parameters",
     .parameters = bert_parameters,
     .shape_only = true,
     .build = bert_base},
    {.name = "bert_large",
     .summary = "BERT-large, pre-training or SQuAD: 336,226,108 parameters",
     .parameters = bert_parameters,
     .shape_only = true,
     .build = bert_large},
    {.name = "bert_tiny",
     .summary = "BERT-tiny (2 layers), pre-training or SQuAD: 4,433,468 parameters",
     .parameters = bert_parameters,
     .build = bert_tiny},
};

}  // namespace

std::span<const ZooModel> bert_models() { return bert_rows; }

}  // namespace wt::model
