#pragma once

#include <vector>

#include "strategy/replicas.h"

namespace wt::strategy {

// The new value of a central variable that every replica computes from its own rows.
struct LocalUpdate {
  std::size_t variable = 0;
  ValueId value{};
};

// The parts of a step whose variables live in one place, divided between the server and the replicas. The
// server computes what only updates of central variables need, as far as that follows from added gradients,
// from variables and from values that are the same for all replicas. It applies an optimizer parameter by
// parameter. Replicas compute the rest.
struct CentralRoles {
  std::vector<Part> at_server{};
  std::vector<Part> at_replicas{};
  std::vector<std::size_t> pushed{};      // reductions for the server alone, by when their inputs are ready
  std::vector<ValueId> from_replica_0{};  // what else the server reads
  std::vector<LocalUpdate> local_updates{};
  std::vector<bool> is_central{};       // by variable; on_read ones are the replicas' own
  std::vector<bool> is_pulled{};        // by variable: replicas read it
  std::vector<std::size_t> look_ups{};  // nodes of the replicas that are computed where their table is

  bool is_pushed(std::size_t node) const;
};

// Who looks up the rows of a table that has one place.
enum class LookUps : std::uint8_t { at_replicas, at_tables };

// Throws InputError if replicas compute different new values of a variable that has no aggregation.
CentralRoles roles_with_servers(std::string_view strategy, Steps steps,
                                LookUps look_ups = LookUps::at_replicas);

}  // namespace wt::strategy
