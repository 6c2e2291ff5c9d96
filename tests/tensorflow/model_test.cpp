// Claim: layers that C++ made are written with the arguments that they have, so that Keras' JSON of them is the same model.
#include "tensorflow/model.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json_writer.h"
#include "model/keras_json.h"
#include "model/layers/written.h"
#include "model/sequential.h"
#include "model/weights.h"
#include "model/zoo.h"
#include "scenario/parse.h"

namespace wt::tensorflow {
namespace {

std::string entry_of(const model::Layer& layer) {
  json::Writer out(json::Layout::compact);
  out.begin_object()
      .member("class_name", layer.class_name())
      .key("config")
      .begin_object()
      .member("name", layer.name());
  if (const std::vector<TensorSpec> specs = layer.input_specs(); !specs.empty()) {
    out.key("batch_shape").begin_array().null();
    for (const std::int64_t extent : specs.front().shape) out.value(extent);
    out.end_array();
  } else {
    dynamic_cast<const model::WritesArguments&>(layer).write_arguments(out);
  }
  out.end_object().end_object();
  return out.text();
}

// Weights, and how a step computes with them: names, shapes, and the shapes of outputs.
std::string shape_of(const model::Layer& layer) {
  std::string text;
  const model::Forward forward = model::forward(layer, 2);
  for (const model::Weight& weight : forward.weights) text += weight.name + " " + print(weight.spec) + "\n";
  for (const TensorSpec& output : forward.outputs) text += print(output) + "\n";
  return text;
}

class SequentialOfTheZoo : public testing::TestWithParam<std::string> {};

TEST_P(SequentialOfTheZoo, IsReadBackFromItsArguments) {
  const model::LayerPtr built = model::zoo_model(GetParam()).build();
  const auto& sequential = dynamic_cast<const model::Sequential&>(*built);
  std::string entries;
  for (const model::LayerPtr& layer : sequential.layers())
    entries += (entries.empty() ? "" : ", ") + entry_of(*layer);
  const std::string text =
      fmt::format(R"({{"class_name": "Sequential", "config": {{"name": "{}", "layers": [{}]}}}})",
                  built->name(), entries);
  EXPECT_EQ(shape_of(*model::model_from_json(json::parse(text, "a model"))), shape_of(*built));
}

INSTANTIATE_TEST_SUITE_P(Written, SequentialOfTheZoo,
                         testing::Values("linear", "mlp", "fashion_cnn", "vgg16", "alexnet"),
                         [](const auto& given) { return given.param; });

std::string function_of(const std::string& model) {
  const scenario::Scenario scenario =
      scenario::parse(R"({"name": "x", "model": )" + model +
                          R"(, "dataset": {"type": "synthetic", "rows": 8}, "numerics": "none",
          "training": {"loss": "mse", "optimizer": "sgd", "global_batch": 4}})",
                      "x.json", {});
  const scenario::Job job = scenario::build(scenario);
  return model_function(Subject(scenario, job)).text();
}

// A layer that is called twice is made once.
TEST(ModelFunction, SharesLayers) {
  const std::string text =
      function_of(R"({"keras_json": {"class_name": "Functional", "config": {"name": "twins", "layers": [
      {"class_name": "InputLayer", "name": "a", "inbound_nodes": [], "config": {"batch_input_shape": [null, 3], "name": "a"}},
      {"class_name": "Dense", "name": "d", "config": {"name": "d", "units": 3, "activation": null},
       "inbound_nodes": [[["a", 0, 0, {}]], [["d", 0, 0, {}]]]},
      {"class_name": "Add", "name": "sum", "config": {"name": "sum"},
       "inbound_nodes": [[["d", 0, 0, {}], ["d", 1, 0, {}]]]}],
      "input_layers": [["a", 0, 0]], "output_layers": [["sum", 0, 0]]}}})");
  EXPECT_EQ(text, R"(def make_model():
    layers = tf.keras.layers
    a = tf.keras.Input(shape=(3,), name='a')
    d_layer = layers.Dense(name='d', units=3)
    d = d_layer(a)
    d_2 = d_layer(d)
    sum = layers.Add(name='sum')([d, d_2])
    twins = tf.keras.Model(inputs=a, outputs=sum, name='twins')
    return twins
)");
}

TEST(ModelFunction, RefusesOperations) {
  try {
    function_of(R"({"keras_json": {"class_name": "Functional", "config": {"name": "ops", "layers": [
      {"class_name": "InputLayer", "name": "a", "inbound_nodes": [], "config": {"batch_input_shape": [null, 3], "name": "a"}},
      {"class_name": "TFOpLambda", "name": "tf.math.add", "config": {"name": "tf.math.add", "function": "math.add"},
       "inbound_nodes": [["a", 0, 0, {"y": 1.0}]]}],
      "input_layers": [["a", 0, 0]], "output_layers": [["tf.math.add", 0, 0]]}}})");
    FAIL() << "it was written";
  } catch (const InputError& error) {
    EXPECT_NE(error.problems().front().fact.find("it is an operation"), std::string::npos) << error.what();
    EXPECT_EQ(error.problems().front().place.file, "x.json");
  }
}

}  // namespace
}  // namespace wt::tensorflow
