// A language model after GPT-2 (Radford et al., 2019): layer normalization before attention and dense layers,
// learned position embeddings, and an output projection that shares the table of the word embedding. With 12
// layers, a hidden size of 768, 12 heads, 1024 positions and 50,257 words it has the 124,439,808 parameters
// of GPT-2 small. Without the causal mask every word attends to all words of its sequence.
#include <fmt/format.h>

#include "model/layers/normalization.h"
#include "model/zoo/families.h"
#include "model/zoo/language.h"

namespace wt::model {

namespace {

void require_divides(std::int64_t heads, std::int64_t hidden) {
  if (hidden % heads == 0) return;
  Problem problem{};
  problem.fact = fmt::format("[transformer] hidden {} doesn't divide among {} heads", hidden, heads);
  problem.remedy = "make hidden a multiple of heads";
  throw InputError(std::move(problem));
}

LayerPtr transformer(const ZooValues& values) {
  const std::int64_t hidden = values.at("hidden"), heads = values.at("heads"),
                     sequence = values.at("sequence");
  require_divides(heads, hidden);
  const Output ids = input({sequence}, Type::int32, "token_ids");
  const LayerPtr words =
      reversible_embedding({.name = "token_embedding", .words = values.at("vocabulary"), .hidden = hidden});
  Output x = position_embedding(sequence, "position_embedding")(words(ids));
  for (std::int64_t i = 0; i < values.at("layers"); ++i)
    x = transformer_block({.name = fmt::format("transformer_layer_{}", i),
                           .hidden = hidden,
                           .heads = heads,
                           .causal = values.at("causal") != 0},
                          x);
  x = layer_normalization({.name = "layer_norm", .epsilon = 1e-5})(x);
  return functional("transformer", {ids}, {words(x)});
}

constexpr ZooParameter transformer_parameters[] = {
    {"layers", "blocks of attention and dense layers", 2, 1, most_blocks},
    {"hidden", "numbers per word", 64},
    {"heads", "attention heads; hidden must be a multiple", 4},
    {"sequence", "words per example", 32},
    {"vocabulary", "words in the vocabulary", 256},
    {"causal", "a word attends only to itself and the words before it", 1, 0, 1, true},
};
constexpr ZooModel transformer_rows[] = {
    {.name = "transformer",
     .summary = "language model after GPT-2: a logit for every word at every position",
     .parameters = transformer_parameters,
     .build = transformer},
};

}  // namespace

std::span<const ZooModel> transformer_models() { return transformer_rows; }

}  // namespace wt::model
