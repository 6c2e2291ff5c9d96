#pragma once
// Lanes of a collective that are turned against each other: a job that is its own image under a turn of its links
// needs only one activity of each orbit. Where everything begins alike, everything goes on alike, so the links of an
// orbit are equally full at all times, and one of them stands for all: max-min fair shares are unique.

#include <optional>

#include "simulate/job.h"

namespace wt::simulate {

struct Symmetry {
  Job job{};                           // one part of each orbit
  std::vector<std::int32_t> played{};  // by activity of the whole job: the one that is played for it
  std::vector<std::int32_t>
      stands{};  // by link: the one of its orbit that is played; itself where it isn't used
  std::vector<std::int32_t> times{};  // by link: what it carries is so many times what the played one does
};

// Parts are what no activity's waiting joins. None: there is one part only, or no turn takes parts to parts.
std::optional<Symmetry> symmetry_of(const Job& job);

Outcome unfolded(const Symmetry& symmetry, const Outcome& played);

}  // namespace wt::simulate
