#include "device/limits.h"

#include <gtest/gtest.h>

#include "device/described.h"
#include "device/error.h"
#include "device/out_of_memory.h"

namespace wt::device {
namespace {

using test::gpu_of;
using test::tesla_t4;

DefaultLimit limit_of(const DeviceType& type, const Environment& environment = {}) {
  return default_limit(devices_of(type)[0], environment);
}

template <class Error, class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Limits, D8_NearlyAllFreeMemoryIsTakenByGeneration) {
  struct Row {
    int major = 0;
    Bytes left{};
  };
  for (const Row row : {Row{3, 500_MiB}, Row{6, 500_MiB}, Row{7, 1050_MiB}, Row{8, 1536_MiB},
                        Row{9, 1800_MiB}, Row{10, 1800_MiB}}) {
    EXPECT_EQ(limit_of(gpu_of(16_GiB, row.major)).limit, 16_GiB - row.left) << row.major;
  }
}

TEST(Limits, D8_ADeviceBelow2GiBLeaves225MiBWhateverItsGeneration) {
  EXPECT_EQ(limit_of(gpu_of(2_GiB, 9)).limit, 2_GiB - 1800_MiB);
  EXPECT_EQ(limit_of(gpu_of(2_GiB - 1_B, 9)).limit, 2_GiB - 1_B - 225_MiB);
  EXPECT_EQ(limit_of(gpu_of(226_MiB, 7)).limit, 1_MiB);
  EXPECT_EQ(limit_of(gpu_of(225_MiB, 7)).limit, 225_MiB) << "what can't be left isn't";
}

TEST(Limits, D8_WhatTheDriverAndOthersHoldIsNotFree) {
  PhysicalDevice gpu = devices_of(tesla_t4())[0];
  EXPECT_EQ(free_memory(gpu), 14621_MiB);
  EXPECT_EQ(default_limit(gpu, {}).limit, 13571_MiB);
  gpu.taken = 1_GiB;
  EXPECT_EQ(default_limit(gpu, {}).limit, 13571_MiB - 1_GiB);
  gpu.taken = 20_GiB;
  EXPECT_EQ(free_memory(gpu), 0_B);
}

TEST(Limits, D8_AFractionIsOfTheWholeMemory) {
  EXPECT_EQ(limit_of(tesla_t4(), {.per_process_gpu_memory_fraction = 0.5}).limit, 15109_MiB / 2);
  EXPECT_EQ(limit_of(tesla_t4(), {.per_process_gpu_memory_fraction = 1.5}).limit, 15109_MiB * 3 / 2)
      << "unified memory";
  EXPECT_EQ(refusal<OpError>([] { limit_of(gpu_of(8_GiB, 5), {.per_process_gpu_memory_fraction = 1.5}); }),
            "Unified memory on GPUs with compute capability lower than 6.0 (pre-Pascal class GPUs) does not "
            "support "
            "oversubscription.");
  for (const double fraction :
       {-0.5, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e300}) {
    EXPECT_THROW(limit_of(tesla_t4(), {.per_process_gpu_memory_fraction = fraction}), InputError) << fraction;
  }
}

TEST(Limits, D8_ASetReserveBeatsBoth) {
  EXPECT_EQ(limit_of(tesla_t4(), {.min_system_memory = 621_MiB}).limit, 14000_MiB);
  EXPECT_EQ(
      limit_of(tesla_t4(), {.min_system_memory = 621_MiB, .per_process_gpu_memory_fraction = 0.5}).limit,
      14000_MiB);
  EXPECT_EQ(limit_of(tesla_t4(), {.min_system_memory = 0_MiB}).limit, 14621_MiB);
}

TEST(Limits, D8_AReserveThatIsNotFreeIsIgnoredWithAWarning) {
  const DefaultLimit limit = limit_of(tesla_t4(), {.min_system_memory = 64_GiB});
  EXPECT_EQ(limit.limit, 13571_MiB);
  EXPECT_EQ(limit.warnings, std::vector<std::string>{
                                "The requested reserved device memory 64.00GiB is larger than the available "
                                "memory of 14.28GiB. The request is ignored."});
}

TEST(Limits, SizesAreShownAsTensorFlowShowsThem) {
  EXPECT_EQ(human_readable(0_B), "0B");
  EXPECT_EQ(human_readable(1023_B), "1023B");
  EXPECT_EQ(human_readable(1024_B), "1.0KiB");
  EXPECT_EQ(human_readable(1536_B), "1.5KiB");
  EXPECT_EQ(human_readable(1_MiB), "1.00MiB");
  EXPECT_EQ(human_readable(268435456_B), "256.00MiB");
  EXPECT_EQ(human_readable(3_TiB), "3.00TiB");
  EXPECT_EQ(human_readable(Bytes(std::numeric_limits<std::int64_t>::max())), "8.00EiB");
}

TEST(Environment, D8_IsReadFromItsVariables) {
  const Environment environment = read_environment({{"CUDA_VISIBLE_DEVICES", "1,0"},
                                                    {"HOME", "/root"},
                                                    {"TF_DEVICE_MIN_SYS_MEMORY_IN_MB", "500"},
                                                    {"TF_ENABLE_GPU_GARBAGE_COLLECTION", "false"},
                                                    {"TF_FORCE_GPU_ALLOW_GROWTH", "true"},
                                                    {"TF_GPU_ALLOCATOR", ""}});
  EXPECT_EQ(environment.cuda_visible_devices, "1,0");
  EXPECT_EQ(environment.min_system_memory, 500_MiB);
  EXPECT_FALSE(environment.gpu_garbage_collection);
  EXPECT_EQ(environment.force_gpu_allow_growth, true);
}

TEST(Environment, AnEmptyOneSetsNothing) {
  const Environment environment = read_environment({{"TF_DEVICE_MIN_SYS_MEMORY_IN_MB", ""}});
  EXPECT_EQ(environment.cuda_visible_devices, std::nullopt);
  EXPECT_EQ(environment.min_system_memory, std::nullopt);
  EXPECT_TRUE(environment.gpu_garbage_collection);
  EXPECT_EQ(environment.force_gpu_allow_growth, std::nullopt);
}

TEST(Environment, RefusesEveryValueThatMeansNothing) {
  EXPECT_EQ(refusal<InputError>([] {
              read_environment({{"TF_DEVICE_MIN_SYS_MEMORY_IN_MB", "-1"},
                                {"TF_ENABLE_GPU_GARBAGE_COLLECTION", "no"},
                                {"TF_FORCE_GPU_ALLOW_GROWTH", "1"},
                                {"TF_GPU_ALLOCATOR", "cuda_malloc_async"}});
            }),
            "TF_DEVICE_MIN_SYS_MEMORY_IN_MB is \"-1\"\n"
            "it must be a count of MiB, as in \"500\"\n\n"
            "TF_ENABLE_GPU_GARBAGE_COLLECTION is \"no\"\n"
            "it must be \"true\" or \"false\"\n\n"
            "TF_FORCE_GPU_ALLOW_GROWTH is \"1\"\n"
            "it must be \"true\" or \"false\"\n\n"
            "TF_GPU_ALLOCATOR is \"cuda_malloc_async\"\n"
            "leave it unset: only TensorFlow's BFC allocator is supported");
}

}  // namespace
}  // namespace wt::device
