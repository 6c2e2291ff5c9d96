#pragma once
// Runs of a reference (tests/oracle/README.md), and how far a training under a strategy is from one.

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "session/rehearsal.h"

namespace wt::evidence {

// What the reference's authors allow.
inline constexpr double allowed_loss = 1e-5, allowed_weight = 1e-4;

struct Oracle {
  std::string name{};
  scenario::Scenario scenario{};
  scenario::Job job{};
  std::vector<double> losses{};
  std::map<std::string, Tensor> weights{};
};

Oracle read_oracle(const std::filesystem::path& folder);
std::vector<Oracle> read_oracles(const std::filesystem::path& folder);  // those that lie in it

struct Deviation {
  double loss = 0;
  double weight = 0;
  std::string tensor{};  // the one whose weight it is
  bool is_within() const { return loss <= allowed_loss && weight <= allowed_weight; }
};

// The worst step's, and the worst weight's.
Deviation deviation(const session::Rehearsal& run, std::span<const double> losses,
                    const std::map<std::string, Tensor>& weights);

}  // namespace wt::evidence
