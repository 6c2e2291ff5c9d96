#include "platform/device_types.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/quantity_literals.h"

namespace wt::platform {
namespace {

using device::DeviceType;
using device::Efficiency;
using device::Kind;
using device::Precision;

std::string what(const Problems& problems) {
  std::string lines;
  for (const Problem& problem : problems.found())
    lines += fmt::format("{}:{} {} | {}\n", problem.place.line, problem.place.column, problem.fact,
                         problem.remedy);
  return lines;
}

// The problems of a type that a file describes itself.
std::string problems_of(std::string_view text) {
  const json::Value value = json::parse(std::string(text), "x");
  Problems problems;
  const bool found = read_device_type(value, problems).has_value();
  EXPECT_EQ(found, !problems.any());
  return what(problems);
}

DeviceType read(std::string_view text) {
  const json::Value value = json::parse(std::string(text), "x");
  Problems problems;
  const auto type = read_device_type(value, problems);
  EXPECT_EQ(what(problems), "");
  return type.value_or(DeviceType{});
}

// ---- The catalogue

// A core has half of its chip's power, and every shipped power is plausible and has a source.
TEST(DeviceTypes, PowersAreThoseOfTheirMakers) {
  EXPECT_EQ(device_type_named("a100_sxm_40").power->power, Watts(400));
  EXPECT_EQ(device_type_named("b200_sxm").power->power, Watts(1000));
  for (const char* chip : {"tpu_v2", "tpu_v3", "tpu_v4"})
    EXPECT_EQ(device_type_named(std::string(chip) + "_core").power->power * 2,
              device_type_named(chip).power->power);
  EXPECT_FALSE(device_type_named("tpu_v5e").power) << "Google publishes none";
  int published = 0;
  for (const DeviceType& type : device_types()) {
    if (!type.power) continue;
    ++published;
    EXPECT_NE(type.power->source, "") << type.id;
    EXPECT_GE(type.power->power, Watts(50)) << type.id;
    EXPECT_LE(type.power->power, Watts(1500)) << type.id;
  }
  EXPECT_GE(published, 40);
}

TEST(DeviceTypes, AV100IsAsItsVendorSays) {
  const DeviceType& v100 = device_type_named("v100_sxm2_16");
  EXPECT_EQ(v100.product, "NVIDIA Tesla V100-SXM2-16GB");
  EXPECT_EQ(v100.kind, Kind::gpu);
  EXPECT_EQ(v100.peak.at(Precision::float32), FlopsPerSecond(15.7e12));
  EXPECT_EQ(v100.peak.at(Precision::float16), 125_TFlop_per_s);
  EXPECT_FALSE(v100.peak.contains(Precision::tf32));
  EXPECT_EQ(v100.memory, 16_GB);
  EXPECT_EQ(v100.memory_bandwidth, 900_GBps);
  EXPECT_EQ(v100.compute_capability, (device::ComputeCapability{7, 0}));
  EXPECT_EQ(v100.processors, 80);
  EXPECT_EQ(v100.launch_gap, 3_us);
  EXPECT_NE(v100.efficiency.at(Precision::float32).source, "");
  EXPECT_EQ(v100.reserve.context + v100.reserve.libraries, 1050_MiB);
}

TEST(DeviceTypes, HasEveryDeviceThatAPlatformMayName) {
  for (const std::string_view id : {"k80_gk210",
                                    "p100_sxm2",
                                    "p100_pcie_16",
                                    "v100_sxm2_16",
                                    "v100_sxm2_32",
                                    "v100_pcie_16",
                                    "t4",
                                    "rtx2080ti",
                                    "rtx8000",
                                    "gtx1080ti",
                                    "rtx3090",
                                    "rtx_a6000",
                                    "rtx6000_ada",
                                    "a100_pcie_40",
                                    "l4",
                                    "a10",
                                    "a100_sxm_40",
                                    "a100_sxm_80",
                                    "a100_pcie_80",
                                    "h100_sxm",
                                    "h100_pcie",
                                    "h200_sxm",
                                    "b200_sxm",
                                    "gb200_gpu",
                                    "rtx3060_12",
                                    "rtx3080_10",
                                    "rtx3080_12",
                                    "rtx4060",
                                    "rtx4070",
                                    "rtx4080",
                                    "rtx4090",
                                    "rtx3060_laptop",
                                    "mi250x",
                                    "mi300x",
                                    "rtx3080_laptop",
                                    "rtx4060_laptop_110w",
                                    "rtx4070_laptop_115w",
                                    "tpu_v2",
                                    "tpu_v3",
                                    "tpu_v4",
                                    "rtx4080_laptop_150w",
                                    "rtx4090_laptop_150w",
                                    "tpu_v5e",
                                    "tpu_v5p",
                                    "tpu_v6e",
                                    "tpu_v7_ironwood",
                                    "epyc_7742"})
    EXPECT_NE(find_device_type(id), nullptr) << id;
  EXPECT_EQ(find_device_type("v100"), find_device_type("v100_sxm2_16"));
  EXPECT_EQ(find_device_type("tpu_v9"), nullptr);
  EXPECT_EQ(find_device_type(""), nullptr);
}

TEST(DeviceTypes, AreSortedAndEachSaysWhereItComesFrom) {
  const auto types = device_types();
  EXPECT_TRUE(std::is_sorted(types.begin(), types.end(),
                             [](const DeviceType& a, const DeviceType& b) { return a.id < b.id; }));
  for (const DeviceType& type : types) {
    EXPECT_FALSE(type.source.empty()) << type.id;
    EXPECT_FALSE(type.reserve.source.empty()) << type.id;
    for (const auto& [precision, efficiency] : type.efficiency) {
      EXPECT_FALSE(efficiency.source.empty()) << type.id;
      EXPECT_TRUE(type.peak.contains(precision) || precision == Precision::float32) << type.id;
    }
  }
}

// The float32 lanes of a multiprocessor by architecture. A lane does 2 operations per cycle (a multiplication
// and an addition), so peak / (2 x lanes x processors) is the clock.
TEST(DeviceTypes, PeaksAndMultiprocessorsImplyAClockThatTheProductCanHave) {
  for (const DeviceType& type : device_types()) {
    if (!type.compute_capability) continue;
    const auto [major, minor] = *type.compute_capability;
    const bool is_graphics = (major == 6 || major == 8) && minor > 0;
    const int lanes = major == 3 ? 192 : major >= 9 || is_graphics ? 128 : 64;
    const double clock = type.peak.at(Precision::float32).count() / (2.0 * lanes * type.processors);
    EXPECT_GT(clock, 0.5e9) << type.id;  // that of a K80, whose two chips share a card's power
    EXPECT_LT(clock, 2.65e9) << type.id;
  }
}

TEST(DeviceTypes, CoresOfATpuAreHalfOfTheirChip) {
  for (const std::string chip : {"tpu_v2", "tpu_v3", "tpu_v4", "tpu_v5p", "tpu_v7_ironwood"}) {
    const DeviceType &whole = device_type_named(chip), &core = device_type_named(chip + "_core");
    EXPECT_EQ(core.peak.at(Precision::bfloat16) * 2, whole.peak.at(Precision::bfloat16)) << chip;
    EXPECT_EQ(core.memory * 2, whole.memory) << chip;
    EXPECT_EQ(core.memory_bandwidth * 2, whole.memory_bandwidth) << chip;
  }
}

TEST(DeviceTypes, AWrongNameIsAnsweredWithTheNearestOne) {
  try {
    device_type_named("rtx409");
    FAIL();
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_TRUE(text.starts_with("unknown device type \"rtx409\"\ndid you mean \"rtx4090\"? known: "))
        << text;
  }
}

// ---- Types that a file describes itself

TEST(DeviceTypes, AFileMayNameOneOrWriteItOut) {
  EXPECT_EQ(read(R"("a100")").id, "a100_sxm_40");
  const DeviceType own =
      read(R"({"id": "mine", "kind": "GPU", "peak": {"float32": "10 TFLOP/s"}, "memory": "8 GiB",
      "memory_bandwidth": "500 GB/s", "compute_capability": "8.9", "processors": 20,
      "efficiency": {"float32": {"convolution": 0.5, "product": 1, "memory": 0.9, "source": "measured"}}})");
  EXPECT_EQ(own.product, "mine");
  EXPECT_EQ(own.compute_capability, (device::ComputeCapability{8, 9}));
  EXPECT_EQ(own.launch_gap, device::generic_launch_gap);
  EXPECT_EQ(own.efficiency.at(Precision::float32).source, "measured");
}

TEST(DeviceTypes, AGenerationGivesWhatTheDeviceLeavesOut) {
  const DeviceType own = read(R"({"id": "mine", "kind": "GPU", "generation": "ampere", "launch_gap": "1 us",
      "peak": {"float32": "10 TFLOP/s", "tf32": "80 TFLOP/s"}, "memory": "8 GiB", "memory_bandwidth": "500 GB/s",
      "efficiency": {"tf32": {"convolution": 0.6, "product": 0.7, "memory": 0.8, "source": "mine"}}})");
  EXPECT_EQ(own.launch_gap, 1_us);
  EXPECT_DOUBLE_EQ(own.efficiency.at(Precision::tf32).product, 0.7);
  EXPECT_EQ(own.efficiency.at(Precision::float16).product,
            device_type_named("a100").efficiency.at(Precision::float16).product);
  EXPECT_EQ(own.reserve.libraries, device_type_named("a100").reserve.libraries);
}

// Those of another precision, of a generation or of another device.
TEST(DeviceTypes, ConstantsMayBeLikeOthers) {
  const std::string rest =
      R"("kind": "GPU", "generation": "ampere", "memory": "8 GiB", "memory_bandwidth": "500 GB/s",
      "peak": {"float32": "10 TFLOP/s", "tf32": "80 TFLOP/s", "float16": "160 TFLOP/s"})";
  const DeviceType own = read(R"({"id": "mine", )" + rest + R"(, "efficiency": {
      "float16": {"like": "tf32", "product": 0.5, "source": "mine"},
      "bfloat16": {"like": "rtx_a6000", "source": "mine"}, "tf32": {"like": "hopper", "source": "mine"}}})");
  const device::Efficiency hopper = device_type_named("h100_sxm").efficiency.at(Precision::tf32);
  EXPECT_EQ(own.efficiency.at(Precision::tf32).memory, hopper.memory);
  EXPECT_EQ(own.efficiency.at(Precision::tf32).source, "mine");
  EXPECT_EQ(own.efficiency.at(Precision::float16).memory, hopper.memory);
  EXPECT_EQ(own.efficiency.at(Precision::float16).product, 0.5);
  EXPECT_EQ(own.efficiency.at(Precision::bfloat16).product,
            device_type_named("rtx_a6000").efficiency.at(Precision::float16).product);
  const std::string wrong = problems_of(R"({"id": "x", )" + rest + R"(,
 "efficiency": {"tf32": {"like": "hoper", "source": "x"}}})");
  EXPECT_TRUE(wrong.starts_with("3:34 \"hoper\" has no constants before these | did you mean \"hopper\"?"))
      << wrong;
}

TEST(DeviceTypes, EveryProblemOfATypeIsReportedAtItsPlace) {
  EXPECT_EQ(problems_of(R"({"id": "x", "kind": "GPUX",
 "peak": {"float16": "-3 TFLOP/s", "fp32": "1 TFLOP/s"},
 "memory": 16,
 "memory_bandwith": "900 GB/s",
 "compute_capability": "seven",
 "processors": 0,
 "launch_gap": "-1 us",
 "efficiency": {"float32": {"convolution": 1.5, "product": 0.5, "memory": 0, "source": ""}}})"),
            R"(7:16 "-1 us" is negative | remove the sign
8:44 1.5 is out of range | it must be at most 1
8:75 0 is out of range | it must be above 0
1:21 unknown kind "GPUX" | did you mean "GPU"? known: CPU, GPU, TPU
2:10 this object has no "float32" | add "float32": it has no default
2:22 "-3 TFLOP/s" is negative | remove the sign
2:36 unknown key "fp32" | known: bfloat16, float16, float32, tf32
3:12 16 has no unit | bytes are written with a unit, as in "16 GiB"; known: B, KB, MB, GB, TB, PB, KiB, MiB, GiB, TiB, PiB
1:1 this object has no "memory_bandwidth" | add "memory_bandwidth": it has no default
5:24 "seven" is not a compute capability | write it as in "8.0"
6:16 0 is out of range | it must be at least 1
4:2 unknown key "memory_bandwith" | did you mean "memory_bandwidth"? known: aliases, compute_capability, efficiency, generation, id, kind, launch_gap, matrix_unit, memory, memory_bandwidth, note, peak, power, processors, product, reserve, source
)");
}

TEST(DeviceTypes, WhatIsNoTypeAtAllIsRefused) {
  EXPECT_EQ(
      problems_of("3"),
      R"(1:1 expected a device type, found a whole number | name one, as in "v100", or write an object with "id", "kind", "peak", "memory" ...
)");
  EXPECT_EQ(
      problems_of(
          R"({"id": "x", "kind": "CPU", "generation": "voltaa", "peak": 3, "memory": "1 GB", "memory_bandwidth": "1 GB/s"})"),
      R"(1:42 unknown generation "voltaa" | did you mean "volta"? known: ada, ampere, ampere_graphics, ampere_graphics_150w, blackwell, cdna2, cdna3, cdna4, hopper, host, kepler, pascal, tpu_v2, tpu_v3, tpu_v4, tpu_v5e, tpu_v5p, tpu_v6e, tpu_v7, turing, volta
1:60 expected an object, found a whole number | 
)");
}

TEST(DeviceTypes, TwoDevicesOfACatalogueMayNotShareAName) {
  const std::string device =
      R"("kind": "CPU", "peak": {"float32": "1 TFLOP/s"}, "memory": "1 GB", "memory_bandwidth": "1 GB/s"})";
  const json::Value value = json::parse(R"({"generations": {}, "devices": [
 {"id": "b", )" + device + R"(,
 {"id": "a", "aliases": ["b"], )" + device + "]}",
                                        "x");
  Problems problems;
  read_device_types(value, problems);
  EXPECT_EQ(what(problems), "3:2 \"b\" already names \"b\" | \n");
}

}  // namespace
}  // namespace wt::platform
