#include "timing/step_clock.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/id.h"
#include "communication/constants.h"
#include "communication/own_moves.h"
#include "communication/remote_copies.h"
#include "simulate/simulate.h"

namespace wt::timing {

namespace {

using platform::Endpoint;

// The library call that carries out the reduction to which a node belongs. Null: TensorFlow moves the bytes
// itself.
const communication::Call* call_for(const plan::Plan& plan, const plan::Role& role) {
  const auto found = plan.calls.find(role.number);
  return role.purpose == plan::Purpose::reduction && found != plan.calls.end() ? &found->second : nullptr;
}

// Whether the node is a message of a schedule or the sum at its end. Such sums have no stream; a Sum in a
// stream is a kernel of the step.
bool is_of_schedule(const plan::Node& node) {
  const plan::Purpose purpose = node.role.purpose;
  if (purpose != plan::Purpose::reduction && purpose != plan::Purpose::broadcast) return false;
  if (std::holds_alternative<plan::Sum>(node.action)) return node.stream == plan::Stream::none;
  return std::holds_alternative<plan::Move>(node.action);
}

plan::DeviceId device_of(const plan::Plan& plan, const plan::Action& action) {
  if (const auto* run = std::get_if<plan::Run>(&action)) return run->device;
  if (const auto* sum = std::get_if<plan::Sum>(&action)) return sum->device;
  if (const auto* move = std::get_if<plan::Move>(&action)) return plan.buffer(move->target.buffer).device;
  return plan.buffer(std::get<plan::Collective>(action).values.front().buffer).device;
}

void slow_down(plan::Costs& costs, const plan::Plan& plan, std::span<const double> pace) {
  for (std::size_t id = 0; id < plan.nodes.size(); ++id) {
    const std::size_t device = index(device_of(plan, plan.nodes[id].action));
    if (device < pace.size()) costs.nodes[id].seconds = costs.nodes[id].seconds * pace[device];
  }
}

// Kernels take the time of the part that is expected to be needed. The bytes of a message are reduced where
// they are counted (plan::payload).
void take_shares(plan::Costs& costs, const plan::Plan& plan) {
  for (std::size_t id = 0; id < plan.nodes.size(); ++id) {
    const double share = plan.nodes[id].share;
    if (share == 1) continue;
    costs.nodes[id].seconds = costs.nodes[id].seconds * share;
    costs.nodes[id].bound = costs.nodes[id].bound * share;
  }
}

// Makes the copies of rows from their host free, for rows that are on the devices from the start.
void leave_out_rows(plan::Costs& costs, const plan::Plan& plan) {
  for (std::size_t id = 0; id < plan.nodes.size(); ++id) {
    const auto* move = std::get_if<plan::Move>(&plan.nodes[id].action);
    if (move != nullptr && plan.nodes[id].role.purpose == plan::Purpose::input_copy)
      costs.nodes[id] = {.wire = 0};
  }
}

// Sets when the step ends: after all its work, but for copies of the next step's rows, which overlap with its end.
void end(StepTime& step, const plan::Plan& plan, plan::RowCopies copies) {
  Seconds rows{};
  step.work = copies == plan::RowCopies::in_the_step ? step.timeline.end : Seconds(0);
  for (std::size_t id = 0; id < plan.nodes.size() && copies != plan::RowCopies::in_the_step; ++id) {
    Seconds& last = plan::is_copy_of_rows(plan, plan.nodes[id]) ? rows : step.work;
    last = std::max(last, step.timeline.nodes[id].end);
  }
  step.timeline.end = std::max(step.end.after(step.work), rows);
}

// Of the device that computes longest.
Seconds busiest_compute(const plan::Plan& plan, const plan::Costs& costs) {
  std::vector<Seconds> compute(plan.devices.size());
  for (std::size_t id = 0; id < plan.nodes.size(); ++id)
    if (const auto* run = std::get_if<plan::Run>(&plan.nodes[id].action))
      compute[index(run->device)] += costs.nodes[id].seconds;
  return compute.empty() ? Seconds(0) : std::ranges::max(compute);
}

// Whether the collective has the same role on all replicas. A value that replica 0 alone keeps, such as the
// loss, lies in another kind of buffer on the other replicas, and its collective depends on other nodes
// there.
bool is_among_equals(const plan::Plan& plan, const plan::Node& node) {
  const auto* whole = std::get_if<plan::Collective>(&node.action);
  return whole != nullptr && std::ranges::all_of(whole->values, [&](const plan::Operand& value) {
           return plan.buffer(value.buffer).kind == plan.buffer(whole->values[0].buffer).kind;
         });
}

// The difference between the first and the last device to be ready for a collective. A device is ready when
// the last of its dependencies has finished, and not before the previous collective has.
Seconds skew_of(const plan::Plan& plan, const plan::Timeline& timeline, const plan::Node& node) {
  std::map<plan::DeviceId, Seconds> ready;
  Seconds before{};
  for (const plan::NodeId other : node.after) {
    const bool is_whole = std::holds_alternative<plan::Collective>(plan.node(other).action);
    Seconds& last = is_whole ? before : ready[device_of(plan, plan.node(other).action)];
    last = std::max(last, timeline.nodes[index(other)].end);
  }
  if (ready.empty()) return {};
  const auto [first, last] =
      std::ranges::minmax_element(ready, {}, [](const auto& row) { return row.second; });
  return std::max(Seconds(0), last->second - std::max(first->second, before));
}

}  // namespace

bool is_of_collective(const plan::Node& node) {
  return std::holds_alternative<plan::Collective>(node.action) || is_of_schedule(node);
}

std::vector<const device::DeviceType*> types_of(const platform::Platform& platform,
                                                std::span<const Endpoint> where) {
  std::vector<const device::DeviceType*> types;
  for (const Endpoint endpoint : where)
    types.push_back(platform.is_switch(endpoint) ? types.front() : &platform.type(endpoint));
  return types;
}

StepClock::StepClock(const platform::Platform& platform, std::vector<Endpoint> replicas,
                     communication::KnownTimes* known)
    : group_{platform, std::move(replicas)}, all_known_(known != nullptr ? *known : own_known_) {
  // On a torus the coordinates of the chips determine the ranks, whatever the order of the replicas.
  if (platform.slice() != nullptr) std::ranges::sort(group_.ranks);
}

template <class Use>
void StepClock::for_whole(const plan::Plan& plan, Use use) {
  for (std::size_t id = 0; id < plan.nodes.size(); ++id)
    if (const auto* whole = std::get_if<plan::Collective>(&plan.nodes[id].action))
      use(id, timing_of(*whole, call_for(plan, plan.nodes[id].role)));
}

StepTime StepClock::time(const plan::Plan& plan, std::span<const Endpoint> where,
                         const StepTimeOptions& options) {
  StepTime step{.costs = costs_of(plan, where, options)};
  if (options.copies != plan::RowCopies::in_the_step)
    step.timeline = simulate::simulate(plan::with_rows_ahead(plan), step.costs, group_.platform, where);
  else
    step.timeline = simulate::simulate(plan, step.costs, group_.platform, where);
  step.end = options.end;
  if (options.spread > 0) step.end.synchronization += busiest_compute(plan, step.costs) * options.spread;
  end(step, plan, options.copies);
  for_whole(plan, [&](std::size_t, const communication::Timing& timing) {
    plan::add_links(step.timeline.links, timing.links);
  });
  for (const plan::Node& node : plan.nodes)
    if (is_among_equals(plan, node)) step.skew = std::max(step.skew, skew_of(plan, step.timeline, node));
  return step;
}

std::string_view StepClock::transport(const plan::Plan& plan) const {
  const bool sends_itself = std::ranges::any_of(plan.nodes, [&](const plan::Node& node) {
    return is_of_collective(node) && call_for(plan, node.role) == nullptr;
  });
  const bool is_grpc = sends_itself && communication::own_moves(group_).basis == communication::basis_of_grpc;
  return is_grpc ? communication::basis_of_grpc : std::string_view();
}

plan::Costs StepClock::costs_of(const plan::Plan& plan, std::span<const Endpoint> where,
                                const StepTimeOptions& options) {
  const std::vector<const device::DeviceType*> types = types_of(group_.platform, where);
  plan::Costs costs = options.profile != nullptr
                          ? plan::profiled(plan, types, options.roofline, *options.profile)
                          : plan::roofline(plan, types, options.roofline);
  take_shares(costs, plan);
  slow_down(costs, plan, options.pace);
  if (options.copies == plan::RowCopies::none) leave_out_rows(costs, plan);
  add_expanded(costs, plan, where);
  communication::add_remote_copies(costs, plan, group_.platform, where);
  for_whole(plan, [&](std::size_t id, const communication::Timing& timing) {
    costs.nodes[id] = {.seconds = timing.time};
  });
  return costs;
}

void StepClock::add_expanded(plan::Costs& costs, const plan::Plan& plan,
                             std::span<const Endpoint> where) const {
  std::map<plan::Role, std::vector<std::size_t>> nodes;
  for (std::size_t id = 0; id < plan.nodes.size(); ++id)
    if (is_of_schedule(plan.nodes[id])) nodes[plan.nodes[id].role].push_back(id);
  if (nodes.empty()) return;
  const communication::Call own = communication::own_moves(group_);
  for (const auto& [role, ids] : nodes) {
    const communication::Call* call = call_for(plan, role);
    communication::add_costs(costs, plan, ids, call != nullptr ? *call : own, group_.platform, where);
  }
}

// If the ranks are placed along the axes of a torus, the platform determines which axis comes first.
collective::Options StepClock::options_of(const plan::Collective& collective) const {
  collective::Options options = (*collective.request).options;
  if (group_.platform.slice() == nullptr || options.shape.empty()) return options;
  options.shape.clear();
  communication::add_natural_shape(options, group_,
                                   collective::algorithm_named(collective.operation, collective.algorithm));
  return options.shape.empty() ? (*collective.request).options : options;
}

const communication::Timing& StepClock::timing_of(const plan::Collective& collective,
                                                  const communication::Call* call) {
  const collective::Request& request = collective.request;
  const Type type = collective.values.front().spec.type;
  const auto [place, is_new] =
      known_.try_emplace({collective.algorithm, collective.operation, request.elements, type});
  if (!is_new) return *place->second;
  WT_EXPECT(request.ranks == group_.size(), "a collective among {} replicas of {}", request.ranks,
            group_.size());
  communication::Call own;
  if (call == nullptr) {
    own = communication::own_moves(group_);
    own.algorithm = &collective::algorithm_named(collective.operation, collective.algorithm);
    own.request = request;
    own.request.options = options_of(collective);
    call = &own;
  }
  place->second = all_known_.time_of(*call, group_, type);
  return *place->second;
}

}  // namespace wt::timing
