#pragma once
// Workers that don't wait for each other: updates per second, staleness, and what bounds them.

#include <string>

#include "base/json_writer.h"
#include "timing/simulated.h"

namespace wt::report {

void write_pool(json::Writer& out, const timing::PoolTime& pool);  // the member "pool"
// The members of an open object.
void write_losses(json::Writer& out, const timing::PoolLosses& losses);
std::string pool_text(const timing::PoolTime& pool);
// "2 losses of workers, which are away for 1.2 s in all: 60 closures in 3 s instead of 2.5 s; ...".
std::string losses_text(const timing::PoolLosses& losses);
// "link ps:0/out 12.3 ms (94 %), the workers 9.1 ms (70 %)": the interval that each alone would allow, and
// its part of the interval.
std::string limits_text(const timing::PoolTime& pool);
std::string waiting_text(const timing::PoolTime& pool);  // "4.7 of 16 workers wait"

}  // namespace wt::report
