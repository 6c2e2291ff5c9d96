#include "device/context.h"

#include <gtest/gtest.h>

#include "device/described.h"
#include "device/error.h"

namespace wt::device {
namespace {

using test::gpu_of;
using test::tesla_t4;

// The error of `call`: the name of its class in Python and its text.
template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const RuntimeError& error) {
    return std::string("RuntimeError: ") + error.what();
  } catch (const ValueError& error) {
    return std::string("ValueError: ") + error.what();
  } catch (const OpError& error) {
    return std::string("OpError: ") + error.what();
  } catch (const InputError& error) {
    return std::string("InputError: ") + error.what();
  }
  return "accepted";
}

std::vector<std::string> names(const std::vector<LogicalDevice>& devices) {
  std::vector<std::string> result;
  for (const LogicalDevice& device : devices) result.push_back(short_name(device));
  return result;
}
std::vector<std::string> names(const std::vector<PhysicalDevice>& devices) {
  std::vector<std::string> result;
  for (const PhysicalDevice& device : devices) result.push_back(name(device));
  return result;
}
using Names = std::vector<std::string>;

Context with_t4s(int count, const Environment& environment = {}) {
  return Context(devices_of(tesla_t4(), count), environment);
}

PhysicalDevice gpu(const Context& context, std::size_t i) {
  return context.list_physical_devices(Kind::gpu).at(i);
}
PhysicalDevice cpu(const Context& context) { return context.list_physical_devices(Kind::cpu).at(0); }

const MemoryOptions& memory(Context& context, std::size_t i) {
  context.initialise();
  const LogicalDevice* device = context.find({.kind = Kind::gpu, .index = static_cast<int>(i)});
  return device->memory.value();
}

TEST(Context, D1_ListingPhysicalDevicesInitialisesNothing) {
  const Context context = with_t4s(2);
  EXPECT_EQ(context.list_physical_devices(Kind::gpu).size(), 2U) << "Num GPUs Available:  2";
  EXPECT_EQ(names(context.list_physical_devices()),
            (Names{"/physical_device:CPU:0", "/physical_device:GPU:0", "/physical_device:GPU:1"}));
  EXPECT_FALSE(context.is_initialised());
  EXPECT_TRUE(context.log().empty());
}

TEST(Context, G24_ACpuIsAlwaysThereAndComputesByDefault) {
  Context context{};
  EXPECT_EQ(names(context.list_physical_devices()), Names{"/physical_device:CPU:0"});
  EXPECT_EQ(names(context.list_logical_devices()), Names{"/device:CPU:0"});
  EXPECT_EQ(print(context.resolve({})), "/job:localhost/replica:0/task:0/device:CPU:0");
  EXPECT_FALSE(context.list_logical_devices()[0].memory) << "a CPU has no limit";
}

TEST(Context, G24_ADescribedCpuTakesThePlaceOfTheGenericOne) {
  DeviceType type = tesla_t4();
  type.kind = Kind::cpu;
  type.product = "EPYC 7742";
  std::vector<PhysicalDevice> machine = devices_of(tesla_t4());
  machine.push_back(devices_of(type)[0]);
  EXPECT_EQ(Context(machine).list_physical_devices()[0].type->product, "EPYC 7742");
  machine.push_back(devices_of(type)[0]);
  EXPECT_EQ(refusal([&] { Context{machine}; }),
            "InputError: 2 CPUs are described for one process, which sees all sockets as one device\n"
            "describe one, and configure logical devices for it");
}

TEST(Context, G24_WithoutItsCpuAProcessMakesNoDevice) {
  Context context = with_t4s(1);
  context.set_visible_devices(std::vector<PhysicalDevice>{}, Kind::cpu);
  EXPECT_EQ(refusal([&] { context.initialise(); }), "OpError: No CPU devices are available in this process");
  EXPECT_FALSE(context.is_initialised());
  context.set_visible_devices(cpu(context), Kind::cpu);
  EXPECT_EQ(names(context.list_logical_devices()), (Names{"/device:CPU:0", "/device:GPU:0"}));
}

TEST(Context, G10_DevicesPrintAsPythonPrintsThem) {
  Context context = with_t4s(1);
  EXPECT_EQ(repr(gpu(context, 0)), "PhysicalDevice(name='/physical_device:GPU:0', device_type='GPU')");
  EXPECT_EQ(repr(context.list_logical_devices()[1]),
            "LogicalDevice(name='/device:GPU:0', device_type='GPU')");
  EXPECT_EQ(repr(context.list_logical_devices()[0]),
            "LogicalDevice(name='/device:CPU:0', device_type='CPU')");
}

TEST(Context, G9_AMachineHoldsDevicesOfSeveralKinds) {
  std::vector<PhysicalDevice> machine = devices_of(test::tpu(), 2);
  const auto gpus = devices_of(tesla_t4(), 2);
  machine.insert(machine.end(), gpus.begin(), gpus.end());
  Context context(machine);
  EXPECT_EQ(names(context.list_logical_devices()),
            (Names{"/device:CPU:0", "/device:GPU:0", "/device:GPU:1", "/device:TPU:0", "/device:TPU:1"}));
  EXPECT_EQ(context.list_logical_devices(Kind::tpu)[1].memory->limit, 32_GiB);
}

TEST(Context, G14_InAClusterLogicalNamesAreFull) {
  Context context(devices_of(tesla_t4(), 2), {}, parse_name("/job:worker/task:3"));
  EXPECT_EQ(repr(context.list_logical_devices(Kind::gpu)[1]),
            "LogicalDevice(name='/job:worker/replica:0/task:3/device:GPU:1', device_type='GPU')");
  EXPECT_EQ(print(context.list_logical_devices()[0].name), "/job:worker/replica:0/task:3/device:CPU:0");
  EXPECT_EQ(print(context.resolve(parse_name("/gpu:1"))), "/job:worker/replica:0/task:3/device:GPU:1");
  EXPECT_EQ(context.find(parse_name("/job:worker/task:2/gpu:1")), nullptr) << "another task's device";
}

// extended.worker_devices and extended.parameter_devices of TensorFlow's OneDeviceStrategy: the full name of
// its device, which must be a device of the process.
TEST(Context, G11_TheWorkerDeviceOfOneDeviceIsOneOfTheProcess) {
  Context context = with_t4s(2);
  const LogicalDevice* worker = context.find(parse_name("/gpu:1"));
  ASSERT_NE(worker, nullptr);
  EXPECT_EQ(print(worker->name), "/job:localhost/replica:0/task:0/device:GPU:1");
  EXPECT_EQ(context.find(parse_name("/gpu:2")), nullptr);
  EXPECT_EQ(context.find(parse_name("/tpu:0")), nullptr);
}

TEST(Context, G12_WithoutAStrategyVariablesAreOnADeviceOfTheProcess) {
  Context with_gpu = with_t4s(1);
  EXPECT_EQ(with_gpu.find({}), &*with_gpu.find(parse_name("/CPU:0"))) << "what names nothing is the CPU";
}

TEST(Context, G16_TheHostOfAWorkerDeviceIsADeviceOfTheSameTask) {
  Context context(devices_of(tesla_t4(), 2), {}, parse_name("/job:worker/task:1"));
  for (const LogicalDevice& device : context.list_logical_devices(Kind::gpu)) {
    const LogicalDevice* host = context.find(host_of(device.name));
    ASSERT_NE(host, nullptr);
    EXPECT_EQ(print(host->name), "/job:worker/replica:0/task:1/device:CPU:0");
  }
}

TEST(Context, D10_HiddenGpusMakeNoLogicalDevices) {
  Context context = with_t4s(2);
  context.set_visible_devices(gpu(context, 1), Kind::gpu);
  EXPECT_EQ(names(context.get_visible_devices()),
            (Names{"/physical_device:CPU:0", "/physical_device:GPU:1"}));
  EXPECT_EQ(names(context.get_visible_devices(Kind::gpu)), Names{"/physical_device:GPU:1"});
  const auto logical = context.list_logical_devices(Kind::gpu);
  EXPECT_EQ(names(logical), Names{"/device:GPU:0"});
  EXPECT_EQ(name(logical[0].physical), "/physical_device:GPU:1");
  EXPECT_EQ(context.list_physical_devices(Kind::gpu).size(), 2U) << "hidden is not gone";
}

TEST(Context, D10_LogicalDevicesFollowThePhysicalIndexWhateverTheListsOrder) {
  Context context = with_t4s(3);
  context.set_visible_devices({gpu(context, 2), gpu(context, 0)}, Kind::gpu);
  const auto logical = context.list_logical_devices(Kind::gpu);
  ASSERT_EQ(logical.size(), 2U);
  EXPECT_EQ(logical[0].physical.index, 0);
  EXPECT_EQ(logical[1].physical.index, 2);
}

TEST(Context, D10_NoVisibleGpuIsACpuOnlyProcess) {
  Context context = with_t4s(2);
  context.set_visible_devices(std::vector<PhysicalDevice>{}, Kind::gpu);
  EXPECT_EQ(names(context.list_logical_devices()), Names{"/device:CPU:0"});
  EXPECT_TRUE(context.log().empty());
}

TEST(Context, D10_WithoutAKindTheWholeListIsReplaced) {
  Context context = with_t4s(2);
  context.set_visible_devices({cpu(context), gpu(context, 0)});
  EXPECT_EQ(names(context.list_logical_devices()), (Names{"/device:CPU:0", "/device:GPU:0"}));
}

TEST(Context, D10_RefusesDevicesItDoesNotHave) {
  Context context = with_t4s(1);
  PhysicalDevice eighth = gpu(context, 0);
  eighth.index = 7;
  EXPECT_EQ(
      refusal([&] { context.set_visible_devices(eighth, Kind::gpu); }),
      "ValueError: Unrecognized device: PhysicalDevice(name='/physical_device:GPU:7', device_type='GPU')");
  EXPECT_EQ(
      refusal([&] { context.set_visible_devices(cpu(context), Kind::gpu); }),
      "ValueError: Unrecognized device: PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')");
  for (const auto& text : {refusal([&] { context.set_memory_growth(eighth, true); }),
                           refusal([&] { context.get_memory_growth(eighth); }),
                           refusal([&] { context.set_logical_device_configuration(eighth, {}); }),
                           refusal([&] { context.get_logical_device_configuration(eighth); })}) {
    EXPECT_EQ(
        text,
        "ValueError: Unrecognized device: PhysicalDevice(name='/physical_device:GPU:7', device_type='GPU')");
  }
}

TEST(Context, D10_CudaVisibleDevicesHidesAndRenumbers) {
  Context context = with_t4s(4, {.cuda_visible_devices = "2, 0"});
  const auto gpus = context.list_physical_devices(Kind::gpu);
  EXPECT_EQ(names(gpus), (Names{"/physical_device:GPU:0", "/physical_device:GPU:1"}));
  EXPECT_EQ(gpus[0].slot, 2);
  EXPECT_EQ(gpus[1].slot, 0);
  EXPECT_EQ(gpus[0].pci_bus_id, "0000:00:06.0");
}

TEST(Context, D10_CudaVisibleDevicesEndsAtTheFirstIndexWithoutADevice) {
  const auto count = [](const char* text) {
    return with_t4s(4, {.cuda_visible_devices = text}).list_physical_devices(Kind::gpu).size();
  };
  EXPECT_EQ(count(""), 0U);
  EXPECT_EQ(count("-1"), 0U);
  EXPECT_EQ(count("3,1,4,2"), 2U);
  EXPECT_EQ(count("0,-1,1"), 1U);
  EXPECT_EQ(count("0,99999999999999999999,1"), 1U);
  EXPECT_EQ(refusal([&] { count("0,GPU-8932f937"); }),
            "InputError: 1:3: CUDA_VISIBLE_DEVICES: \"GPU-8932f937\" is not an index\n"
            "  1 | 0,GPU-8932f937\n"
            "    |   ^~~~~~~~~~~~\n"
            "GPUs are counted from 0, as in \"0,2\"");
  EXPECT_EQ(refusal([&] { count("1,1"); }),
            "InputError: 1:3: CUDA_VISIBLE_DEVICES: \"1\" appears twice\n"
            "  1 | 1,1\n"
            "    |   ^\n"
            "list each GPU once: otherwise, CUDA shows no GPU at all");
}

TEST(Context, D13_GrowthIsPassedToTheAllocator) {
  Context context = with_t4s(1);
  EXPECT_EQ(context.get_memory_growth(gpu(context, 0)), std::nullopt);
  context.set_memory_growth(gpu(context, 0), true);
  EXPECT_EQ(context.get_memory_growth(gpu(context, 0)), true);
  EXPECT_TRUE(memory(context, 0).growth);
  EXPECT_EQ(memory(context, 0).limit, 13571_MiB) << "a limit all the same";
}

TEST(Context, D13_GrowthMustNotDifferBetweenVisibleGpus) {
  Context context = with_t4s(2);
  context.set_memory_growth(gpu(context, 0), true);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(refusal([&] { context.list_logical_devices(); }),
              "ValueError: Memory growth cannot differ between GPU devices");
    EXPECT_FALSE(context.is_initialised());
  }
  Context hidden = context;
  hidden.set_visible_devices(gpu(hidden, 0), Kind::gpu);
  EXPECT_TRUE(memory(hidden, 0).growth) << "a hidden GPU has no say";
  context.set_memory_growth(gpu(context, 1), true);
  EXPECT_TRUE(memory(context, 1).growth);
}

TEST(Context, D13_NeverSetIsNotFalse) {
  Context context = with_t4s(2);
  context.set_memory_growth(gpu(context, 0), false);
  EXPECT_EQ(refusal([&] { context.initialise(); }),
            "ValueError: Memory growth cannot differ between GPU devices");
}

TEST(Context, D13_OnlyGpusThatAreNotCutGrow) {
  Context context = with_t4s(1);
  EXPECT_EQ(refusal([&] { context.set_memory_growth(cpu(context), true); }),
            "ValueError: Cannot set memory growth on non-GPU and non-Pluggable devices");
  context.set_logical_device_configuration(gpu(context, 0), {{.memory_limit = 1_GiB}});
  EXPECT_EQ(refusal([&] { context.set_memory_growth(gpu(context, 0), true); }),
            "ValueError: Cannot set memory growth on device when virtual devices configured");
}

// _compute_gpu_options checks whether any device is split, whatever its kind.
TEST(Context, D13_CuttingAnyDeviceDropsGrowthSilently) {
  Context context = with_t4s(1);
  context.set_memory_growth(gpu(context, 0), true);
  context.set_logical_device_configuration(cpu(context), {{}, {}});
  EXPECT_FALSE(memory(context, 0).growth);
  EXPECT_EQ(context.get_memory_growth(gpu(context, 0)), true);
}

TEST(Context, D13_TheEnvironmentBeatsTheProgram) {
  Context forced = with_t4s(1, {.force_gpu_allow_growth = true});
  EXPECT_TRUE(memory(forced, 0).growth);
  EXPECT_EQ(
      forced.log().at(0),
      "Overriding orig_value setting because the TF_FORCE_GPU_ALLOW_GROWTH environment variable is set. "
      "Original config value was 0.");
  Context forbidden = with_t4s(1, {.force_gpu_allow_growth = false});
  forbidden.set_memory_growth(gpu(forbidden, 0), true);
  EXPECT_FALSE(memory(forbidden, 0).growth);
  EXPECT_EQ(
      forbidden.log().at(0),
      "Overriding orig_value setting because the TF_FORCE_GPU_ALLOW_GROWTH environment variable is set. "
      "Original config value was 1.");
  Context agreeing = with_t4s(1, {.force_gpu_allow_growth = false});
  agreeing.initialise();
  EXPECT_EQ(agreeing.log().size(), 1U) << "nothing was overridden";
}

TEST(Context, D13_GarbageIsCollectedUnlessTheEnvironmentForbids) {
  Context context = with_t4s(1);
  EXPECT_TRUE(memory(context, 0).garbage_collection);
  Context without = with_t4s(1, {.gpu_garbage_collection = false});
  EXPECT_FALSE(memory(without, 0).garbage_collection);
}

TEST(Context, D8_AllVisibleGpusAreMappedWhole) {
  Context context = with_t4s(2);
  context.initialise();
  for (const std::size_t i : {0, 1}) {
    EXPECT_EQ(memory(context, i).limit, 13571_MiB);
    EXPECT_FALSE(memory(context, i).growth);
  }
  EXPECT_EQ(memory(context, 0).allocator, "GPU_0_bfc");
  EXPECT_EQ(memory(context, 1).allocator, "GPU_1_bfc");
  EXPECT_EQ(
      context.log(),
      (Names{
          "Created device /job:localhost/replica:0/task:0/device:GPU:0 with 13571 MB memory:  -> device: 0, "
          "name: Tesla T4, pci bus id: 0000:00:04.0, compute capability: 7.5",
          "Created device /job:localhost/replica:0/task:0/device:GPU:1 with 13571 MB memory:  -> device: 1, "
          "name: Tesla T4, pci bus id: 0000:00:05.0, compute capability: 7.5"}));
}

TEST(Context, D8_WhatTheDeviceCannotGiveIsKnown) {
  Context whole = with_t4s(1, {.per_process_gpu_memory_fraction = 1});
  EXPECT_EQ(memory(whole, 0).limit, 15109_MiB);
  EXPECT_EQ(memory(whole, 0).obtainable, 14621_MiB);
  Context unified = with_t4s(1, {.per_process_gpu_memory_fraction = 2});
  EXPECT_EQ(memory(unified, 0).obtainable, std::nullopt);
  Context usual = with_t4s(1);
  EXPECT_EQ(memory(usual, 0).obtainable, std::nullopt);
}

TEST(Context, D11_ListingLogicalDevicesInitialises) {
  Context context = with_t4s(1);
  EXPECT_EQ(names(context.list_logical_devices(Kind::gpu)), Names{"/device:GPU:0"});
  EXPECT_TRUE(context.is_initialised());
  const Names log = context.log();
  context.initialise();
  context.list_logical_devices();
  EXPECT_EQ(context.log(), log) << "once";
}

TEST(Context, D12_OneVisibleGpuIsOneLogicalGpu) {
  Context context = with_t4s(2);
  context.set_visible_devices(gpu(context, 0), Kind::gpu);
  EXPECT_EQ(context.list_physical_devices(Kind::gpu).size(), 2U);
  EXPECT_EQ(context.list_logical_devices(Kind::gpu).size(), 1U);
}

TEST(Context, D14_AMemoryLimitIsTheAllocators) {
  Context context = with_t4s(1);
  context.set_logical_device_configuration(gpu(context, 0), {{.memory_limit = 1024_MiB}});
  EXPECT_EQ(context.get_logical_device_configuration(gpu(context, 0)),
            (LogicalDeviceConfigurations{{.memory_limit = 1024_MiB}}));
  EXPECT_EQ(memory(context, 0).limit, 1024_MiB);
  EXPECT_EQ(context.log().at(0),
            "Created device /job:localhost/replica:0/task:0/device:GPU:0 with 1024 MB memory:  -> device: 0, "
            "name: Tesla T4, pci bus id: 0000:00:04.0, compute capability: 7.5");
}

TEST(Context, D14_AGpuThatIsNotCutBesideOneThatIsKeepsTheDefault) {
  Context context = with_t4s(2);
  context.set_logical_device_configuration(gpu(context, 1),
                                           {{.memory_limit = 1_GiB}, {.memory_limit = 2_GiB}});
  const auto logical = context.list_logical_devices(Kind::gpu);
  ASSERT_EQ(logical.size(), 3U);
  EXPECT_EQ(logical[0].memory->limit, 13571_MiB);
  EXPECT_EQ(logical[1].memory->limit, 1_GiB);
  EXPECT_EQ(logical[2].memory->limit, 2_GiB);
  EXPECT_EQ(logical[2].physical, gpu(context, 1));
}

TEST(Context, D14_LimitsAreForGpusAndOnlyForThem) {
  Context context(devices_of(test::tpu()));
  const PhysicalDevice tpu = context.list_physical_devices(Kind::tpu)[0];
  EXPECT_EQ(
      refusal([&] { context.set_logical_device_configuration(cpu(context), {{.memory_limit = 1_GiB}}); }),
      "ValueError: Setting memory limit on CPU virtual devices is currently not supported");
  EXPECT_EQ(refusal([&] {
              context.set_logical_device_configuration(cpu(context), {{.experimental_priority = 1}});
            }),
            "ValueError: Setting experimental_priority on CPU virtual  devices is currently not supported");
  EXPECT_EQ(refusal([&] { context.set_logical_device_configuration(tpu, {{}}); }),
            "ValueError: Virtual devices are not supported for TPU");
  Context with_gpu = with_t4s(1);
  EXPECT_EQ(refusal([&] { with_gpu.set_logical_device_configuration(gpu(with_gpu, 0), {{}}); }),
            "ValueError: Setting memory limit is required for GPU virtual devices");
}

TEST(Context, D14_MoreThanTheDeviceHasIsRefusedWithTheArithmetic) {
  Context context = with_t4s(1);
  const auto cut = [&](LogicalDeviceConfigurations pieces) {
    return refusal([&] { context.set_logical_device_configuration(gpu(context, 0), std::move(pieces)); });
  };
  const std::string t4 =
      "; Tesla T4 has 15109 MiB - 488 MiB of the driver = 14621 MiB\n"
      "lower the limits or configure fewer logical devices";
  EXPECT_EQ(
      cut({{.memory_limit = 8_GiB}, {.memory_limit = 7_GiB}}),
      "InputError: The logical devices of /physical_device:GPU:0 need 8192 MiB + 7168 MiB = 15360 MiB" + t4);
  EXPECT_EQ(cut({{.memory_limit = 15_GiB}}),
            "InputError: The logical devices of /physical_device:GPU:0 need 15360 MiB" + t4);
  EXPECT_EQ(
      cut(LogicalDeviceConfigurations(16, {.memory_limit = 1_GiB + 512_KiB})),
      "InputError: The logical devices of /physical_device:GPU:0 need 1024.500 MiB + 1024.500 MiB + "
      "1024.500 MiB + 1024.500 MiB + 1024.500 MiB + 1024.500 MiB + 1024.500 MiB + 1024.500 MiB + 8 more = "
      "16392 MiB" +
          t4);
  EXPECT_EQ(cut({{.memory_limit = 0_MiB}}),
            "InputError: A logical device of /physical_device:GPU:0 has a memory limit of 0 B\n"
            "a limit is more than 0 B and at most 1 PiB");
  EXPECT_EQ(
      cut({{.memory_limit = Bytes(std::numeric_limits<std::int64_t>::max())}}),
      "InputError: A logical device of /physical_device:GPU:0 has a memory limit of 9223372036854775807 B\n"
      "a limit is more than 0 B and at most 1 PiB");
  EXPECT_EQ(context.get_logical_device_configuration(gpu(context, 0)), std::nullopt)
      << "refused changes nothing";
  EXPECT_EQ(cut({{.memory_limit = 14621_MiB}}), "accepted");
}

TEST(Context, D14_WhatOthersHoldIsInTheArithmetic) {
  std::vector<PhysicalDevice> machine = devices_of(tesla_t4());
  machine[0].taken = 4_GiB;
  Context context(machine);
  EXPECT_EQ(
      refusal([&] { context.set_logical_device_configuration(gpu(context, 0), {{.memory_limit = 12_GiB}}); }),
      "InputError: The logical devices of /physical_device:GPU:0 need 12288 MiB; Tesla T4 has 15109 MiB - "
      "488 MiB of the driver - 4096 MiB of other processes = 10525 MiB\n"
      "lower the limits or configure fewer logical devices");
}

TEST(Context, D15_TwoVirtualGpusShareAPhysicalOne) {
  Context context = with_t4s(1);
  context.set_logical_device_configuration(gpu(context, 0),
                                           {{.memory_limit = 1024_MiB}, {.memory_limit = 1024_MiB}});
  const auto logical = context.list_logical_devices(Kind::gpu);
  EXPECT_EQ(names(logical), (Names{"/device:GPU:0", "/device:GPU:1"}));
  EXPECT_EQ(logical[0].physical, logical[1].physical);
  EXPECT_EQ(logical[1].memory->allocator, "GPU_1_bfc");
  EXPECT_EQ(logical[1].memory->limit, 1_GiB);
}

TEST(Context, D15_LogicalIndicesAreConsecutiveOverTheVisibleGpus) {
  Context context = with_t4s(3);
  context.set_visible_devices({gpu(context, 0), gpu(context, 2)}, Kind::gpu);
  context.set_logical_device_configuration(gpu(context, 0),
                                           {{.memory_limit = 1_GiB}, {.memory_limit = 2_GiB}});
  context.set_logical_device_configuration(gpu(context, 2),
                                           {{.memory_limit = 3_GiB}, {.memory_limit = 4_GiB}});
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(memory(context, i).limit, 1_GiB * (i + 1));
    EXPECT_EQ(context.list_logical_devices(Kind::gpu)[i].physical.index, i < 2 ? 0 : 2);
  }
}

TEST(Context, D15_OrdinalsInterleaveTheGpus) {
  Context context = with_t4s(2);
  for (const std::size_t i : {0, 1}) {
    context.set_logical_device_configuration(gpu(context, i),
                                             {{.memory_limit = 1_GiB, .experimental_device_ordinal = 0},
                                              {.memory_limit = 2_GiB, .experimental_device_ordinal = 1}});
  }
  const auto logical = context.list_logical_devices(Kind::gpu);
  ASSERT_EQ(logical.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(logical[i].physical.index, static_cast<int>(i % 2));
    EXPECT_EQ(logical[i].memory->limit, i < 2 ? 1_GiB : 2_GiB);
    EXPECT_EQ(logical[i].name.index, static_cast<int>(i));
  }
}

TEST(Context, D15_VirtualCpusNeedNoArguments) {
  Context context{};
  context.set_logical_device_configuration(cpu(context), LogicalDeviceConfigurations(4));
  EXPECT_EQ(names(context.list_logical_devices()),
            (Names{"/device:CPU:0", "/device:CPU:1", "/device:CPU:2", "/device:CPU:3"}));
}

TEST(Context, D15_PrioritiesAndOrdinalsAreForAllPiecesOrNone) {
  const auto initialise = [](LogicalDeviceConfigurations first, LogicalDeviceConfigurations second) {
    Context context = with_t4s(2);
    context.set_logical_device_configuration(gpu(context, 0), std::move(first));
    if (!second.empty()) context.set_logical_device_configuration(gpu(context, 1), std::move(second));
    return refusal([&] { context.initialise(); });
  };
  const LogicalDeviceConfiguration plain{.memory_limit = 1_GiB};
  const LogicalDeviceConfiguration urgent{.memory_limit = 1_GiB, .experimental_priority = -1};
  const LogicalDeviceConfiguration wild{.memory_limit = 1_GiB, .experimental_priority = 3};
  const LogicalDeviceConfiguration placed{.memory_limit = 1_GiB, .experimental_device_ordinal = 1};
  EXPECT_EQ(initialise({urgent, plain}, {}),
            "ValueError: priority must be specified for all virtual devices");
  EXPECT_EQ(initialise({plain, placed}, {}),
            "ValueError: device_ordinals must be specified for all virtual devices");
  EXPECT_EQ(initialise({plain}, {urgent}),
            "OpError: Priority must be set for all virtual devices or none. But the priority is specified "
            "for 1 while "
            "previous devices didn't have any set.");
  EXPECT_EQ(
      initialise({urgent}, {plain}),
      "OpError: Number of virtual device priorities specified doesn't match with number of memory_limit_mb "
      "specified for GPU# 1 memory_limit_mb size: 1 and priority size: 0");
  EXPECT_EQ(initialise({plain}, {placed}),
            "OpError: Device ordinals must be set for all virtual devices or none. But the device_ordinal is "
            "specified for 1 while previous devices didn't have any set.");
  EXPECT_EQ(initialise({urgent}, {wild}),
            "OpError: Priority 3 is outside the range of supported priorities [-5,0] for virtual device 1 on "
            "GPU# 1");
  EXPECT_EQ(initialise({urgent, urgent}, {urgent}), "accepted");
  EXPECT_EQ(initialise({placed, placed}, {placed}), "accepted");
}

TEST(Context, D15_PrioritiesReachTheirDevices) {
  Context context = with_t4s(1);
  context.set_logical_device_configuration(gpu(context, 0),
                                           {{.memory_limit = 1_GiB, .experimental_priority = 0},
                                            {.memory_limit = 1_GiB, .experimental_priority = -5}});
  EXPECT_EQ(context.list_logical_devices(Kind::gpu)[0].priority, 0);
  EXPECT_EQ(context.list_logical_devices(Kind::gpu)[1].priority, -5);
}

TEST(Context, D15_TheRuntimeRefusesWhatCannotBeCut) {
  Context fraction = with_t4s(1, {.per_process_gpu_memory_fraction = 0.5});
  fraction.set_logical_device_configuration(gpu(fraction, 0), {{.memory_limit = 1_GiB}});
  EXPECT_EQ(refusal([&] { fraction.initialise(); }),
            "OpError: It's invalid to set per_process_gpu_memory_fraction when virtual_devices is set.");
  Context nothing = with_t4s(1);
  nothing.set_logical_device_configuration(gpu(nothing, 0), {});
  EXPECT_EQ(refusal([&] { nothing.initialise(); }),
            "OpError: Not enough GPUs to create virtual devices. num_gpus_to_use: 0 #virtual_devices: 1");
}

TEST(Context, D16_AfterInitialisationNothingChanges) {
  Context context = with_t4s(2);
  context.initialise();
  EXPECT_EQ(refusal([&] { context.set_visible_devices(gpu(context, 0), Kind::gpu); }),
            "RuntimeError: Visible devices cannot be modified after being initialized");
  EXPECT_EQ(refusal([&] { context.set_memory_growth(gpu(context, 0), true); }),
            "RuntimeError: Physical devices cannot be modified after being initialized");
  EXPECT_EQ(refusal([&] { context.set_memory_growth(gpu(context, 0), false); }),
            "RuntimeError: Physical devices cannot be modified after being initialized")
      << "false is not the same as never set";
  EXPECT_EQ(
      refusal([&] { context.set_logical_device_configuration(gpu(context, 0), {{.memory_limit = 1_GiB}}); }),
      "RuntimeError: Virtual devices cannot be modified after being initialized");
  EXPECT_EQ(refusal([&] {
              context.set_logical_device_configuration(cpu(context), {{}, {}});
            }),
            "RuntimeError: Virtual devices cannot be modified after being initialized");
  EXPECT_EQ(context.get_visible_devices().size(), 3U);
  EXPECT_EQ(context.get_memory_growth(gpu(context, 0)), std::nullopt);
}

TEST(Context, D16_WhatIsAlreadySoIsWelcomeAtAnyTime) {
  Context context = with_t4s(2);
  context.set_memory_growth(gpu(context, 0), true);
  context.set_visible_devices(gpu(context, 0), Kind::gpu);
  context.initialise();
  EXPECT_EQ(refusal([&] { context.set_visible_devices(gpu(context, 0), Kind::gpu); }), "accepted");
  EXPECT_EQ(refusal([&] { context.set_memory_growth(gpu(context, 0), true); }), "accepted");
  Context cut = with_t4s(1);
  cut.set_logical_device_configuration(gpu(cut, 0), {{.memory_limit = 1_GiB}});
  cut.initialise();
  EXPECT_EQ(refusal([&] { cut.set_logical_device_configuration(gpu(cut, 0), {{.memory_limit = 1_GiB}}); }),
            "accepted");
}

// TensorFlow compares lists, so the same devices in another order are a different configuration.
TEST(Context, D16_TheSameListIsTheSameInItsOrderOnly) {
  Context context = with_t4s(2);
  context.initialise();
  EXPECT_EQ(refusal([&] {
              context.set_visible_devices({gpu(context, 0), gpu(context, 1)}, Kind::gpu);
            }),
            "accepted");
  EXPECT_EQ(refusal([&] {
              context.set_visible_devices({gpu(context, 1), gpu(context, 0)}, Kind::gpu);
            }),
            "RuntimeError: Visible devices cannot be modified after being initialized");
}

TEST(Context, D16_ValueErrorsComeFirst) {
  Context context = with_t4s(1);
  context.initialise();
  EXPECT_EQ(refusal([&] { context.set_logical_device_configuration(gpu(context, 0), {{}}); }),
            "ValueError: Setting memory limit is required for GPU virtual devices");
  EXPECT_EQ(refusal([&] { context.set_memory_growth(cpu(context), true); }),
            "ValueError: Cannot set memory growth on non-GPU and non-Pluggable devices");
}

TEST(Context, ManyStandSideBySideAndOneAfterAnother) {
  Context base = with_t4s(2);
  base.set_memory_growth(gpu(base, 0), true);
  base.set_memory_growth(gpu(base, 1), true);
  std::vector<Context> contexts(20, base);
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    Context& context = contexts[i];
    context.set_visible_devices(gpu(context, i % 2), Kind::gpu);
    context.set_logical_device_configuration(gpu(context, i % 2),
                                             LogicalDeviceConfigurations(1 + i % 5, {.memory_limit = 1_GiB}));
  }
  for (std::size_t i = contexts.size(); i-- > 0;) {
    const auto logical = contexts[i].list_logical_devices(Kind::gpu);
    ASSERT_EQ(logical.size(), 1 + i % 5);
    EXPECT_EQ(logical[0].physical.index, static_cast<int>(i % 2));
    EXPECT_FALSE(logical[0].memory->growth);
  }
  EXPECT_FALSE(base.is_initialised());
  EXPECT_TRUE(memory(base, 0).growth);
}

TEST(Context, ACopyOfAnInitialisedOneIsInitialisedAndIndependent) {
  Context first = with_t4s(1);
  first.initialise();
  Context second = first;
  EXPECT_TRUE(second.is_initialised());
  EXPECT_NE(first.find(parse_name("/gpu:0")), second.find(parse_name("/gpu:0")));
}

}  // namespace
}  // namespace wt::device
