#pragma once

#include <vector>

namespace wt {

// Of an even number of values the mean of the middle two. Requires: there is one at least.
double median(std::vector<double> values);

}  // namespace wt
