#pragma once

#include <map>

#include "model/semantics.h"
#include "program/operations.h"

namespace wt::model {

// Keras' class_weight, an argument of fit: how much a row counts in the loss, by its class. A class that is not named
// counts 1.
using ClassWeight = std::map<std::int64_t, double>;

// Throws InputError if Keras refuses the weights: Keras 2 wants all classes from 0 on, and no version takes them for several
// outputs.
void require_class_weight(const ClassWeight& weights, std::size_t outputs, model::Semantics semantics);

// The weight of each label. Labels are class numbers, with or without a last axis of extent 1, or one number for each class,
// of which the largest names the class.
Symbol weight_of_labels(Symbol labels, const ClassWeight& weights);

}  // namespace wt::model
