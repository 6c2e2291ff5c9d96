#pragma once
// The table of everything that an answer assumes, with what 20 % more or less of each would change.

#include <vector>

#include "recommend/contest.h"

namespace wt::recommend {

// Varies one assumption after the other. Kernels and links are varied for one platform alone, since the data sheet
// of one may be wrong where that of another is right: less of the first choice's, and more of the others'. What all
// platforms share (rows, the global batch, the target) is varied for all at once. `choices` are the contenders
// that meet the target, the best one first.
std::vector<Assumption> assumptions(Contest& contest, const std::vector<const Contender*>& choices);

}  // namespace wt::recommend
