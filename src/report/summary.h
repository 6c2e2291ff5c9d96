#pragma once
// What a run came to, on one screen: what ran, what a step takes and where its time goes, memory, throughput and the
// bound. Everything else is printed by planned_text and simulated_text (`run --verbose`) and stands in results.json.

#include <string>

#include "session/results.h"
#include "study/sureness.h"

namespace wt::report {

std::string summary_text(const session::Results& results, const study::Sureness* sureness = nullptr);

}  // namespace wt::report
