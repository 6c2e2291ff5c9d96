#pragma once
// A row of a sweep's table: a point's scenario, planned and timed with the shapes of its tensors alone.

#include <string>
#include <vector>

#include "report/records.h"
#include "session/known_plans.h"
#include "sweep/points.h"

namespace wt::sweep {

// The names of all columns: the point's number, the axes, and what was found.
std::vector<std::string> column_names(const Sweep& sweep);

// The fields of the row of a point, by column_names(). A point that cannot be timed has a row, too: its column
// "outcome" is "refused", "out_of_memory" or "failed", and its column "reason" says why. The bytes depend only
// on the point. `known` saves work that points have in common.
std::vector<report::Field> row_of(const Sweep& sweep, const Points& points, const Point& point,
                                  session::Shared& known);

// The row of a point whose process ended before it had an answer.
std::vector<report::Field> lost_row(const Sweep& sweep, const Point& point, const std::string& reason);

}  // namespace wt::sweep
