#pragma once
// Reduces a job to a smaller one with the same dates: one activity and one link of each class
// (simulate/classes.h). A link carries several flows of a class where the reduced job has one, so that flow's
// route contains the link several times, and it takes as many times its rate there. What all flows of a link
// have in common is divided out of its bandwidth instead: the multiplicity of the link.
//
// Example: lane 0 sends 1 MB over the links a and c, lane 1 sends 1 MB over b and c, and a is as fast as b.
// The lanes are one class, a and b are another one, and c is alone. The reduced job has lane 0 only, over a
// and over c with half of its bandwidth, because c carries both lanes: its multiplicity is 2.

#include <optional>

#include "simulate/classes.h"

namespace wt::simulate {

struct Symmetry {
  Job job{};                                   // an activity of each class, on a link of each class
  std::vector<std::int32_t> played{};          // by activity of the whole job: its representative in `job`
  std::vector<std::int32_t> representative{};  // by link of the whole job, its link in `job`; `none`: unused
  std::vector<std::int32_t> multiplicity{};    // by link of `job`: its load divided by that in the simulation
};

// None when the job has too many classes, so that little would be gained (classes_of), and when it has stations or
// tasks: activities that wait for the same station are not alike.
std::optional<Symmetry> symmetry_of(const Job& job, const Repetition* repetition = nullptr);

// The outcome of the whole job, from that of the reduced one.
Outcome unfolded(const Symmetry& symmetry, const Outcome& played);

}  // namespace wt::simulate
