// report/: what a run came to, written down for people and scripts: results.json (its schema is
// scenarios/schema/results.json), steps.csv, and the folder that they lie in. Nothing of the machine at hand
// gets in, no wall time, no path, no count of threads: the same scenario gives the same bytes (one that measures
// kernels, the same bytes for the same profile.json). Read on in
// report/planned.h, simulated.h, ending.h and trained.h, then report/folder.h.

#include <string>

#include "session/results.h"

namespace wt::report {

std::string results_json(const session::Results& results);

}  // namespace wt::report
