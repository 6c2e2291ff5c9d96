// Claim: kernels that are measured on this machine drive the simulated time; the profile that a run leaves
// behind repeats it to the byte; a profile of another device is refused, or transferred and marked.

#include <gtest/gtest.h>

#include <algorithm>

#include "base/file.h"
#include "cli/command.h"
#include "device/cuda_device.h"
#include "plan/profile.h"
#include "scenario/schema_check.h"

namespace wt {
namespace {

using test::bytes_of;
using test::call;
using test::has;
using test::number_at;
using test::results_in;
using test::Said;
using test::TestFolder;

class MeasuredKernels : public testing::Test {
 protected:
  // Of four replicas the last batch is short.
  static std::string scenario(const std::string& platform, const std::string& compute) {
    return R"({ "name": "measured", "model": "mlp", "dataset": { "type": "synthetic", "rows": 40 },
      "training": { "loss": "sparse_categorical_crossentropy", "optimizer": "sgd", "per_replica_batch": 8 },
      )" + platform +
           R"("time": { "software": false, "compute": )" + compute + " } }";
  }
  static std::string four() {
    return R"("platform": { "virtual": { "devices": 4, "workers": 4, "type": "this_machine" } },
      "strategy": { "type": "multi_worker_mirrored" },)";
  }

  Said run(const std::string& text, const std::string& out, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{
        "run", folder_.write(out + ".json", text), "--threads", "1", "--out", folder_ / out};
    words.insert(words.end(), more.begin(), more.end());
    return call(words);
  }
  std::string basis(const std::string& out) const {
    const json::Value results = results_in(folder_ / out);
    return results.find("simulated")->find("basis")->string();
  }
  // Always what its schema says.
  static plan::Profile profile_in(const std::string& file) {
    const json::Value rules = json::parse_file(std::string(WT_SOURCE_DIR) + "/scenarios/schema/profile.json");
    const json::Value written = json::parse_file(file);
    EXPECT_TRUE(SchemaCheck(rules).accepts(written)) << file;
    return plan::read_profile(written);
  }
  plan::Profile profile(const std::string& out) const { return profile_in(folder_ / out / "profile.json"); }
  std::string write_profile(const plan::Profile& profile) const {
    folder_.write("profile.json", print(profile));
    return R"({ "profile": "profile.json")";
  }

  TestFolder folder_{};
};

TEST_F(MeasuredKernels, DriveFourCopiesOfThisMachine) {
  ASSERT_EQ(run(scenario(four(), R"("measured")"), "out").messages.find("fault"), std::string::npos);
  const plan::Profile found = profile("out");
  const json::Value results = results_in(folder_ / "out");
  EXPECT_EQ(basis("out"), "measured on " + name(found.device) + ", " + found.date);
  Seconds longest{};
  for (const auto& [call, seconds] : found.kernels) longest = std::max(longest, seconds);
  EXPECT_GT(number_at(results, {"simulated", "compute_s"}), longest.count());
  EXPECT_EQ(number_at(results, {"planned", "replicas"}), 4);
  const json::Value rules = json::parse_file(std::string(WT_SOURCE_DIR) + "/scenarios/schema/results.json");
  EXPECT_TRUE(SchemaCheck(rules).accepts(results));
}

TEST_F(MeasuredKernels, AreRepeatedToTheByteByTheProfileOfTheRun) {
  ASSERT_EQ(run(scenario(four(), R"("measured")"), "out").exit, cli::Exit::done);
  const std::string again = (folder_ / "again").string();
  ASSERT_EQ(call({"run", folder_ / "out" / "scenario.resolved.json", "--threads", "1", "--out", again}).exit,
            cli::Exit::done);
  EXPECT_EQ(bytes_of(folder_ / "out" / "results.json"), bytes_of(folder_ / "again" / "results.json"));
  EXPECT_EQ(bytes_of(folder_ / "out" / "profile.json"), bytes_of(folder_ / "again" / "profile.json"));
}

TEST_F(MeasuredKernels, TimeOneDeviceWhereThereIsNoPlatform) {
  ASSERT_EQ(run(scenario("", R"("measured")"), "out").exit, cli::Exit::done);
  const json::Value results = results_in(folder_ / "out");
  double sum = 0;
  for (const auto& [call, seconds] : profile("out").kernels)
    if (!call.starts_with("copy(")) sum += seconds.count();  // copies run beside kernels
  EXPECT_GE(number_at(results, {"simulated", "compute_s"}), sum * (1 - 1e-9))
      << "each call is made once at least";
}

TEST_F(MeasuredKernels, HalvedInTheProfileHalveTheStep) {
  ASSERT_EQ(run(scenario("", R"("measured")"), "out").exit, cli::Exit::done);
  plan::Profile halved = profile("out");
  for (auto& [call, seconds] : halved.kernels) seconds = seconds / 2;
  ASSERT_EQ(run(scenario("", write_profile(halved) + " }"), "halved").exit, cli::Exit::done);
  EXPECT_NEAR(number_at(results_in(folder_ / "halved"), {"simulated", "step_time_s"}) /
                  number_at(results_in(folder_ / "out"), {"simulated", "step_time_s"}),
              0.5, 1e-9);
}

plan::Profile of_another_machine(plan::Profile profile) {
  profile.device.product = "Another CPU";
  profile.device.rates->product = profile.device.rates->product / 2;
  profile.device.rates->memory = profile.device.rates->memory / 2;
  return profile;
}

TEST_F(MeasuredKernels, OfAnotherDeviceAreRefusedByName) {
  ASSERT_EQ(run(scenario("", R"("measured")"), "out").exit, cli::Exit::done);
  const plan::Profile other = of_another_machine(profile("out"));
  const Said said = run(scenario("", write_profile(other) + " }"), "other");
  EXPECT_EQ(said.exit, cli::Exit::input_wrong);
  EXPECT_TRUE(has(said.messages, "the profile was measured on " + name(other.device) +
                                     ", and the platform's devices are " + name(profile("out").device)))
      << said.messages;
  EXPECT_TRUE(has(said.messages, R"(add "transfer": true for an estimate)")) << said.messages;
}

// Of a GPU with this driver, which no machine here has.
plan::Profile of_a_gpu(plan::Profile profile, const std::string& product) {
  profile.device = {.type = "this_machine",
                    .product = product,
                    .kind = device::Kind::gpu,
                    .setup = "driver for CUDA 13.0, float32",
                    .rates = {{FlopsPerSecond(50e12), BytesPerSecond(3e12)}}};
  return profile;
}

TEST_F(MeasuredKernels, OfAGpuAreRefusedOnThisCpuAndOnAnotherGpu) {
  ASSERT_EQ(run(scenario("", R"("measured")"), "out").exit, cli::Exit::done);
  const plan::Profile gpu = of_a_gpu(profile("out"), "NVIDIA H100 80GB HBM3");
  const std::string two_of_another = R"("platform": "workstation_2x4090",)";
  const std::pair<std::string, std::string> rows[] = {{"", name(profile("out").device)},
                                                      {two_of_another, "NVIDIA GeForce RTX 4090"}};
  for (const auto& [platform, wanted] : rows) {
    const Said said = run(scenario(platform, write_profile(gpu) + " }"), "other");
    EXPECT_EQ(said.exit, cli::Exit::input_wrong);
    EXPECT_TRUE(
        has(said.messages,
            "the profile was measured on NVIDIA H100 80GB HBM3, driver for CUDA 13.0, float32, and the "
            "platform's devices are " +
                wanted))
        << said.messages;
    ASSERT_EQ(run(scenario(platform, write_profile(gpu) + R"(, "transfer": true })"), "moved").exit,
              cli::Exit::done);
    EXPECT_TRUE(has(basis("moved"), "estimated: measured on " + name(gpu.device))) << basis("moved");
  }
}

// The same test where there is a GPU and where there is none.
TEST_F(MeasuredKernels, AreTheGpusWhereNumericsSayCuda) {
  const device::CudaDevices gpus = device::find_cuda_devices();
  const Said said = run(scenario("", R"("measured")"), "out", {"--set", "numerics=cuda"});
  if (gpus.found.empty()) {
    EXPECT_EQ(said.exit, cli::Exit::input_wrong);
    EXPECT_TRUE(has(said.messages, "there is no GPU to compute on: " + gpus.reason)) << said.messages;
    return;
  }
  ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
  EXPECT_EQ(profile("out").device.product, gpus.found.front().product);
  EXPECT_EQ(profile("out").device.kind, device::Kind::gpu);
}

TEST_F(MeasuredKernels, OfAnotherDeviceAreTransferredWhenAskedForAndMarked) {
  ASSERT_EQ(run(scenario("", R"("measured")"), "out").exit, cli::Exit::done);
  const std::string one = R"("platform": { "file": "cpu_cluster_10gbe", "set": { "machines": 1 } },)";
  plan::Profile other = of_another_machine(profile("out"));
  ASSERT_EQ(run(scenario(one, write_profile(other) + R"(, "transfer": true })"), "here").exit,
            cli::Exit::done);
  EXPECT_EQ(basis("here"), "estimated: measured on " + name(other.device) + ", " + other.date +
                               ", times the ratio of rooflines");
  other.device.rates->product = other.device.rates->product / 2;
  other.device.rates->memory = other.device.rates->memory / 2;
  ASSERT_EQ(run(scenario(one, write_profile(other) + R"(, "transfer": true })"), "slower").exit,
            cli::Exit::done);
  EXPECT_NEAR(number_at(results_in(folder_ / "here"), {"simulated", "compute_s"}) /
                  number_at(results_in(folder_ / "slower"), {"simulated", "compute_s"}),
              2, 1e-9)
      << "of a machine half as fast the same times mean half as much work";
  const plan::Profile made = profile("here");
  EXPECT_EQ(made.device.type, "xeon_e5_2698_v4");
  ASSERT_EQ(run(scenario(one, write_profile(made) + " }"), "again").exit, cli::Exit::done);
  EXPECT_EQ(bytes_of(folder_ / "here" / "results.json"), bytes_of(folder_ / "again" / "results.json"));
}

TEST_F(MeasuredKernels, OfThisMachineSayNothingOfDescribedOnes) {
  const Said said = run(scenario(R"("platform": "workstation_2x4090",)", R"("measured")"), "out");
  EXPECT_EQ(said.exit, cli::Exit::input_wrong);
  EXPECT_TRUE(
      has(said.messages,
          "kernels are measured on this machine, and the platform's devices are NVIDIA GeForce RTX 4090"))
      << said.messages;
}

TEST_F(MeasuredKernels, CalibrateKeepsAllThatARunNeeds) {
  const std::string file = folder_.write("s.json", scenario(four(), R"("measured")"));
  const std::string kept = (folder_ / "kept.json").string();
  const Said said = call({"calibrate", file, "--threads", "1", "--as", kept});
  ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
  EXPECT_TRUE(has(said.results, "times")) << said.results;
  EXPECT_TRUE(has(said.results, "kernel calls in " + kept)) << said.results;
  ASSERT_EQ(run(scenario(four(), R"({ "profile": "kept.json" })"), "out").exit, cli::Exit::done);
  EXPECT_TRUE(has(said.results, "copies from")) << said.results;
  const plan::Profile found = profile_in(kept);
  EXPECT_EQ(found.copies.size(), 2u) << "few bytes and many, in the host's memory";
  EXPECT_EQ(basis("out"), "measured on " + name(found.device) + ", " + found.date) << "nothing is estimated";
}

}  // namespace
}  // namespace wt
