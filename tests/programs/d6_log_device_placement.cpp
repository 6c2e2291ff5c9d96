// TensorFlow's example of logging device placement (tensorflow.org/guide/gpu): two constants and a matmul on
// a machine with one GPU. The output is the same as TensorFlow's.
#include <fmt/core.h>

#include "device/physical_device.h"
#include "train/eager.h"

namespace {

using namespace wt;

constexpr std::string_view expected =
    "Executing op _EagerConst in device /job:localhost/replica:0/task:0/device:GPU:0\n"
    "Executing op _EagerConst in device /job:localhost/replica:0/task:0/device:GPU:0\n"
    "Executing op MatMul in device /job:localhost/replica:0/task:0/device:GPU:0\n"
    "tf.Tensor(\n"
    "[[22. 28.]\n"
    " [49. 64.]], shape=(2, 2), dtype=float32)\n";

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

  const auto a = tf.constant<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  const auto b = tf.constant<float>({1, 2, 3, 4, 5, 6}, {3, 2});
  const auto c = tf.matmul(a, b);
  return output + print(c) + "\n";
}

}  // namespace

int main() {
  const std::string output = run();
  fmt::print("{}", output);
  return output == expected ? 0 : 1;
}
