#include "communication/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/id.h"
#include "base/rough.h"
#include "communication/lockstep.h"
#include "communication/pipeline.h"
#include "communication/round.h"
#include "communication/stages.h"
#include "plan/collective.h"
#include "simulate/simulate.h"

namespace wt::communication {

namespace {

using collective::Expanded, collective::Request, collective::Schedule;

constexpr std::int64_t most_moves = 2'500'000;
// The time to simulate flows that share links grows with the square of their number.
constexpr std::int64_t most_at_once = 20'000;
// So many are simulated at once, whether or not any are alike.
constexpr std::int64_t few_moves = 10'000;

// A message that says which number of moves is too large; unset if the schedule can be simulated.
std::optional<std::string> over_budget(const Schedule& schedule) {
  std::int64_t moves = 0, at_once = 0;
  int round = 0;
  for (; round < schedule.rule.rounds && moves < 4 * most_moves && at_once <= most_at_once; ++round) {
    const std::int64_t count = std::ssize(collective::moves_of(schedule, round));
    moves += count;
    at_once = std::max(at_once, count);
  }
  const std::string subject =
      fmt::format("{} of {}", schedule.name, counted(schedule.contract.ranks, "rank"));
  if (at_once > most_at_once)
    return fmt::format("{} makes {} moves at once, more than {}", subject, at_once, most_at_once);
  if (moves > most_moves)
    return fmt::format("{} makes {}{} moves, more than {}", subject,
                       round < schedule.rule.rounds ? "at least " : "", moves, most_moves);
  return std::nullopt;
}

// The schedule as a plan with a device for each member. If the ranks begin at different times, the first
// nodes take these times.
plan::Plan plan_of(const Expanded& schedule, Type type, const Call& call) {
  plan::Plan plan{.name = schedule.name};
  std::vector<plan::Member> members;
  const TensorSpec spec{type, {schedule.contract.cut.elements}};
  for (int i = 0; i < schedule.contract.members(); ++i) {
    const auto device = plan::DeviceId(i);
    plan.devices.push_back({.name = fmt::format("{}", i)});
    members.push_back({device, std::nullopt});
    if (i >= schedule.contract.ranks) continue;
    const plan::BufferId buffer = plan.add_buffer(
        {fmt::format("rank {}", i), device, spec.bytes(), plan::BufferKind::communication, {}});
    members.back().value = plan::Operand{buffer, spec};
  }
  for (std::size_t rank = 0; rank < call.starts.size(); ++rank)
    plan.add_node(plan::Move{*members[rank].value, *members[rank].value, {}}, "start");
  std::vector<plan::Frontier> frontiers = plan::order_accesses(plan);
  plan::add_collective(plan, frontiers, schedule, members, {}, call.messages);
  return plan;
}

Timing timing_of(const Played& played, const Group& group) {
  plan::Timeline timeline = simulate::simulate(played.plan, played.costs, group.platform, played.where);
  return {.time = timeline.end, .links = std::move(timeline.links)};
}

Timing time_all(const Call& call, const Group& group, Type type) {
  const Schedule schedule = collective::make_schedule(*call.algorithm, call.request);
  if (const auto problem = over_budget(schedule))
    throw InputError(*problem, "take fewer ranks or another algorithm");
  return time_of(collective::expand(schedule, collective::Implied::kept), call, group, type);
}

}  // namespace

Played expanded_plan(const Expanded& schedule, const Call& call, const Group& group, Type type) {
  Played played{.plan = plan_of(schedule, type, call),
                .where = endpoints(group, call.algorithm, schedule.contract)};
  add_costs(played.costs, played.plan, call.starts.size(), call, group.platform, played.where);
  for (std::size_t rank = 0; rank < call.starts.size(); ++rank)
    played.costs.nodes[rank].seconds = call.starts[rank];
  return played;
}

Timing time_of(const Expanded& schedule, const Call& call, const Group& group, Type type) {
  Timing timing = timing_of(expanded_plan(schedule, call, group, type), group);
  timing.moves = timing.played = std::ssize(schedule.steps);
  return timing;
}

Call with_equal_chunks(Call call) {
  std::int64_t& elements = call.request.elements;
  const Schedule schedule = collective::make_schedule(*call.algorithm, call.request);
  const collective::Cut& cut = schedule.contract.cut;
  if (cut.elements < cut.chunks || cut.elements % cut.chunks == 0 || has_at_most(schedule, few_moves))
    return call;
  if (cut.per_chunk != 0) {
    call.request.fills_chunks = true;
    return call;
  }
  // In an all-to-all, every rank adds as many elements to what is cut.
  const std::int64_t unit = cut.chunks / std::gcd(std::int64_t{cut.chunks}, cut.elements / elements);
  elements = (elements + unit - 1) / unit * unit;
  return call;
}

Timing time_of(const Call& wanted, const Group& group, Type type, Folding folding) {
  const Call call = with_equal_chunks(wanted);
  if (folding == Folding::expanded) return time_all(call, group, type);
  if (auto timing = time_in_lockstep(call, group, type)) return *std::move(timing);
  if (auto timing = time_in_stages(call, group, type)) return *std::move(timing);
  if (auto timing = time_of_pipeline(call, group, type)) return *std::move(timing);
  return time_all(call, group, type);
}

Seconds launch_time_from(Seconds measured, Bytes bytes, const Group& group, collective::Operation operation) {
  const collective::Choice choice = choices(group, operation, bytes).front();
  const collective::Algorithm& algorithm = collective::algorithm_named(operation, choice.algorithm);
  const Request request{.ranks = group.size(), .elements = std::max<std::int64_t>(1, bytes.count() / 4)};
  const Call call = call_of(group, algorithm, request, {.launch_time = Seconds(0)});
  return measured - time_of(call, group, Type::float32).time;
}

void set_launch(CallOptions& options, Seconds measured, Bytes bytes, const Group& group) {
  const Seconds launch = launch_time_from(measured, bytes, group);
  options.launch_time = std::max(launch, Seconds(0));
  if (launch < Seconds(0)) options.latencies = measured / (measured - launch);
}

}  // namespace wt::communication
