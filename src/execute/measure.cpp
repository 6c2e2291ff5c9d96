#include "execute/measure.h"

#include <algorithm>
#include <set>

#include "base/id.h"
#include "base/median.h"
#include "base/narrow.h"
#include "device/stopwatch.h"
#include "execute/execution.h"

namespace wt::execute {

namespace {

using Kernels = std::map<std::string, Seconds, std::less<>>;

// A plan of the nodes that are measured. All are on one device and have no dependencies, and other devices
// have no memory.
struct Part {
  plan::Plan plan{};
  std::vector<std::string> calls{};  // by node

  Part(const plan::Plan& whole, plan::DeviceId device, const Kernels& known) {
    for (const plan::Node& node : whole.nodes) {
      if (whole.buffer(writes(node.action).front()).device != device) continue;
      std::string call = call_of(whole, node);
      if (call.empty() || known.contains(call)) continue;
      plan.nodes.push_back({.action = node.action, .scope = node.scope});
      calls.push_back(std::move(call));
    }
    if (calls.empty()) return;
    plan.name = whole.name;
    plan.buffers = whole.buffers;
    plan.devices = whole.devices;
    for (std::size_t i = 0; i < plan.devices.size(); ++i)
      if (i != index(device)) plan.devices[i].arena = Bytes(0);
  }
};

// Operands for the measurement. Floats are neither zeros nor denormal numbers, with which some processors
// compute at another speed. Indices and labels are 0.
Tensor filled(const TensorSpec& spec) {
  Tensor tensor = Tensor::zeros(spec);
  if (spec.type != Type::float32) return tensor;
  std::int64_t i = 0;
  for (float& number : tensor.values<float>()) number = 0.001f * static_cast<float>(1 + i++ % 97);
  return tensor;
}

std::vector<plan::Operand> operands_read(const plan::Action& action) {
  if (const auto* run = std::get_if<plan::Run>(&action)) return run->inputs;
  if (const auto* sum = std::get_if<plan::Sum>(&action)) return sum->slots;
  const auto& move = std::get<plan::Move>(action);
  std::vector<plan::Operand> sources{move.source};
  for (const plan::Move& piece : move.more) sources.push_back(piece.source);
  return sources;
}

// Fills the buffers that no node of the part writes before they are read. This writes to every page, since
// untouched pages of new memory may all be mapped to one page of zeros.
void fill_inputs(const plan::Plan& plan, plan::DeviceId device, const Execution& execution,
                 device::Memory& memory) {
  std::byte* const arena = execution.arena(device).data();
  std::set<plan::BufferId> written;
  for (const plan::Node& node : plan.nodes) {
    for (const plan::Operand& operand : operands_read(node.action))
      if (!written.contains(operand.buffer))
        memory.write(arena + (plan.buffer(operand.buffer).address + operand.offset).count(),
                     filled(operand.spec).bytes());
    const std::vector<plan::BufferId> own = writes(node.action);
    written.insert(own.begin(), own.end());
  }
}

// Captures a round, with a mark of the stopwatch before and behind every node.
device::Captured captured_round(Execution& execution, std::size_t nodes, const device::Stopwatch& stopwatch,
                                device::Queue& queue) {
  queue.begin_capture();
  queue.enqueue(stopwatch.mark(0));
  for (std::size_t id = 0; id < nodes; ++id) {
    execution.enqueue(static_cast<plan::NodeId>(id));
    queue.enqueue(stopwatch.mark(id + 1));
  }
  return queue.end_capture();
}

}  // namespace

Measured measure(const plan::Plan& plan, plan::DeviceId device, const Kernels& known, device::Queue& queue,
                 const MeasureOptions& options) {
  const Part part(plan, device, known);
  if (part.calls.empty()) return {};
  const std::size_t nodes = part.calls.size();
  Execution execution(part.plan, queue);
  fill_inputs(part.plan, device, execution, queue.memory());
  const std::unique_ptr<device::Stopwatch> stopwatch = queue.stopwatch(nodes + 1);
  const device::Captured round = captured_round(execution, nodes, *stopwatch, queue);
  std::map<std::string_view, std::vector<double>> taken;
  std::vector<double> rounds;
  Seconds spent{};
  const auto is_enough = [&] {
    return std::ssize(rounds) >= options.at_most ||
           (std::ssize(rounds) >= options.at_least && spent >= options.long_enough);
  };
  for (int warm = 0; !is_enough(); ++warm) {
    queue.replay(round);
    queue.synchronize();
    if (warm < options.warm_up) continue;
    for (std::size_t id = 0; id < nodes; ++id)
      taken[part.calls[id]].push_back(stopwatch->between(id, id + 1).count());
    rounds.push_back(stopwatch->between(0, nodes).count());
    spent += Seconds(rounds.back());
  }
  Measured measured{.rounds = narrow<int>(std::ssize(rounds)), .round = Seconds(median(rounds))};
  for (auto& [call, seconds] : taken)
    measured.kernels.emplace(call, options.fastest ? std::ranges::min(seconds) : median(std::move(seconds)));
  for (const std::string& call : part.calls) measured.expected += measured.kernels.at(call);
  return measured;
}

}  // namespace wt::execute
