#include "execute/queues.h"

#include "base/overloaded.h"

namespace wt::execute {

Queues::Queues(device::Queue& one)
    : places_{{&one, &one, &one}}, place_of_([](const plan::Device&) { return std::size_t{0}; }) {}

Queues::Queues(std::vector<PlaceQueues> places, PlaceOf place_of, device::Communicator* library)
    : places_(std::move(places)), place_of_(std::move(place_of)), library_(library) {
  WT_EXPECT(!places_.empty(), "an execution needs at least one place with queues");
}

std::vector<PlaceQueues> Queues::of(const plan::Plan& plan) const {
  std::vector<PlaceQueues> queues;
  for (const plan::Device& device : plan.devices) {
    const std::size_t place = place_of_(device);
    WT_EXPECT(place < places_.size(), "device {} is at place {}, and there are {} places", device.name, place,
              places_.size());
    queues.push_back(places_[place]);
  }
  return queues;
}

device::Queue& queue_of(const plan::Plan& plan, const plan::Node& node,
                        const std::vector<PlaceQueues>& devices) {
  const auto computing = [&](plan::DeviceId device) {
    const PlaceQueues& queues = devices[index(device)];
    return node.stream == plan::Stream::compute ? queues.compute : queues.communication;
  };
  const auto home = [&](const plan::Operand& operand) { return plan.buffer(operand.buffer).device; };
  return *std::visit(
      overloaded{
          [&](const plan::Run& run) { return computing(run.device); },
          [&](const plan::Sum& sum) { return computing(sum.device); },
          [&](const plan::Move& move) { return devices[index(home(move.source))].communication; },
          [&](const plan::Collective& whole) {
            return devices[index(home(whole.values.front()))].communication;
          },
      },
      node.action);
}

}  // namespace wt::execute
