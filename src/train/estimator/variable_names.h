#pragma once
// The names under which an Estimator saves variables, which are those that TensorFlow 2.15 gives them:
//
//   SGD/iteration               global_step
//   SGD/learning_rate           training/SGD/learning_rate       of Keras' optimizers alone
//   Ftrl/accumulator/w          training/Ftrl/w/accumulator
//
// Keras' optimizers have further variables for their arguments, such as training/SGD/momentum, which no step changes.

#include <map>
#include <string>

#include "train/estimator.h"

namespace wt::train {

inline constexpr std::string_view global_step_name = "global_step";

// By the names in the state. Variables that version 1 of the optimizer doesn't have are left out.
std::map<std::string, std::string> saved_names(const TrainOp& train_op,
                                               const std::vector<model::Weight>& weights);

// The variables for the arguments of Keras' optimizer, by their names.
std::map<std::string, Tensor> argument_variables(const TrainOp& train_op);

}  // namespace wt::train
