#pragma once

#include "model/layers/categories.h"

namespace wt::model {

// How numbers of tokens that aren't in the vocabulary are spread over several indices.
enum class UnknownTokens : std::uint8_t { modulo, hashed };

// Keras' IntegerLookup of a given vocabulary: the index of each token, int64, or vectors of the indices that occur.
// Indices begin with the mask's 0 where there is a mask and no vector, and with those of tokens out of the vocabulary.
struct IntegerLookupConfig {
  std::string name{};
  std::vector<std::int64_t> vocabulary{};
  std::int64_t num_oov_indices = 1;
  std::int64_t oov_token = -1;
  std::optional<std::int64_t> mask_token{};
  bool invert = false;  // from indices to tokens
  std::optional<CategoryMode> mode{};
  std::vector<double> idf_weights{};     // of the tokens; counts are multiplied by them
  std::optional<std::int64_t> extent{};  // of a vector, in place of the number of indices
  UnknownTokens unknown = UnknownTokens::modulo;
  std::optional<std::array<std::int64_t, 2>> salt{};
  std::optional<Type> type{};  // of the results in Keras 2, if its dtype is one of integers
};
LayerPtr integer_lookup(IntegerLookupConfig config);

// Keras' Hashing of integers: the bin of each number, int64, or vectors of the bins that occur. A masked value has bin 0
// for itself.
struct HashingConfig {
  std::string name{};
  std::int64_t num_bins = 1;
  std::optional<std::int64_t> mask_value{};
  std::optional<std::array<std::int64_t, 2>> salt{};
  std::optional<CategoryMode> mode{};
  std::optional<Type> type{};  // of the results, if Keras' dtype is one of integers
};
LayerPtr hashing(HashingConfig config);

}  // namespace wt::model
