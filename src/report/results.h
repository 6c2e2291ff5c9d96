// report/ writes what other folders computed, for people and for scripts. Each type has a writer of members
// of a JSON object and a writer of text. results.json contains the members of all of them:
//
//   {"model": {...}, "planned": {...}, "simulated": {"step_time_s": 0.0123, ...}, "steps": [{"loss": 2.31}]}
//
// What must hold: the files contain nothing about the machine on which the program runs, that is no wall
// time, no path and no number of threads. The same scenario therefore always gives the same bytes. A scenario
// that measures kernels gives the same bytes for the same profile.json. The schema of results.json is
// scenarios/schema/results.json, and its keys state their units. Nothing is computed here except sums and
// ratios for display.
//
// Read on in planned.h, simulated.h, ending.h and trained.h (parts of results.json), then in records.h
// (tables) and trace.h (timelines).
#pragma once

#include <string>

#include "session/results.h"
#include "study/sureness.h"

namespace wt::report {

// The content of results.json.
// `sureness`: of its simulated step; null: it isn't said.
std::string results_json(const session::Results& results, const study::Sureness* sureness = nullptr);

}  // namespace wt::report
