#pragma once
// Reduces a symmetric job to a smaller one with the same dates. NCCL divides an all-reduce among lanes: equal
// rings that visit the same devices but use their links in rotated roles. A permutation of the links that
// maps each lane to another one and the job to itself is an automorphism of the job. Flows that an
// automorphism maps to each other form an orbit, as do links. All activities of an orbit start and end
// together, because they start from equal states and max-min fair rates are unique (Bertsekas and Gallager,
// Data Networks, 1992, section 6.5.2). So it is enough to simulate one lane of each orbit of lanes, on one
// link of each orbit of links.
//
// Example: lane 0 sends 1 MB over the links a and c, lane 1 sends 1 MB over b and c, and a is as fast as b.
// Swapping a and b is an automorphism; its orbits of links are {a, b} and {c}. The reduced job has lane 0
// only, over a and over c with half of its bandwidth, because c carries both lanes: its multiplicity is 2.

#include <optional>

#include "simulate/job.h"

namespace wt::simulate {

struct Symmetry {
  Job job{};                                   // one part of each orbit of parts
  std::vector<std::int32_t> played{};          // by activity of the whole job: its representative in `job`
  std::vector<std::int32_t> representative{};  // by link of the whole job; an unused link represents itself
  std::vector<std::int32_t> multiplicity{};    // by link: its load divided by the load in the simulation
};

// The parts of a job are the connected components of the relation "waits for or is behind". None when there
// is only one part, or when no automorphism moves a part.
std::optional<Symmetry> symmetry_of(const Job& job);

// The outcome of the whole job from that of the reduced one.
Outcome unfolded(const Symmetry& symmetry, const Outcome& played);

}  // namespace wt::simulate
