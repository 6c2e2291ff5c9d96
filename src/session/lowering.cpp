#include "session/lowering.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "base/rough.h"
#include "communication/own_moves.h"
#include "communication/round.h"
#include "communication/timing.h"
#include "scenario/names.h"
#include "scenario/nccl_keys.h"
#include "scenario/synthetic.h"
#include "session/step_options.h"
#include "timing/simulation.h"

namespace wt::session {

namespace {

using communication::Group;
using LibraryCall = communication::Call;

// Of a plan with all replicas, which then took 0.1 s for 16 replicas of ResNet-50, and 0.4 s for 32.
constexpr std::int64_t affordable_nodes = 16'000;

Group group_of(const cluster::Machine& machine) {
  Group group{*machine.platform};
  for (const cluster::Replica& replica : machine.replicas)
    group.ranks.push_back(machine.endpoint(print(replica.device.name)));
  return group;
}

// Workers that are processes of TensorFlow run each collective as an operation, which begins when its executor knows
// that the one before has ended.
std::string launch_of(const scenario::Scenario& scenario, const cluster::Machine& machine) {
  const bool are_workers =
      scenario.strategy->processes() == strategy::Processes::per_worker && machine.tasks > 1;
  if (are_workers && scenario.time.launch == scenario::Launch::threads) return "workers";
  return std::string(scenario::name_of(scenario.time.launch));
}

// What launching costs: by the way of starting, or by what a tiny all-reduce took on the real system. And what the
// library may choose.
communication::CallOptions call_options(const scenario::Scenario& scenario, const cluster::Machine& machine) {
  communication::CallOptions options{.launch = launch_of(scenario, machine),
                                     .settings = scenario::library_settings(scenario.time)};
  if (const auto& tiny = scenario.time.tiny_message; tiny && machine.platform && machine.replicas.size() > 1)
    communication::set_launch(options, *tiny, Bytes(8), group_of(machine));
  return options;
}

// Devices to which rows are copied ahead hold two batches (plan/rows.h).
std::vector<strategy::Place> places_of(const scenario::Scenario& scenario, const cluster::Machine& machine) {
  std::vector<strategy::Place> places = strategy::places(machine);
  if (copies_of(scenario) != plan::RowCopies::ahead) return places;
  for (strategy::Place& place : places) {
    place.device.holds_next_rows = true;
    for (plan::Device& device : place.further) device.holds_next_rows = true;
  }
  return places;
}

std::string text_of(const LibraryCall& call) {
  return call.protocol.empty() ? std::string(call.algorithm->name)
                               : fmt::format("{} with {}", call.algorithm->name, call.protocol);
}

}  // namespace

ScenarioLowering::ScenarioLowering(const scenario::Scenario& scenario, const cluster::Machine& machine,
                                   communication::KnownTimes* known)
    : scenario_(scenario),
      machine_(machine),
      all_places_(places_of(scenario, machine)),
      places_(all_places_),
      call_options_(call_options(scenario, machine)),
      times_(known != nullptr ? *known : own_times_) {
  if (scenario.host.collectives == scenario::HostCollectives::nccl) require_nccl();
  if (const std::optional<strategy::NamedFile> file = scenario.strategy->file())
    file_ = read_text(file->path, scenario.place(file->key));
}

// ---- Lowering

plan::Plan ScenarioLowering::lower(strategy::Steps steps) {
  return lower(steps, scenario_.time.collectives == scenario::Collectives::automatic);
}

plan::Plan ScenarioLowering::lower_for_memory(strategy::Steps steps) { return lower(steps, false); }

plan::Plan ScenarioLowering::lower(strategy::Steps steps, bool expands_small_plans) {
  Problems problems;
  try {
    std::string why_all = fold(steps);
    const auto lowered = [&] {
      plan::Plan plan = scenario_.strategy->lower(steps.first(places_.size()), setting(places_));
      plan.why_expanded = why_all;
      return plan;
    };
    plan::Plan plan = lowered();
    if (!why_all.empty() || !expands_small_plans || !can_afford_all(plan)) return plan;
    take_all();
    why_all = "all its moves can be simulated in a moment";
    return lowered();
  } catch (const InputError& error) {
    for (Problem problem : error.problems()) {
      if (problem.place.file.empty()) problem.place = scenario_.place("strategy");
      problems.add(problem);
    }
  }
  problems.throw_if_any();
  return {};
}

// As the ids of synthetic rows are drawn. Of stored rows all ids count as equally likely.
strategy::RowShare ScenarioLowering::row_share() const {
  const auto* synthetic = std::get_if<scenario::SyntheticData>(&scenario_.dataset.source);
  if (synthetic == nullptr) return {};
  const data::Popularity popularity = scenario::popularity_of(*synthetic);
  if (popularity.is_even()) return {};
  return [popularity](std::int64_t first, std::int64_t rows, std::int64_t all) {
    return popularity.below(static_cast<double>(first + rows), all) -
           popularity.below(static_cast<double>(first), all);
  };
}

strategy::Setting ScenarioLowering::setting(std::vector<strategy::Place> places) {
  return {.machine = machine_,
          .semantics = scenario_.semantics,
          .places = std::move(places),
          .stand_for = stand_for_,
          .file = file_,
          .row_share = row_share(),
          .library = [this](const std::string& algorithm) { return library(algorithm); }};
}

plan::Plan ScenarioLowering::lower_alone(const Step& step) {
  return scenario_.strategy->lower_alone(step, setting({all_places_.front()}));
}

// NCCL itself carries out what is NCCL's in the plan, and nothing else.
void ScenarioLowering::require_nccl() {
  if (all_places_.size() == 1) return;
  const strategy::Strategy& strategy = *scenario_.strategy;
  const std::optional<strategy::ReductionChoice> reduction = strategy.reduction(setting(all_places_));
  if (reduction && reduction->is_librarys) return;
  const std::string name =
      strategy.library_algorithm() && reduction ? reduction->name : std::string(strategy.name());
  throw InputError(Problem{scenario_.place("host.collectives"),
                           fmt::format("NCCL carries out what is NCCL's in TensorFlow, and {} is not", name),
                           R"(leave it out, or take "mirrored" with "cross_device_ops": "collective_nccl")"});
}

void ScenarioLowering::take_all() {
  places_ = all_places_;
  stand_for_.reset();
}

// A folded plan lets each collective begin with the last of its replicas and end for all at once. A plan of all
// replicas knows better, and is taken where it is small. Each move of a collective becomes up to two nodes.
bool ScenarioLowering::can_afford_all(const plan::Plan& folded) const {
  std::int64_t left =
      affordable_nodes - std::ssize(folded.nodes) * std::ssize(all_places_) / std::ssize(places_);
  for (std::size_t id = 0; id < folded.nodes.size() && left >= 0; ++id)
    if (const auto* whole = std::get_if<plan::Collective>(&folded.nodes[id].action)) {
      const auto& algorithm = collective::algorithm_named(whole->operation, whole->algorithm);
      left -= 2 * communication::moves_up_to(left, collective::make_schedule(algorithm, whole->request));
    }
  return left >= 0;
}

// Tasks of as many devices with as many rows, each in one machine of its own or a slice's host: one is like the
// other. All steps being one, any of the steps is theirs.
std::string ScenarioLowering::fold(strategy::Steps steps) {
  take_all();
  Tasks tasks;
  for (const strategy::Place& place : all_places_) tasks[place.task].push_back(place);
  std::string obstacle = obstacle_to_folding(steps, tasks);
  if (scenario_.host.collectives == scenario::HostCollectives::nccl)
    stand_for_ = places_.size();  // each for itself: whole collectives, which NCCL itself carries out
  if (!obstacle.empty()) return obstacle;
  places_ = tasks.begin()->second;
  stand_for_ = all_places_.size();
  return {};
}

std::string ScenarioLowering::obstacle_to_folding(strategy::Steps steps, const Tasks& tasks) const {
  const std::string obstacle = scenario_.strategy->obstacle_to_folding(machine_);
  const auto is_alike = [&](const auto& task) { return is_like(task.second, tasks.begin()->second); };
  if (scenario_.numerics != scenario::Numerics::none) return "numbers need every replica";
  if (!machine_.platform) return "nothing is timed";
  if (scenario_.time.collectives == scenario::Collectives::expanded) return "the scenario asks for it";
  if (!obstacle.empty()) return obstacle;
  if (std::ranges::any_of(scenario_.faults,
                          [](const scenario::Fault& fault) { return fault.degrade.has_value(); }))
    return "a link is slower than its like";
  if (std::ranges::any_of(steps, [&](const Step* step) { return step != steps.front(); }))
    return "replicas have different numbers of rows";
  if (tasks.size() < 2) return "there is one task, and it is like no other";
  if (!std::ranges::all_of(tasks, is_alike)) return "its tasks have different devices";
  return {};
}

// The same devices of equal machines, of the same types.
bool ScenarioLowering::is_like(std::span<const strategy::Place> task,
                               std::span<const strategy::Place> first) const {
  const auto type = [&](const strategy::Place& place) {
    return &machine_.platform->type(machine_.endpoint(place.device.name));
  };
  const auto group = [&](const strategy::Place& place) {
    const platform::Platform& platform = *machine_.platform;
    return platform.group_of(platform.machine_of(machine_.endpoint(place.device.name)));
  };
  const auto limit = [](const strategy::Place& place) {
    return place.device.memory ? std::optional(place.device.memory->limit) : std::nullopt;
  };
  return std::ranges::equal(task, first, [&](const strategy::Place& one, const strategy::Place& other) {
    return type(one)->id == type(other)->id && group(one) == group(other) && limit(one) == limit(other);
  });
}

// ---- The library

strategy::Library ScenarioLowering::library(const std::string& algorithm) {
  if (!machine_.platform) return {.always = {.algorithm = algorithm.empty() ? "ring" : algorithm}};
  return {.choose = [this, algorithm](Bytes bytes) {
    asked_.push_back({algorithm, bytes, choose(algorithm, bytes)});
    return asked_.back().choice;
  }};
}

strategy::LibraryChoice ScenarioLowering::choose(const std::string& algorithm, Bytes bytes) {
  const LibraryCall& call = call_for(algorithm, bytes);
  strategy::LibraryChoice choice{.algorithm = std::string(call.algorithm->name),
                                 .options = call.request.options,
                                 .orders = call.request.orders,
                                 .call = call};
  const Group group = group_of(machine_);
  const collective::Contract contract = collective::make_schedule(*call.algorithm, call.request).contract;
  const std::vector<platform::Endpoint> members = communication::endpoints(group, call.algorithm, contract);
  for (std::size_t i = group.ranks.size(); i < members.size(); ++i)
    choice.helpers.push_back({.name = machine_.platform->name(members[i])});
  return choice;
}

// The algorithm that the library takes under the scenario's settings, which may leave none on these devices.
std::string_view ScenarioLowering::library_choice(const Group& group, Bytes bytes) const {
  const std::vector<collective::Choice> ranked =
      communication::choices(group, collective::Operation::all_reduce, bytes, call_options_.settings);
  if (!ranked.empty()) return ranked.front().algorithm;
  Problems problems;
  for (const scenario::NcclKey& key : scenario::nccl_keys())
    if (scenario_.time.*key.setting)
      problems.add(scenario_.place(fmt::format("time.{}", key.name)),
                   fmt::format("with these settings NCCL has no all-reduce for {} on {}",
                               counted(group.size(), "device"), group.platform.name()),
                   "allow Ring and Simple, which every machine has");
  problems.throw_if_any();
  return {};
}

const LibraryCall& ScenarioLowering::call_for(const std::string& algorithm, Bytes bytes) {
  const auto known = known_.find({algorithm, bytes});
  if (known != known_.end()) return known->second;
  const Group group = group_of(machine_);
  constexpr auto operation = collective::Operation::all_reduce;
  const std::string_view name =
      algorithm.empty() ? library_choice(group, bytes) : std::string_view(algorithm);
  const collective::Request request{.ranks = group.size(), .elements = bytes.count() / 4};
  LibraryCall call =
      communication::call_of(group, collective::algorithm_named(operation, name), request, call_options_);
  return known_.emplace(std::pair(algorithm, bytes), std::move(call)).first->second;
}

// ---- The reduction

// What NCCL runs.
void ScenarioLowering::describe_library(const std::string& algorithm, Bytes gradients,
                                        strategy::ReductionChoice& reduction) {
  if (!machine_.platform) {
    if (reduction.is_librarys) reduction.algorithm = algorithm.empty() ? "ring" : algorithm;
    return;
  }
  if (!reduction.is_librarys) return;
  const LibraryCall& call = call_for(algorithm, gradients);
  reduction.algorithm = call.algorithm->name;
  reduction.protocol = call.protocol;
}

std::string ScenarioLowering::alternative(Bytes gradients) {
  const auto reduction = scenario_.strategy->reduction(setting(all_places_));
  const bool is_tensorflows = reduction && scenario_.strategy->library_algorithm() && !reduction->is_librarys;
  if (!is_tensorflows || !machine_.platform || !strategy::has_gpus_only(all_places_)) return {};
  const LibraryCall& call = call_for("", gradients);
  if (call.protocol.empty()) return {};  // on ideal links, or GPUs of others, NCCL is no choice
  const Seconds time = times_.time_of(call, group_of(machine_), Type::float32)->time;
  return fmt::format("NCCL would take {}: {} for the {} of gradients alone", text_of(call), rough(time),
                     rough(gradients));
}

std::optional<Seconds> ScenarioLowering::time_of_gathering(Bytes each) {
  if (all_places_.size() == 1 || !machine_.platform) return std::nullopt;
  const strategy::Setting all = setting(all_places_);
  const std::optional<strategy::RowGathering> way = scenario_.strategy->gathers_rows(all);
  if (!way) return std::nullopt;
  if (way->center)
    return timing::time_of_messages(strategy::lower_gathering(*way, each, all_places_), machine_);
  const Group group = group_of(machine_);
  const collective::Algorithm& ring = collective::algorithm_named(collective::Operation::all_gather, "ring");
  const collective::Request request{
      .ranks = group.size(), .elements = each.count() * group.size(), .element_bytes = 1};
  const std::optional<strategy::ReductionChoice> reduction = scenario_.strategy->reduction(all);
  LibraryCall call = communication::own_moves(group);
  call.algorithm = &ring;
  call.request = request;
  if (reduction && reduction->is_librarys) call = communication::call_of(group, ring, request, call_options_);
  return times_.time_of(call, group, Type::uint8)->time;
}

std::optional<strategy::ReductionChoice> ScenarioLowering::reduction(Bytes gradients) {
  if (all_places_.size() == 1 || gradients == Bytes(0)) return std::nullopt;
  std::optional<strategy::ReductionChoice> reduction = scenario_.strategy->reduction(setting(all_places_));
  const std::optional<std::string> algorithm = scenario_.strategy->library_algorithm();
  if (reduction && algorithm) describe_library(*algorithm, gradients, *reduction);
  return reduction;
}

}  // namespace wt::session
