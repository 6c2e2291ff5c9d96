#pragma once

#include <cstdint>
#include <vector>

#include "model/layer.h"

namespace wt::model {

// Properties of a model that follow from shapes alone: its weights, the number of its parameters, and the
// shapes of its outputs. They are found by tracing one forward pass.

// A traced forward pass. The inputs of the step are named x, x_1, ..., and the results y, y_1, ...
struct Forward {
  Step step{};
  std::vector<Weight> weights{};
  std::vector<TensorSpec> outputs{};
};

// `inputs` are the shapes and types with the batch axis.
Forward forward(const Layer& model, const std::vector<TensorSpec>& inputs, bool training = false,
                Semantics semantics = default_semantics);

// `batch` is the number of rows. Throws InputError if the shapes of the model's inputs are not known.
Forward forward(const Layer& model, std::int64_t batch = 1, bool training = false,
                Semantics semantics = default_semantics);

// Adds the batch axis, which comes first.
std::vector<TensorSpec> batched(const std::vector<TensorSpec>& specs, std::int64_t batch);

// In the order of their creation. Throws InputError if the shapes of the model's inputs are not known.
std::vector<Weight> weights_of(const Layer& model, Semantics semantics = default_semantics);

// The trainable weights of one model among those of a step in which several are called, as a GAN calls its generator and its
// discriminator. Requires: the model was called in this step.
std::vector<Symbol> trainable_of(const Building& building, const Layer& model);

// Keras' count_params. The states of random streams are not counted.
struct ParameterCount {
  std::int64_t trainable = 0;
  std::int64_t not_trainable = 0;
  std::int64_t total() const { return trainable + not_trainable; }
};
// For example, the zoo's fashion_cnn has 121,930 trainable parameters and no others. Moving statistics are
// not trainable.
ParameterCount count_parameters(const std::vector<Weight>& weights);
ParameterCount count_parameters(const Layer& model);

}  // namespace wt::model
