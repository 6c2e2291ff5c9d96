// Claim: expressions of Python read back as what they stand for, and long ones are broken into lines.
#include "tensorflow/python.h"

#include <gtest/gtest.h>

#include "tensorflow/objects.h"

namespace wt::tensorflow {
namespace {

std::string python(const std::string& json) { return literal(json::parse(json, "a test")).print(0); }

TEST(Python, LiteralsAreThoseOfPython) {
  EXPECT_EQ(python(R"([null, true, false, 1, 0.5, 1e-07, "it's \\ \n"])"),
            R"([None, True, False, 1, 0.5, 1e-07, 'it\'s \\ \x0a'])");
  EXPECT_EQ(python(R"({"a": {"b": []}})"), "{'a': {'b': []}}");
  EXPECT_EQ(extents_of({28, 0, 1}).print(0), "(28, None, 1)");
  EXPECT_EQ(extents_of({28}).print(0), "(28,)");
  EXPECT_EQ(extents_of({}).print(0), "()");
}

TEST(Python, LongExpressionsHaveALineForEachEntry) {
  Expression long_call = call("f").with("first", literal(std::string(60, 'a')));
  long_call.with("second", list({literal(std::string(60, 'b')), literal(std::string(60, 'c'))}));
  EXPECT_EQ(long_call.print(4, "x = "),
            "    x = f(\n        first='" + std::string(60, 'a') + "',\n        second=[\n            '" +
                std::string(60, 'b') + "',\n            '" + std::string(60, 'c') + "',\n        ],\n    )");
}

TEST(Python, VariablesHaveNamesOfTheirOwn) {
  std::vector<std::string> taken;
  EXPECT_EQ(variable_name("dense-1", taken), "dense_1");
  EXPECT_EQ(variable_name("dense_1", taken), "dense_1_2");
  EXPECT_EQ(variable_name("lambda", taken), "lambda_");
  EXPECT_EQ(variable_name("1st", taken), "_1st");
}

std::string made(const std::string& json, model::Semantics semantics) {
  return object("tf.keras.optimizers", json::parse(json, "a test"), semantics).print(0);
}

TEST(Objects, AreCallsOfTheirConstructors) {
  const std::string scheduled =
      R"({"class_name": "SGD", "config": {"learning_rate": {"class_name": "ExponentialDecay",
          "config": {"decay_rate": 0.5, "staircase": true}}, "weight_decay": null}})";
  EXPECT_EQ(made(scheduled, model::Semantics::keras3),
            "tf.keras.optimizers.SGD(\n    learning_rate=tf.keras.optimizers.schedules.ExponentialDecay("
            "decay_rate=0.5, staircase=True),\n)");
}

// LossScaleOptimizer is in another module in Keras 2, and Keras 3's has no argument "dynamic".
TEST(Objects, FollowTheVersionOfKeras) {
  const std::string scaled =
      R"({"class_name": "LossScaleOptimizer", "config": {"inner_optimizer": {"class_name": "SGD", "config": {}},
          "dynamic": true}})";
  EXPECT_EQ(
      made(scaled, model::Semantics::keras2),
      "tf.keras.mixed_precision.LossScaleOptimizer(inner_optimizer=tf.keras.optimizers.SGD(), dynamic=True)");
  EXPECT_EQ(made(scaled, model::Semantics::keras3),
            "tf.keras.optimizers.LossScaleOptimizer(inner_optimizer=tf.keras.optimizers.SGD())");
}

}  // namespace
}  // namespace wt::tensorflow
