#include "communication/collective_plan.h"

#include <map>

#include "base/id.h"
#include "base/overloaded.h"
#include "simulate/simulate.h"

namespace wt::communication {

namespace {

template <class Id>
void shift(Id& id, std::size_t by) {
  id = static_cast<Id>(index(id) + by);
}

struct Shift {
  std::size_t devices = 0, buffers = 0, nodes = 0;

  void operator()(plan::Operand& operand) const { shift(operand.buffer, buffers); }
  void operator()(plan::Move& move) const {
    (*this)(move.source), (*this)(move.target);
    for (plan::Move& piece : move.more) (*this)(piece);
  }
  void operator()(plan::Sum& sum) const {
    shift(sum.device, devices);
    for (plan::Operand& slot : sum.slots) (*this)(slot);
    (*this)(sum.output);
  }
  void operator()(plan::Run& run) const { WT_EXPECT(false, "a collective runs {}", run.kernel->name); }
  void operator()(plan::Collective& collective) const {
    for (plan::Operand& value : collective.values) (*this)(value);
  }
  void operator()(plan::Node& node) const {
    std::visit([this](auto& action) { (*this)(action); }, node.action);
    for (plan::NodeId& other : node.after) shift(other, nodes);
    if (node.behind) shift(*node.behind, nodes);
  }
};

template <class T>
void move_to(std::vector<T>& all, std::vector<T>& more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

void append(Played& all, Played more) {
  if (all.plan.name.empty()) all.plan.name = more.plan.name;
  const Shift shifted{all.plan.devices.size(), all.plan.buffers.size(), all.plan.nodes.size()};
  for (plan::Buffer& buffer : more.plan.buffers) shift(buffer.device, shifted.devices);
  for (plan::Node& node : more.plan.nodes) shifted(node);
  move_to(all.plan.devices, more.plan.devices);
  move_to(all.plan.buffers, more.plan.buffers);
  move_to(all.plan.nodes, more.plan.nodes);
  move_to(all.costs.nodes, more.costs.nodes);
  move_to(all.where, more.where);
}

void add_input_copies(Played& all, const platform::Platform& platform) {
  // They alone wait for nothing, and all else on their rank waits for them together: each takes the time of all.
  std::map<plan::DeviceId, Bytes> brought;
  const auto each_copy = [&](auto&& visit) {
    for (std::size_t id = 0; id < all.plan.nodes.size(); ++id) {
      const auto* copy = std::get_if<plan::Move>(&all.plan.nodes[id].action);
      if (copy != nullptr && all.plan.nodes[id].after.empty())
        visit(id, all.plan.buffer(copy->source.buffer).device, plan::payload(*copy));
    }
  };
  each_copy([&](std::size_t, plan::DeviceId device, Bytes bytes) { brought[device] += bytes; });
  each_copy([&](std::size_t id, plan::DeviceId device, Bytes) {
    const BytesPerSecond rate = platform.type(all.where[index(device)]).memory_bandwidth;
    all.costs.nodes[id].seconds += 2 * brought[device] / rate;
  });
}

plan::Timeline clocked(const Played& all, const platform::Platform& platform) {
  return simulate::simulate(all.plan, all.costs, platform, all.where);
}

}  // namespace wt::communication
