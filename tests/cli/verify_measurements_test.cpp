// The study of published training throughput, on the rows that are kept beside this test.
#include "cli/verify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <tuple>

#include "platform/device_types.h"
#include "study/evidence/measurement_study.h"
#include "study/evidence/prediction.h"
#include "support/folder.h"

namespace wt {
namespace {

using device::Efficiency;

const std::string folder = std::string(WT_TEST_DATA) + "/measurements";

const evidence::Predictions& all() {
  static const std::vector<evidence::Measurement> rows = evidence::read_measurements(folder);
  static const evidence::Predictions predictions = evidence::predict(rows);
  return predictions;
}

struct Errors {
  std::vector<double> sizes{};
  double median() {
    std::sort(sizes.begin(), sizes.end());
    return sizes[sizes.size() / 2];
  }
  double largest() const { return *std::max_element(sizes.begin(), sizes.end()); }
};

template <class Constants>
Errors errors(std::string_view group, Constants constants) {
  Errors result;
  for (const evidence::Prediction& each : all().made)
    if (each.setup.group == group)
      result.sizes.push_back(std::abs(each.predicted(constants(each)) / each.published - 1));
  return result;
}

Errors zero_shot(std::string_view group) {
  return errors(group, [](const evidence::Prediction&) { return Efficiency{}; });
}

Errors with_own_constants(std::string_view group) {
  return errors(group, [](const evidence::Prediction& each) {
    return plan::efficiency_of(platform::device_type_named(each.setup.device), each.setup.precision);
  });
}

TEST(VerifyMeasurements, PredictsEveryRowOfOneDevice) {
  std::map<std::string_view, int> counts;
  for (const evidence::Prediction& each : all().made) ++counts[each.setup.group];
  const std::map<std::string_view, int> wanted{{"P100 float32", 9},
                                               {"K80 float32", 19},
                                               {"V100 float32", 17},
                                               {"V100 float16", 16},
                                               {"A10 tf32", 3},
                                               {"A10 float16", 3},
                                               {"A100 tf32", 18},
                                               {"A100 float16", 18},
                                               {"H100 tf32", 12},
                                               {"H100 float16", 9},
                                               {"TPU v3 bfloat16", 1},
                                               {"TPU v4 bfloat16", 2},
                                               {"products bfloat16", 6},
                                               {"RTX 8000 float32", 6},
                                               {"RTX 8000 float16", 6},
                                               {"RTX 2080 Ti float32", 3},
                                               {"RTX 2080 Ti float16", 3},
                                               {"GTX 1080 Ti float32", 3},
                                               {"GTX 1080 Ti float16", 3},
                                               {"RTX 3080 tf32", 3},
                                               {"RTX 3080 float16", 3},
                                               {"RTX 3090 tf32", 6},
                                               {"RTX 3090 float16", 6},
                                               {"RTX A6000 tf32", 3},
                                               {"RTX A6000 float16", 3},
                                               {"RTX 4090 tf32", 3},
                                               {"RTX 4090 float16", 3},
                                               {"RTX 6000 Ada tf32", 3},
                                               {"RTX 6000 Ada float16", 3}};
  EXPECT_EQ(counts, wanted);
  EXPECT_EQ(all().left_out,
            (std::vector<std::string>{
                "34 rows: its source doesn't state a machine and a precision that the catalogue has",
                "58 rows: not a throughput", "123 rows: several devices, which `verify scaling` predicts"}));
}

const evidence::Prediction& first(std::string_view group, std::string_view network, std::int64_t batch) {
  return *std::ranges::find_if(all().made, [&](const evidence::Prediction& each) {
    return each.setup.group == group && each.network == network && each.batch == batch;
  });
}

// NVIDIA's table of BERT has the batches of two precisions in one cell, and calls tf32 "FP32".
TEST(VerifyMeasurements, ReadsWhatARowSaysOfItsPrecision) {
  EXPECT_EQ(first("A100 float16", "bert_large", 76).published, 134.22);
  EXPECT_EQ(first("A100 tf32", "bert_large", 38).published, 43.9);
  EXPECT_EQ(first("V100 float16", "bert_large", 6).published, 39.1);
  EXPECT_EQ(first("V100 float32", "bert_large", 3).published, 9.85);
  const evidence::Setup setup = first("V100 float16", "bert_large", 6).setup;
  EXPECT_EQ(setup.policy, "mixed_float16");
  EXPECT_EQ(setup.fusion, "activations") << "with XLA";
}

// TensorFlow without XLA runs one kernel for each operation: the notes of two rows differ in nothing else.
TEST(VerifyMeasurements, TheNoteOfARowSaysWhetherXlaCompiledIt) {
  std::map<double, std::string_view> fusions;
  for (const evidence::Prediction& each : all().made)
    if (each.setup.group == "V100 float16" && each.network == "bert_base" && each.batch == 64)
      fusions[each.published] = each.setup.fusion;
  EXPECT_EQ(fusions, (std::map<double, std::string_view>{{228.66, "none"}, {414.78, "activations"}}));
}

// A plan with halves, whose variables are updated in float32.
TEST(VerifyMeasurements, MixedPrecisionIsThatOfAScenario) {
  const evidence::Prediction& row = first("V100 float16", "resnet50", 192);
  EXPECT_GT(row.step.beside, Seconds(0)) << "the updates";
  for (const plan::Demand& demand : row.step.demands) EXPECT_EQ(demand.precision, device::Precision::float16);
}

// Generic constants; what the model's form owes to these rows stands in measurements/README.md.
TEST(VerifyMeasurements, ShapesAloneTellAP100AndAV100WithinAFewPercent) {
  EXPECT_LT(zero_shot("P100 float32").median(), 0.09);
  EXPECT_LT(zero_shot("P100 float32").largest(), 0.17);
  EXPECT_LT(zero_shot("V100 float32").median(), 0.10);
  EXPECT_LT(zero_shot("V100 float16").median(), 0.13);
}

TEST(VerifyMeasurements, ShapesAloneTellWhatTensorCoresReachInAProduct) {
  for (const evidence::Prediction& each : all().made) {
    if (each.setup.group != "products bfloat16" || each.setup.device == "mi300x") continue;
    EXPECT_NEAR(each.predicted({}) / each.published, 1, 0.13) << each.setup.device;
  }
  EXPECT_LT(with_own_constants("products bfloat16").largest(), 0.05);
}

// At the base clock, which two chips of a card keep together, and with uncorrected memory, which no cloud has.
TEST(VerifyMeasurements, AK80IsSlowerThanItsDataSheetSays) {
  EXPECT_GT(zero_shot("K80 float32").median(), 0.3);
  EXPECT_LT(zero_shot("K80 float32").median(), 0.5);
}

// What the generic constants are worth on seven cards, whose constants are of their own.
TEST(VerifyMeasurements, GenericConstantsTellCardsThatTheyWereNotMadeFor) {
  double sum = 0;
  int cards = 0;
  for (const evidence::PredictionGroup each : evidence::groups_of(all().made)) {
    const std::string& group = each.front().setup.group;
    if (!group.starts_with("RTX ") || group.ends_with("float16")) continue;
    sum += zero_shot(group).median();
    ++cards;
  }
  EXPECT_EQ(cards, 7);
  EXPECT_LT(sum / cards, 0.13);
}

// Lambda's ResNet-50 keeps its images with their channels first. Without the turning of halves it would be far too fast.
TEST(VerifyMeasurements, TurningImagesIsWhatExplainsPyTorchInMixedPrecision) {
  for (const std::string_view group : {"V100 float16", "A100 float16", "H100 float16"})
    for (evidence::Prediction each : all().made) {
      if (each.setup.group != group || !each.setup.is_channels_first) continue;
      EXPECT_NEAR(each.predicted(Efficiency{}) / each.published, 1, 0.36) << group;
      for (plan::Demand& demand : each.step.demands)
        for (plan::Method& method : demand.methods) method.transformed = 0;
      EXPECT_GT(each.predicted(Efficiency{}) / each.published, 1.3) << group;
    }
}

// The catalogue has an RTX 3080 with 10 GB and one with 12, and an A10 beside an A100.
TEST(VerifyMeasurements, SystemsNameTheCardThatTheyHave) {
  evidence::Measurement row{.type = "FP32", .devices = 1};
  for (const auto& [system, device] : {std::pair("Lambda RTX 3080 (10 GB)", "rtx3080_10"),
                                       {"two RTX 3080 12GB", "rtx3080_12"},
                                       {"server with A10", "a10"},
                                       {"an NVIDIA L4", "l4"},
                                       {"Quadro RTX 8000", "rtx8000"}}) {
    row.system = system;
    ASSERT_TRUE(evidence::setup_of(row)) << system;
    EXPECT_EQ(evidence::setup_of(row)->device, device) << system;
  }
  for (const std::string system : {"an XRTX 3080", "RTX 30800", "a T400"}) {
    row.system = system;
    EXPECT_FALSE(evidence::setup_of(row)) << system;
  }
}

TEST(VerifyMeasurements, ThreeConstantsOfAGenerationTellItWithinFivePercent) {
  EXPECT_LT(with_own_constants("P100 float32").median(), 0.03);
  EXPECT_LT(with_own_constants("P100 float32").largest(), 0.08);
  EXPECT_LT(with_own_constants("K80 float32").median(), 0.03);
  EXPECT_LT(with_own_constants("K80 float32").largest(), 0.08);
  EXPECT_LT(with_own_constants("V100 float32").median(), 0.05);
  EXPECT_LT(with_own_constants("V100 float32").largest(), 0.14);
}

// Convolutional and transformer networks together. The rows of the A100 in tf32 contradict each other: BERT-large in
// TensorFlow takes 1.7 times as long as in PyTorch.
TEST(VerifyMeasurements, ConstantsFitConvolutionsAndTransformersTogether) {
  for (const auto& [group, median, largest] : {std::tuple("V100 float16", 0.075, 0.49),
                                               {"A100 float16", 0.05, 0.24},
                                               {"A100 tf32", 0.11, 0.51},
                                               {"H100 tf32", 0.04, 0.10},
                                               {"H100 float16", 0.05, 0.10},
                                               {"A10 tf32", 0.03, 0.03},
                                               {"TPU v4 bfloat16", 0.03, 0.03}}) {
    EXPECT_LT(with_own_constants(group).median(), median) << group;
    EXPECT_LT(with_own_constants(group).largest(), largest) << group;
  }
}

Errors of_other_devices(std::string_view group) {
  for (const evidence::PredictionGroup each : evidence::groups_of(all().made))
    if (each.front().setup.group == group) {
      Errors errors{evidence::without_own_device(each, all().made)};
      for (double& error : errors.sizes) error = std::abs(error);
      return errors;
    }
  return {};
}

// An H100 with PCIe and one with SXM tell each other. A device without siblings has the generic constants, and a TPU
// those of other TPUs.
TEST(VerifyMeasurements, DevicesOfAGenerationTellEachOther) {
  EXPECT_LT(of_other_devices("H100 tf32").largest(), 0.12);
  EXPECT_LT(of_other_devices("V100 float32").median(), 0.07);
  EXPECT_EQ(of_other_devices("K80 float32").sizes, zero_shot("K80 float32").sizes);
  EXPECT_LT(of_other_devices("TPU v3 bfloat16").largest(), 0.12);
  EXPECT_LT(of_other_devices("TPU v4 bfloat16").largest(), 0.12);
}

TEST(VerifyMeasurements, ASummaryIsThatOfTheErrors) {
  const evidence::ErrorSummary summary = evidence::summary_of({0.1, -0.3, 0.05, -0.05, 0.2});
  EXPECT_DOUBLE_EQ(summary.median, 0.1);
  EXPECT_DOUBLE_EQ(summary.largest, 0.3);
  EXPECT_NEAR(summary.bias, 0, 1e-15);
}

// The catalogue's constants are the ones that the rows give.
TEST(VerifyMeasurements, ConstantsOfTheCatalogueAreTheFittedOnes) {
  int fitted = 0;
  for (const evidence::PredictionGroup group : evidence::groups_of(all().made)) {
    const std::optional<evidence::MeasurementFit> fit = evidence::fit_of(group);
    if (!fit) continue;
    const evidence::Setup& setup = group.front().setup;
    const Efficiency own = plan::efficiency_of(platform::device_type_named(setup.device), setup.precision);
    if (own.fitted_to != setup.group) continue;  // a card with constants of other devices
    EXPECT_NEAR(fit->efficiency.convolution, own.convolution, 0.005) << setup.group;
    ++fitted;
    EXPECT_NEAR(fit->efficiency.product, own.product, 0.005) << setup.group;
    EXPECT_NEAR(fit->efficiency.memory, own.memory, 0.005) << setup.group;
  }
  EXPECT_EQ(fitted, 24);
}

// Without another choice than the direct one, VGG16 and AlexNet are far too slow.
TEST(VerifyMeasurements, TheChoiceOfAlgorithmIsWhatExplainsVgg16AndAlexNet) {
  for (evidence::Prediction each : all().made) {
    if (each.setup.group != "P100 float32" || (each.network != "vgg16" && each.network != "alexnet"))
      continue;
    for (plan::Demand& demand : each.step.demands) demand.methods.resize(1);
    EXPECT_LT(each.predicted({}) / each.published - 1, -0.25) << each.network;
  }
}

TEST(VerifyMeasurements, PrintsGroupsWithTheirErrorsAndCsvWithTheNumbers) {
  std::ostringstream text, csv, messages;
  EXPECT_EQ(cli::verify_measurements({folder, false}, {text, messages}), cli::Exit::done);
  EXPECT_EQ(cli::verify_measurements({folder, true}, {csv, messages}), cli::Exit::done);
  EXPECT_EQ(messages.str(), "");
  EXPECT_NE(text.str().find("P100 float32: 9 rows, one number: time x "), std::string::npos);
  EXPECT_NE(text.str().find("; each network by the others: median "), std::string::npos);
  EXPECT_NE(text.str().find("\n  mean of the groups' medians "), std::string::npos);
  EXPECT_NE(text.str().find("left out: 58 rows: not a throughput\n"), std::string::npos);
  const std::string lines = csv.str();
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 1 + 193);
  EXPECT_TRUE(lines.starts_with(
      "group,system,device,network,batch,unit,published,zero_shot,one_number,own_constants\n"
      "products bfloat16,NVIDIA A100 SXM ,a100_sxm_80,1024x10240x5120,0,TFLOP/s,271.2,"));
  EXPECT_NE(lines.find("P100 float32,DGX-1 8xP100,p100_sxm2,inception_v3,64,images/s,142,"),
            std::string::npos);
  EXPECT_NE(lines.find("K80 float32,\"EC2 p2.8xlarge cluster (8xK80 GPUs each, PS co-located)\",k80_gk210,"),
            std::string::npos);
}

std::string refusal(const std::string& text) {
  const test::TestFolder written;
  written.write("rows.csv", text);
  std::ostringstream results, messages;
  try {
    cli::verify_measurements({written.path().string(), false}, {results, messages});
  } catch (const InputError& error) {
    std::string lines;
    for (const Problem& problem : error.problems())
      lines += fmt::format("{}: {} | {}\n", problem.place.line, problem.fact, problem.remedy);
    return lines;
  }
  return "accepted";
}

TEST(VerifyMeasurements, FilesMayHaveFurtherColumns) {
  const test::TestFolder written;
  written.write(
      "rows.csv",
      "source,system,devices,nodes,gpus_per_node,strategy_or_algo,model_or_op,bytes_or_batch,dtype,metric,"
      "value,unit,usable,note\n"
      "s,DGX-1 8xP100,1,1,1,x,VGG16,64/GPU,fp32,throughput,10,images/s,A,\"XLA off, median\"\n");
  const auto rows = evidence::read_measurements(written.path());
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows.front().note, "XLA off, median");
}

TEST(VerifyMeasurements, EveryBadRowIsToldAtItsLine) {
  const std::string columns =
      "source,system,devices,nodes,gpus_per_node,strategy_or_algo,model_or_op,bytes_or_batch,dtype,metric,"
      "value,unit\n";
  EXPECT_EQ(refusal(columns + "a,b,c\n" +
                    "s,\"DGX-1, 8xP100\",0,1,1,x,VGG16,64/GPU,fp32,throughput,fast,images/s\n"),
            "2: the line has 3 cells, and it must have 12 | put cells with commas in quotes\n"
            "3: \"0\" is not a number of devices | \n"
            "3: \"fast\" is not a number of at least 0 | \n");
  EXPECT_EQ(
      refusal("a,b\n"),
      "1: the file doesn't begin with the expected columns | begin with "
      "source,system,devices,nodes,gpus_per_node,strategy_or_algo,model_or_op,bytes_or_batch,dtype,metric,"
      "value,unit\n");
  EXPECT_EQ(refusal(columns + "s,DGX-1 8xP100,1,1,1,x,VGG16,many,fp32,throughput,10,images/s\n"),
            "2: \"many\" is not a batch | write \"64/GPU\" or \"4096 global\"\n");
  EXPECT_EQ(refusal(columns + "s,A100 SXM,1,1,1,x,matmul MxNxK 3x,3x,bf16,achieved,10,TFLOP/s\n"),
            "2: \"3x\" is not the sizes of a matrix product | write \"1024x10240x5120\": m, n, k\n");
  EXPECT_TRUE(refusal(columns).find("is about one device") != std::string::npos);
}

}  // namespace
}  // namespace wt
