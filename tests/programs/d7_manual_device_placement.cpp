// TensorFlow's example of manual device placement (tensorflow.org/guide/gpu): two constants are placed on the
// CPU, and the matmul outside the scope is placed on the GPU. Its inputs are copied there implicitly.
#include <fmt/core.h>

#include "device/physical_device.h"
#include "train/eager.h"

namespace {

using namespace wt;

// TensorFlow prints the first four lines. The copies that follow are not part of its output.
constexpr std::string_view expected =
    "Executing op MatMul in device /job:localhost/replica:0/task:0/device:GPU:0\n"
    "tf.Tensor(\n"
    "[[22. 28.]\n"
    " [49. 64.]], shape=(2, 2), dtype=float32)\n"
    "input 0 of MatMul: 24 bytes, /job:localhost/replica:0/task:0/device:CPU:0 -> "
    "/job:localhost/replica:0/task:0/device:GPU:0\n"
    "input 1 of MatMul: 24 bytes, /job:localhost/replica:0/task:0/device:CPU:0 -> "
    "/job:localhost/replica:0/task:0/device:GPU:0\n";

device::DeviceType gpu() {
  device::DeviceType type;
  type.id = "some_gpu";
  type.memory = Bytes(std::int64_t{16} << 30);
  type.compute_capability = device::ComputeCapability{7, 5};
  return type;
}

std::string run() {
  std::string output;
  device::Context context(device::devices_of(gpu()));
  train::Eager tf(context);
  tf.set_sink([&](const std::string& line) { output += line + "\n"; });
  tf.set_log_device_placement(true);

  train::EagerTensor a, b;
  {
    const auto on_cpu = tf.device("/CPU:0");
    a = tf.constant<float>({1, 2, 3, 4, 5, 6}, {2, 3});
    b = tf.constant<float>({1, 2, 3, 4, 5, 6}, {3, 2});
  }
  output += print(tf.matmul(a, b)) + "\n";
  for (const train::EagerCopy& copy : tf.copies())
    output += fmt::format("input {} of {}: {} bytes, {} -> {}\n", copy.input, copy.operation,
                          copy.bytes.count(), print(copy.from), print(copy.to));
  return output;
}

}  // namespace

int main() {
  const std::string output = run();
  fmt::print("{}", output);
  return output == expected ? 0 : 1;
}
