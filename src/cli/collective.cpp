#include "cli/collective.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ostream>

#include "base/id.h"
#include "base/suggest.h"
#include "collective/catalog.h"
#include "collective/print.h"
#include "plan/bound.h"
#include "plan/collective.h"
#include "platform/group.h"
#include "platform/load.h"
#include "platform/slice.h"
#include "simulate/simulate.h"

namespace wt {

namespace {

using collective::Algorithm, collective::Operation;
using platform::Endpoint, platform::Platform;

constexpr std::int64_t most_moves = 1'000'000;
constexpr int most_ranks_with_bound = 1024;  // it asks for all routes

// ---- What the user said

Operation operation_named(const std::string& wanted) {
  std::vector<std::string_view> known;
  for (const collective::OperationRow& row : collective::operations()) {
    if (row.name == wanted) return row.operation;
    known.push_back(row.name);
  }
  throw InputError(fmt::format("\"{}\" is not an operation", wanted), did_you_mean(wanted, known));
}

Type type_wanted(const std::string& wanted) {
  constexpr std::array<std::string_view, 5> known{"float32", "float64", "int32", "int64", "uint8"};
  if (std::ranges::find(known, wanted) == known.end())
    throw InputError(fmt::format("\"{}\" is not a type that collectives have", wanted),
                     did_you_mean(wanted, known));
  return *type_named(wanted);
}

// A bare number is bytes, and K, M, G are binary, as in nccl-tests.
Bytes size_of(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  constexpr std::array<std::string_view, 4> units{"", "K", "M", "G"};
  const auto found = std::ranges::find(units, unit);
  if (error != std::errc() || found == units.end() || number > (std::int64_t{1} << 33))
    return parse<Bytes>(text);
  return Bytes(number) * (std::int64_t{1} << (10 * (found - units.begin())));
}

std::vector<Bytes> sizes_of(const CollectiveOptions& options) {
  std::vector<Bytes> sizes;
  for (const std::string& text : options.sizes) sizes.push_back(size_of(text));
  if (!sizes.empty()) return sizes;
  const Bytes begin = size_of(options.begin), end = size_of(options.end);
  if (!(options.factor > 1))
    throw InputError(fmt::format("-f {} never reaches the end", options.factor), "give a factor above 1");
  if (begin > end || begin < Bytes(1))
    throw InputError(fmt::format("there is no size from {} to {}", begin, end),
                     "begin with the smaller size, above 0");
  for (double size = static_cast<double>(begin.count()); size <= static_cast<double>(end.count());
       size = std::max(size + 1, size * options.factor))
    sizes.push_back(Bytes(static_cast<std::int64_t>(size)));
  return sizes;
}

// ---- Which algorithms

// Switches that add and multicast are no endpoints of described machines; servers are hosts.
bool needs_a_switch(const Algorithm& algorithm, const collective::Contract& contract) {
  return contract.helpers > 0 && std::ranges::find(algorithm.options, "servers") == algorithm.options.end();
}

std::vector<const Algorithm*> algorithms_wanted(const CollectiveOptions& options, Operation operation) {
  const std::vector<const Algorithm*> all = collective::algorithms_of(operation);
  if (options.algorithms.empty()) return {all.front()};
  if (options.algorithms == std::vector<std::string>{"all"}) return all;
  std::vector<const Algorithm*> wanted;
  for (const std::string& name : options.algorithms)
    wanted.push_back(&collective::algorithm_named(operation, name));
  return wanted;
}

bool is_for_a_torus(const Algorithm& algorithm) { return algorithm.name.starts_with("torus"); }

// The slice whose chips are the ranks, for algorithms that go along its axes.
const platform::Slice* slice_of(const Platform& platform, const Algorithm& algorithm, int ranks) {
  const platform::Slice* slice = platform.slice();
  const bool is_whole = slice != nullptr && slice->shape.count() == ranks && platform.devices() == ranks;
  return is_whole && is_for_a_torus(algorithm) ? slice : nullptr;
}

// Levels follow the machine where nobody says otherwise: its devices, then machines; a torus's axes, the last innermost.
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

// ---- One timing

class Timer {
 public:
  Timer(const CollectiveOptions& options, Operation operation, const Platform& platform)
      : operation_(operation), platform_(platform), type_(type_wanted(options.type)), root_(options.root) {
    ranks_ = options.ranks.value_or(platform.devices());
    if (ranks_ < 2)
      throw InputError(fmt::format("{} can't exchange anything", counted_ranks()), "give 2 or more");
    if (ranks_ > platform.devices())
      throw InputError(fmt::format("{} has {} devices, not {}", platform.name(), platform.devices(), ranks_),
                       "describe a larger one with --set, as in machines=4");
    if (root_ < 0 || root_ >= ranks_)
      throw InputError(fmt::format("rank {} can't be the root of {}", root_, counted_ranks()));
    for (const std::string& text : options.options) {
      const std::size_t equals = text.find('=');
      if (equals == std::string::npos)
        throw InputError(fmt::format("--option {} has no value", text), "write it as segments=4");
      collective::set_option(options_, text.substr(0, equals), text.substr(equals + 1));
    }
    for (int rank = 0; rank < ranks_; ++rank) devices_.push_back(platform.device(rank));
  }

  CollectiveTable table() const { return {platform_.name(), operation_, ranks_, type_, root_, false}; }

  collective::Schedule schedule(const Algorithm& algorithm, Bytes size) const {
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

  // InputError where it isn't timed.
  static void check(const Algorithm& algorithm, const collective::Schedule& schedule) {
    if (needs_a_switch(algorithm, schedule.contract))
      throw InputError(
          fmt::format("{} lets switches add, which described machines can't yet", algorithm.name),
          "choose another algorithm");
    std::int64_t moves = 0;
    for (int round = 0; round < schedule.rule.rounds; ++round)
      moves += std::ssize(collective::moves_of(schedule, round));
    if (moves > most_moves)
      throw InputError(fmt::format("{} of {} ranks makes {} moves, more than {}", algorithm.name,
                                   schedule.contract.ranks, moves, most_moves),
                       "take fewer ranks or another algorithm");
  }

  CollectiveRow time(const Algorithm& algorithm, Bytes size) {
    const collective::Schedule schedule = this->schedule(algorithm, size);
    const collective::Expanded expanded = collective::expand(schedule);
    const std::vector<Endpoint> where = endpoints(schedule.contract, ranks_of(algorithm));
    const plan::Plan plan = plan_of(expanded);
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

 private:
  std::string counted_ranks() const { return fmt::format("{} rank{}", ranks_, ranks_ == 1 ? "" : "s"); }

  // Every rank has an equal part of the vector.
  bool is_shared_out() const {
    return operation_ != Operation::all_reduce && operation_ != Operation::broadcast &&
           operation_ != Operation::reduce;
  }

  // Whole ones, and equal parts, as nccl-tests has it.
  std::int64_t elements(Bytes size) const {
    const std::int64_t unit = is_shared_out() ? ranks_ : 1;
    const std::int64_t count = size.count() / bytes_per_element(type_) / unit * unit;
    if (count < 1)
      throw InputError(fmt::format("{} are less than one {} for each who needs one", size, name(type_)),
                       fmt::format("give at least {}", Bytes(unit * bytes_per_element(type_))));
    return count;
  }

  std::vector<Endpoint> ranks_of(const Algorithm& algorithm) const {
    const platform::Slice* slice = slice_of(platform_, algorithm, ranks_);
    return slice ? by_coordinates(*slice, devices_) : devices_;
  }

  // Servers sit on the hosts of ranks, evenly.
  std::vector<Endpoint> endpoints(const collective::Contract& contract, std::vector<Endpoint> where) const {
    const auto servers = static_cast<std::size_t>(contract.helpers);
    for (std::size_t server = 0; server < servers; ++server)
      where.push_back(platform_.host_of(devices_[server * devices_.size() / servers]));
    return where;
  }

  plan::Plan plan_of(const collective::Expanded& schedule) const {
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

  std::optional<Seconds> bound(const collective::Contract& contract, const std::vector<Endpoint>& where,
                               Bytes bytes) {
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

  static std::vector<plan::Side> sides(const std::vector<platform::Group>& groups) {
    std::vector<plan::Side> sides;
    for (const platform::Group& group : groups) {
      plan::Side& side = sides.emplace_back(plan::Side{{}, group.out, group.in});
      for (const Endpoint rank : group.members) side.ranks.push_back(static_cast<int>(index(rank)));
    }
    return sides;
  }

  const Operation operation_;
  const Platform& platform_;
  const Type type_;
  const int root_;
  int ranks_ = 0;
  collective::Options options_{};
  std::vector<Endpoint> devices_{};
  std::vector<std::vector<plan::Side>> splits_{};  // with the helpers they were made for
  std::vector<Endpoint> helpers_{};
};

platform::Loaded load(const CollectiveOptions& options, std::ostream& messages) {
  platform::Parameters parameters;
  for (const std::string& text : options.overrides) parameters.push_back(platform::parse_parameter(text));
  platform::Loaded loaded = platform::load(options.platform, parameters);
  for (const Problem& warning : loaded.warnings) messages << "warning: " << print(warning) << "\n";
  return loaded;
}

}  // namespace

Exit run_collective(const CollectiveOptions& options, const Streams& streams) {
  const Operation operation = operation_named(options.operation);
  const std::vector<const Algorithm*> algorithms = algorithms_wanted(options, operation);
  const bool is_all = options.algorithms == std::vector<std::string>{"all"};
  const std::vector<Bytes> sizes = sizes_of(options);
  const platform::Loaded loaded = load(options, streams.messages);
  Timer timer(options, operation, loaded.platform);
  std::vector<CollectiveRow> rows;
  for (const Algorithm* algorithm : algorithms) {
    try {
      Timer::check(*algorithm, timer.schedule(*algorithm, sizes.front()));
    } catch (const InputError& error) {
      if (!is_all) throw;
      const std::string text = error.what();
      streams.messages << "left out: " << text.substr(0, text.find('\n')) << "\n";
      continue;
    }
    if (options.schedule) {
      streams.results << collective::print(collective::expand(timer.schedule(*algorithm, sizes.front())));
      continue;
    }
    for (const Bytes size : sizes) rows.push_back(timer.time(*algorithm, size));
  }
  if (options.schedule) return Exit::done;
  if (rows.empty())
    throw InputError("none of the algorithms can be timed for so many ranks", "take another number of ranks");
  CollectiveTable table = timer.table();
  table.links = options.links;
  streams.results << (options.json  ? collective_json(table, rows)
                      : options.csv ? collective_csv(table, rows)
                                    : collective_text(table, rows));
  return Exit::done;
}

}  // namespace wt
