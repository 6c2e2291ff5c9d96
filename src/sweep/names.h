#pragma once
// Short names for keys that sweeps often vary. `windtunnel list axes` prints the table.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sweep/axis.h"

namespace wt::sweep {

struct ShortName {
  std::string_view name{};
  std::string_view key{};      // of the scenario; empty: it is a number of replicas, as for --replicas
  std::string_view unset{};    // the key that excludes this one; empty: none
  std::string_view summary{};  // one line
};
std::span<const ShortName> short_names();

// The overrides that give the key its value; none for a number of replicas.
std::vector<std::string> overrides_of(const std::string& key, const Setting& setting);

// Whether the key is a number of replicas, which scenario/variant.h turns into overrides.
bool is_replicas(std::string_view key);

}  // namespace wt::sweep
