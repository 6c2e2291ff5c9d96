// Row D16 of tests/README.md: after the devices have been initialised, every call that configures them is
// refused, and a program that catches the error prints TensorFlow's text.
#include <functional>

#include "base/quantity_literals.h"
#include "device/context.h"
#include "device/error.h"
#include "programs/described_gpu.h"
#include "programs/transcript.h"

int main() {
  using namespace wt;
  using device::Kind;

  Transcript out;
  device::Context context(described_gpus(2));
  const auto gpus = context.list_physical_devices(Kind::gpu);
  const auto attempt = [&](const std::function<void()>& configure) {
    try {
      configure();
      out.print("done");
    } catch (const device::RuntimeError& error) {
      out.print(error.what());
    }
  };
  const auto configure_all = [&] {
    attempt([&] { context.set_visible_devices(gpus[0], Kind::gpu); });
    attempt([&] { context.set_memory_growth(gpus[0], true); });
    attempt([&] { context.set_logical_device_configuration(gpus[0], {{.memory_limit = 1024_MiB}}); });
  };

  out.print(context.list_logical_devices(Kind::gpu).size(), "Logical GPUs");
  configure_all();

  context = device::Context(described_gpus(2));  // another process, which configures before initialising
  configure_all();
  return out.finish(
      "2 Logical GPUs\n"
      "Visible devices cannot be modified after being initialized\n"
      "Physical devices cannot be modified after being initialized\n"
      "Virtual devices cannot be modified after being initialized\n"
      "done\n"
      "done\n"
      "done\n");
}
