#pragma once
// tf.estimator.LinearRegressor of TensorFlow 2.15: weights of numeric columns and a bias, which begin at 0.
//
//   Estimator regressor = linear_regressor({.feature_columns = {{"feats"}}, .optimizer = "SGD"}, config, host);
//
// Its variables are linear/linear_model/feats/weights and linear/linear_model/bias_weights.

#include "train/estimator.h"

namespace wt::train {

// tf.feature_column.numeric_column: so many numbers in each row.
struct NumericColumn {
  std::string key{};
  std::int64_t size = 1;
};

struct LinearRegressorOptions {
  std::vector<NumericColumn> feature_columns{};
  // One of Adagrad, Adam, Ftrl, RMSProp and SGD, whose learning rate is then 0.2, or 1 / sqrt(columns) if that is less;
  // or any optimizer of Keras.
  std::variant<std::string, model::Optimizer> optimizer = std::string("Ftrl");
  std::int64_t label_dimension = 1;
};

// An optimizer of another name is refused as in TensorFlow: its first training throws device::ValueError.
Estimator linear_regressor(const LinearRegressorOptions& options, RunConfig config, Resources& host);

}  // namespace wt::train
