#pragma once
// Carries out a drawn scenario in ways that must come to the same, and compares what came of them. What must hold:
//
//   again, on four threads, and as scenario.resolved.json has it: the bits of every result
//   with collectives that are expanded, or without numbers: the same times to 1e-9, memory and course of the job, since
//   values never influence time
//   without numbers, with one task that stands for all: a step that differs by less than it waits for its collectives
//   ended after an epoch and continued from its checkpoint: the bits of the losses that remain, and of the weights
//
// A way that the program refuses for this scenario, with a reason, is no difference; it is counted.

#include <cstdint>
#include <map>
#include <string>

namespace wt::agreement {

struct Counts {
  std::int64_t agree = 0;
  std::int64_t refused = 0;
};

struct Trial {
  std::int64_t seed = 0;
  std::string strategy{};
  std::map<std::string, Counts> ways{};  // by their name: "four threads"
  std::string wrong{};                   // what doesn't hold; empty: nothing
};

Trial try_out(std::int64_t seed);

}  // namespace wt::agreement
