#include "strategy/cross_replica.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/narrow.h"
#include "base/rough.h"
#include "collective/catalog.h"
#include "collective/import.h"
#include "plan/collective.h"
#include "strategy/collective_ops.h"

namespace wt::strategy {

using plan::BufferKind, plan::DeviceId, plan::NodeId, plan::Operand;

namespace {

Reduction reduction_of(const wt::Node& node) {
  if (const auto* reduce = std::get_if<Reduce>(&node.operation)) return reduce->reduction;
  return std::get<AllReduce>(node.operation).reduction;
}

// The label of nodes that serve all replicas.
plan::Label of_everyone(plan::Purpose purpose) {
  return {std::string(name(purpose)), {purpose, -1, plan::Role::everyone}};
}

bool is_same_choice(const LibraryChoice& a, const LibraryChoice& b) {
  return a.algorithm == b.algorithm && a.options == b.options && a.orders == b.orders;
}

}  // namespace

CrossReplica::CrossReplica(Draft& draft, std::vector<ReplicaLowering>& replicas, Steps steps,
                           const Communication& communication)
    : draft_(draft), replicas_(replicas), steps_(steps), communication_(communication) {}

CrossReplica::Operands CrossReplica::inputs_of(std::size_t node) const {
  Operands inputs;
  for (std::size_t r = 0; r < replicas_.size(); ++r)
    inputs.push_back(replicas_[r].operand(steps_[r]->program.nodes[node].inputs[0]));
  return inputs;
}

// The buffers of the outputs: those of the inputs, if no later node reads the inputs.
CrossReplica::Operands CrossReplica::targets_of(std::size_t node) {
  Operands targets;
  for (std::size_t r = 0; r < replicas_.size(); ++r) {
    const wt::Node& own = steps_[r]->program.nodes[node];
    if (replicas_[r].may_overwrite(own.inputs[0])) {
      targets.push_back(replicas_[r].operand(own.inputs[0]));
      replicas_[r].define(own.outputs[0], targets.back());
    } else {
      targets.push_back(replicas_[r].define_buffer(own.outputs[0], {node}));
    }
  }
  return targets;
}

void CrossReplica::note_reads(std::size_t node) {
  for (ReplicaLowering& replica : replicas_) replica.note_reads({node});
}

plan::Label CrossReplica::next_reduction() {
  const plan::Role role{plan::Purpose::reduction, all_reduces_++, plan::Role::everyone};
  return {name(role), role};
}

plan::Label CrossReplica::packing(std::size_t r, const plan::Label& reduction, std::string_view part) const {
  return replicas_[r].label(fmt::format("{}/{}", reduction.scope, part), plan::Purpose::packing,
                            reduction.role.number);
}

bool CrossReplica::goes_to_one_device(const Operand& value) const {
  return communication_.one_device ||
         (communication_.integers_to_one_device && !is_floating(value.spec.type));
}

void CrossReplica::all_reduce(const Packed& pack) {
  const plan::Label label = next_reduction();
  draft_.order();
  const NodeId first = draft_.next();
  std::vector<Operands> inputs, targets;
  for (const std::size_t each : pack.nodes) {
    inputs.push_back(inputs_of(each));
    targets.push_back(targets_of(each));
    note_reads(each);
  }
  if (pack.nodes.size() > 1 || pack.pieces > 1) {
    reduce_pack(pack, inputs, targets, label);
  } else {
    for (std::size_t r = 0; r < replicas_.size(); ++r)
      if (inputs[0][r].buffer != targets[0][r].buffer)
        draft_.plan.add_node(plan::Move{inputs[0][r], targets[0][r], {}}, packing(r, label, "copy"));
    scale(targets[0], reduction_of(node(pack.nodes[0])), Scaling::multiply, label);
    reduce_in_place(targets[0], label);
  }
  wait_for_backward(first);
  for (std::size_t i = 0; i < targets.size(); ++i)
    scale(targets[i], reduction_of(node(pack.nodes[i])), Scaling::divide, label);
}

// All tensors of a replica are copied into one buffer, one behind the other, and back after the reduction.
void CrossReplica::reduce_pack(const Packed& pack, const std::vector<Operands>& inputs,
                               const std::vector<Operands>& targets, const plan::Label& label) {
  std::int64_t elements = 0;
  for (const Operands& input : inputs) elements += input[0].spec.elements();
  Operands buffers;
  std::vector<Operands> places(replicas_.size());
  for (std::size_t r = 0; r < replicas_.size(); ++r) {
    const TensorSpec spec{inputs[0][r].spec.type, {elements}};
    buffers.push_back(draft_.buffer(port_name(label.scope, r), draft_.device_of(inputs[0][r]), spec,
                                    BufferKind::communication));
    Operands sources;
    std::int64_t begin = 0;
    for (const Operands& input : inputs) {
      sources.push_back(flat(input[r]));
      places[r].push_back(part_of(buffers[r], begin, sources.back().spec.elements()));
      begin += sources.back().spec.elements();
    }
    if (auto move = message(sources, places[r]))
      draft_.plan.add_node(std::move(*move), packing(r, label, "pack"));
  }
  scale(buffers, reduction_of(node(pack.nodes[0])), Scaling::multiply, label);
  const std::int64_t each = std::max<std::int64_t>(1, elements / pack.pieces);
  for (std::int64_t piece = 0; piece < pack.pieces && piece * each < elements; ++piece) {
    const std::int64_t count = piece + 1 == pack.pieces ? elements - piece * each : each;
    Operands parts;
    for (const Operand& buffer : buffers) parts.push_back(part_of(buffer, piece * each, count));
    reduce_in_place(parts, piece == 0 ? label : next_reduction());
  }
  for (std::size_t r = 0; r < replicas_.size(); ++r) {
    Operands back;
    for (const Operands& target : targets) back.push_back(flat(target[r]));
    if (auto move = message(places[r], back))
      draft_.plan.add_node(std::move(*move), packing(r, label, "unpack"));
  }
}

void CrossReplica::scale(const Operands& values, Reduction reduction, Scaling when,
                         const plan::Label& label) {
  if (reduction != Reduction::mean || communication_.mean != when) return;
  const plan::Stream stream =
      communication_.waits_for_backward ? plan::Stream::compute : plan::Stream::communication;
  for (std::size_t r = 0; r < values.size(); ++r)
    add_scaling(draft_, values[r], count(), when, stream, packing(r, label, "scale"));
}

void CrossReplica::wait_for_backward(NodeId first) {
  if (!communication_.waits_for_backward) return;
  std::map<DeviceId, std::vector<NodeId>> until;
  for (const ReplicaLowering& replica : replicas_)
    for (const auto& [device, run] : replica.last_runs()) until[device] = {run};
  hold_back(draft_, first, until);
}

void CrossReplica::reduce_in_place(const Operands& values, const plan::Label& label) {
  if (values[0].spec.elements() == 0 || count() == 1) return;
  draft_.order();
  if (goes_to_one_device(values[0])) {
    const DeviceId device =
        communication_.one_device ? draft_.device(*communication_.one_device) : draft_.device_of(values[0]);
    reduce_on(device, values, label);
    return;
  }
  const NodeId first = draft_.next();
  if (!communication_.schedule.empty()) {
    add_collective(imported(values[0].spec.elements()), values, {}, label);
  } else {
    const Library& library = communication_.library;
    const LibraryChoice choice = library.choose ? library.choose(values[0].spec.bytes()) : library.always;
    if (choice.call) draft_.plan.calls.insert_or_assign(label.role.number, *choice.call);
    if (stand_for_)
      add_whole(collective::Operation::all_reduce, choice, values, label);
    else
      add_collective(schedule_for(collective::Operation::all_reduce, choice, values), values, choice.helpers,
                     label);
  }
  if (!communication_.one_after_the_other) return;
  hold_back(draft_, first, last_);
  for (const Operand& value : values)
    last_[draft_.device_of(value)] = draft_.frontiers[index(value.buffer)].last_accesses();
}

// In the order of the replicas, whichever device adds (AddN, tensorflow/core/kernels/aggregate_ops.cc).
void CrossReplica::reduce_on(DeviceId device, const Operands& values, const plan::Label& label) {
  const Operands slots = brought(draft_, values, device, label);
  std::optional<Operand> into;
  if (slots[0].buffer == values[0].buffer) into = values[0];
  const Operand sum = add_sum(draft_, slots, device, label, into);
  for (const Operand& value : values)
    if (value.buffer != sum.buffer) draft_.plan.add_node(plan::Move{sum, value, {}}, label);
  draft_.order();
}

void CrossReplica::add_collective(const collective::Expanded& schedule, const Operands& values,
                                  std::span<const plan::Device> helpers, const plan::Label& label) {
  const auto needed = static_cast<std::size_t>(schedule.contract.helpers);
  if (helpers.size() < needed)
    throw InputError(fmt::format("[{}] {} adds in {} switches or servers, and there are {}",
                                 communication_.strategy, schedule.name, needed, helpers.size()),
                     "take an algorithm in which replicas add, as ring");
  draft_.order();
  std::vector<plan::Member> members;
  for (const Operand& value : values) members.push_back({draft_.device_of(value), flat(value)});
  for (std::size_t i = 0; i < needed; ++i) members.push_back({draft_.device(helpers[i]), std::nullopt});
  plan::add_collective(draft_.plan, draft_.frontiers, schedule, members, label);
  draft_.ordered = draft_.next();
}

void CrossReplica::add_whole(collective::Operation operation, const LibraryChoice& choice,
                             const Operands& values, const plan::Label& label) {
  draft_.plan.add_node(plan::Collective{operation, choice.algorithm, request_for(choice, values), values},
                       label);
  draft_.order();
}

collective::Request CrossReplica::request_for(const LibraryChoice& choice, const Operands& values) const {
  return {.ranks = narrow<int>(count()),
          .elements = values[0].spec.elements(),
          .element_bytes = narrow<int>(bytes_per_element(values[0].spec.type)),
          .options = choice.options,
          .orders = choice.orders};
}

const collective::Expanded& CrossReplica::schedule_for(collective::Operation operation,
                                                       const LibraryChoice& choice, const Operands& values) {
  const auto& [type, shape] = values[0].spec;
  const std::int64_t elements = shape.elements();
  for (const Known& known : known_)
    if (known.operation == operation && is_same_choice(known.choice, choice) && known.elements == elements &&
        known.type == type && known.schedule.contract.ranks == std::ssize(values))
      return known.schedule;
  collective::Request request = request_for(choice, values);
  request.ranks = narrow<int>(values.size());
  const collective::Algorithm& algorithm = collective::algorithm_named(operation, choice.algorithm);
  const collective::Schedule schedule = collective::make_schedule(algorithm, request);
  require_few_moves(schedule);
  known_.push_back({operation, choice, elements, type, collective::expand(schedule)});
  return known_.back().schedule;
}

// Each move becomes a node of the plan, or two.
void CrossReplica::require_few_moves(const collective::Schedule& schedule) const {
  constexpr std::int64_t most = 2'500'000;
  std::int64_t moves = 0;
  for (int round = 0; round < schedule.rule.rounds && moves <= most; ++round)
    moves += std::ssize(collective::moves_of(schedule, round));
  if (moves > most)
    throw InputError(
        fmt::format("[{}] {} of {} makes more than {} moves, too many to be taken one by one",
                    communication_.strategy, schedule.name, counted(schedule.contract.ranks, "rank"), most),
        "fold what is alike, or take fewer replicas or another algorithm");
}

const collective::Expanded& CrossReplica::imported(std::int64_t elements) {
  for (const Known& known : known_)
    if (known.elements == elements && known.choice.algorithm.empty()) return known.schedule;
  known_.push_back({collective::Operation::all_reduce, LibraryChoice{.algorithm = ""}, elements,
                    Type::float32, collective::import_verified(communication_.schedule, elements)});
  const collective::Contract& contract = known_.back().schedule.contract;
  if (contract.operation != collective::Operation::all_reduce ||
      contract.ranks != narrow<int>(replicas_.size()))
    throw InputError(fmt::format("[{}] the schedule is for {} among {} ranks", communication_.strategy,
                                 collective::name(contract.operation), contract.ranks),
                     fmt::format("write one for all_reduce among {}", replicas_.size()));
  return known_.back().schedule;
}

bool CrossReplica::is_read(ValueId value) const {
  return std::ranges::any_of(steps_[0]->program.nodes, [&](const wt::Node& node) {
    return std::ranges::find(node.inputs, value) != node.inputs.end();
  });
}

// TensorFlow adds on the host outside of replicas. A value that the step reads is added where it is read.
Operand CrossReplica::reduced_buffer(std::size_t node) {
  const ValueId output = this->node(node).outputs[0];
  if (communication_.reduces_by_all_reduce || is_read(output) || !replicas_[0].host())
    return replicas_[0].define_buffer(output, {node});
  const auto& results = steps_[0]->results;
  const auto result = std::ranges::find(results, output, &NamedValue::value);
  const Operand sum = draft_.buffer(result == results.end() ? "reduce" : result->name, *replicas_[0].host(),
                                    steps_[0]->program.spec(output), BufferKind::result);
  replicas_[0].define(output, sum);
  return sum;
}

void CrossReplica::reduce(std::size_t node) {
  const Operands inputs = inputs_of(node);
  const plan::Label label{"reduce", {plan::Purpose::reduce, -1, plan::Role::everyone}};
  const Operand sum = reduced_buffer(node);
  if (communication_.reduces_by_all_reduce) {
    Operands copies{
        sum};  // all as lasting as the first: for memory that had served others they would wait longer
    for (std::size_t r = 1; r < replicas_.size(); ++r)
      copies.push_back(draft_.buffer(port_name(label.scope, r), draft_.device_of(inputs[r]), inputs[r].spec,
                                     BufferKind::result));
    for (std::size_t r = 0; r < replicas_.size(); ++r)
      draft_.plan.add_node(plan::Move{inputs[r], copies[r], {}},
                           replicas_[r].label(label.scope, plan::Purpose::reduce));
    reduce_in_place(copies, next_reduction());
  } else {
    const DeviceId device = draft_.device_of(sum);
    add_sum(draft_, brought(draft_, inputs, device, label), device, label, sum);
  }
  if (reduction_of(this->node(node)) == Reduction::mean)
    add_scaling(draft_, sum, count(), Scaling::divide, plan::Stream::compute, label);
  note_reads(node);
}

void CrossReplica::broadcast(std::size_t node) {
  Operands values = inputs_of(node);
  for (std::size_t r = 1; r < replicas_.size(); ++r)
    values[r] = replicas_[r].define_buffer(steps_[r]->program.nodes[node].outputs[0], {node});
  broadcast_in_place(values);
  note_reads(node);
}

void CrossReplica::broadcast_in_place(const Operands& values) {
  const bool is_alone = values.size() == 1 && !stand_for_;
  if (values[0].spec.elements() == 0 || is_alone) return;
  const LibraryChoice choice{.algorithm = communication_.broadcast, .options = communication_.shape};
  if (stand_for_)
    return add_whole(collective::Operation::broadcast, choice, values, of_everyone(plan::Purpose::broadcast));
  add_collective(schedule_for(collective::Operation::broadcast, choice, values), values, {},
                 of_everyone(plan::Purpose::broadcast));
}

void CrossReplica::permute(std::size_t node) {
  const Operands inputs = inputs_of(node);
  Operands outputs;
  for (std::size_t r = 0; r < replicas_.size(); ++r)
    outputs.push_back(replicas_[r].define_buffer(steps_[r]->program.nodes[node].outputs[0], {node}));
  add_permute(draft_.plan, std::get<Permute>(this->node(node).operation), inputs, outputs,
              of_everyone(plan::Purpose::permute));
  note_reads(node);
}

CrossReplica::Operands CrossReplica::copies_of(const StepVariable& variable) const {
  Operands copies;
  for (const ReplicaLowering& replica : replicas_) copies.push_back(replica.operand(variable.value));
  return copies;
}

void CrossReplica::hand_out(const StepVariable& variable, std::size_t replicas_per_task) {
  const Operands copies = copies_of(variable);
  Operands first;
  for (std::size_t r = 0; r < copies.size(); r += replicas_per_task) first.push_back(copies[r]);
  broadcast_in_place(first);
  for (std::size_t r = 0; r < copies.size(); ++r)
    if (r % replicas_per_task != 0)
      draft_.plan.add_node(plan::Move{copies[r - r % replicas_per_task], copies[r], {}},
                           replicas_[r].label("broadcast", plan::Purpose::initial_value));
}

void CrossReplica::aggregate(const StepVariable& variable) {
  const Operands copies = copies_of(variable);
  switch (variable.aggregation) {
    case Aggregation::none:
      return;
    case Aggregation::only_first_replica:
      broadcast_in_place(copies);
      return;
    case Aggregation::sum:
      reduce_in_place(copies, next_reduction());
      return;
    case Aggregation::mean:
      scale(copies, Reduction::mean, Scaling::multiply, variable.name);
      reduce_in_place(copies, next_reduction());
      scale(copies, Reduction::mean, Scaling::divide, variable.name);
  }
}

}  // namespace wt::strategy
