// What each example weighs in the update of 2, 3 and 8 replicas, if the loss is divided by the rows of a replica or by those
// of all: the loss on x GPUs is 1/x, or examples of small parts weigh more.
#include <fmt/format.h>

#include "train/distributed/constructors.h"
#include "train/distributed/loss.h"
#include "train/distributed/loss_audit.h"

using namespace wt;
using namespace wt::train;

bool audit(int replicas) {
  device::Context context;
  context.set_logical_device_configuration(
      context.list_physical_devices()[0],
      device::LogicalDeviceConfigurations(static_cast<std::size_t>(replicas)));
  const Strategy strategy(mirrored(context));
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(replicas), 4);
  sizes.back() = 1;
  const std::int32_t all = 4 * (replicas - 1) + 1;
  const auto own = audited(strategy, sizes, [](const EagerTensor& losses) { return reduce_mean(losses); });
  const auto global =
      audited(strategy, sizes, [&](const EagerTensor& losses) { return compute_average_loss(losses, all); });
  fmt::print("{} replicas\ndivided by its own rows: {}\n{}divided by the rows of all: {}\n", replicas,
             own.is_even() ? "even" : "uneven", print(own), global.is_even() ? "even" : "uneven");
  return !own.is_even() && global.is_even();
}

// "divided by its own rows: uneven" is the line to look for.
int main() { return audit(2) && audit(3) && audit(8) ? 0 : 1; }
