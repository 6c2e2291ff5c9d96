// Claim: a real GPU has the name, the memory limit and the error messages of a described device. The tests
// need no GPU.

#include "device/cuda_device.h"

#include <gtest/gtest.h>

#include "device/context.h"
#include "device/cuda_trouble.h"
#include "device/idle_blocks.h"
#include "device/queue.h"

namespace wt::device {
namespace {

constexpr Bytes gib{std::int64_t{1} << 30};

CudaDevice t4(int ordinal) {
  return {.ordinal = ordinal,
          .product = "Tesla T4",
          .pci_bus_id = "0000:00:04.0",
          .memory = 16 * gib,
          .processors = 40,
          .compute_capability = {7, 5},
          .driver = 13000};
}

TEST(CudaDevice, IsNamedHiddenAndCutAsADescribedOneIs) {
  Context context(physical_devices({t4(0), t4(1)}), {.cuda_visible_devices = "1"});
  const auto gpus = context.list_physical_devices(Kind::gpu);
  ASSERT_EQ(gpus.size(), 1u);
  EXPECT_EQ(gpus[0].slot, 1);
  EXPECT_EQ(describe(gpus[0]),
            "device: 0, name: Tesla T4, pci bus id: 0000:00:04.0, compute capability: 7.5");
  context.set_logical_device_configuration(gpus[0], {{.memory_limit = gib}, {.memory_limit = 2 * gib}});
  const auto pieces = context.list_logical_devices(Kind::gpu);
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_EQ(short_name(pieces[1]), "/device:GPU:1");
  EXPECT_EQ(pieces[1].memory->limit, 2 * gib);
}

// tf_distribute.md 2.10.5: the limit is the free memory minus 1050 MiB on a GPU of compute capability 7.
TEST(CudaDevice, HasTensorFlowsLimitOfItsRealMemory) {
  Context context(physical_devices({t4(0)}));
  EXPECT_EQ(context.list_logical_devices(Kind::gpu)[0].memory->limit, 16 * gib - Bytes(1050 << 20));
}

TEST(CudaDevice, ThatIsNotThereHasAReasonAndARemedy) {
  const CudaDevices devices = find_cuda_devices();
  EXPECT_EQ(devices.found.empty(), !devices.reason.empty());
  EXPECT_EQ(devices.found.empty(), !devices.remedy.empty());
  for (const CudaDevice& device : devices.found) {
    EXPECT_GT(device.memory, gib);
    EXPECT_GT(device.processors, 0);
  }
}

std::string trouble(std::string_view operation, const CudaStatus& status) {
  try {
    throw_cuda_trouble(operation, status, t4(1));
  } catch (const MachineError& error) {
    return error.what();
  }
}

TEST(CudaTrouble, NamesOperationDeviceAndRemedy) {
  EXPECT_EQ(
      trouble("copy", {"cudaErrorMemoryAllocation", "out of memory"}),
      "[copy] GPU 1 (Tesla T4): cudaErrorMemoryAllocation, out of memory; stop other processes on the GPU "
      "(nvidia-smi lists them), or use a smaller batch");
  EXPECT_EQ(trouble("matmul", {"CUBLAS_STATUS_ARCH_MISMATCH", ""}),
            "[matmul] GPU 1 (Tesla T4): CUBLAS_STATUS_ARCH_MISMATCH; use a GPU of compute capability 7.5 or "
            "newer");
  EXPECT_EQ(trouble("compute", {"cudaErrorOfTomorrow", "a description"}),
            "[compute] GPU 1 (Tesla T4): cudaErrorOfTomorrow, a description; check the GPU with "
            "nvidia-smi, or compute on the CPU: --set numerics=cpu");
}

TEST(IdleBlocks, GiveOnesOfTheSameSizeInTheirOrder) {
  std::byte memory[4];
  IdleBlocks idle;
  idle.put({&memory[0], Bytes(300)});
  idle.put({&memory[1], Bytes(100)});
  idle.put({&memory[2], Bytes(200)});
  idle.put({&memory[3], Bytes(200)});
  EXPECT_EQ(idle.size(), Bytes(800));
  EXPECT_EQ(idle.take(Bytes(200))->data, &memory[2]);
  EXPECT_EQ(idle.take(Bytes(200))->data, &memory[3]);
  EXPECT_FALSE(idle.take(Bytes(200)).has_value()) << "300 bytes would be too many";
  EXPECT_EQ(idle.take_all().size(), 2u);
  EXPECT_EQ(idle.size(), Bytes(0));
}

}  // namespace
}  // namespace wt::device
