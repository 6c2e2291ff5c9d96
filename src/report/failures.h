#pragma once
// Writes the course of a job through failures: what was lost, what it cost, and when the job ran again.

#include <string>

#include "base/json_writer.h"
#include "timing/job_course.h"

namespace wt::report {

void write_failures(json::Writer& out, const timing::JobCourse& course);  // the member "failures"
// A line of figures and a table of attempts; of many attempts, the first and the last ones. Empty: nothing failed.
std::string failures_text(const timing::JobCourse& course);
// "/job:worker/replica:0/task:1 is killed".
std::string failure_text(const timing::Failure& failure);

}  // namespace wt::report
