// Claim: each layer has the output shape and the weights of its Keras counterpart, and refuses inputs that do
// not fit.
#include <gtest/gtest.h>

#include <fmt/ranges.h>

#include "model/layers/activation.h"
#include "model/layers/attention.h"
#include "model/layers/convolution.h"
#include "model/layers/dense.h"
#include "model/layers/dropout.h"
#include "model/layers/embedding.h"
#include "model/layers/locally_connected.h"
#include "model/layers/lookup.h"
#include "model/layers/merging.h"
#include "model/layers/normalization.h"
#include "model/layers/pooling.h"
#include "model/layers/resizing.h"
#include "model/layers/shaping.h"
#include "model/sequential.h"
#include "model/weights.h"

namespace wt::model {
namespace {

// Prints the layer's output and weights for a batch of 2. An asterisk marks a weight that is not trainable.
std::string traced(const LayerPtr& layer, const Shape& shape, bool training = false,
                   Type type = Type::float32) {
  const Sequential model("m", {input_layer(shape, type), layer});
  const Forward result = forward(model, 2, training);
  std::string text = print(result.outputs.at(0));
  for (const Weight& weight : result.weights)
    text +=
        fmt::format(" {} {}{}", weight.name, print(weight.spec.shape), weight.options.trainable ? "" : "*");
  return text;
}

std::string refused(const LayerPtr& layer, const Shape& shape) {
  try {
    return traced(layer, shape);
  } catch (const InputError& error) {
    return error.problems().at(0).fact + " | " + error.problems().at(0).remedy;
  }
}

std::string refused(const LayerPtr& layer, const Shape& shape, Semantics semantics) {
  const Sequential model("m", {input_layer(shape), layer});
  try {
    forward(model, 2, false, semantics);
  } catch (const InputError& error) {
    return error.problems().at(0).fact + " | " + error.problems().at(0).remedy;
  }
  return "accepted";
}

TEST(UpSampling, KnowsTheInterpolationsOfItsVersion) {
  for (const ResizeMethod method : {ResizeMethod::gaussian, ResizeMethod::mitchellcubic}) {
    const auto layer = [&] { return up_sampling({.name = "u", .size = {2, 2}, .method = method}); };
    EXPECT_EQ(refused(layer(), {3, 3, 1}, Semantics::keras2), "accepted");
    EXPECT_EQ(refused(layer(), {3, 3, 1}, Semantics::keras3),
              fmt::format("[UpSampling2D] layer \"u\": Keras 3 has no interpolation \"{}\" | choose another "
                          "interpolation, or semantics keras2",
                          name(method)));
  }
  EXPECT_EQ(
      refused(up_sampling({.size = {2, 2}, .method = ResizeMethod::bicubic}), {3, 3, 1}, Semantics::keras3),
      "accepted");
}

TEST(LocallyConnected, PadsWhereItsKernelIsAMatrix) {
  const auto layer = [](LocalKernel kernel) {
    return locally_connected1d(
        {{.name = "l", .filters = 2, .kernel_size = {3}, .strides = {2}, .padding = Padding::same}, kernel});
  };
  EXPECT_THROW(layer(LocalKernel::windows), InputError);
  EXPECT_EQ(traced(layer(LocalKernel::dense), {5, 2}), "float32[2,3,2] l/kernel [5,2,3,2] l/bias [3,2]");
  // Windows of 2, 3 and 2 steps: one begins before the sequence, one ends behind it.
  EXPECT_EQ(traced(layer(LocalKernel::sparse), {5, 2}), "float32[2,3,2] l/kernel [28] l/bias [3,2]");
}

// More parts than a shape has axes.
TEST(Concatenate, TakesAnyNumberOfInputs) {
  for (const std::size_t count : {2, 8, 9, 17, 70}) {
    const Step step = trace("test", [&](Trace& trace) {
      Building building(trace, false);
      std::vector<Symbol> parts(count, fill(trace, {Type::float32, {2, 3}}, 1));
      trace.result("y", (*concatenate({"c", -1}))(building, parts).at(0));
    });
    EXPECT_EQ(step.program.spec(step.results.at(0).value).shape,
              (Shape{2, 3 * static_cast<std::int64_t>(count)}));
  }
}

TEST(Hashing, TakesRealNumbersOfKeras3) {
  const auto layer = [] { return hashing({.name = "h", .num_bins = 3}); };
  EXPECT_EQ(refused(layer(), {2}, Semantics::keras3), "accepted");
  EXPECT_EQ(
      refused(layer(), {2}, Semantics::keras2),
      "[Hashing] layer \"h\": it is given float32[2,2] | Keras 2 hashes integers: give the input the type "
      "int64");
}

TEST(Dense, ContractsTheLastAxisOfAnyRank) {
  EXPECT_EQ(traced(dense({.units = 5}), {3}), "float32[2,5] dense/kernel [3,5] dense/bias [5]");
  EXPECT_EQ(traced(dense({.units = 5, .use_bias = false}), {7, 4, 3}), "float32[2,7,4,5] dense/kernel [3,5]");
}

TEST(Conv2D, FollowsPaddingStridesDilationAndGroups) {
  EXPECT_EQ(traced(conv2d({.filters = 8, .kernel_size = {3, 5}, .strides = {2, 1}, .padding = Padding::same}),
                   {9, 9, 4}),
            "float32[2,5,9,8] conv2d/kernel [3,5,4,8] conv2d/bias [8]");
  EXPECT_EQ(
      traced(conv2d({.filters = 8, .kernel_size = {3, 3}, .dilation_rate = {2, 2}, .groups = 2}), {9, 9, 4}),
      "float32[2,5,5,8] conv2d/kernel [3,3,2,8] conv2d/bias [8]");
  EXPECT_EQ(refused(conv2d({.filters = 8, .groups = 3}), {9, 9, 4}),
            "[Conv2D] layer \"conv2d\": 4 channels and 8 filters don't divide into 3 groups | ");
  EXPECT_EQ(refused(conv2d({.filters = 8}), {9}),
            "[Conv2D] layer \"conv2d\": it takes an input of rank 4 and is given float32[2,9] | the rank "
            "includes the batch axis");
}

TEST(Pooling, TakesItsSizeForItsStridesUnlessTold) {
  EXPECT_EQ(traced(max_pooling2d(), {7, 8, 3}), "float32[2,3,4,3]");
  EXPECT_EQ(traced(average_pooling2d({.pool_size = {3, 3}, .strides = Shape{1, 2}, .padding = Padding::same}),
                   {7, 8, 3}),
            "float32[2,7,4,3]");
  EXPECT_EQ(traced(global_average_pooling2d(), {7, 8, 3}), "float32[2,3]");
  EXPECT_EQ(traced(global_max_pooling2d({.keepdims = true}), {7, 8, 3}), "float32[2,1,1,3]");
}

TEST(Shaping, KeepsTheBatchAxis) {
  EXPECT_EQ(traced(flatten(), {5, 5, 64}), "float32[2,1600]");
  EXPECT_EQ(traced(reshape({.target_shape = {4, -1}}), {6, 2}), "float32[2,4,3]");
  EXPECT_EQ(
      refused(reshape({.target_shape = {5, -1}}), {6, 2}),
      "[Reshape] layer \"reshape\": the target [5,-1] has another number of elements than float32[2,6,2] "
      "without its batch axis | ");
  EXPECT_EQ(traced(zero_padding({.sides = {{1, 0}, {2, 3}}}), {4, 4, 3}), "float32[2,5,9,3]");
  EXPECT_EQ(traced(rescaling({.scale = {1.0 / 255}}), {4}, false, Type::uint8), "float32[2,4]");
}

TEST(BatchNormalization, UpdatesItsStatisticsInTrainingOnly) {
  const auto updates = [](const BatchNormalizationConfig& config, bool training) {
    const Sequential model("m", {input_layer({4}), batch_normalization(config)});
    std::vector<std::string_view> names;
    for (const Node& node : forward(model, 8, training).step.program.nodes)
      names.push_back(name(node.operation));
    return fmt::format("{}", fmt::join(names, " "));
  };
  EXPECT_EQ(updates({}, true), "batch_norm update update");
  EXPECT_EQ(updates({}, false), "batch_norm_inference");
  EXPECT_EQ(updates({.trainable = false}, true), "batch_norm_inference");
  EXPECT_EQ(traced(batch_normalization(), {4}, true),
            "float32[2,4] batch_normalization/gamma [4] batch_normalization/beta [4] "
            "batch_normalization/moving_mean [4]* batch_normalization/moving_variance [4]*");
  EXPECT_EQ(traced(batch_normalization({.center = false, .scale = false}), {4}),
            "float32[2,4] batch_normalization/moving_mean [4]* batch_normalization/moving_variance [4]*");
  EXPECT_EQ(traced(batch_normalization({.axis = 1, .center = false, .scale = false}), {4, 5, 3}),
            "float32[2,4,5,3] batch_normalization/moving_mean [4]* batch_normalization/moving_variance [4]*");
}

TEST(BatchNormalization, KeepsStatisticsOfEachReplicaAndReadsTheirMean) {
  const Sequential model("m", {input_layer({4}), batch_normalization()});
  const StepVariable mean = forward(model, 8, false, Semantics::keras2).step.variables.at(2);
  EXPECT_EQ(mean.name, "batch_normalization/moving_mean");
  EXPECT_EQ(mean.synchronization, Synchronization::on_read);
  EXPECT_EQ(mean.aggregation, Aggregation::mean);
}

TEST(LayerNormalization, WorksOnTheLastAxis) {
  EXPECT_EQ(traced(layer_normalization(), {7, 4}),
            "float32[2,7,4] layer_normalization/gamma [4] layer_normalization/beta [4]");
}

TEST(Dropout, DrawsFromAStreamThatMovesOnEveryStep) {
  EXPECT_EQ(traced(dropout({.rate = 0.5}), {4}), "float32[2,4]");
  EXPECT_EQ(traced(dropout({.rate = 0}), {4}, true), "float32[2,4]");
  EXPECT_EQ(traced(dropout({.rate = 0.5}), {4}, true), "float32[2,4] dropout/seed [2]*");
  EXPECT_THROW(dropout({.rate = 1}), InputError);
}

TEST(Embedding, TurnsNumbersIntoRows) {
  EXPECT_EQ(traced(embedding({.input_dim = 100, .output_dim = 8}), {7}, false, Type::int32),
            "float32[2,7,8] embedding/embeddings [100,8]");
  EXPECT_EQ(traced(embedding({.input_dim = 100, .output_dim = 8}), {7}),
            "float32[2,7,8] embedding/embeddings [100,8]");
}

TEST(Merging, RefusesOneInputAndMixedRanks) {
  EXPECT_EQ(refused(add(), {3}), "[Add] layer \"add\": it is given 1 inputs | it takes two or more");
  EXPECT_EQ(refused(subtract(), {3}), "[Subtract] layer \"subtract\": it is given 1 inputs | it takes two");
  EXPECT_EQ(traced(concatenate(), {3}), "float32[2,3]");
  EXPECT_EQ(refused(concatenate({.axis = 4}), {3}),
            "[Concatenate] layer \"concatenate\": float32[2,3] has no axis 4 | ");
}

TEST(MultiHeadAttention, HasKerasWeights) {
  EXPECT_EQ(traced(multi_head_attention({.name = "a", .num_heads = 2, .key_dim = 4, .causal = true}), {5, 6}),
            "float32[2,5,6] a/query/kernel [6,2,4] a/query/bias [2,4] a/key/kernel [6,2,4] a/key/bias [2,4] "
            "a/value/kernel [6,2,4] a/value/bias [2,4] a/attention_output/kernel [2,4,6] "
            "a/attention_output/bias [6]");
}

TEST(Activation, SuggestsTheOneThatWasMeant) {
  EXPECT_EQ(refused(activation("sigmoyd"), {3}).substr(0, 87),
            "[Activation] layer \"activation\": unknown activation \"sigmoyd\" | did you mean \"sigmoid\"?");
  EXPECT_EQ(traced(relu(), {3}), "float32[2,3]");
}

TEST(InputLayer, RefusesAnotherShapeAndConvertsAnotherType) {
  const Sequential model("m", {input_layer({3}), relu()});
  EXPECT_EQ(print(forward(model, {{Type::uint8, {2, 3}}}).outputs.at(0)), "float32[2,3]");
  try {
    forward(model, {{Type::float32, {2, 4}}});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.problems().at(0).fact,
              "[InputLayer] layer \"input_1\": it is declared as [3] besides the batch axis and is given "
              "float32[2,4]");
  }
}

}  // namespace
}  // namespace wt::model
