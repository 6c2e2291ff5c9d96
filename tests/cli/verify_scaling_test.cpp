// The study of published throughput of several devices, on the rows that are kept beside this test. The bounds
// are what it reaches, rounded up; measurements/README.md says what is in them.
#include "cli/verify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>

#include "base/median.h"
#include "model/weights.h"
#include "scenario/parse.h"
#include "session/training.h"
#include "study/evidence/scaling_fit.h"
#include "study/evidence/scaling_prediction.h"
#include "support/folder.h"

namespace wt {
namespace {

const std::string folder = std::string(WT_TEST_DATA) + "/measurements";

const std::vector<evidence::Measurement>& rows() {
  static const std::vector<evidence::Measurement> rows = evidence::read_measurements(folder);
  return rows;
}

struct Predicted {
  std::vector<evidence::Measurement> rows{};
  evidence::ScalingPredictions predictions{};  // of these rows
};

// The rows of a group alone: each takes seconds.
Predicted predictions_of(std::string_view group) {
  const evidence::Arrangement& arrangement = evidence::arrangement_named(group);
  Predicted predicted;
  std::ranges::copy_if(rows(), std::back_inserter(predicted.rows), [&](const evidence::Measurement& row) {
    return row.system.find(arrangement.system) != std::string::npos &&
           row.strategy.starts_with(arrangement.strategy) &&
           row.source.find(arrangement.source) != std::string::npos;
  });
  predicted.predictions = evidence::predict_scaling(predicted.rows);
  return predicted;
}

const evidence::Measurement& row_of(std::string_view system, std::string_view model, int devices) {
  return *std::ranges::find_if(rows(), [&](const evidence::Measurement& row) {
    return row.system.find(system) != std::string::npos && row.model.starts_with(model) &&
           row.devices == devices && evidence::is_throughput(row);
  });
}

struct Errors {
  std::vector<double> absolute{}, scaling{}, scaling_of_8{};

  Errors(const Predicted& predicted, std::string_view group) {
    for (const evidence::ScalingPrediction& each : predicted.predictions.made) {
      if (each.arrangement->group != group) continue;
      absolute.push_back(std::abs(each.absolute / each.row->value - 1));
      scaling.push_back(std::abs(each.scaled.value() / each.row->value - 1));
      if (each.row->devices == 8) scaling_of_8.push_back(scaling.back());
    }
  }
};

double largest(const std::vector<double>& errors) { return *std::ranges::max_element(errors); }

// ---- What a row becomes

TEST(VerifyScaling, ARowsScenarioIsWhatTheRowSays) {
  const evidence::Measurement& row = row_of("DGX-1 8xP100", "ResNet-152", 4);
  const scenario::Scenario scenario = scenario::parse(
      evidence::scenario_text(row, evidence::arrangement_named("central storage, P100"), Seconds(0.5)),
      "row.json");
  const scenario::Job job = scenario::build(scenario);
  EXPECT_EQ(job.machine.platform->name(), "dgx1_p100");
  EXPECT_EQ(job.machine.replicas.size(), 4u);
  EXPECT_EQ(job.machine.center->name.kind, device::Kind::cpu);
  EXPECT_EQ(job.global_batch, 4 * 64);
  // 60.19 million with 1000 classes (He et al., 2015), and one class more.
  EXPECT_NEAR(static_cast<double>(model::count_parameters(job.weights).trainable), 60.19e6, 0.01e6);
  EXPECT_EQ(scenario.numerics, scenario::Numerics::none);
  EXPECT_EQ(scenario.time.measured_step, Seconds(0.5));
}

TEST(VerifyScaling, APodOfManyChipsHasTwoReplicasOnEach) {
  const evidence::Measurement& row = row_of("tpu-v3-256", "resnet", 128);
  const scenario::Job job = scenario::build(scenario::parse(
      evidence::scenario_text(row, evidence::arrangement_named("torus, TPU v3")), "row.json"));
  EXPECT_EQ(job.machine.replicas.size(), 256u);
  EXPECT_EQ(job.global_batch, 32768);
}

// With its variables on the host the measured device waits for them, too.
TEST(VerifyScaling, TheMeasuredRowItselfIsExact) {
  const evidence::Measurement& base = row_of("DGX-1 8xP100", "ResNet-50", 1);
  const Seconds published(64 / base.value);
  const scenario::Scenario scenario = scenario::parse(
      evidence::scenario_text(base, evidence::arrangement_named("central storage, P100"), published),
      "row.json");
  session::Training training(scenario, scenario::build(scenario), {});
  const timing::Simulated& simulated = training.clock().step().summary;
  EXPECT_NEAR(simulated.step / published, 1, 1e-8);
  EXPECT_GT(simulated.exposed, Seconds(102e6 / 12.35e9)) << "25.6 million weights over PCIe";
  EXPECT_EQ(training.clock().baseline().step, simulated.step);
}

// ---- How near they come

// Each gradient pushed, added and applied behind the backward pass; then all variables at once over uplinks that
// two devices share. Nothing of it was fitted to these rows.
TEST(VerifyScaling, CentralStorageOnTheHostScalesAsPublished) {
  const Errors errors(predictions_of("central storage, P100"), "central storage, P100");
  ASSERT_EQ(errors.scaling.size(), 18u);
  EXPECT_LT(median(errors.scaling), 0.015);
  EXPECT_LT(largest(errors.scaling), 0.06);
  EXPECT_LT(median(errors.scaling_of_8), 0.01);
  EXPECT_LT(median(errors.absolute), 0.04);
  EXPECT_LT(largest(errors.absolute), 0.10);
}

// The spread of the slowest device was, beside others. Two GPUs in mixed precision are the largest: their published step is faster than one's.
TEST(VerifyScaling, OverlappingAllReducesScaleAsPublished) {
  const Errors errors(predictions_of("NCCL and MXNet, V100"), "NCCL and MXNet, V100");
  ASSERT_EQ(errors.scaling.size(), 6u);
  EXPECT_LT(median(errors.scaling), 0.01);
  EXPECT_LT(largest(errors.scaling), 0.052);
}

// Steps in mixed precision lose more, as if their input kept them waiting.
TEST(VerifyScaling, OtherFrameworksLoseMoreThanTheirLinksExplain) {
  for (const auto& [group, bound] :
       {std::pair("NCCL and XLA, V100", 0.05), {"NCCL and XLA, A100", 0.06}, {"NCCL and XLA, DGX-2", 0.18}}) {
    const Errors errors(predictions_of(group), group);
    ASSERT_EQ(errors.scaling.size(), 2u) << group;
    EXPECT_LT(largest(errors.scaling), bound) << group;
  }
}

// Through the host's memory, from one face of the cube to the other, all eight come nearer to what was seen.
TEST(VerifyScaling, TodaysRingsAreFasterThanThoseOf2017) {
  const Predicted predicted = predictions_of("NCCL 1, P100");
  const Errors today(predicted, "NCCL of today, P100"), old(predicted, "NCCL 1, P100");
  ASSERT_EQ(today.scaling.size(), 9u);
  ASSERT_EQ(old.scaling.size(), 9u);
  EXPECT_GT(largest(today.scaling_of_8), 0.2);
  EXPECT_LT(median(old.scaling_of_8), median(today.scaling_of_8));
  EXPECT_LT(median(old.scaling), 0.06);
  EXPECT_LT(largest(old.scaling), 0.2);
}

// With the communication of 128 chips in the constants of one.
TEST(VerifyScaling, SlicesOfATorusComeNear) {
  const std::vector<evidence::Measurement> own{row_of("tpu-v3-32", "resnet", 16),
                                               row_of("tpu-v3-256", "resnet", 128)};
  const evidence::ScalingPredictions predictions = evidence::predict_scaling(own);
  ASSERT_EQ(predictions.made.size(), 2u);
  EXPECT_NEAR(predictions.made[0].absolute / own[0].value, 1, 0.06);
  EXPECT_NEAR(predictions.made[1].absolute / own[1].value, 1, 0.03);
  EXPECT_FALSE(predictions.made[0].scaled);
  EXPECT_NEAR(predictions.made[1].scaled.value() / own[1].value, 1, 0.05);
}

// TensorFlow's own strategies on V100: one pack after the backward pass on one machine, each gradient by itself during the
// backward pass on several, relative to the row of one device, whatever strategy that names.
TEST(VerifyScaling, PredictsResNetUnderTensorFlow2FromTheRowOfOneDevice) {
  std::vector<evidence::Measurement> own;
  std::ranges::copy_if(rows(), std::back_inserter(own), [](const evidence::Measurement& row) {
    return row.source.find("DLPerf TensorFlow/resnet50") != std::string::npos && row.type == "fp32";
  });
  const evidence::ScalingPredictions predictions = evidence::predict_scaling(own);
  ASSERT_EQ(predictions.made.size(), 5u);
  for (const evidence::ScalingPrediction& each : predictions.made) {
    EXPECT_EQ(each.arrangement->regime,
              each.row->devices > 8 ? evidence::Regime::one_by_one : evidence::Regime::one_pack);
    EXPECT_EQ(each.base->devices, 1);
    EXPECT_NEAR(each.scaled.value() / each.row->value, 1,
                each.row->devices < 8    ? 0.12
                : each.row->devices > 16 ? 0.06
                                         : 0.04)
        << each.row->devices;
  }
}

// Where gradients follow each other behind the backward pass, their number decides and not their bytes. What passes
// between two of them is read off ResNet-50 alone here, and the rows of BERT are judged by it.
TEST(VerifyScaling, WhatOneNetworksCollectivesTakePredictsTheOther) {
  std::vector<evidence::Measurement> own;
  std::ranges::copy_if(rows(), std::back_inserter(own), [](const evidence::Measurement& row) {
    return row.source.find("DLPerf TensorFlow") != std::string::npos &&
           (row.devices == 1 || row.devices == 16);
  });
  const evidence::CollectiveFit fit = evidence::fit_collective_of_workers(own);
  EXPECT_EQ(fit.rows, 6u);
  EXPECT_GT(fit.before, 0.3);
  EXPECT_LT(fit.after, 0.05);
  ASSERT_EQ(fit.left_out.size(), 2u);
  EXPECT_EQ(fit.left_out[0].network, "bert_base");
  EXPECT_LT(fit.left_out[0].error, 0.06);
  EXPECT_NEAR(fit.left_out[0].found.count(), 0.9e-3, 0.15e-3);
}

// Written as one pack, rows of this group came out up to 111 % too fast.
TEST(VerifyScaling, WorkersOfTensorFlow23ReduceGradientsOneByOne) {
  Predicted predicted;
  std::ranges::copy_if(rows(), std::back_inserter(predicted.rows), [](const evidence::Measurement& row) {
    return row.source.find("DLPerf TensorFlow") != std::string::npos && (row.devices == 1 || row.devices > 8);
  });
  predicted.predictions = evidence::predict_scaling(predicted.rows);
  const Errors errors(predicted, "TensorFlow 2, machines of V100");
  ASSERT_EQ(errors.scaling.size(), 14u);
  EXPECT_LT(median(errors.scaling), 0.06);
  EXPECT_LT(largest(errors.scaling), 0.21);
}

// ---- What is printed

TEST(VerifyScaling, TellsWhatIsLeftOutAndWhy) {
  std::vector<evidence::Measurement> own;
  std::ranges::copy_if(rows(), std::back_inserter(own), [](const evidence::Measurement& row) {
    return row.devices == 1 || !evidence::is_throughput(row);
  });
  const evidence::ScalingPredictions predictions = evidence::predict_scaling(own);
  EXPECT_TRUE(predictions.made.empty());
  EXPECT_EQ(predictions.left_out,
            (std::vector<std::string>{"9 rows: its source doesn't state a machine and a precision that the "
                                      "catalogue has",
                                      "78 rows: not a training throughput",
                                      "184 rows: one device, which `verify measurements` predicts"}));
}

TEST(VerifyScaling, PrintsGroupsWithTheirErrorsAndCsvWithTheNumbers) {
  const test::TestFolder written;
  std::string text =
      "source,system,devices,nodes,gpus_per_node,strategy_or_algo,model_or_op,bytes_or_batch,dtype,metric,"
      "value,unit\n";
  for (const char* devices : {"1,1,1,replicated(NCCL),AlexNet,512/GPU,fp32,throughput,2987",
                              "2,1,2,replicated(NCCL),AlexNet,512/GPU,fp32,throughput,5658"})
    text += fmt::format("s,\"a DGX-1 8xP100, of 2017\",{},images/s\n", devices);
  written.write("rows.csv", text);
  std::ostringstream table, csv, messages;
  EXPECT_EQ(cli::verify_scaling({written.path().string(), false}, {table, messages}), cli::Exit::done);
  EXPECT_EQ(cli::verify_scaling({written.path().string(), true}, {csv, messages}), cli::Exit::done);
  EXPECT_EQ(messages.str(), "");
  EXPECT_NE(table.str().find("NCCL of today, P100: 1 row, gradients one pack\n"), std::string::npos)
      << table.str();
  EXPECT_NE(table.str().find("left out: 1 row: one device, which `verify measurements` predicts\n"),
            std::string::npos);
  EXPECT_TRUE(csv.str().starts_with(
      "group,system,network,devices,batch,unit,base_devices,published,absolute,scaling\n"
      "\"NCCL of today, P100\",\"a DGX-1 8xP100, of 2017\",alexnet,2,512,images/s,1,5658,"))
      << csv.str();
}

std::string refusal(const std::string& text) {
  const test::TestFolder written;
  written.write("rows.csv", text);
  std::ostringstream results, messages;
  try {
    cli::verify_scaling({written.path().string(), false}, {results, messages});
  } catch (const InputError& error) {
    return error.problems().front().fact;
  }
  return "accepted";
}

TEST(VerifyScaling, RowsOfOneDeviceAloneAreRefused) {
  EXPECT_NE(refusal("source,system,devices,nodes,gpus_per_node,strategy_or_algo,model_or_op,bytes_or_batch,"
                    "dtype,metric,value,unit\n"
                    "s,DGX-1 8xP100,1,1,1,replicated(NCCL),AlexNet,512/GPU,fp32,throughput,2987,images/s\n")
                .find("is about several devices"),
            std::string::npos);
}

}  // namespace
}  // namespace wt
