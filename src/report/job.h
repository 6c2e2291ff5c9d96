#pragma once
// Writes the time of a whole training and its cost.

#include <optional>
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "cost/bill.h"
#include "report/records.h"
#include "timing/job_time.h"

namespace wt::report {

void write_job(json::Writer& out, const timing::JobTime& job);  // the member "job"
void write_cost(json::Writer& out, const cost::Cost& cost);     // the member "cost"

// A table of the items, and both rates. `steady` is the rate of samples of steady steps.
std::string job_text(const timing::JobTime& job, double steady);
std::string cost_text(const cost::Cost& cost);

// Adds columns of the job and of its cost to a table with as many rows. Tables in which no row has a job, or none
// has a cost, get no such columns. The pointers may be null.
struct JobAndCost {
  const timing::JobTime* job = nullptr;
  const cost::Cost* cost = nullptr;
};
void add_job_columns(Records& records, const std::vector<JobAndCost>& rows);

// Of a forecast or of results.
template <class From>
JobAndCost job_and_cost(const From& from) {
  return {from.job ? &*from.job : nullptr, from.cost ? &*from.cost : nullptr};
}

}  // namespace wt::report
