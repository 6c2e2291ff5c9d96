#include "plan/memory_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/overloaded.h"
#include "base/rough.h"
#include "device/out_of_memory.h"

namespace wt::plan {

namespace {

constexpr std::size_t shown_buffers = 10;

std::vector<Operand> operands(const Action& action) {
  const auto joined = [](std::vector<Operand> first, const std::vector<Operand>& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
  };
  return std::visit(overloaded{
                        [&](const Run& run) { return joined(run.outputs, run.inputs); },
                        [](const Move& move) {
                          return std::vector<Operand>{move.target, move.source};
                        },
                        [&](const Sum& sum) { return joined({sum.output}, sum.slots); },
                        [](const Collective& collective) { return collective.values; },
                    },
                    action);
}

// The tensor that a buffer holds for the node that accesses it first. A workspace is a tensor of bytes, as in
// TensorFlow, whose text "temporary tensor" is for memory that kernels allocate when they are constructed.
TensorSpec spec_in(const Plan& plan, BufferId buffer, std::optional<NodeId> node) {
  std::vector<Operand> candidates;
  if (node) candidates = operands(plan.node(*node).action);
  for (const auto* ports : {&plan.inputs, &plan.variables, &plan.results})
    for (const Port& port : *ports) candidates.push_back(port.operand);
  for (const Operand& operand : candidates)
    if (operand.buffer == buffer) return operand.spec;
  return {Type::uint8, {plan.buffer(buffer).bytes.count()}};
}

Shortage shortage_of(const Plan& plan, const OutOfMemory& out) {
  const Buffer& buffer = plan.buffer(out.buffer);
  const Device& device = plan.devices[index(buffer.device)];
  Shortage shortage{.device = device.name,
                    .allocator = device.memory ? device.memory->allocator : "cpu",
                    .buffer = {buffer.name, buffer.kind, stored(plan, buffer)},
                    .spec = spec_in(plan, out.buffer, out.node),
                    .free = out.free,
                    .largest_free = out.largest_free,
                    .slack = out.slack,
                    .fragmented = out.free >= device::rounded_to_granule(stored(plan, buffer)),
                    .held = holdings(plan, out.held),
                    .log = out.summary};
  if (out.node) {
    shortage.kernel = kernel_name(plan.node(*out.node));
    shortage.scope = plan.node(*out.node).scope;
  }
  shortage.message = device::out_of_memory_text(shortage.spec.shape, shortage.spec.type, shortage.device,
                                                shortage.allocator);
  return shortage;
}

DeviceMemory device_memory(const Plan& plan, const Device& device, const Peak& peak) {
  return {.device = device.name,
          .limit = device.memory ? std::optional(device.memory->limit) : std::nullopt,
          .arena = needed(device),
          .held = peak.bytes,
          .on_this_machine = device.arena,
          .fragmentation = needed(device) - peak.bytes,
          .taken = device.memory ? device.statistics.pool : needed(device),
          .garbage_collections = device.statistics.garbage_collections,
          .at_peak = holdings(plan, peak.held)};
}

std::string spoken(Verdict verdict) {
  return verdict == Verdict::does_not_fit ? "does not fit" : std::string(name(verdict));
}

std::string lines(const Holdings& held) {
  std::string text;
  for (const auto& [kind, bytes] : held.by_kind)
    if (bytes > Bytes(0)) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name(kind), rough(bytes));
  text = text.empty() ? "    nothing\n" : fmt::format("    {}\n", text);
  for (const HeldBuffer& buffer : held.largest)
    text += fmt::format("    {:>10}  {:<14}  {}\n", rough(buffer.bytes), name(buffer.kind), buffer.name);
  if (held.count > held.largest.size())
    text += fmt::format("    and {} smaller\n", held.count - held.largest.size());
  return text;
}

std::string print_device(const DeviceMemory& device) {
  std::string text = fmt::format("memory of {}: {}", device.device, spoken(device.verdict));
  text += fmt::format("; needs {}", rough(device.arena));
  if (device.limit) text += fmt::format(" of a limit of {}", rough(*device.limit));
  if (device.capacity) {
    const device::Reserve& reserve = device.capacity->reserve;
    text += fmt::format(", beside {} that libraries hold of {}",
                        rough(reserve.context + reserve.libraries + reserve.communication),
                        rough(device.capacity->memory));
  }
  text += fmt::format("\n  at the peak {} held, {} lost to fragmentation, {} taken from the device\n",
                      rough(device.held), rough(device.fragmentation), rough(device.taken));
  if (device.garbage_collections > 0) text += fmt::format("  {}\n", device::garbage_collection_warning);
  return text + lines(device.at_peak);
}

std::string print_shortage(const Shortage& shortage) {
  const std::string where = shortage.kernel.empty() ? "which outlives the step"
                            : shortage.scope.empty()
                                ? fmt::format("for {}", shortage.kernel)
                                : fmt::format("for {} in {}", shortage.kernel, shortage.scope);
  return fmt::format(
      "{}\n  {} {}, {}, needs {}; {} free, {} in one piece, {} slack in held chunks{}\n  held then:\n{}",
      shortage.message, name(shortage.buffer.kind), shortage.buffer.name, where, rough(shortage.buffer.bytes),
      rough(shortage.free), rough(shortage.largest_free), rough(shortage.slack),
      shortage.fragmented ? ": enough in all, but fragmented" : "", lines(shortage.held));
}

}  // namespace

std::string_view name(Verdict verdict) {
  constexpr std::array<std::string_view, 3> names{"fits", "tight", "does_not_fit"};
  return names[static_cast<std::size_t>(verdict)];
}

Verdict judge(Bytes needed, const Capacity& capacity) {
  const device::Reserve& reserve = capacity.reserve;
  const Bytes held = reserve.context + reserve.libraries + reserve.communication;
  const Bytes room = capacity.memory - needed;
  if (room >= held + held / 2) return Verdict::fits;
  return room >= held / 2 ? Verdict::tight : Verdict::does_not_fit;
}

Holdings holdings(const Plan& plan, std::span<const BufferId> held) {
  Holdings result{.count = held.size()};
  for (const BufferId id : held) {
    const Buffer& buffer = plan.buffer(id);
    result.by_kind[buffer.kind] += device::rounded_to_granule(std::max(stored(plan, buffer), Bytes(1)));
    result.largest.push_back({buffer.name, buffer.kind, stored(plan, buffer)});
  }
  std::stable_sort(result.largest.begin(), result.largest.end(),
                   [](const HeldBuffer& a, const HeldBuffer& b) { return a.bytes > b.bytes; });
  if (result.largest.size() > shown_buffers) result.largest.resize(shown_buffers);
  return result;
}

MemoryReport report_memory(const Plan& plan, std::span<const std::optional<Capacity>> capacities) {
  MemoryReport report;
  const std::vector<Peak> peaks = peaks_of(plan);
  for (std::size_t i = 0; i < plan.devices.size(); ++i) {
    DeviceMemory& device = report.devices.emplace_back(device_memory(plan, plan.devices[i], peaks[i]));
    if (i >= capacities.size() || !capacities[i]) continue;
    device.capacity = capacities[i];
    device.verdict = judge(device.arena, *capacities[i]);
  }
  if (plan.out_of_memory) {
    report.shortage = shortage_of(plan, *plan.out_of_memory);
    report.devices[index(plan.buffer(plan.out_of_memory->buffer).device)].verdict = Verdict::does_not_fit;
  }
  return report;
}

std::string print(const MemoryReport& report) {
  std::string text = report.shortage ? print_shortage(*report.shortage) : "";
  for (const DeviceMemory& device : report.devices) text += print_device(device);
  return text;
}

}  // namespace wt::plan
