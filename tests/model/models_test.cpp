// Claim: the models of TensorFlow's tutorials can be written as in Keras, in the three forms that Keras has:
// Sequential, functional and subclassed.
#include <gtest/gtest.h>

#include "model/functional.h"
#include "model/layers/convolution.h"
#include "model/layers/dense.h"
#include "model/layers/merging.h"
#include "model/layers/pooling.h"
#include "model/layers/shaping.h"
#include "model/sequential.h"
#include "model/weights.h"

namespace wt::model {
namespace {

LayerPtr fashion_cnn() {
  return sequential(
      "fashion_cnn",
      {input_layer({28, 28, 1}), conv2d({.filters = 32, .kernel_size = {3, 3}, .activation = "relu"}),
       max_pooling2d(), conv2d({.filters = 64, .kernel_size = {3, 3}, .activation = "relu"}), max_pooling2d(),
       flatten(), dense({.units = 64, .activation = "relu"}), dense({.units = 10, .activation = "softmax"})});
}

TEST(P2, FashionCnnHas121930Parameters) {
  const ParameterCount count = count_parameters(*fashion_cnn());
  EXPECT_EQ(count.trainable, 121930);
  EXPECT_EQ(count.not_trainable, 0);
}

TEST(P2, FashionCnnShrinksImagesTo1600Features) {
  std::string shapes;
  const Forward model = forward(*fashion_cnn(), 32);
  for (const Node& node : model.step.program.nodes) {
    const std::string_view kernel = name(node.operation);
    if (kernel != "relu" && kernel != "bias_add")
      shapes += print(model.step.program.spec(node.outputs[0]).shape) + " ";
  }
  EXPECT_EQ(shapes,
            "[32,26,26,32] [32,13,13,32] [32,11,11,64] [32,5,5,64] [32,1600] [32,64] [32,10] [32,10] ");
}

TEST(P2, FashionCnnEndsWithASoftmaxThatGivesThePrediction) {
  const Forward model = forward(*fashion_cnn(), 1);
  EXPECT_EQ(name(model.step.program.nodes.back().operation), "softmax");
  EXPECT_EQ(model.step.results.at(0).value, model.step.program.nodes.back().outputs.at(0));
}

TEST(P3, LinearModelIsASequentialOfOneDense) {
  const Sequential model("linear", {input_layer({1}), dense({.units = 1})});
  EXPECT_EQ(count_parameters(model).total(), 2);
  EXPECT_EQ(print(forward(model, 10).step), R"(step linear
  input x float32[10,1]
  variable dense/kernel float32[1,1]
  variable dense/bias float32[1]
  %2 float32[10,1] = matmul(x, dense/kernel)  # linear/dense
  %4 float32[10,1] = bias_add(%2, dense/bias)  # linear/dense
  result y = %4
)");
}

TEST(P4, FunctionalModelIsWrittenAsInKeras) {
  const Output inputs = input({1});
  const Output outputs = dense({.units = 1})(inputs);
  const Functional model("model", {inputs}, {outputs});
  EXPECT_EQ(count_parameters(model).total(), 2);
  EXPECT_EQ(model.parts().at(0)->name(), "input_1");
  EXPECT_EQ(model.parts().at(1)->name(), "dense");
}

TEST(P4, FunctionalModelMayBranchAndJoin) {
  const Output image = input({8, 8, 2});
  const Conv2DConfig same{.filters = 2, .kernel_size = {3, 3}, .padding = Padding::same};
  const Output x = conv2d(same)(image);
  const Functional model("residual", {image}, {add()({x, conv2d(same)(x)}), x});
  const Forward traced = forward(model, 4);
  ASSERT_EQ(traced.outputs.size(), 2u);
  EXPECT_EQ(print(traced.outputs[0]), "float32[4,8,8,2]");
  EXPECT_EQ(traced.weights.at(2).name, "conv2d_1/kernel");
}

TEST(P4, FunctionalModelRefusesAnInputThatIsNotListed) {
  const Output a = input({2}, Type::float32, "a"), b = input({2}, Type::float32, "b");
  try {
    const Functional model("m", {a}, {add()({a, b})});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.problems().at(0).fact,
              "[Functional] model \"m\": an output depends on input \"b\", which is not among the inputs");
  }
}

// A subclassed model holds its layers as members and calls them.
class TwoTowers final : public Layer {
 public:
  TwoTowers() : Layer("two_towers") {}
  std::string_view class_name() const override { return "TwoTowers"; }
  std::vector<std::shared_ptr<Layer>> parts() const override { return {left_, right_}; }

 protected:
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    const Symbol x = only(inputs, 2);
    const Symbol left = (*left_)(building, x);
    return {left * (*right_)(building, x)};
  }

 private:
  LayerPtr left_ = dense({.name = "left", .units = 3});
  LayerPtr right_ = dense({.name = "right", .units = 3});
};

TEST(P5, SubclassedModelIsALayerThatCallsOthers) {
  const TwoTowers model;
  const Forward traced = forward(model, {{Type::float32, {5, 2}}});
  EXPECT_EQ(print(traced.outputs.at(0)), "float32[5,3]");
  EXPECT_EQ(count_parameters(traced.weights).trainable, 18);
  EXPECT_EQ(traced.step.program.nodes.at(0).scope, "two_towers/left");
}

TEST(P5, SubclassedModelMayStandInASequential) {
  const Sequential model("m", {input_layer({2}), std::make_shared<TwoTowers>(), dense({.units = 1})});
  EXPECT_EQ(count_parameters(model).trainable, 18 + 4);
}

TEST(P5, ModelThatDoesNotKnowItsInputSaysSo) {
  const Sequential model("m", {dense({.units = 1})});
  try {
    weights_of(model);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.problems().at(0).fact, "[Sequential] the input shape of model \"m\" is not known");
  }
}

}  // namespace
}  // namespace wt::model
