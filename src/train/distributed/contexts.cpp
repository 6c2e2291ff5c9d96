#include "train/distributed/contexts.h"

#include <fmt/format.h>

#include "device/error.h"
#include "train/strategy.h"

namespace wt::train {

namespace {

thread_local std::vector<ThreadMode> modes;
thread_local int functions = 0;

}  // namespace

InsideFunction::InsideFunction() { ++functions; }
InsideFunction::~InsideFunction() { --functions; }
int functions_here() { return functions; }
void take_over_functions(int n) { functions = n; }

Entered::Entered(const ThreadMode& mode) { modes.push_back(mode); }
Entered::~Entered() { modes.pop_back(); }

const ThreadMode* current_mode() { return modes.empty() ? nullptr : &modes.back(); }
std::size_t number_of_modes() { return modes.size(); }

namespace {

void require_no_other(const Strategy& strategy) {
  if (has_strategy() && &get_strategy() != &strategy)
    throw device::RuntimeError(fmt::format("Mixing different tf.distribute.Strategy objects: {} is not {}",
                                           get_strategy().name(), strategy.name()));
}

}  // namespace

EnteredOrAsserted::EnteredOrAsserted(const Strategy& strategy) {
  require_no_other(strategy);
  if (has_strategy()) return;
  strategy.require_usable();
  entered_.emplace(ThreadMode{&strategy, ThreadMode::Kind::cross_replica, 0, nullptr, &strategy.eager()});
}

MadeIn::MadeIn() : strategy_(has_strategy() ? &get_strategy() : nullptr) {}

void MadeIn::require_no_other_scope() const {
  if (strategy_ != nullptr) require_no_other(*strategy_);
}

void MadeIn::require_same_scope() const {
  if (strategy_ != nullptr && strategy_->num_replicas_in_sync() > 1 && &get_strategy() != strategy_)
    throw InputError(
        "[compile] the optimizer is made outside of the strategy's scope, and Keras 3 then counts its "
        "steps once for each replica, which is not offered",
        "call compile inside of the scope in which the model was made");
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
