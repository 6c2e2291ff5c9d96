#include "execute/measure.h"

#include <algorithm>
#include <chrono>
#include <set>

#include "base/id.h"
#include "base/median.h"
#include "execute/execution.h"

namespace wt::execute {

namespace {

using Kernels = std::map<std::string, Seconds, std::less<>>;

// The plan of one device alone, of what has to be measured: nothing waits for anything, other devices have no
// memory.
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

// Neither zeros nor denormal numbers, which some processors add at another speed; indices and labels are 0.
// Every page is written, so that none stands for another.
void fill(const TensorSpec& spec, std::byte* data) {
  if (spec.type == Type::float32) {
    float* const numbers = reinterpret_cast<float*>(data);
    for (std::int64_t i = 0; i < spec.elements(); ++i) numbers[i] = 0.001f * static_cast<float>(1 + i % 97);
  } else {
    std::fill_n(data, spec.bytes().count(), std::byte{0});
  }
}

std::vector<plan::Operand> operands_read(const plan::Action& action) {
  if (const auto* run = std::get_if<plan::Run>(&action)) return run->inputs;
  if (const auto* sum = std::get_if<plan::Sum>(&action)) return sum->slots;
  const auto& move = std::get<plan::Move>(action);
  std::vector<plan::Operand> sources{move.source};
  for (const plan::Move& piece : move.more) sources.push_back(piece.source);
  return sources;
}

// What nothing in the part writes: it comes from outside.
void fill_inputs(const plan::Plan& plan, plan::DeviceId device, const Execution& execution) {
  const std::span<std::byte> arena = execution.arena(device);
  std::set<plan::BufferId> written;
  for (const plan::Node& node : plan.nodes) {
    for (const plan::Operand& operand : operands_read(node.action))
      if (!written.contains(operand.buffer))
        fill(operand.spec, arena.data() + (plan.buffer(operand.buffer).address + operand.offset).count());
    const std::vector<plan::BufferId> own = writes(node.action);
    written.insert(own.begin(), own.end());
  }
}

}  // namespace

Clock steady_clock() {
  return [] {
    return Seconds(
        std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count());
  };
}

Measured measure(const plan::Plan& plan, plan::DeviceId device, const Kernels& known, device::Queue& queue,
                 const Clock& clock, const MeasureOptions& options) {
  const Part part(plan, device, known);
  if (part.calls.empty()) return {};
  Execution execution(part.plan, queue);
  fill_inputs(part.plan, device, execution);
  std::map<std::string_view, std::vector<double>> taken;
  std::vector<double> rounds;
  Seconds spent{};
  const auto is_enough = [&] {
    return std::ssize(rounds) >= options.at_most ||
           (std::ssize(rounds) >= options.at_least && spent >= options.long_enough);
  };
  for (int warm = 0; !is_enough(); ++warm) {
    const Seconds begin = clock();
    for (std::size_t id = 0; id < part.calls.size(); ++id) {
      const Seconds start = clock();
      execution.run(static_cast<plan::NodeId>(id));
      if (warm >= options.warm_up) taken[part.calls[id]].push_back((clock() - start).count());
    }
    if (warm < options.warm_up) continue;
    rounds.push_back((clock() - begin).count());
    spent += Seconds(rounds.back());
  }
  Measured measured{.rounds = static_cast<int>(std::ssize(rounds)), .round = Seconds(median(rounds))};
  for (auto& [call, seconds] : taken)
    measured.kernels.emplace(call, options.fastest ? std::ranges::min(seconds) : median(std::move(seconds)));
  for (const std::string& call : part.calls) measured.expected += measured.kernels.at(call);
  return measured;
}

}  // namespace wt::execute
