#pragma once
// A scenario's training under any strategy, without output files. `verify strategies` compares such
// trainings.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenario/build.h"
#include "train/model.h"

namespace wt::session {

train::CompileOptions compile_options(const scenario::Scenario& scenario, const scenario::Job& job);

// An evaluation's loss is the mean over its rows, whatever number a training step divides by.
train::CompileOptions evaluation_options(const scenario::Scenario& scenario, const scenario::Job& job);

// The model's weights before the first step: those given by the job, and initialized ones for all others. The
// state of random number generators is not among them.
std::map<std::string, Tensor> first_weights(const scenario::Scenario& scenario, const scenario::Job& job);

struct Rehearsal {
  std::vector<train::StepResult> steps{};
  std::map<std::string, Tensor> weights{};  // of the model, after the last step
};

// Trains from the first weights, with the strategy of `machine`. The training ends after `steps` steps, or earlier if
// the scenario has fewer. Nothing is written.
Rehearsal rehearse(const scenario::Scenario& scenario, const scenario::Job& job, train::Resources machine,
                   std::optional<std::int64_t> steps);

std::vector<double> losses_of(const Rehearsal& run);

}  // namespace wt::session
