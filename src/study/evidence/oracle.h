#pragma once
// Reference runs (tests/oracle/README.md), and the deviation of a training under a strategy from such a run.

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "session/rehearsal.h"

namespace wt::evidence {

// Tolerances of the comparison, which tests/oracle/README.md states. They are relative.
inline constexpr double allowed_loss = 1e-5, allowed_weight = 1e-4;

// One reference run: its scenario, the loss of each step and the final weights.
struct Oracle {
  std::string name{};
  scenario::Scenario scenario{};
  scenario::Job job{};
  std::vector<double> losses{};
  std::map<std::string, Tensor> weights{};
};

// `overrides` change its scenario, for example "numerics=cuda".
Oracle read_oracle(const std::filesystem::path& folder, std::vector<std::string> overrides = {});
// The reference runs in the subfolders of this folder, sorted by name. Throws InputError if there is none.
std::vector<Oracle> read_oracles(const std::filesystem::path& folder,
                                 const std::vector<std::string>& overrides = {});

// Relative differences (tensor/difference.h).
struct Deviation {
  double loss = 0;
  double weight = 0;
  std::string tensor{};  // the name of the tensor with that weight
  bool is_within() const { return loss <= allowed_loss && weight <= allowed_weight; }
};

// The largest deviations: of the loss over all steps, and of the weights over all tensors. Requires: the run
// has as many steps as `losses`.
Deviation deviation(const session::Rehearsal& run, std::span<const double> losses,
                    const std::map<std::string, Tensor>& weights);

}  // namespace wt::evidence
