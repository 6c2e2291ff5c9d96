#include "cli/collective_timer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/id.h"
#include "base/rough.h"
#include "base/suggest.h"
#include "collective/import.h"
#include "plan/collective.h"
#include "platform/group.h"
#include "platform/slice.h"
#include "simulate/simulate.h"

namespace wt {

namespace {

using collective::Algorithm, collective::Operation;
using platform::Endpoint, platform::Platform;

constexpr std::int64_t most_moves = 1'000'000;
constexpr std::int64_t most_at_once = 20'000;  // flows that share links cost the square of their number
constexpr std::int64_t most_counted = 10'000'000;
constexpr int most_ranks_with_bound = 1024;  // it asks for all routes
constexpr Bytes most_bytes(std::int64_t{1} << 44);

Type type_wanted(const std::string& wanted) {
  constexpr std::array<std::string_view, 5> known{"float32", "float64", "int32", "int64", "uint8"};
  if (std::ranges::find(known, wanted) == known.end())
    throw InputError(fmt::format("\"{}\" is not a type that collectives have", wanted),
                     did_you_mean(wanted, known));
  return *type_named(wanted);
}

// Switches that add and multicast are no endpoints of described machines; servers are hosts.
bool needs_a_switch(const Algorithm& algorithm, const collective::Contract& contract) {
  return contract.helpers > 0 && std::ranges::find(algorithm.options, "servers") == algorithm.options.end();
}

bool is_for_a_torus(const Algorithm& algorithm) { return algorithm.name.starts_with("torus"); }

// The slice whose chips are the ranks, for algorithms that go along its axes.
const platform::Slice* slice_of(const Platform& platform, const Algorithm& algorithm, int ranks) {
  const platform::Slice* slice = platform.slice();
  const bool is_whole = slice != nullptr && slice->shape.count() == ranks && platform.devices() == ranks;
  return is_whole && is_for_a_torus(algorithm) ? slice : nullptr;
}

// Levels follow the machine where nobody says otherwise: its devices, then machines; a torus's axes, the last
// innermost.
std::vector<int> natural_shape(const Platform& platform, const Algorithm& algorithm, int ranks) {
  if (const platform::Slice* slice = slice_of(platform, algorithm, ranks)) {
    const std::vector<std::int32_t>& extents = slice->shape.extents;
    return {extents.rbegin(), extents.rend()};
  }
  const int machine = platform.devices() / platform.machines();
  if (!is_for_a_torus(algorithm) && machine > 1 && ranks > machine && ranks % machine == 0)
    return {machine, ranks / machine};
  return {};
}

// Chips are numbered host by host; along the axes of a slice ranks are numbered by their coordinates.
std::vector<Endpoint> by_coordinates(const platform::Slice& slice, const std::vector<Endpoint>& chips) {
  const auto axes = slice.shape.axes();
  platform::Shape hosts = slice.shape;
  for (std::size_t axis = 0; axis < axes; ++axis) hosts.extents[axis] /= slice.host[axis];
  const auto per_host = static_cast<std::int32_t>(slice.host.count());
  std::vector<Endpoint> ordered(chips.size());
  for (std::size_t chip = 0; chip < chips.size(); ++chip) {
    const auto number = static_cast<std::int32_t>(chip);
    platform::Coordinates place = platform::coordinates_of(number / per_host, hosts);
    const platform::Coordinates inner = platform::coordinates_of(number % per_host, slice.host);
    for (std::size_t axis = 0; axis < axes; ++axis)
      place[axis] = place[axis] * slice.host[axis] + inner[axis];
    ordered[static_cast<std::size_t>(platform::number_of(place, slice.shape))] = chips[chip];
  }
  return ordered;
}

void check_moves(const collective::Schedule& schedule) {
  std::int64_t moves = 0, at_once = 0;
  int round = 0;
  for (; round < schedule.rule.rounds && moves < most_counted; ++round) {
    const std::int64_t count = std::ssize(collective::moves_of(schedule, round));
    moves += count;
    at_once = std::max(at_once, count);
  }
  const std::string who = fmt::format("{} of {}", schedule.name, counted(schedule.contract.ranks, "rank"));
  const std::string_view remedy = "take fewer ranks or another algorithm";
  if (at_once > most_at_once)
    throw InputError(fmt::format("{} makes {} moves at once, more than {}", who, at_once, most_at_once),
                     std::string(remedy));
  if (moves > most_moves)
    throw InputError(fmt::format("{} makes {}{} moves, more than {}", who,
                                 round < schedule.rule.rounds ? "at least " : "", moves, most_moves),
                     std::string(remedy));
}

std::vector<plan::Side> sides(const std::vector<platform::Group>& groups) {
  std::vector<plan::Side> sides;
  for (const platform::Group& group : groups) {
    plan::Side& side = sides.emplace_back(plan::Side{{}, group.out, group.in});
    for (const Endpoint rank : group.members) side.ranks.push_back(static_cast<int>(index(rank)));
  }
  return sides;
}

}  // namespace

CollectiveTimer::CollectiveTimer(const CollectiveOptions& options, Operation operation,
                                 const Platform& platform)
    : operation_(operation), platform_(platform), type_(type_wanted(options.type)), root_(options.root) {
  ranks_ = options.ranks.value_or(platform.devices());
  if (ranks_ < 2)
    throw InputError(fmt::format("{} can't exchange anything", counted(ranks_, "rank")), "give 2 or more");
  if (ranks_ > platform.devices())
    throw InputError(fmt::format("{} has {} devices, not {}", platform.name(), platform.devices(), ranks_),
                     "describe a larger one with --set, as in machines=4");
  if (root_ < 0 || root_ >= ranks_)
    throw InputError(fmt::format("rank {} can't be the root of {}", root_, counted(ranks_, "rank")));
  for (const std::string& text : options.options) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos)
      throw InputError(fmt::format("--option {} has no value", text), "write it as segments=4");
    collective::set_option(options_, text.substr(0, equals), text.substr(equals + 1));
  }
  for (int rank = 0; rank < ranks_; ++rank) devices_.push_back(platform.device(rank));
}

// Every rank has an equal part of the vector.
bool CollectiveTimer::is_shared_out() const {
  return operation_ != Operation::all_reduce && operation_ != Operation::broadcast &&
         operation_ != Operation::reduce;
}

// Whole ones, and equal parts, as nccl-tests has it.
std::int64_t CollectiveTimer::elements(Bytes size) const {
  const std::int64_t unit = is_shared_out() ? ranks_ : 1;
  const std::int64_t count = size.count() / bytes_per_element(type_) / unit * unit;
  if (count < 1)
    throw InputError(fmt::format("{} are less than one {} for each who needs one", size, name(type_)),
                     fmt::format("give at least {}", Bytes(unit * bytes_per_element(type_))));
  if (size > most_bytes) throw InputError(fmt::format("{} are more than {}", size, most_bytes), "give less");
  return count;
}

collective::Schedule CollectiveTimer::schedule(const Algorithm& algorithm, Bytes size) const {
  collective::Request request{.ranks = ranks_,
                              .elements = elements(size),
                              .element_bytes = static_cast<int>(bytes_per_element(type_)),
                              .root = root_,
                              .options = options_};
  if (request.options.shape.empty() &&
      std::ranges::find(algorithm.options, "shape") != algorithm.options.end())
    request.options.shape = natural_shape(platform_, algorithm, ranks_);
  return collective::make_schedule(algorithm, request);
}

void CollectiveTimer::check(const CollectiveChoice& choice, Bytes size) const {
  if (choice.algorithm != nullptr) {
    const collective::Schedule made = schedule(*choice.algorithm, size);
    if (needs_a_switch(*choice.algorithm, made.contract))
      throw InputError(fmt::format("{} lets switches add, which described machines can't yet", made.name),
                       "choose another algorithm");
    return check_moves(made);
  }
  const collective::Contract contract = expanded(choice, size).contract;
  if (contract.operation != operation_)
    throw InputError(fmt::format("{} is for {}", choice.file, collective::name(contract.operation)),
                     fmt::format("say --op {}", collective::name(contract.operation)));
  if (contract.ranks != ranks_)
    throw InputError(
        fmt::format("{} is for {}, not for {}", choice.file, counted(contract.ranks, "rank"), ranks_),
        fmt::format("say --ranks {}", contract.ranks));
}

collective::Expanded CollectiveTimer::expanded(const CollectiveChoice& choice, Bytes size) const {
  return choice.algorithm != nullptr ? collective::expand(schedule(*choice.algorithm, size))
                                     : collective::import_verified(choice.text, elements(size), choice.file);
}

// Helpers sit on the hosts of ranks, evenly.
std::vector<Endpoint> CollectiveTimer::endpoints(const CollectiveChoice& choice,
                                                 const collective::Contract& contract) const {
  const platform::Slice* slice =
      choice.algorithm != nullptr ? slice_of(platform_, *choice.algorithm, ranks_) : nullptr;
  Endpoints where = slice != nullptr ? by_coordinates(*slice, devices_) : devices_;
  const auto helpers = static_cast<std::size_t>(contract.helpers);
  for (std::size_t helper = 0; helper < helpers; ++helper)
    where.push_back(platform_.host_of(devices_[helper * devices_.size() / helpers]));
  return where;
}

CollectiveRow CollectiveTimer::time(const CollectiveChoice& choice, Bytes size) {
  const collective::Expanded schedule = expanded(choice, size);
  const Endpoints where = endpoints(choice, schedule.contract);
  const plan::Plan plan = plan_of(schedule);
  plan::Costs costs;
  costs.nodes.resize(plan.nodes.size());
  plan::Timeline timeline =
      simulate::simulate(plan, costs, platform_, where, simulate::Server::of_this_process());
  const std::int64_t count = elements(size);
  const Bytes bytes(count * bytes_per_element(type_));
  return {.algorithm = schedule.name,
          .bytes = bytes,
          .count = is_shared_out() ? count / ranks_ : count,
          .time = timeline.end,
          .bound = bound(schedule.contract, where, bytes),
          .links = std::move(timeline.links)};
}

plan::Plan CollectiveTimer::plan_of(const collective::Expanded& schedule) const {
  plan::Plan plan{.name = schedule.name};
  std::vector<plan::Member> members;
  const TensorSpec spec{type_, {schedule.contract.cut.elements}};
  for (int i = 0; i < schedule.contract.members(); ++i) {
    const auto device = plan::DeviceId(i);
    plan.devices.push_back({.name = fmt::format("{}", i)});
    members.push_back({device, std::nullopt});
    if (i >= schedule.contract.ranks) continue;
    const plan::BufferId buffer = plan.add_buffer(
        {fmt::format("rank {}", i), device, spec.bytes(), plan::BufferKind::communication, {}});
    members.back().value = plan::Operand{buffer, spec};
  }
  std::vector<plan::Frontier> frontiers;
  plan::add_collective(plan, frontiers, schedule, members);
  return plan;
}

std::optional<Seconds> CollectiveTimer::bound(const collective::Contract& contract,
                                              const std::vector<Endpoint>& where, Bytes bytes) {
  if (ranks_ > most_ranks_with_bound || !contract.left_out.empty()) return std::nullopt;
  const std::vector<Endpoint> helpers(where.begin() + ranks_, where.end());
  if (splits_.empty() || helpers != helpers_) {
    helpers_ = helpers;
    splits_ = {sides(platform::groups_by_device(platform_, devices_, helpers)),
               sides(platform::groups_by_machine(platform_, devices_, helpers))};
  }
  Seconds most{};
  for (const std::vector<plan::Side>& split : splits_)
    most = std::max(most, plan::bound(contract, bytes, split));
  return most;
}

}  // namespace wt
