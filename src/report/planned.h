#pragma once
// Writes the facts about a training that are known before it runs: the model, the cluster and the planned
// memory. They are the members "model" and "planned" of results.json, and a text for people.

#include <string>

#include "base/json_writer.h"
#include "session/planned.h"

namespace wt::report {

void write_planned(json::Writer& out, const session::Planned& planned);  // the members "model" and "planned"
std::string planned_text(const session::Planned& planned);
std::string replicas_text(const session::Planned& planned);  // "2 replicas on 4 cores each, 16 rows each"

}  // namespace wt::report
