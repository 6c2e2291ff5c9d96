#pragma once
// How sure a simulated time is, in words and as members of a JSON object. It stands beside every time of a run.

#include <string>
#include <vector>

#include "base/json_writer.h"
#include "report/records.h"
#include "study/sureness.h"
#include "timing/simulated.h"

namespace wt::report {

// "4,587 samples/s to 6,334 samples/s in 80 of 100 cases; known from: published; in the median such predictions are 4 % too fast"
std::string sureness_text(const study::Sureness& sureness, const timing::Simulated& simulated);

// Adds to each row of a table where its throughput lies, and what that is known from. A row without one is null, and
// nothing is added if all are.
void add_sureness_columns(Records& records, const std::vector<const study::Sureness*>& sureness,
                          const std::vector<double>& samples_per_second);

// A line if rows rest on different bases, whose errors differ; else empty.
std::string note_on_bases(const std::vector<const study::Sureness*>& sureness);

// The object "uncertainty".
void write_sureness(json::Writer& out, const study::Sureness& sureness, const timing::Simulated& simulated);

}  // namespace wt::report
