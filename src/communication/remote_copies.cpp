#include "communication/remote_copies.h"

#include <algorithm>
#include <array>

#include "base/id.h"
#include "communication/constants.h"

namespace wt::communication {

namespace {

using plan::Purpose;

constexpr std::array of_variables{Purpose::pull, Purpose::push, Purpose::update, Purpose::aggregation,
                                  Purpose::transfer};

}  // namespace

void add_remote_copies(plan::Costs& costs, const plan::Plan& plan, const platform::Platform& platform,
                       std::span<const platform::Endpoint> where) {
  const auto machine_of = [&](const plan::Operand& operand) {
    return platform.machine_of(where[index(plan.buffer(operand.buffer).device)]);
  };
  for (std::size_t id = 0; id < plan.nodes.size(); ++id) {
    const auto* move = std::get_if<plan::Move>(&plan.nodes[id].action);
    const bool is_of_variable =
        std::ranges::find(of_variables, plan.nodes[id].role.purpose) != of_variables.end();
    if (move == nullptr || !is_of_variable || machine_of(move->source) == machine_of(move->target)) continue;
    const Grpc& grpc = constants().grpc;
    const bool is_push = plan.nodes[id].role.purpose == Purpose::push;
    costs.nodes[id].seconds += (is_push ? grpc.push : grpc.pull).of(plan::payload(plan.nodes[id]));
  }
}

}  // namespace wt::communication
