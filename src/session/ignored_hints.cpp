#include "session/ignored_hints.h"

#include <fmt/format.h>

#include "scenario/names.h"

namespace wt::session {

std::vector<std::string> ignored_hints(const scenario::Scenario& scenario, const cluster::Machine& machine) {
  if (scenario::hints_of(scenario.strategy) != nullptr)
    return {
        fmt::format("\"communication_options\" are hints, which {} ignores; multi_worker_mirrored takes them",
                    scenario::name_of(scenario.strategy.type()))};
  const auto* workers = scenario.strategy.as<scenario::MultiWorkerMirrored>();
  if (workers == nullptr || !workers->communication_options.timeout) return {};
  const std::string timeout = "\"communication_options.timeout\" is ignored: ";
  if (machine.replicas.size() == 1) return {timeout + "a single replica has no collectives"};
  if (!machine.platform) return {timeout + "without a platform no collective takes any time"};
  return {};
}

}  // namespace wt::session
