#pragma once
// How layers are read from JSON, by family: the rows of the table in model/layers/catalog.h. Each function reads the
// arguments of one class or of a few that differ in the number of their spatial axes.

#include <span>

#include "model/layers/catalog.h"

namespace wt::model {

std::span<const LayerClass> activation_rows();
std::span<const LayerClass> attention_rows();
std::span<const LayerClass> convolution_rows();
std::span<const LayerClass> core_rows();  // inputs, Dense, Embedding, masks, categories
std::span<const LayerClass> merging_rows();
std::span<const LayerClass> normalization_rows();
std::span<const LayerClass> pooling_rows();
std::span<const LayerClass> random_rows();  // dropout and noise
std::span<const LayerClass> recurrent_rows();
std::span<const LayerClass> shaping_rows();

}  // namespace wt::model
