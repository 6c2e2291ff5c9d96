#pragma once

#include <vector>

namespace wt {

// The median. For an even number of values it is the mean of the middle two. Requires: values is not empty.
double median(std::vector<double> values);

}  // namespace wt
