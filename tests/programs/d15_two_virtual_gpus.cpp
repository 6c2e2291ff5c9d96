// Row D15 of tests/README.md: one GPU is split into two logical GPUs of 1 GiB each, which are then listed.
#include "base/quantity_literals.h"
#include "device/context.h"
#include "device/error.h"
#include "programs/described_gpu.h"
#include "programs/transcript.h"

int main() {
  using namespace wt;
  using device::Kind;

  Transcript out;
  device::Context context(described_gpus(1));
  const auto gpus = context.list_physical_devices(Kind::gpu);
  try {
    context.set_logical_device_configuration(gpus[0],
                                             {{.memory_limit = 1024_MiB}, {.memory_limit = 1024_MiB}});
    const auto logical_gpus = context.list_logical_devices(Kind::gpu);
    out.print(gpus.size(), "Physical GPU,", logical_gpus.size(), "Logical GPUs");
    for (const device::LogicalDevice& gpu : logical_gpus) out.print(repr(gpu));
    for (const std::string& line : context.log()) out.print(line);
  } catch (const device::RuntimeError& error) {
    out.print(error.what());
  }
  return out.finish(
      "1 Physical GPU, 2 Logical GPUs\n"
      "LogicalDevice(name='/device:GPU:0', device_type='GPU')\n"
      "LogicalDevice(name='/device:GPU:1', device_type='GPU')\n"
      "Created device /job:localhost/replica:0/task:0/device:GPU:0 with 1024 MB memory:  -> device: 0, name: "
      "Tesla "
      "T4, pci bus id: 0000:00:04.0, compute capability: 7.5\n"
      "Created device /job:localhost/replica:0/task:0/device:GPU:1 with 1024 MB memory:  -> device: 0, name: "
      "Tesla "
      "T4, pci bus id: 0000:00:04.0, compute capability: 7.5\n");
}
