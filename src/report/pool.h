#pragma once
// Workers that don't wait for each other: updates per second, staleness, and what bounds them.

#include <string>

#include "base/json_writer.h"
#include "timing/simulated.h"

namespace wt::report {

void write_pool(json::Writer& out, const timing::PoolTime& pool);  // the member "pool"
std::string pool_text(const timing::PoolTime& pool);

}  // namespace wt::report
