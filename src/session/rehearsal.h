#pragma once
// A scenario's training in memory, under any strategy: what `verify strategies` compares.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "execute/queues.h"
#include "scenario/build.h"
#include "train/model.h"

namespace wt::session {

train::CompileOptions compile_options(const scenario::Scenario& scenario, const scenario::Job& job);

// Those that the model has before its first step: the job's, or what its initializers say.
std::map<std::string, Tensor> first_weights(const scenario::Scenario& scenario, const scenario::Job& job);

struct Rehearsal {
  std::vector<train::StepResult> steps{};
  std::map<std::string, Tensor> weights{};  // the model's, at the end
};

// From the scenario's first weights, so many steps, or as many as it says. Results go nowhere else.
Rehearsal rehearse(const scenario::Scenario& scenario, const scenario::Job& job, train::Lowering lower,
                   const data::Distribution& input, const execute::Queues& queues,
                   std::optional<std::int64_t> steps);

std::vector<double> losses_of(const Rehearsal& run);

}  // namespace wt::session
