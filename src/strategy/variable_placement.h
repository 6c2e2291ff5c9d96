#pragma once

#include <cstdint>

namespace wt::strategy {

// Where a variable that is made in the scope of a strategy lives.
enum class VariablePlacement : std::uint8_t {
  where_it_is_made,     // on the current device: the default strategy
  on_its_device,        // one device's
  mirrored,             // a copy on each replica's device
  on_parameter_device,  // one copy, which replicas share: central storage
  on_servers,           // the same, each on the next of several servers: parameter servers
};

}  // namespace wt::strategy
