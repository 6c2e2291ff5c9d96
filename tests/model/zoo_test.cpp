#include "model/zoo.h"

#include <gtest/gtest.h>

#include "model/numbers.h"
#include "model/weights.h"
#include "model/zoo/language.h"
#include "support/training_step.h"

namespace wt::model {
namespace {

using test::refusal;
using test::Training;
using test::training;

// The number of multiplications in convolutions and matrix products, which papers state as multiply-adds.
double multiplications(const Step& step) {
  double flops = 0;
  for (const Node& node : step.program.nodes) {
    const auto* apply = std::get_if<Apply>(&node.operation);
    if (apply == nullptr) continue;
    std::vector<TensorSpec> inputs, outputs;
    for (const ValueId input : node.inputs) inputs.push_back(step.program.spec(input));
    for (const ValueId output : node.outputs) outputs.push_back(step.program.spec(output));
    const Work work = apply->kernel->work({inputs, outputs, apply->attributes});
    if (!std::holds_alternative<std::monostate>(work.geometry)) flops += work.flops.count();
  }
  return flops / 2;
}

std::int64_t trainable_tensors(const std::vector<Weight>& weights) {
  return std::count_if(weights.begin(), weights.end(),
                       [](const Weight& weight) { return weight.options.trainable; });
}

struct Expected {
  std::int64_t parameters = 0;  // trainable parameters
  std::int64_t tensors = 0;     // trainable tensors
  double forward_gmac = 0;      // 1e9 multiply-adds per example, rounded to four decimals
};

void expect_size(const ZooChoice& choice, const Expected& expected) {
  const LayerPtr model = choice.build();
  const Forward once = forward(*model, 1);
  EXPECT_EQ(count_parameters(once.weights).trainable, expected.parameters) << choice.model->name;
  EXPECT_EQ(trainable_tensors(once.weights), expected.tensors) << choice.model->name;
  EXPECT_NEAR(multiplications(once.step) / 1e9, expected.forward_gmac, 0.00005) << choice.model->name;
  EXPECT_EQ(multiplications(forward(*model, 2).step), 2 * multiplications(once.step)) << choice.model->name;
}

std::string weights_and_shapes(const Layer& model) {
  std::string text;
  for (const Weight& weight : weights_of(model))
    text += fmt::format("{} {}\n", weight.name, print(weight.spec.shape));
  return text;
}

// ---- the tutorials' models

TEST(P2, TheFashionCnnHasKerasNamesShapesAndParameters) {
  const LayerPtr model = zoo_model("fashion_cnn").build();
  EXPECT_EQ(weights_and_shapes(*model),
            "conv2d/kernel [3,3,1,32]\n"
            "conv2d/bias [32]\n"
            "conv2d_1/kernel [3,3,32,64]\n"
            "conv2d_1/bias [64]\n"
            "dense/kernel [1600,64]\n"
            "dense/bias [64]\n"
            "dense_1/kernel [64,10]\n"
            "dense_1/bias [10]\n");
  EXPECT_EQ(count_parameters(*model).total(), 121930);
  EXPECT_EQ(forward(*model, 4).outputs[0].shape, (Shape{4, 10}));
}

TEST(P3, TheLinearModelHasTwoParameters) {
  const LayerPtr model = zoo_model("linear").build();
  EXPECT_EQ(weights_and_shapes(*model), "dense/kernel [1,1]\ndense/bias [1]\n");
}

// ---- published sizes

// Parameters: He et al., 2015, and torchvision 0.15 for version 1.5. The multiply-adds (3.86, 4.09 and 11.28
// billion) are those of the layer tables of tf_cnn_benchmarks and torchvision.
TEST(Zoo, ResidualNetworksHaveThePublishedSizes) {
  expect_size(zoo_model("resnet50"), {25557032, 161, 4.0892});
  expect_size(zoo_model("resnet50", {{"v1", 1}, {"classes", 1001}}), {25559081, 161, 3.8580});
  expect_size(zoo_model("resnet152"), {60192808, 467, 11.5136});
  expect_size(zoo_model("resnet152", {{"v1", 1}, {"classes", 1001}}), {60194857, 467, 11.2824});
}

// He et al., 2015, table 6: 0.27 million parameters at 20 layers. The projections add 2,752 to the exact
// 269,722.
TEST(Zoo, TheSmallResidualNetworkHasThePublishedSize) {
  EXPECT_EQ(count_parameters(*zoo_model("small_resnet").build()).trainable, 269722 + 2752);
}

TEST(Zoo, Vgg16HasThePublishedSize) {
  expect_size(zoo_model("vgg16"), {138357544, 32, 15.4703});
  expect_size(zoo_model("vgg16", {{"classes", 1001}}), {138361641, 32, 15.4703});
}

TEST(Zoo, AlexnetHasTheSizeOfTensorFlowsBenchmarks) {
  expect_size(zoo_model("alexnet", {{"classes", 1001}}), {61842345, 16, 0.8388});
}

// Keras states 23,851,784, which includes the moving statistics of 94 batch normalizations.
TEST(Zoo, InceptionHasThePublishedSize) {
  expect_size(zoo_model("inception_v3", {{"classes", 1001}}), {23819401, 190, 5.7132});
  EXPECT_EQ(count_parameters(*zoo_model("inception_v3").build()).total(), 23851784);
}

TEST(Zoo, BertFindsMaskedWordsByTheirPositionInTheirRow) {
  for (const std::int64_t rows : {1, 2, 3, 5}) {
    std::vector<float> words;
    std::vector<std::int32_t> positions;
    std::vector<double> wanted;
    for (std::int64_t row = 0; row < rows; ++row) {
      for (int word = 0; word < 4; ++word) words.push_back(static_cast<float>(10 * row + word));
      for (const std::int32_t position : {3, static_cast<std::int32_t>(row) % 4}) {
        positions.push_back(position);
        wanted.push_back(static_cast<double>(10 * row + position));
      }
    }
    test::expect_near(
        test::compute({test::floats({rows, 4, 1}, words), Tensor::of<std::int32_t>({rows, 2}, positions)},
                      [](const std::vector<Symbol>& inputs) {
                        Building building(*inputs[0].trace, false);
                        return (*gather_positions("masked"))(building, inputs).front();
                      }),
        wanted);
  }
}

// Replicas may have different numbers of rows, and strategies lower their steps node by node.
TEST(Zoo, StepsConsistOfTheSameNodesForAnyNumberOfRows) {
  const auto nodes = [](const Layer& model, std::int64_t rows) {
    std::vector<std::string> texts;
    for (const Node& node : training(model, rows).step.program.nodes)
      texts.push_back(fmt::format("{} {} {}", name(node.operation), node.inputs.size(), node.scope));
    return texts;
  };
  for (const ZooModel& row : zoo()) {
    const LayerPtr model = zoo_model(row.name).build();
    const std::vector<std::string> of_one = nodes(*model, 1);
    for (const std::int64_t rows : {2, 3, 8})
      EXPECT_EQ(nodes(*model, rows), of_one) << row.name << " " << rows;
  }
}

// Turc et al., 2019: 4,385,920 parameters including the pooler. Pre-training adds a dense layer, a layer
// normalization and the biases of the vocabulary for masked words, and the two logits of next-sentence
// prediction.
TEST(Zoo, BertTinyHasThePublishedSize) {
  const std::int64_t pretraining = (128 * 128 + 128) + 2 * 128 + 30522 + (2 * 128 + 2);
  EXPECT_EQ(count_parameters(*zoo_model("bert_tiny").build()).trainable, 4385920 + pretraining);
}

// 109,482,240 parameters in the released weights of Devlin et al., 2018, including the pooler.
TEST(Zoo, BertBaseHasThePublishedSize) {
  const std::int64_t pretraining = (768 * 768 + 768) + 2 * 768 + 30522 + (2 * 768 + 2);
  EXPECT_EQ(count_parameters(*zoo_model("bert_base").build()).trainable, 109482240 + pretraining);
}

TEST(Zoo, BertLargeHasThePublishedSizes) {
  expect_size(zoo_model("bert_large"), {336226108, 398, 40.1071});
  expect_size(zoo_model("bert_large", {{"sequence", 512}, {"masked", 80}}), {336226108, 398, 170.0890});
  expect_size(zoo_model("bert_large", {{"sequence", 384}, {"squad", 1}}), {334094338, 391, 123.2127});
}

// The types of what the kernels of this name write, in the order of the program.
std::vector<Type> types_of(std::string_view kernel, const Step& step) {
  std::vector<Type> types;
  for (const Node& node : step.program.nodes) {
    const auto* apply = std::get_if<Apply>(&node.operation);
    if (apply != nullptr && apply->kernel->name == kernel)
      types.push_back(step.program.spec(node.outputs.front()).type);
  }
  return types;
}

// tf-models-official 2.3.0, nlp/modeling/layers/transformer.py: normalizations have dtype float32, and so has the addition
// behind the dense layers; that behind the attention has the policy's. masked_lm.py follows the policy.
TEST(Zoo, BertNormalizesInFloat32WhereItIsAskedTo) {
  const auto types = [](std::string_view kernel, std::int64_t float32_norms) {
    const LayerPtr model = zoo_model("bert_tiny", {{"float32_norms", float32_norms}}).build();
    model->compute_in(Type::float16);
    return types_of(kernel, forward(*model, 1).step);
  };
  const auto wide = [](const std::vector<Type>& all) { return std::ranges::count(all, Type::float32); };
  const std::vector<Type> norms = types("layer_norm", 1);
  EXPECT_EQ(norms.size(), 6);
  EXPECT_EQ(norms.back(), Type::float16);
  EXPECT_EQ(wide(norms), 5);
  EXPECT_EQ(wide(types("layer_norm", 0)), 0);
  EXPECT_EQ(wide(types("add", 1)), 2 + wide(types("add", 0)));
}

// The number of parameters in the released weights of Radford et al., 2019.
TEST(Zoo, TheTransformerIsGpt2AtItsSize) {
  const ZooValues gpt2{
      {"layers", 12}, {"hidden", 768}, {"heads", 12}, {"sequence", 1024}, {"vocabulary", 50257}};
  EXPECT_EQ(count_parameters(*zoo_model("transformer", gpt2).build()).trainable, 124439808);
}

// ---- use

TEST(Zoo, EveryModelCanBeTracedDifferentiatedAndUpdatedFromShapesAlone) {
  for (const ZooModel& model : zoo()) {
    const Training made = training(*zoo_model(model.name).build(), 2);
    const auto updates = std::count_if(made.step.program.nodes.begin(), made.step.program.nodes.end(),
                                       [](const Node& node) { return name(node.operation) == "update"; });
    // Each weight and its two slots are updated, and the number of steps. Moving statistics and random
    // streams come on top.
    EXPECT_GE(updates, 3 * trainable_tensors(made.weights) + 1) << model.name;
  }
}

float loss_after(const Training& made, int steps) {
  return test::run(made.step, test::starting_values(made), {.steps = steps}).at("loss").values<float>()[0];
}

// The batch is the same in every step, so a model with enough parameters can fit its random labels.
TEST(Zoo, ModelsThatAreMeantToBeTrainedLearnABatch) {
  const ZooChoice small[] = {
      zoo_model("mlp", {{"features", 8}, {"units", 16}, {"classes", 2}}),
      zoo_model("small_resnet", {{"blocks", 1}, {"image", 8}, {"classes", 2}}),
      zoo_model("transformer",
                {{"layers", 1}, {"hidden", 16}, {"heads", 2}, {"sequence", 6}, {"vocabulary", 4}}),
      zoo_model("fashion_cnn"),
  };
  for (const ZooChoice& choice : small) {
    const Training made = training(*choice.build(), 4);
    const float before = loss_after(made, 1), after = loss_after(made, 30);
    EXPECT_LT(after, before / 2) << choice.model->name;
  }
}

TEST(Zoo, SaysWhatEachModelIs) {
  std::string names;
  for (const ZooModel& model : zoo()) {
    names += fmt::format("{}{} ", model.name, model.shape_only ? "*" : "");
    EXPECT_FALSE(model.summary.empty()) << model.name;
    for (const ZooParameter& parameter : model.parameters)
      EXPECT_FALSE(parameter.summary.empty()) << parameter.name;
  }
  EXPECT_EQ(names,
            "alexnet* bert_base* bert_large* bert_tiny fashion_cnn inception_v3* linear mlp resnet152* "
            "resnet50 small_resnet "
            "transformer "
            "vgg16 ");
}

// ---- reading

std::string problems_of(const std::string& text) {
  return refusal([&] {
    Problems problems;
    const json::Value value = json::parse(text, "x.json");
    read_zoo_model(value, problems);
    problems.throw_if_any();
  });
}

TEST(Zoo, IsReadAsANameOrWithParameters) {
  Problems problems;
  const auto read = [&](const std::string& text) {
    return read_zoo_model(json::parse(text, "x.json"), problems).value();
  };
  EXPECT_EQ(read(R"("linear")").model->name, "linear");
  const ZooChoice choice = read(R"({"zoo": "transformer", "layers": 3, "causal": false})");
  EXPECT_EQ(choice.values.at("layers"), 3);
  EXPECT_EQ(choice.values.at("causal"), 0);
  EXPECT_EQ(choice.values.at("heads"), 4);
  EXPECT_FALSE(problems.any());
}

TEST(Zoo, NamesWhatIsWrongInAFile) {
  EXPECT_EQ(problems_of(R"("resnet5")"),
            "x.json:1:1: unknown model \"resnet5\"\n"
            "  1 | \"resnet5\"\n"
            "    | ^~~~~~~~~\n"
            "did you mean \"resnet50\"? known: alexnet, bert_base, bert_large, bert_tiny, fashion_cnn, "
            "inception_v3, linear, mlp, resnet152, resnet50, small_resnet, transformer, vgg16");
  EXPECT_EQ(problems_of(R"({"zoo": "mlp", "units": 0})"),
            "x.json:1:25: 0 is out of range\n"
            "  1 | {\"zoo\": \"mlp\", \"units\": 0}\n"
            "    |                         ^\n"
            "it must be at least 1");
  EXPECT_EQ(problems_of(R"({"zoo": "mlp", "unit": 3})"),
            "x.json:1:16: unknown key \"unit\"\n"
            "  1 | {\"zoo\": \"mlp\", \"unit\": 3}\n"
            "    |                ^~~~~~\n"
            "did you mean \"units\"? known: classes, features, layers, units, zoo");
}

TEST(Zoo, NamesWhatIsWrongInACall) {
  EXPECT_EQ(refusal([] {
              zoo_model("mlp", {{"unit", 3}});
            }),
            "mlp has no parameter \"unit\"\ndid you mean \"units\"? known: features, layers, units, classes");
  EXPECT_EQ(refusal([] { zoo_model("mlp", {{"units", 0}}); }), "[mlp] units is 0\nit must be at least 1");
  EXPECT_EQ(refusal([] {
              zoo_model("transformer", {{"hidden", 10}}).build();
            }),
            "[transformer] hidden 10 doesn't divide among 4 heads\nmake hidden a multiple of heads");
  EXPECT_EQ(refusal([] {
              zoo_model("bert_large", {{"sequence", 513}}).build();
            }),
            "[bert_large] sequence is 513\nit must be at most 512");
}

}  // namespace
}  // namespace wt::model
