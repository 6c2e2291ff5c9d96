// A function inside of a run that adds gradients over the replicas: TensorFlow refuses it, because a replica cannot pause for
// the others in the middle of a graph. The same function around the run works.
#include <fmt/format.h>

#include "device/error.h"
#include "train/distributed/constructors.h"
#include "train/distributed/contexts.h"

using namespace wt;
using namespace wt::train;

int main() {
  device::Context context;
  context.set_logical_device_configuration(context.list_physical_devices()[0], {{}, {}});
  const Strategy strategy(mirrored(context));
  const auto sum = [] { return get_replica_context()->all_reduce(ReduceOp::sum, constant(1.f)); };

  bool is_refused = false;
  try {
    strategy.run([&] {
      const InsideFunction nested;  // @tf.function inside of the run
      return sum();
    });
  } catch (const device::RuntimeError& error) {
    fmt::print("inside of the run: {}\n", error.what());
    is_refused = std::string(error.what()).find("contains a synchronization point") != std::string::npos;
  }
  const InsideFunction around;  // @tf.function around it
  const float total = item(strategy.run(sum)[0]);
  fmt::print("around the run: {}\n", total);
  return is_refused && total == 2 ? 0 : 1;
}
