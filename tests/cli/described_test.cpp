// Claim: a scenario on a described machine says what its devices are and hold, runs out of memory as a
// result, takes simulated time, and computes the same numbers as anywhere else.

#include <gtest/gtest.h>

#include <map>

#include "base/file.h"
#include "cli/scenario_runs.h"

namespace wt {
namespace {

using test::bytes_of;
using test::call;
using test::has;
using test::number_at;
using test::Said;
using test::scenario_file;

class Described : public test::ScenarioRuns {
 protected:
  static std::string validated(const std::string& scenario, const std::string& batch) {
    return call({"validate", "--memory", scenario_file(scenario), "--set",
                 "training.per_replica_batch=" + batch})
        .results;
  }
};

TEST_F(Described, D15_DevicesListsBothPiecesOfTheGpu) {
  EXPECT_EQ(call({"devices", scenario_file("two_virtual_gpus")}).results,
            R"(physical
  /physical_device:CPU:0  a laptop CPU, 8 cores, 3.0 GHz, 32 GB
  /physical_device:GPU:0  NVIDIA GeForce RTX 4060 Laptop GPU, 110 W, 8 GB, compute capability 8.9
logical
  /device:CPU:0  no limit            /physical_device:CPU:0
  /device:GPU:0  1 GiB by GPU_0_bfc  /physical_device:GPU:0
  /device:GPU:1  1 GiB by GPU_1_bfc  /physical_device:GPU:0
1 Physical GPU, 2 Logical GPUs
)");
}

TEST_F(Described, D1_DevicesWithoutAScenarioAreThisMachines) {
  const Said said = call({"devices"});
  EXPECT_EQ(said.exit, cli::Exit::done);
  EXPECT_TRUE(said.results.starts_with("this machine: CPU, ")) << said.results;
}

// fashion_cnn and ResNet-50 on one of two GPUs of 1 GiB each, cut from one.
TEST_F(Described, D14_TheLargestBatchFitsAndOneMoreDoesNot) {
  for (const auto& [scenario, largest] : {std::pair{"two_virtual_gpus", 4494}, {"resnet50_memory", 9}}) {
    SCOPED_TRACE(scenario);
    const std::string fits = validated(scenario, std::to_string(largest));
    EXPECT_TRUE(has(fits, fmt::format("largest batch that fits: {}\n", largest))) << fits;
    EXPECT_FALSE(has(fits, "OOM")) << fits;
    EXPECT_TRUE(validated(scenario, std::to_string(largest + 1)).find("OOM when allocating") !=
                std::string::npos);
  }
}

TEST_F(Described, D14_OutOfMemoryIsAResult) {
  const Said said =
      run("two_virtual_gpus", "out", {"training.per_replica_batch=20000", "dataset.rows=20000"});
  EXPECT_EQ(said.exit, cli::Exit::job_failed);
  const std::string message =
      "OOM when allocating tensor with shape[20000,26,26,32] and type float on "
      "/job:localhost/replica:0/task:0/device:GPU:1 by allocator GPU_1_bfc";
  EXPECT_TRUE(said.messages.starts_with(message + "\n  activation fashion_cnn/conv2d/conv2d#0, for conv2d in "
                                                  "fashion_cnn/conv2d, needs 1.6 GiB; 902.8 MiB free"))
      << said.messages;
  EXPECT_TRUE(has(said.messages, "largest batch that fits: 4494\n")) << said.messages;
  const json::Value found = results("out");
  EXPECT_EQ(found.find("outcome")->string(), "out_of_memory");
  EXPECT_EQ(found.find("message")->string(), message);
  EXPECT_EQ(found.find("planned")->find("shortage")->find("layer")->string(), "fashion_cnn/conv2d");
}

TEST_F(Described, ADescribedGpuComputesWhatTheCpuComputes) {
  ASSERT_EQ(run("two_virtual_gpus", "gpu").exit, cli::Exit::done);
  ASSERT_EQ(run("two_virtual_gpus", "cpu", {"strategy.device=/CPU:0"}).exit, cli::Exit::done);
  EXPECT_EQ(bytes_of(base_ / "gpu/steps.csv"), bytes_of(base_ / "cpu/steps.csv"));
  EXPECT_TRUE(has(bytes_of(base_ / "gpu/steps.csv"), "\n0,9,64,")) << bytes_of(base_ / "gpu/steps.csv");
}

TEST_F(Described, EveryStepHasASimulatedTimeAndAShortOneTakesLess) {
  const Said said = run("two_virtual_gpus", "out", {"dataset.rows=80"});
  ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
  const json::Value found = results("out");
  const auto& steps = found.find("steps")->elements();
  ASSERT_EQ(steps.size(), 2u);
  const double whole = number_at(found, {"simulated", "step_time_s"});
  EXPECT_EQ(number_at(steps[0], {"step_time_s"}), whole);
  EXPECT_LT(number_at(steps[1], {"step_time_s"}), whole);
  EXPECT_LE(number_at(found, {"simulated", "bound_s"}), whole);
  EXPECT_NEAR(number_at(found, {"simulated", "compute_s"}) + number_at(found, {"simulated", "input_s"}),
              whole, 1e-12 * whole);
  EXPECT_EQ(found.find("simulated")->find("precision")->string(), "tf32");
}

TEST_F(Described, TheSameScenarioGivesTheSameBytes) {
  for (const char* out : {"one", "two"})
    ASSERT_EQ(run("two_virtual_gpus", out, {}, {"--threads", out == std::string("one") ? "1" : "2"}).exit,
              cli::Exit::done);
  for (const char* file : {"results.json", "trace.json", "steps.csv"})
    EXPECT_EQ(bytes_of(base_ / "one" / file), bytes_of(base_ / "two" / file)) << file;
}

// On a GeForce Winograd's exact way is as fast, and the library takes it.
TEST_F(Described, Float32TakesLongerThanTf32WhereMatrixUnitsAreFaster) {
  const auto time = [&](const std::string& precision) {
    run("resnet50_memory", precision,
        {"platform=dgx_h100", "devices={}", "strategy={}", "training.precision=" + precision});
    return number_at(results(precision), {"simulated", "compute_s"});
  };
  EXPECT_GT(time("float32"), time("tf32"));
}

TEST_F(Described, AFrameworkThatFusesTakesLessTime) {
  const auto time = [&](const std::string& fusion) {
    run("resnet50_memory", fusion, {"training.per_replica_batch=8", "time.fusion=" + fusion});
    return number_at(results(fusion), {"simulated", "compute_s"});
  };
  EXPECT_GT(time("none"), time("activations"));
  EXPECT_GT(time("activations"), time("program"));
}

TEST_F(Described, AMeasuredStepScalesWhatIsComputed) {
  ASSERT_EQ(run("two_virtual_gpus", "out", {"numerics=none", "time.measured_step=3 ms"}).exit,
            cli::Exit::done);
  const json::Value found = results("out");
  EXPECT_NEAR(number_at(found, {"simulated", "step_time_s"}), 3e-3, 1e-12);
  EXPECT_TRUE(has(found.find("simulated")->find("basis")->string(), "measured"))
      << bytes_of(base_ / "out/results.json");
}

TEST_F(Described, AStepShorterThanItsCopiesIsNoMeasurement) {
  const Said said = run("two_virtual_gpus", "out", {"numerics=none", "time.measured_step=3 ns"});
  EXPECT_EQ(said.exit, cli::Exit::input_wrong);
  EXPECT_TRUE(has(said.messages, "a step of 3 ns is shorter than the copy of its rows alone"))
      << said.messages;
}

// A step of the fashion CNN that would take more operations a second than the device can.
TEST_F(Described, AStepFasterThanThePeakIsNoMeasurement) {
  ASSERT_EQ(run("two_virtual_gpus", "out", {"numerics=none"}).exit, cli::Exit::done);
  const json::Value plain = results("out");
  const double bound = number_at(plain, {"simulated", "bound_s"});
  for (const double share : {0.99, 1.01}) {
    const std::string step = fmt::format("time.measured_step={:.17g} us", 1e6 * bound * share);
    const Said said = run("two_virtual_gpus", "out", {"numerics=none", "input.on_device=true", step});
    EXPECT_EQ(said.exit, share < 1 ? cli::Exit::input_wrong : cli::Exit::done) << said.messages;
    EXPECT_EQ(has(said.messages, "at its peak rates"), share < 1) << said.messages;
  }
}

// Absent and empty are one thing, for every strategy: rows are copied ahead or not, and nothing is decoded.
TEST_F(Described, AnEmptyInputIsNone) {
  for (const std::string scenario : {"resnet50", "two_virtual_gpus", "central_storage_4_gpus",
                                     "multi_worker_2x2", "tpu_v3_8", "parameter_server_4_p100"}) {
    ASSERT_EQ(run(scenario, "without", {"numerics=none"}).exit, cli::Exit::done);
    ASSERT_EQ(run(scenario, "with", {"numerics=none", "input={}"}).exit, cli::Exit::done);
    for (const char* file : {"results.json", "trace.json"})
      EXPECT_EQ(read_text(base_ / "without" / file), read_text(base_ / "with" / file)) << scenario << file;
  }
}

TEST_F(Described, TheTraceHoldsEveryNodeOfTheStep) {
  ASSERT_EQ(run("two_virtual_gpus", "out", {"numerics=none"}).exit, cli::Exit::done);
  const json::Value trace = json::parse_file(base_ / "out/trace.json");
  int kernels = 0, copies = 0;
  std::map<std::pair<double, double>, double> free;  // when each track is
  for (const json::Value& event : trace.find("traceEvents")->elements()) {
    if (event.find("ph")->string() != "X") continue;
    ++(event.find("cat")->string() == "row_copy" ? copies : kernels);
    double& end = free[{number_at(event, {"pid"}), number_at(event, {"tid"})}];
    EXPECT_GE(number_at(event, {"ts"}), end - 1e-9);  // one after the other
    end = number_at(event, {"ts"}) + number_at(event, {"dur"});
  }
  EXPECT_EQ(kernels, 46);
  EXPECT_GE(copies, 2);  // of the rows and of their labels, on each link of the way
  double last = 0;
  for (const auto& [track, end] : free) last = std::max(last, end);
  EXPECT_NEAR(last * 1e-6, number_at(results("out"), {"simulated", "step_time_s"}), 1e-12);
}

TEST_F(Described, D5_LogsWhereEveryOperationGoes) {
  const Said said = run("two_virtual_gpus", "out", {"numerics=none"}, {"--log-device-placement"});
  EXPECT_TRUE(has(said.messages,
                  "fashion_cnn/conv2d/Conv2D: (Conv2D): /job:localhost/replica:0/task:0/device:GPU:1\n"))
      << said.messages;
}

TEST_F(Described, D3_TheDefaultStrategyTakesTheFirstGpu) {
  const Said said =
      call({"validate", "--placement", scenario_file("two_virtual_gpus"), "--set", "strategy={}"});
  EXPECT_TRUE(has(said.results, "fashion_cnn/conv2d/Conv2D")) << said.results;
  EXPECT_FALSE(has(said.results, "GPU:1")) << said.results;
}

TEST_F(Described, ATpuIsUsedOnlyWhereItIsAskedFor) {
  const std::vector<std::string> words{"devices", scenario_file("two_virtual_gpus"),
                                       "--set",   "platform=tpu_v4",
                                       "--set",   "devices={}",
                                       "--set",   "strategy={}"};
  EXPECT_TRUE(
      has(call(words).messages, "without tpu strategy TensorFlow runs on the CPU and leaves TPUs alone"));
}

// At equal total batch: the pieces compute in turns, and their messages and launches come on top.
TEST_F(Described, PiecesOfACardAreNeverFasterThanTheWhole) {
  for (const std::string strategy : {"mirrored", "central_storage", "multi_worker_mirrored"}) {
    double whole = 0;
    for (const int pieces : {1, 2, 4}) {
      std::string cut;
      for (int i = 0; i < pieces; ++i) cut += std::string(i == 0 ? "" : ", ") + R"({"memory_limit": 1500})";
      const Said said = run("two_virtual_gpus", "out",
                            {"strategy=" + strategy, R"(devices={"logical": {"GPU:0": [)" + cut + "]}}",
                             "training.per_replica_batch=" + std::to_string(64 / pieces), "numerics=none"});
      ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
      EXPECT_EQ(has(said.messages, "replicas share one NVIDIA GeForce RTX 4060"), pieces > 1);
      const json::Value found = results("out");
      const double rows = number_at(found, {"simulated", "samples_per_second"});
      EXPECT_LE(number_at(found, {"simulated", "mfu"}), 1);
      if (pieces == 1) whole = rows;
      EXPECT_LE(rows, whole) << strategy << ", " << pieces;
    }
  }
}

}  // namespace
}  // namespace wt
