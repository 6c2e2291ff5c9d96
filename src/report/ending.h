#pragma once
// Writes how a job ended early, as members of results.json and as text.

#include <string>

#include "base/json_writer.h"
#include "session/results.h"
#include "timing/ending.h"

namespace wt::report {

void write_lost(json::Writer& out, const timing::LostWorker& lost);          // the member "lost_worker"
void write_timed_out(json::Writer& out, const timing::TimedOut& timed_out);  // the member "timed_out"
std::string lost_text(const timing::LostWorker& lost);
std::string timed_out_text(const timing::TimedOut& timed_out);
// "InvalidArgumentError: Inputs to operation AddN ..."
std::string fault_text(const session::EndedByFault& end);
// "interrupted by SIGINT after 5 of 12 steps". Requires: the results were interrupted.
std::string interrupted_text(const session::Results& results);

}  // namespace wt::report
