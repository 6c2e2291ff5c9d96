#include "plan/role.h"

#include <fmt/core.h>

#include <array>

namespace wt::plan {

namespace {

constexpr std::array<std::string_view, 20> names{
    "other",     "input_pipeline", "input_copy", "output_copy", "forward", "gradient",       "packing",
    "reduction", "reduce",         "broadcast",  "gather",      "permute", "transfer",       "initial_value",
    "pull",      "push",           "update",     "aggregation", "swap",    "synchronization"};

}  // namespace

std::string_view name(Purpose purpose) { return names[static_cast<std::size_t>(purpose)]; }

std::string name(const Role& role) {
  switch (role.purpose) {
    case Purpose::packing:
    case Purpose::reduction:
      return fmt::format("all_reduce/{}", role.number);
    default:
      return std::string(name(role.purpose));
  }
}

}  // namespace wt::plan
