#pragma once
// Writes a run as an entry of a report: what results.json says of it, and what only a picture can show: the step's
// bars, how it is divided on each device, its memory from node to node, and the load of the machine's links.

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/json_writer.h"
#include "plan/plan.h"
#include "session/forecast.h"
#include "study/assumed.h"
#include "study/explanation.h"
#include "study/sureness.h"
#include "timing/simulation.h"

namespace wt::report {

// A simulated step, with what is said about it.
struct ShownStep {
  const timing::Simulation& simulation;
  const timing::Simulated& summary;  // of the simulation, completed
  study::Sureness sureness{};
  study::Explanation explanation{};
  std::vector<study::Assumed> assumed{};
};

struct ShownRun {
  const json::Value& results;  // the content of results.json
  const plan::Plan& plan;      // of a step
  const cluster::Machine& machine;
  const session::Planned& planned;
  std::optional<ShownStep> step{};   // unset: no platform, or the step doesn't fit into memory
  std::vector<std::string> notes{};  // about the report
};

void write_run(json::Writer& out, const ShownRun& run);

}  // namespace wt::report
