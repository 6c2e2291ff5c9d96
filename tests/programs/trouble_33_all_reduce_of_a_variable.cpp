// all_reduce of a mirrored variable in replica context: each copy counts, so that the sum is as many times the variable as
// there are replicas. Issue 45026 has another answer, of an older TensorFlow; the recordings have this one.
#include <fmt/format.h>

#include "train/distributed/constructors.h"
#include "train/distributed/variable.h"

using namespace wt;
using namespace wt::train;

float summed(int replicas) {
  device::Context context;
  context.set_logical_device_configuration(
      context.list_physical_devices()[0],
      device::LogicalDeviceConfigurations(static_cast<std::size_t>(replicas)));
  const Strategy strategy(mirrored(context));
  const auto scope = strategy.scope();
  const Variable one(constant(1.f), {.name = "one"});
  const auto sums = strategy.run([&] { return get_replica_context()->all_reduce(ReduceOp::sum, one); });
  return item(sums[0]);
}

// "2 replicas: a variable of 1 becomes 2" is the line to look for.
int main() {
  bool is_multiplied = true;
  for (const int replicas : {2, 3, 8}) {
    const float sum = summed(replicas);
    fmt::print("{} replicas: a variable of 1 becomes {}\n", replicas, sum);
    is_multiplied = is_multiplied && sum == static_cast<float>(replicas);
  }
  return is_multiplied ? 0 : 1;
}
