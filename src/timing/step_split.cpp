#include "timing/step_split.h"

#include <algorithm>
#include <map>

#include "base/id.h"
#include "timing/spans.h"

namespace wt::timing {

namespace {

// A device of the plan, and the replica that it belongs to.
struct Trainer {
  plan::DeviceId device{};
  std::int32_t replica = 0;
};

std::vector<Trainer> trainers_of(const plan::Plan& plan, const cluster::Machine& machine, Divided divided) {
  if (divided == Divided::first) return {Trainer{}};
  std::map<std::string, std::int32_t, std::less<>> replicas;
  for (std::size_t i = 0; i < machine.replicas.size(); ++i)
    for (const device::LogicalDevice& device : machine.replicas[i].devices())
      replicas.emplace(print(device.name), static_cast<std::int32_t>(i));
  std::vector<Trainer> trainers;
  for (std::size_t i = 0; i < plan.devices.size(); ++i)
    if (const auto found = replicas.find(plan.devices[i].name); found != replicas.end())
      trainers.push_back({static_cast<plan::DeviceId>(i), found->second});
  return trainers;
}

StepPart part_for(const plan::Plan& plan, const plan::Node& node, const Trainer& trainer) {
  if (node.role.purpose == plan::Purpose::synchronization) return StepPart::elsewhere;
  const auto of_device = [&](plan::DeviceId device) {
    return device == trainer.device ? StepPart::compute : StepPart::elsewhere;
  };
  if (const auto* move = std::get_if<plan::Move>(&node.action)) {
    if (!is_between_devices(plan, *move)) return of_device(plan.buffer(move->target.buffer).device);
    const bool is_of_rows = node.role.purpose == plan::Purpose::input_copy;
    return is_of_rows ? StepPart::input : StepPart::communication;
  }
  const bool is_packed_here =
      node.role.purpose == plan::Purpose::packing && node.role.replica == trainer.replica;
  if (node.role.purpose == plan::Purpose::reduction || is_packed_here ||
      std::holds_alternative<plan::Collective>(node.action))
    return StepPart::communication;
  const auto* run = std::get_if<plan::Run>(&node.action);
  return of_device(run != nullptr ? run->device : std::get<plan::Sum>(node.action).device);
}

Spans within(Spans spans, const plan::Span& window) {
  for (plan::Span& span : spans) span = {std::max(span.start, window.start), std::min(span.end, window.end)};
  return merged(std::move(spans));
}

// What a device does, and when.
struct Activity {
  Spans compute{};
  Spans communication{};
  Spans input{};
  Spans software{};  // in which other devices may still communicate

  void add(StepPart part, const plan::Span& span) {
    if (part == StepPart::compute) compute.push_back(span);
    if (part == StepPart::communication) communication.push_back(span);
    if (part == StepPart::input) input.push_back(span);
  }
};

StepSplit split_of(const Activity& activity) {
  StepSplit split;
  const Spans compute = merged(activity.compute), communication = merged(activity.communication);
  split.compute = length(compute);
  split.communication = length(communication);
  const Spans busy = together(compute, communication);
  split.exposed = length(busy) - split.compute;
  const Spans with_input = together(busy, merged(activity.input));
  split.input = length(with_input) - length(busy);
  split.software = length(together(with_input, merged(activity.software))) - length(with_input);
  return split;
}

// The copy of rows to a device, or their pipeline if that device is its own host.
bool brings_rows(const plan::Plan& plan, const plan::Node& node, plan::DeviceId device) {
  const auto* move = std::get_if<plan::Move>(&node.action);
  const plan::Purpose purpose = node.role.purpose;
  const bool is_of_rows = purpose == plan::Purpose::input_copy || purpose == plan::Purpose::input_pipeline;
  return move != nullptr && is_of_rows && plan.buffer(move->target.buffer).device == device;
}

// The wait for rows lasts from the end of a step until the rows of the next one have arrived.
Activity activity_of(const SeveralSteps& steps, const Trainer& trainer) {
  const plan::Plan& plan = steps.repeated.timed.plan;
  Activity activity;
  for (std::size_t step = 0; step < steps.times.size(); ++step) {
    const std::size_t first = index(steps.repeated.first[step]);
    const std::size_t last = index(steps.repeated.ends[step].front());
    const std::size_t before = step == 0 ? 0 : index(steps.repeated.ends[step - 1].front());
    const Seconds begin = step == 0 ? Seconds(0) : steps.timeline.nodes[before].end;
    Seconds arrival = begin;
    for (std::size_t i = before; i < last; ++i)
      if (brings_rows(plan, plan.nodes[i], trainer.device))
        arrival = std::max(arrival, steps.timeline.nodes[i].end);
    for (std::size_t i = first; i < last; ++i) {
      const StepPart part = part_for(plan, plan.nodes[i], trainer);
      if (part != StepPart::input) activity.add(part, steps.timeline.nodes[i]);
    }
    activity.input.push_back({begin, arrival});
    activity.software.push_back(steps.software[step]);
  }
  for (Spans* spans : {&activity.compute, &activity.input, &activity.communication, &activity.software})
    *spans = within(merged(std::move(*spans)), {steps.begin(), steps.timeline.end});
  return activity;
}

}  // namespace

bool is_between_devices(const plan::Plan& plan, const plan::Move& move) {
  return plan.buffer(move.source.buffer).device != plan.buffer(move.target.buffer).device;
}

StepPart part_of(const plan::Plan& plan, const plan::Node& node) { return part_for(plan, node, {}); }

std::vector<StepSplit> splits_of(const plan::Plan& plan, const plan::Timeline& timeline,
                                 const cluster::Machine& machine, Divided divided, Seconds software) {
  std::vector<StepSplit> splits;
  for (const Trainer& trainer : trainers_of(plan, machine, divided)) {
    Activity activity;
    for (std::size_t i = 0; i < plan.nodes.size(); ++i)
      activity.add(part_for(plan, plan.nodes[i], trainer), timeline.nodes[i]);
    StepSplit& split = splits.emplace_back(split_of(activity));
    split.device = plan.devices[index(trainer.device)].name;
    split.step = timeline.end;
    split.software = software;
    // Whatever else one replica alone waits for is for its rows.
    const bool is_alone = machine.replicas.size() == 1 && split.communication == Seconds(0);
    if (is_alone) split.input = split.step - split.compute - software;
    if (!is_alone) split.waiting = split.step - split.compute - split.exposed - split.input - software;
  }
  return splits;
}

std::vector<StepSplit> splits_of(const SeveralSteps& steps, const cluster::Machine& machine,
                                 Divided divided) {
  const plan::Plan& plan = steps.repeated.timed.plan;
  const auto reported = static_cast<double>(steps.times.size() - steps.from);
  std::vector<StepSplit> splits;
  for (const Trainer& trainer : trainers_of(plan, machine, divided)) {
    StepSplit& split = splits.emplace_back(split_of(activity_of(steps, trainer)));
    split.device = plan.devices[index(trainer.device)].name;
    for (Seconds* part :
         {&split.compute, &split.communication, &split.exposed, &split.input, &split.software})
      *part = *part / reported;
    split.step = steps.step();
    split.waiting = split.step - split.compute - split.exposed - split.input - split.software;
  }
  return splits;
}

}  // namespace wt::timing
