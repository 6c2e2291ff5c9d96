#include "execute/intake.h"

#include <algorithm>

namespace wt::execute {

Intake::Intake(const plan::Plan& plan, const std::vector<PlaceQueues>& devices) {
  for (const plan::Port& input : plan.inputs) {
    const plan::DeviceId home = plan.buffer(input.operand.buffer).device;
    landings_.push_back({.queues = &devices[index(home)],
                         .size = input.operand.spec.bytes(),
                         .is_parked = plan.devices[index(home)].is_parked});
  }
}

void Intake::enter(const std::vector<std::byte*>& targets) {
  for (std::size_t i = 0; i < landings_.size(); ++i) {
    Landing& landing = landings_[i];
    landing.target = targets[i];
    if (landing.is_parked || landing.queues->copies == landing.queues->compute) continue;
    landing.data = landing.queues->compute->memory().allocate(landing.size);
    // The compute queue clears the new memory, and another queue will write to it.
    landing.queues->compute->synchronize();
  }
}

void Intake::leave() {
  for (Landing& landing : landings_) {
    landing.data.reset();
    landing.is_full = false;
    landing.taken = {};
  }
}

bool Intake::send(std::size_t input, std::span<const std::byte> bytes) {
  Landing& landing = landings_[input];
  if (landing.data == nullptr) return false;
  if (landing.taken.queue != nullptr) landing.queues->copies->wait(landing.taken);
  landing.queues->copies->memory().write(landing.data.get(), bytes);
  landing.is_full = true;
  return true;
}

bool Intake::is_open() const {
  return std::ranges::all_of(landings_, [](const Landing& landing) { return landing.data != nullptr; });
}

bool Intake::is_full() const { return is_open() && std::ranges::all_of(landings_, &Landing::is_full); }

void Intake::take(device::Queue& leader) {
  for (Landing& landing : landings_) {
    if (!landing.is_full) continue;
    device::Queue& queue = *landing.queues->compute;
    queue.enqueue({empty, &landing});
    landing.taken = queue.record();
    landing.is_full = false;
    leader.wait(landing.taken);
  }
}

void Intake::empty(const void* work, device::Queue& queue) {
  const Landing& landing = *static_cast<const Landing*>(work);
  queue.memory().copy(landing.target, landing.data.get(), landing.size);
}

}  // namespace wt::execute
