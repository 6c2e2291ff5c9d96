#include "cli/lowering.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "base/rough.h"
#include "communication/timing.h"
#include "platform/slice.h"
#include "scenario/names.h"
#include "strategy/central_storage.h"
#include "strategy/collective_ops.h"
#include "strategy/default.h"
#include "strategy/devices.h"
#include "strategy/mirrored.h"
#include "strategy/multi_worker_mirrored.h"
#include "strategy/tpu.h"

namespace wt {

namespace {

using communication::Group;
using LibraryCall = communication::Call;
using scenario::StrategyType;
using strategy::CrossDeviceOps;

Group group_of(const scenario::Machine& machine) {
  Group group{*machine.platform};
  for (const scenario::Replica& replica : machine.replicas)
    group.ranks.push_back(machine.endpoint(print(replica.device.name)));
  return group;
}

bool has_gpus_only(std::span<const strategy::Place> places) {
  return std::ranges::all_of(places,
                             [](const strategy::Place& place) { return place.kind == device::Kind::gpu; });
}

strategy::Packing packing_of(const scenario::Buckets& buckets) {
  strategy::Packing packing{.overlap = buckets.overlap};
  if (buckets.bucket_cap) packing.bucket_cap = *buckets.bucket_cap;
  return packing;
}

// What launching costs: by the way of starting, or by what a tiny all-reduce took on the real system.
communication::CallOptions call_options(const scenario::Scenario& scenario,
                                        const scenario::Machine& machine) {
  communication::CallOptions options{.launch = std::string(scenario::name_of(scenario.time.launch))};
  if (const auto& tiny = scenario.time.tiny_message; tiny && machine.platform && machine.replicas.size() > 1)
    options.launch_time = communication::launch_time_from(*tiny, Bytes(8), group_of(machine));
  if (options.launch_time && *options.launch_time < Seconds(0))
    throw InputError(Problem{scenario.place("time.tiny_message"),
                             fmt::format("{} is less than the messages of such an all-reduce take",
                                         print(*scenario.time.tiny_message)),
                             "measure an all-reduce of 8 bytes on these devices"});
  return options;
}

std::string text_of(const LibraryCall& call) {
  return call.protocol.empty() ? std::string(call.algorithm->name)
                               : fmt::format("{} with {}", call.algorithm->name, call.protocol);
}

}  // namespace

Lowering::Lowering(const scenario::Scenario& scenario, const scenario::Machine& machine)
    : scenario_(scenario),
      machine_(machine),
      all_places_(scenario::places(machine)),
      places_(all_places_),
      call_options_(call_options(scenario, machine)) {
  if (scenario.host.collectives == scenario::HostCollectives::nccl) require_nccl();
  const auto* mirrored = scenario.strategy.as<scenario::Mirrored>();
  if (mirrored == nullptr || named_ops(*mirrored) != CrossDeviceOps::schedule) return;
  const auto& file = std::get<scenario::InputPath>(mirrored->cross_device_ops->form);
  schedule_ = read_text(file.path, scenario.place("strategy.cross_device_ops.schedule"));
}

// ---- Lowering

plan::Plan Lowering::lower(strategy::Steps steps) {
  asked_.clear();
  Problems problems;
  try {
    std::string why_all = fold(steps);
    plan::Plan plan = lower_unplaced(steps.first(places_.size()));
    lowered_.push_back({plan.nodes.data(), asked_, std::move(why_all)});
    return plan;
  } catch (const InputError& error) {
    for (Problem problem : error.problems()) {
      if (problem.place.file.empty()) problem.place = scenario_.place("strategy");
      problems.add(problem);
    }
  }
  problems.throw_if_any();
  return {};
}

const Lowering::Lowered* Lowering::find(const plan::Plan& plan) const {
  const auto known = std::ranges::find(lowered_.rbegin(), lowered_.rend(),
                                       static_cast<const void*>(plan.nodes.data()), &Lowered::nodes);
  return known == lowered_.rend() ? nullptr : &*known;
}

std::vector<const LibraryCall*> Lowering::calls(const plan::Plan& plan) const {
  const Lowered* known = find(plan);
  return known == nullptr ? std::vector<const LibraryCall*>{} : known->calls;
}

std::string Lowering::why_all(const plan::Plan& plan) const {
  const Lowered* known = find(plan);
  return known == nullptr ? "it is of another strategy" : known->why_all;
}

// It takes the place of what is NCCL's in the plan, and of nothing else.
void Lowering::require_nccl() {
  if (all_places_.size() == 1) return;
  std::optional<report::Reduction> told;
  if (scenario_.strategy.as<scenario::Mirrored>() != nullptr) told = mirrored_reduction();
  if (scenario_.strategy.as<scenario::MultiWorkerMirrored>() != nullptr) told = multi_worker_reduction();
  if (told && told->is_librarys) return;
  const std::string name = told ? told->name : std::string(scenario::name_of(scenario_.strategy.type()));
  throw InputError(Problem{scenario_.place("host.collectives"),
                           fmt::format("NCCL carries out what is NCCL's in TensorFlow, and {} is not", name),
                           R"(leave it out, or take "mirrored" with "cross_device_ops": "collective_nccl")"});
}

// Tasks of as many devices with as many rows, each in one machine of its own or a slice's host: one is like the
// other. All steps being one, any of the steps is theirs.
std::string Lowering::fold(strategy::Steps steps) {
  places_ = all_places_;
  stand_for_.reset();
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

std::string Lowering::obstacle_to_folding(strategy::Steps steps, const Tasks& tasks) const {
  const auto* workers = scenario_.strategy.as<scenario::MultiWorkerMirrored>();
  const bool is_tpu = scenario_.strategy.type() == StrategyType::tpu;
  const auto is_alike = [&](const auto& task) { return is_like(task.second, tasks.begin()->second); };
  if (scenario_.numerics != scenario::Numerics::none) return "numbers need every replica";
  if (!machine_.platform) return "nothing is timed";
  if (scenario_.time.collectives == scenario::Collectives::expanded) return "the scenario asks for it";
  if (workers == nullptr && !is_tpu) return "its replicas are one process, and none is another's like";
  if (workers != nullptr && workers->communication_options.bytes_per_pack != Bytes(0))
    return "packs are played one by one";
  if (!all_places_.front().further.empty()) return "its replicas have several cores";
  if (std::ranges::any_of(steps, [&](const Step* step) { return step != steps.front(); }))
    return "replicas have different numbers of rows";
  if (tasks.size() < 2) return "there is one task, and it is like no other";
  if (!std::ranges::all_of(tasks, is_alike)) return "its tasks have different devices";
  return {};
}

// The same devices of their machine, of the same types.
bool Lowering::is_like(std::span<const strategy::Place> task, std::span<const strategy::Place> first) const {
  const auto type = [&](const strategy::Place& place) {
    return &machine_.platform->type(machine_.endpoint(place.device.name));
  };
  const auto limit = [](const strategy::Place& place) {
    return place.device.memory ? std::optional(place.device.memory->limit) : std::nullopt;
  };
  return std::ranges::equal(task, first, [&](const strategy::Place& one, const strategy::Place& other) {
    return type(one)->id == type(other)->id && limit(one) == limit(other);
  });
}

plan::Plan Lowering::lower_unplaced(strategy::Steps steps) {
  switch (scenario_.strategy.type()) {
    case StrategyType::default_strategy:
    case StrategyType::one_device:
      return strategy::lower_default(*steps.front(), places_.front().device, places_.front().host);
    case StrategyType::mirrored:
      return lower_mirrored(steps);
    case StrategyType::central_storage:
      return strategy::lower_central_storage(steps, places_, central_storage());
    case StrategyType::multi_worker_mirrored:
      return lower_multi_worker_mirrored(steps);
    case StrategyType::tpu:
      break;
  }
  strategy::TpuOptions options = tpu();
  options.stand_for = stand_for_;
  if (const platform::Slice* slice = machine_.platform ? machine_.platform->slice() : nullptr) {
    const std::vector<int>& shape = machine_.computation_shape;
    for (std::size_t axis = 0; axis < slice->shape.axes(); ++axis)
      options.slice.push_back(slice->shape[axis] / shape[axis]);
    options.wraps = slice->wraps;
    options.cores = slice->devices_per_chip() / shape.back();
  }
  return strategy::lower_tpu(steps, places_, options);
}

strategy::TpuOptions Lowering::tpu() const {
  strategy::TpuOptions options;
  if (const auto& algorithm = scenario_.strategy.as<scenario::Tpu>()->algorithm)
    options.algorithm = algorithm->name;
  options.assigned = machine_.assigned;
  return options;
}

strategy::CentralStorageOptions Lowering::central_storage() const {
  strategy::CentralStorageOptions options;
  if (machine_.center) options.parameter_device = scenario::planned(*machine_.center);
  return options;
}

plan::Plan Lowering::lower_alone(const Step& step) const {
  const strategy::Place& place = all_places_.front();
  const Step* const steps[] = {&step};
  if (!place.further.empty()) return strategy::lower_tpu(steps, {&place, 1}, tpu());
  if (scenario_.strategy.type() != StrategyType::central_storage || !machine_.center)
    return strategy::lower_default(step, place.device, place.host);
  return strategy::lower_central_storage(steps, {&place, 1}, central_storage());
}

plan::Plan Lowering::lower_mirrored(strategy::Steps steps) {
  const auto& mirrored = *scenario_.strategy.as<scenario::Mirrored>();
  strategy::MirroredOptions options{.cross_device_ops = chosen_ops().ops,
                                    .packing = packing_of(mirrored.buckets),
                                    .nccl = library(mirrored.algorithm),
                                    .num_packs = static_cast<int>(mirrored.num_packs.value_or(1)),
                                    .faithful = mirrored.faithful,
                                    .stand_for = stand_for_,
                                    .schedule = schedule_};
  if (machine_.center) {
    const auto replica = std::ranges::find(machine_.replicas, machine_.center->name,
                                           [](const scenario::Replica& each) { return each.device.name; });
    options.reduce_on_host = replica == machine_.replicas.end();
    if (!options.reduce_on_host) options.reduce_to = static_cast<int>(replica - machine_.replicas.begin());
  }
  return strategy::lower_mirrored(steps, places_, options);
}

plan::Plan Lowering::lower_multi_worker_mirrored(strategy::Steps steps) {
  const auto& workers = *scenario_.strategy.as<scenario::MultiWorkerMirrored>();
  strategy::MultiWorkerMirroredOptions options{.implementation = workers.communication_options.implementation,
                                               .packing = packing_of(workers.buckets),
                                               .nccl = library(workers.algorithm),
                                               .stand_for = stand_for_};
  options.packing.bytes_per_pack = workers.communication_options.bytes_per_pack;
  return strategy::lower_multi_worker_mirrored(steps, places_, options);
}

// ---- The library

strategy::Library Lowering::library(const std::optional<scenario::AlgorithmName>& algorithm) {
  const std::string wanted = algorithm ? algorithm->name : "";
  if (!machine_.platform) return {.always = {.algorithm = wanted.empty() ? "ring" : wanted}};
  return {.choose = [this, wanted](Bytes bytes) { return choose(wanted, bytes); }};
}

strategy::LibraryChoice Lowering::choose(const std::string& algorithm, Bytes bytes) {
  const LibraryCall& call = call_for(algorithm, bytes);
  asked_.push_back(&call);
  strategy::LibraryChoice choice{.algorithm = std::string(call.algorithm->name),
                                 .options = call.request.options,
                                 .orders = call.request.orders};
  const Group group = group_of(machine_);
  const collective::Contract contract = collective::make_schedule(*call.algorithm, call.request).contract;
  const std::vector<platform::Endpoint> members = communication::endpoints(group, call.algorithm, contract);
  for (std::size_t i = group.ranks.size(); i < members.size(); ++i)
    choice.helpers.push_back({.name = machine_.platform->name(members[i])});
  return choice;
}

const LibraryCall& Lowering::call_for(const std::string& algorithm, Bytes bytes) {
  const auto known = known_.find({algorithm, bytes});
  if (known != known_.end()) return known->second;
  const Group group = group_of(machine_);
  constexpr auto operation = collective::Operation::all_reduce;
  const std::string_view name = algorithm.empty()
                                    ? communication::choices(group, operation, bytes).front().algorithm
                                    : std::string_view(algorithm);
  const collective::Request request{.ranks = group.size(), .elements = bytes.count() / 4};
  LibraryCall call =
      communication::call_of(group, collective::algorithm_named(operation, name), request, call_options_);
  return known_.emplace(std::pair(algorithm, bytes), std::move(call)).first->second;
}

// ---- What is told

// The program's own word, or what MirroredStrategy takes on such devices; NCCL is for GPUs alone.
strategy::Chosen Lowering::chosen_ops() {
  const auto& mirrored = *scenario_.strategy.as<scenario::Mirrored>();
  const std::optional<CrossDeviceOps> named = named_ops(mirrored);
  if (!named) {
    std::vector<device::Name> devices;
    for (const scenario::Replica& replica : machine_.replicas) devices.push_back(replica.device.name);
    device::Context context = machine_.context;
    if (!model::is_on(model::Switch::nccl_or_one_device, scenario_.semantics))
      return strategy::choose_cross_device_ops(devices, context);
    strategy::Chosen chosen = strategy::select_cross_device_ops(devices, context);
    if (chosen.why.empty()) chosen.why = "all devices are whole GPUs";
    return chosen;
  }
  const bool has_gpus = has_gpus_only(all_places_);
  if (*named == CrossDeviceOps::nccl && !has_gpus)
    return {CrossDeviceOps::reduction_to_one_device, "NCCL was asked for, and not all devices are GPUs"};
  if (*named == CrossDeviceOps::collective_nccl && !has_gpus)
    return {CrossDeviceOps::collective_ring, "NCCL was asked for, and not all devices are GPUs"};
  return {*named, "the scenario asks for it"};
}

report::Reduction Lowering::mirrored_reduction() {
  const strategy::Chosen chosen = chosen_ops();
  report::Reduction told{.name = std::string(strategy::name(chosen.ops)), .why = chosen.why};
  switch (chosen.ops) {
    case CrossDeviceOps::collective_ring:
      told.algorithm = strategy::collective_op(strategy::CollectiveType::reduce).algorithm;
      break;
    case CrossDeviceOps::hierarchical_copy:
      told.algorithm = "hierarchical_copy";
      break;
    case CrossDeviceOps::schedule:
      told.algorithm = "the scenario's own";
      break;
    case CrossDeviceOps::reduction_to_one_device:
      told.algorithm = fmt::format("to {} and back", print(machine_.center.value_or(machine_.device()).name));
      break;
    case CrossDeviceOps::nccl:
    case CrossDeviceOps::collective_nccl:
      told.is_librarys = true;
  }
  return told;
}

report::Reduction Lowering::multi_worker_reduction() {
  const auto& options = scenario_.strategy.as<scenario::MultiWorkerMirrored>()->communication_options;
  const strategy::ChosenImplementation chosen =
      strategy::choose_implementation(options.implementation, all_places_);
  report::Reduction told{.why = chosen.why};
  told.is_librarys = chosen.implementation == strategy::CommunicationImplementation::nccl;
  told.name = std::string(
      strategy::name(told.is_librarys ? CrossDeviceOps::collective_nccl : CrossDeviceOps::collective_ring));
  if (!told.is_librarys) told.algorithm = strategy::collective_op(strategy::CollectiveType::reduce).algorithm;
  return told;
}

// What NCCL runs, or would run in place of what TensorFlow takes.
void Lowering::describe_library(const std::optional<scenario::AlgorithmName>& algorithm, Bytes gradients,
                                report::Reduction& reduction) {
  if (!machine_.platform) {
    if (reduction.is_librarys) reduction.algorithm = algorithm ? algorithm->name : "ring";
    return;
  }
  if (reduction.is_librarys) {
    const LibraryCall& call = call_for(algorithm ? algorithm->name : "", gradients);
    reduction.algorithm = call.algorithm->name;
    reduction.protocol = call.protocol;
    return;
  }
  if (!has_gpus_only(all_places_)) return;
  const LibraryCall& call = call_for("", gradients);
  if (call.protocol.empty()) return;  // on ideal links, or GPUs of others, NCCL is no choice
  const Seconds time = communication::time_of(call, group_of(machine_), Type::float32).time;
  reduction.otherwise = fmt::format("NCCL would take {}: {} for the {} of gradients alone", text_of(call),
                                    rough(time), rough(gradients));
}

std::optional<report::Reduction> Lowering::reduction(Bytes gradients) {
  if (all_places_.size() == 1 || gradients == Bytes(0)) return std::nullopt;
  if (const auto* mirrored = scenario_.strategy.as<scenario::Mirrored>()) {
    report::Reduction told = mirrored_reduction();
    describe_library(mirrored->algorithm, gradients, told);
    return told;
  }
  if (const auto* workers = scenario_.strategy.as<scenario::MultiWorkerMirrored>()) {
    report::Reduction told = multi_worker_reduction();
    describe_library(workers->algorithm, gradients, told);
    return told;
  }
  if (scenario_.strategy.type() == StrategyType::central_storage) {
    const std::string center =
        machine_.center ? print(machine_.center->name) : print(device::host_of(machine_.device().name));
    return report::Reduction{
        .name = "pushed, added and applied",
        .algorithm = fmt::format("on {}", center),
        .why = machine_.center ? "the scenario asks for it" : "there are several replicas"};
  }
  const auto& algorithm = scenario_.strategy.as<scenario::Tpu>()->algorithm;
  return report::Reduction{.name = "cross_replica_sum",
                           .algorithm = algorithm ? algorithm->name : "by the slice's axes",
                           .why = algorithm ? "the scenario asks for it" : "XLA adds along the torus"};
}

}  // namespace wt
