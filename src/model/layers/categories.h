#pragma once

#include "model/layer.h"

namespace wt::model {

// one_hot: each category becomes a vector with one 1, and an axis of extent 1 is dropped. multi_hot and count: a row
// [categories...] becomes one vector, with 1 for those that occur or with their counts.
enum class CategoryMode : std::uint8_t { one_hot, multi_hot, count };

// Categories as such vectors. Numbers that are no category leave no trace.
Symbol encoded(Symbol x, std::int64_t tokens, CategoryMode mode, Type type = Type::float32);

// Keras' Discretization: the number of the bin in which each number lies. Bin i reaches from boundary i - 1 to below
// boundary i.
struct DiscretizationConfig {
  std::string name{};
  std::vector<double> bin_boundaries{};
  std::optional<CategoryMode> mode{};  // what is made of the numbers of the bins, as by a CategoryEncoding
  std::optional<Type> type{};          // of the results, if Keras' dtype is one of integers
};
LayerPtr discretization(DiscretizationConfig config);

// Keras' CategoryEncoding of integer categories.
struct CategoryEncodingConfig {
  std::string name{};
  std::int64_t num_tokens = 1;
  CategoryMode mode = CategoryMode::multi_hot;
  std::optional<Type> type{};  // of the result, if Keras' dtype is one of integers
};
LayerPtr category_encoding(CategoryEncodingConfig config);

}  // namespace wt::model
