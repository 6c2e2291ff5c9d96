#include "train/distributed/contexts.h"

#include <fmt/format.h>

#include "device/error.h"
#include "train/strategy.h"

namespace wt::train {

namespace {

thread_local std::vector<ThreadMode> modes;

}  // namespace

Entered::Entered(const ThreadMode& mode) { modes.push_back(mode); }
Entered::~Entered() { modes.pop_back(); }

const ThreadMode* current_mode() { return modes.empty() ? nullptr : &modes.back(); }
std::size_t number_of_modes() { return modes.size(); }

EnteredOrAsserted::EnteredOrAsserted(const Strategy& strategy) {
  if (!has_strategy()) {
    entered_.emplace(ThreadMode{&strategy, ThreadMode::Kind::cross_replica, 0, nullptr, &strategy.eager()});
  } else if (&get_strategy() != &strategy) {
    throw device::RuntimeError(fmt::format("Mixing different tf.distribute.Strategy objects: {} is not {}",
                                           get_strategy().name(), strategy.name()));
  }
}

Eager& current_eager() {
  if (!modes.empty() && modes.back().eager != nullptr) return *modes.back().eager;
  struct Host {
    device::Context context{};
    Eager eager{context};
  };
  thread_local Host host;
  return host.eager;
}

}  // namespace wt::train
