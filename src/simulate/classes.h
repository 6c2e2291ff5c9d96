#pragma once
// Finds the activities of a job that start and end together, and the links that are loaded alike, before
// anything is simulated. Colour refinement: all activities with equal delay and bytes get one colour, as do
// all links of one bandwidth. Then activities are distinguished by the colours of what they wait for and of
// their links, and links by the colours of the activities on them, again and again, until no colour divides
// any more. The result is the coarsest equitable partition (Grohe, Kersting, Mladenov, Selman, "Dimension
// Reduction via Colour Refinement", 2014).
//
// Activities of one class have equal dates, because they start from equal states, and max-min fair rates are
// unique (Bertsekas and Gallager, Data Networks, 1992, section 6.5.2): an assignment of equal rates to equal
// classes satisfies the conditions of fairness, which speak only of numbers of flows on links. No map of the
// machine onto itself has to be found for that.

#include <cstdint>
#include <optional>
#include <vector>

#include "simulate/job.h"

namespace wt::simulate {

struct Classes {
  std::vector<std::int32_t> activity{};  // by activity: the first activity of its class
  std::vector<std::int32_t> link{};      // by link: the first link of its class; `none` if nothing uses it
};

// What an activity waits for in the round before its own, where a job is a round of something that repeats.
struct Earlier {
  std::vector<std::int32_t> waits{};  // the activity starts after their ends
  std::int32_t behind = none;         // its flow begins after the end of this one
};

// How the activities of a job repeat (simulate/repetition.h).
struct Repetition {
  std::vector<std::int32_t> stages{0};  // the first activity of each stage, and the number of activities
  std::vector<Earlier> again{};         // by activity: in the round before, of the same stage
  std::vector<Earlier> entering{};      // by activity of a first round: in the last round of the stage before
};

// None if there are more than half as many classes as activities, or if an activity waits for a later one.
// Activities of a repetition are alike only if they are in all rounds. Colours are hash values of 64 bits.
std::optional<Classes> classes_of(const Job& job, const Repetition* repetition = nullptr);

}  // namespace wt::simulate
