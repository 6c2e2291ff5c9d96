#pragma once
// The input pipeline of a training's hosts: as the scenario's "input" describes it, or what decoding takes that the
// dataset's format needs.

#include <optional>

#include "scenario/build.h"
#include "timing/rows_time.h"

namespace wt::session {

// Unset: rows are ready when they are wanted. Arrays, generated rows and IDX files need no decoding.
std::optional<timing::InputPipeline> rows_pipeline(const scenario::Scenario& scenario,
                                                   const scenario::Job& job);

}  // namespace wt::session
