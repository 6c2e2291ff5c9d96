#pragma once
// The rows of the losses' table, one function for each file, and what these files share.

#include "model/arguments.h"
#include "model/constants.h"
#include "model/loss.h"
#include "model/operands.h"

namespace wt::model {

std::span<const LossClass> entropy_losses();    // of probabilities and logits
std::span<const LossClass> error_losses();      // of the distance between predictions and labels
std::span<const LossClass> margin_losses();     // hinges
std::span<const LossClass> overlap_losses();    // Dice and Tversky
std::span<const LossClass> embedding_losses();  // Circle
std::span<const LossClass> sequence_losses();   // CTC

inline constexpr std::string_view labels_remedy = "give one label for each prediction";

// The labels with the type of the predictions.
Symbol labels_of(const LossCall& call);

// Labels and predictions of a formula that is applied to each element. Throws InputError with TensorFlow's text unless
// they broadcast; TensorFlow names the operand first that its formula has first.
Pair elements_of(const LossCall& call, bool predictions_first);

Symbol mean_of_row(Symbol x);             // over the last axis
Symbol sum_of_row(Symbol x);              // over the last axis
Symbol at_least(Symbol x, double least);  // the slope is 1 at `least`

void read_axis(LossOptions& options, Arguments& arguments);

// Throws InputError with both types and shapes.
[[noreturn]] void refuse(const LossCall& call, std::string remedy);

}  // namespace wt::model
