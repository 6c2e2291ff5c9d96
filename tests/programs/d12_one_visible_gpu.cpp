// Rows D1 and D10 to D14 of tests/README.md: a program counts the machine's only GPU, makes it visible and
// lists it; another process limits its memory. The expected text is the output of the Python programs, in
// order.
#include "base/quantity_literals.h"
#include "device/context.h"
#include "device/error.h"
#include "programs/described_gpu.h"
#include "programs/transcript.h"

namespace {

using namespace wt;
using device::Context;
using device::Kind;

void restrict_to_the_first(Context context, Transcript& out) {
  const auto gpus = context.list_physical_devices(Kind::gpu);
  out.print("Num GPUs Available: ", gpus.size());
  try {
    context.set_visible_devices(gpus[0], Kind::gpu);
    const auto logical_gpus = context.list_logical_devices(Kind::gpu);
    out.print(gpus.size(), "Physical GPUs,", logical_gpus.size(), "Logical GPU");
  } catch (const device::RuntimeError& error) {
    out.print(error.what());
  }
}

void limit_to_1_gib(Context context, Transcript& out) {
  const auto gpus = context.list_physical_devices(Kind::gpu);
  try {
    context.set_logical_device_configuration(gpus[0], {{.memory_limit = 1024_MiB}});
    const auto logical_gpus = context.list_logical_devices(Kind::gpu);
    out.print(gpus.size(), "Physical GPUs,", logical_gpus.size(), "Logical GPUs");
  } catch (const device::RuntimeError& error) {
    out.print(error.what());
  }
}

}  // namespace

int main() {
  Transcript out;
  const Context process(described_gpus(1));
  restrict_to_the_first(process, out);
  limit_to_1_gib(process, out);
  restrict_to_the_first(Context(described_gpus(4)), out);
  return out.finish(
      "Num GPUs Available:  1\n"
      "1 Physical GPUs, 1 Logical GPU\n"
      "1 Physical GPUs, 1 Logical GPUs\n"
      "Num GPUs Available:  4\n"
      "4 Physical GPUs, 1 Logical GPU\n");
}
