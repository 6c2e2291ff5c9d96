#pragma once
// What recordings of nets under a mixed policy have in common (kinds `precision` and `training`).

#include <map>

#include "model/layer.h"
#include "study/recordings/recording.h"

namespace wt::recordings {

using Tensors = std::map<std::string, Tensor>;

// How far numbers may be apart, relative to the largest of their tensor: each layer rounds to halves, and a number may
// be off by one unit in the last place after each. 0 for the policy "float32".
double limit_of_halves(std::string_view policy, const model::Layer& net);

// TensorFlow 2.15 adds products of halves in halves on a CPU, so that its numbers don't say what is right. Its types and
// its loss scales do.
bool has_numbers_of_halves(std::string_view policy, const Recording& recording);

// The tensors "initial/00/net/a/kernel" and so on, by the names here: "a/kernel". Keras 2 leaves the name of the net out.
Tensors recorded_weights(const std::string& when, const Tensors& tensors, const model::Layer& net,
                         model::Semantics semantics);

}  // namespace wt::recordings
