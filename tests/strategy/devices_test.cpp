#include "strategy/devices.h"

#include <gtest/gtest.h>

#include "device/described.h"
#include "device/error.h"

namespace wt::strategy {
namespace {

using device::Context;
using device::devices_of;
using device::Name;
using device::test::tesla_t4;

std::string printed(const std::vector<Name>& names) {
  std::string text;
  for (const Name& name : names) text += print(name) + "\n";
  return text;
}

template <class Error, class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// A T4 cut into two logical devices of 1024 MiB.
Context two_virtual_gpus() {
  Context context(devices_of(tesla_t4()));
  context.set_logical_device_configuration(
      context.list_physical_devices(device::Kind::gpu)[0],
      {{.memory_limit = Bytes(1 << 30)}, {.memory_limit = Bytes(1 << 30)}});
  return context;
}

TEST(StrategyDevices, G11_MirroredComputesOnEveryVisibleGpu) {
  Context context(devices_of(tesla_t4(), 2));
  EXPECT_EQ(printed(worker_devices({.kind = Kind::mirrored}, context)),
            "/job:localhost/replica:0/task:0/device:GPU:0\n/job:localhost/replica:0/task:0/device:GPU:1\n");
  EXPECT_EQ(printed(worker_devices({.kind = Kind::mirrored, .devices = {"/gpu:1"}}, context)),
            "/job:localhost/replica:0/task:0/device:GPU:1\n");
}

TEST(StrategyDevices, G11_WithoutGpusMirroredTakesAllCpusAndCentralStorageOne) {
  Context context;
  context.set_logical_device_configuration(context.list_physical_devices()[0], {{}, {}, {}});
  EXPECT_EQ(worker_devices({.kind = Kind::mirrored}, context).size(), 3u);
  EXPECT_EQ(worker_devices({.kind = Kind::central_storage}, context).size(), 1u);
}

TEST(StrategyDevices, G12_VariablesLieWhereTheStrategySays) {
  Context context(devices_of(tesla_t4(), 2));
  const std::string cpu = "/job:localhost/replica:0/task:0/device:CPU:0\n";
  const std::string second = "/job:localhost/replica:0/task:0/device:GPU:1\n";
  EXPECT_EQ(parameter_devices({.kind = Kind::mirrored}, context),
            worker_devices({.kind = Kind::mirrored}, context));
  EXPECT_EQ(printed(parameter_devices({.kind = Kind::one_device, .devices = {"/gpu:1"}}, context)), second);
  EXPECT_EQ(printed(parameter_devices({.kind = Kind::central_storage}, context)), cpu);
  EXPECT_EQ(printed(parameter_devices({.kind = Kind::central_storage, .devices = {"/gpu:1"}}, context)),
            second);
  EXPECT_EQ(
      printed(parameter_devices({.kind = Kind::central_storage, .parameter_device = "/gpu:1"}, context)),
      second);
}

TEST(StrategyDevices, G12_TheDefaultStrategyHasNoneToTell) {
  Context context;
  EXPECT_EQ(error_of<device::RuntimeError>([&] { parameter_devices({}, context); }),
            "parameter_devices() method unsupported by default tf.distribute.Strategy.");
  EXPECT_EQ(error_of<device::RuntimeError>([&] { worker_devices({}, context); }),
            "worker_devices() method unsupported by default tf.distribute.Strategy.");
}

TEST(StrategyDevices, ST2_WithoutAListAllVisibleGpusElseTheCpus) {
  Context hidden(devices_of(tesla_t4(), 3));
  const auto gpus = hidden.list_physical_devices(device::Kind::gpu);
  hidden.set_visible_devices({gpus[0], gpus[2]}, device::Kind::gpu);
  EXPECT_EQ(printed(worker_devices({.kind = Kind::mirrored}, hidden)),
            "/job:localhost/replica:0/task:0/device:GPU:0\n/job:localhost/replica:0/task:0/device:GPU:1\n");
  EXPECT_EQ(hidden.list_logical_devices(device::Kind::gpu)[1].physical, gpus[2]);
  Context none(devices_of(tesla_t4(), 2));
  none.set_visible_devices(std::vector<device::PhysicalDevice>{}, device::Kind::gpu);
  EXPECT_EQ(printed(worker_devices({.kind = Kind::mirrored}, none)),
            "/job:localhost/replica:0/task:0/device:CPU:0\n");
}

TEST(StrategyDevices, ST5_LogicalDevicesMayBeHandedOverAsTheyAre) {
  Context context = two_virtual_gpus();
  const std::vector<device::LogicalDevice> gpus = context.list_logical_devices(device::Kind::gpu);
  EXPECT_EQ(worker_devices({.kind = Kind::mirrored, .devices = given(gpus)}, context),
            worker_devices({.kind = Kind::mirrored, .devices = {"/gpu:0", "/gpu:1"}}, context));
  EXPECT_EQ(parameter_devices({.kind = Kind::central_storage, .parameter_device = gpus[1]}, context),
            std::vector<Name>{gpus[1].name});
  EXPECT_EQ(error_of<device::ValueError>([&] {
              worker_devices({.kind = Kind::mirrored, .devices = {gpus[1], "GPU:1"}}, context);
            }),
            "No duplicates allowed in `devices` argument: ('/job:localhost/replica:0/task:0/device:GPU:1', "
            "'/job:localhost/replica:0/task:0/device:GPU:1')");
}

TEST(StrategyDevices, ST26_OneDeviceComputesAndKeepsVariablesWhereItIsTold) {
  Context context(devices_of(tesla_t4(), 2));
  const Choice choice{.kind = Kind::one_device, .devices = {"/gpu:1"}};
  EXPECT_EQ(printed(worker_devices(choice, context)), "/job:localhost/replica:0/task:0/device:GPU:1\n");
  EXPECT_EQ(parameter_devices(choice, context), worker_devices(choice, context));
}

TEST(StrategyDevices, ADeviceIsGivenOnce) {
  Context context(devices_of(tesla_t4(), 2));
  EXPECT_EQ(error_of<device::ValueError>([&] {
              worker_devices({.kind = Kind::mirrored, .devices = {"/gpu:0", "GPU:0"}}, context);
            }),
            "No duplicates allowed in `devices` argument: ('/job:localhost/replica:0/task:0/device:GPU:0', "
            "'/job:localhost/replica:0/task:0/device:GPU:0')");
}

TEST(CrossDeviceOps, D17_VirtualGpusReduceByTheRingCollective) {
  Context cut = two_virtual_gpus();
  const auto devices = worker_devices({.kind = Kind::mirrored}, cut);
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(choose_cross_device_ops(devices, cut).ops, CrossDeviceOps::collective_ring);
  EXPECT_EQ(choose_cross_device_ops(devices, cut).why, "NCCL is not supported when using virtual GPUs");
}

TEST(CrossDeviceOps, D17_WholeGpusReduceByNccl) {
  Context whole(devices_of(tesla_t4(), 4));
  EXPECT_EQ(choose_cross_device_ops(worker_devices({.kind = Kind::mirrored}, whole), whole).ops,
            CrossDeviceOps::collective_nccl);
  // One piece of each GPU is not more pieces than GPUs, and hiding one is not cutting it.
  const auto gpus = whole.list_physical_devices(device::Kind::gpu);
  Context hidden(devices_of(tesla_t4(), 4));
  hidden.set_visible_devices({gpus[0], gpus[2]}, device::Kind::gpu);
  EXPECT_EQ(choose_cross_device_ops(worker_devices({.kind = Kind::mirrored}, hidden), hidden).ops,
            CrossDeviceOps::collective_nccl);
}

// TensorFlow 2.0 asked whether there are as many, so a hidden GPU sufficed.
TEST(CrossDeviceOps, F3_TensorFlow20TookNcclOrOneDeviceAndSaidWhy) {
  const auto selected = [](Context context) {
    return select_cross_device_ops(worker_devices({.kind = Kind::mirrored}, context), context);
  };
  Context hidden(devices_of(tesla_t4(), 4));
  hidden.set_visible_devices(hidden.list_physical_devices(device::Kind::gpu)[0], device::Kind::gpu);
  const std::string no_gpus =
      "There is non-GPU devices in `tf.distribute.Strategy`, not using nccl allreduce.";
  const std::string pieces =
      "NCCL is not supported when using virtual GPUs, fallingback to reduction to one device";
  EXPECT_EQ(selected(Context(devices_of(tesla_t4(), 4))).ops, CrossDeviceOps::nccl);
  EXPECT_EQ(selected(Context(devices_of(tesla_t4(), 4))).why, "");
  EXPECT_EQ(selected(Context()).ops, CrossDeviceOps::reduction_to_one_device);
  EXPECT_EQ(selected(Context()).why, no_gpus);
  EXPECT_EQ(selected(hidden).why, pieces);
  EXPECT_EQ(selected(two_virtual_gpus()).why, pieces);
}

TEST(CrossDeviceOps, D17_CpusAloneTakeTheRingAndAMixTakesOneDevice) {
  Context context(devices_of(tesla_t4()));
  const auto chosen = [&](const std::vector<GivenDevice>& names) {
    return choose_cross_device_ops(worker_devices({.kind = Kind::mirrored, .devices = names}, context),
                                   context)
        .ops;
  };
  EXPECT_EQ(chosen({"/cpu:0"}), CrossDeviceOps::collective_ring);
  EXPECT_EQ(chosen({"/cpu:0", "/gpu:0"}), CrossDeviceOps::reduction_to_one_device);
}

}  // namespace
}  // namespace wt::strategy
