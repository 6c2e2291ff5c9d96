#include "plan/rows.h"

#include <array>

#include "base/id.h"

namespace wt::plan {

std::string_view name(RowCopies copies) {
  constexpr std::array<std::string_view, 3> names{"in the step", "ahead", "none"};
  return names[static_cast<std::size_t>(copies)];
}

bool is_copy_of_rows(const Plan& plan, const Node& node) {
  const auto* move = std::get_if<Move>(&node.action);
  return move != nullptr && node.after.empty() && node.role.purpose == Purpose::input_copy &&
         plan.buffer(move->source.buffer).device != plan.buffer(move->target.buffer).device;
}

Plan with_rows_ahead(const Plan& plan) {
  Plan ahead = plan;
  for (Node& node : ahead.nodes)
    std::erase_if(node.after, [&](NodeId other) { return is_copy_of_rows(plan, plan.node(other)); });
  return ahead;
}

}  // namespace wt::plan
