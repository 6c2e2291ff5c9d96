#pragma once
// Writes the values that a training computed in each step and each epoch, as members of results.json, as CSV
// and as text.

#include <string>

#include "base/json_writer.h"
#include "session/results.h"

namespace wt::report {

// The member "predictions".
void write_predictions(json::Writer& out, const session::Predictions& predictions);
std::string predictions_text(const session::Results& results);  // a line; empty: there are none

// The members "steps", "epochs", "evaluation" and "final". A loss that is NaN or infinite is null.
void write_trained(json::Writer& out, const session::Results& results);

// The member "evaluator".
void write_beside(json::Writer& out, const session::Beside& beside);

std::string steps_csv(const session::Results& results);
// The step that reached the wanted loss, as a line; empty: none is wanted.
std::string target_text(const session::Results& results);
// When the cluster's evaluator evaluated which checkpoint, and with what result. Empty: there is no evaluator.
std::string beside_text(const session::Results& results);

std::string epochs_table(const session::Results& results);  // one row per epoch

}  // namespace wt::report
