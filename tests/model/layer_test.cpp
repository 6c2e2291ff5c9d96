#include "model/layer.h"

#include <gtest/gtest.h>

#include "model/functional.h"
#include "model/layers/convolution.h"
#include "model/layers/dense.h"
#include "model/layers/dropout.h"
#include "model/layers/normalization.h"
#include "model/layers/shaping.h"
#include "model/sequential.h"
#include "model/weights.h"

namespace wt::model {
namespace {

std::string problem_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.problems().at(0).fact + " | " + error.problems().at(0).remedy;
  }
  return "no problem";
}

std::vector<std::string> names_of(const std::vector<Weight>& weights) {
  std::vector<std::string> names;
  for (const Weight& weight : weights) names.push_back(weight.name);
  return names;
}

using Names = std::vector<std::string>;

TEST(Layer, IsNamedAsKerasNamesItsClass) {
  EXPECT_EQ(snake_case("Conv2D"), "conv2d");
  EXPECT_EQ(snake_case("MaxPooling2D"), "max_pooling2d");
  EXPECT_EQ(snake_case("GlobalAveragePooling2D"), "global_average_pooling2d");
  EXPECT_EQ(snake_case("ReLU"), "re_lu");
  EXPECT_EQ(snake_case("MultiHeadAttention"), "multi_head_attention");
  EXPECT_EQ(snake_case("InputLayer"), "input_layer");
}

TEST(Layer, WithoutANameGetsTheNextOneThatNobodyUses) {
  const LayerPtr inner = sequential("", {dense({.units = 2}), dense({.name = "dense_2", .units = 2})});
  const Sequential outer("outer", {input_layer({3}), inner, dense({.units = 2}), dense({.units = 2})});
  EXPECT_EQ(inner->name(), "sequential");
  EXPECT_EQ(names_of(weights_of(outer)),
            (Names{"dense/kernel", "dense/bias", "dense_2/kernel", "dense_2/bias", "dense_1/kernel",
                   "dense_1/bias", "dense_3/kernel", "dense_3/bias"}));
  EXPECT_EQ(outer.layers()[0]->name(), "input_1");
}

TEST(Layer, SharesItsWeightsAmongItsCalls) {
  const Output x = input({4});
  const LayerPtr tower = dense({.name = "tower", .units = 4});
  const Functional model("twice", {x}, {tower(tower(x))});
  EXPECT_EQ(names_of(weights_of(model)), (Names{"tower/kernel", "tower/bias"}));
}

TEST(Layer, RefusesASecondLayerOfItsName) {
  EXPECT_EQ(
      problem_of([] {
        Sequential("m", {dense({.name = "a", .units = 2}), dense({.name = "a", .units = 2})});
      }),
      "[Sequential] model \"m\" has two layers named \"a\" | rename one: weights are named by their layers");
  const LayerPtr inner = sequential("inner", {dense({.name = "a", .units = 2})});
  const Sequential outer("m", {input_layer({2}), inner, dense({.name = "a", .units = 2})});
  EXPECT_EQ(
      problem_of([&] { weights_of(outer); }),
      "[Dense] layer \"a\": [model] two layers have a weight named \"a/kernel\" | rename one of the layers: "
      "weight names do not include the names of nested models");
}

TEST(Layer, RefusesSharedWeightsOfAnotherShape) {
  const Output x = input({4});
  const LayerPtr tower = dense({.name = "tower", .units = 3});
  const Functional model("twice", {x}, {tower(tower(x))});
  EXPECT_EQ(problem_of([&] { weights_of(model); }),
            "[Dense] layer \"tower\": [model] weight \"tower/kernel\" is float32[4,3] in one place and "
            "float32[3,3] in "
            "another | call a shared layer on inputs of one shape; give two layers two names");
}

TEST(Layer, NamesItselfInAKernelsComplaint) {
  const Sequential model("m", {input_layer({4, 4, 1}, Type::int32), conv2d({.filters = 3})});
  EXPECT_EQ(problem_of([&] { weights_of(model); }).substr(0, 35), "[Conv2D] layer \"conv2d\": [conv2d] x");
}

TEST(Layer, HasNoWeightsThatTrainWhenItIsFrozen) {
  const Sequential model("m",
                         {input_layer({4}), dense({.units = 3, .trainable = false}), dense({.units = 2})});
  const ParameterCount count = count_parameters(model);
  EXPECT_EQ(count.trainable, 8);
  EXPECT_EQ(count.not_trainable, 15);
  const Sequential frozen("f", {input_layer({4}), dense({.units = 3})}, false);
  EXPECT_EQ(count_parameters(frozen).trainable, 0);
}

TEST(Layer, NeedsANameWhenCalledOnItsOwn) {
  Trace trace("t");
  Building building(trace, false);
  const Symbol x = trace.input("x", {Type::float32, {1, 2}});
  EXPECT_EQ(
      problem_of([&] { (*dense({.units = 1}))(building, x); }),
      "[Dense] layer \"\": it is called outside a model and has no name | name it, or add it to a model, "
      "which names its layers");
}

TEST(Layer, RefusesSizesThatNoMachineHolds) {
  const Sequential model("m", {input_layer({1 << 24}), dense({.units = 1 << 24})});
  EXPECT_EQ(problem_of([&] { weights_of(model); }),
            "[Dense] layer \"dense\": [model] weight \"dense/kernel\" is float32[16777216,16777216]: 2.8e+14 "
            "elements | "
            "at most 1.8e+13 are offered");
}

TEST(Building, AddsUpThePenaltiesOfItsWeights) {
  const Sequential model(
      "m", {dense({.name = "a", .units = 1, .kernel = {glorot_uniform, Regularizer{0.5, 0.25}, {}}}),
            dense({.name = "b", .units = 1})});
  const Step step = trace("t", [&](Trace& trace) {
    Building building(trace, true);
    model(building, trace.input("x", {Type::float32, {1, 2}}));
    trace.result("penalty", *building.regularization());
  });
  std::string kernels;
  for (const Node& node : step.program.nodes) kernels += std::string(name(node.operation)) + " ";
  EXPECT_EQ(kernels, "abs reduce_sum fill multiply square reduce_sum fill multiply add ");
}

std::vector<Node> nodes_named(const Step& step, std::string_view kernel) {
  std::vector<Node> found;
  for (const Node& node : step.program.nodes)
    if (name(node.operation) == kernel) found.push_back(node);
  return found;
}

// The moving averages go through the calls in their order, and the step keeps the last ones.
TEST(Building, ASharedBatchNormalizationContinuesWhereItsLastCallEnded) {
  const Output x = input({2}), y = input({2});
  const LayerPtr shared = batch_normalization({});
  const Functional model("m", {x, y}, {shared(x), shared(y), shared(x, {.training = false})});
  const Step step = trace("t", [&](Trace& trace) {
    Building building(trace, true, Semantics::keras2);
    const TensorSpec rows{Type::float32, {4, 2}};
    const std::vector<Symbol> outputs = model(building, {trace.input("x", rows), trace.input("y", rows)});
    // No gradient leads through the moving averages that the third call reads.
    const Symbol loss = reduce_sum(outputs[0]) + reduce_sum(outputs[1]) + reduce_sum(outputs[2]);
    trace.result("loss", loss);
    trace.result("slope", trace.gradient(loss, building.trainable())[0]);
  });
  const std::vector<Node> training = nodes_named(step, "batch_norm");
  const std::vector<Node> inference = nodes_named(step, "batch_norm_inference");
  const std::vector<Node> updates = nodes_named(step, "update");
  ASSERT_EQ(training.size(), 2u);
  ASSERT_EQ(inference.size(), 1u);
  ASSERT_EQ(updates.size(), 2u);
  for (std::size_t statistic : {3, 4}) {
    EXPECT_EQ(training[1].inputs[statistic], training[0].outputs[statistic]);
    EXPECT_EQ(inference[0].inputs[statistic], training[1].outputs[statistic]);
    EXPECT_EQ(updates[statistic - 3].inputs[0], training[1].outputs[statistic]);
  }
  EXPECT_EQ(nodes_named(step, "batch_norm_gradient").size(), 2u);
}

TEST(P10, TrainingIsAFlagOfTheCall) {
  const Sequential model("m", {input_layer({4}), dropout({.rate = 0.5, .seed = 3})});
  EXPECT_TRUE(forward(model, 2, false).step.program.nodes.empty());
  const Forward training = forward(model, 2, true);
  EXPECT_EQ(name(training.step.program.nodes.at(0).operation), "fill");
  EXPECT_EQ(training.weights.at(0).name, "dropout/seed");
  EXPECT_EQ(count_parameters(training.weights).total(), 0);
}

TEST(P10, OneCallMayAskForAnotherFlagThanTheStep) {
  const Output x = input({4});
  const Functional never("m", {x}, {dropout({.rate = 0.5})(x, {.training = false})});
  EXPECT_TRUE(forward(never, 2, true, Semantics::keras2).weights.empty());
  const Output y = input({4});
  const Functional always("m", {y}, {dropout({.rate = 0.5})(y, {.training = true})});
  EXPECT_EQ(forward(always, 2, false, Semantics::keras2).weights.size(), 1u);
}

}  // namespace
}  // namespace wt::model
