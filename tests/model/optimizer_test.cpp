#include "model/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "model/loss.h"
#include "model/numbers.h"

namespace wt::model {
namespace {

using test::floats;
using test::refusal;
using test::Values;

// A step that updates the variables "a" [2] and "b" [] by gradients that are inputs.
Step update_step(const Optimizer& optimizer, const ApplyOptions& options = {}) {
  return trace("update", [&](Trace& trace) {
    Building building(trace, true);
    const TensorSpec pair{Type::float32, {2}}, scalar{Type::float32, {}};
    const std::vector<Symbol> variables{building.weight({"a", pair, zeros, {}, {}}),
                                        building.weight({"b", scalar, zeros, {}, {}})};
    const std::vector<Symbol> gradients{trace.input("da", pair), trace.input("db", scalar)};
    const Symbol learning_rate = trace.input("learning_rate", scalar);
    apply_gradients(building, optimizer, variables, gradients, learning_rate, options);
  });
}

Values updated(const Optimizer& optimizer, int steps, const ApplyOptions& options = {}) {
  const auto rate = static_cast<float>(optimizer.learning_rate);
  return test::run(update_step(optimizer, options),
                   {{"a", floats({2}, {1, -2})},
                    {"b", floats({}, {0.5})},
                    {"da", floats({2}, {0.5, -1})},
                    {"db", floats({}, {2})},
                    {"learning_rate", floats({}, {rate})}},
                   {.steps = steps});
}

double number(const Values& values, const std::string& name, std::size_t i = 0) {
  return test::value_at(values.at(name), i);
}

std::string variables_of(const Step& step) {
  std::string names;
  for (const StepVariable& variable : step.variables) names += variable.name + " ";
  return names;
}

using Arguments = std::map<std::string, double, std::less<>>;

// The optimizer with some of its arguments.
Optimizer with(const std::string& name, const Arguments& arguments, double learning_rate) {
  Optimizer optimizer = optimizer_named(name);
  optimizer.learning_rate = learning_rate;
  for (const auto& [key, value] : arguments) optimizer.arguments.at(key) = value;
  return optimizer;
}

Optimizer sgd(const Arguments& arguments, double learning_rate = 0.01) {
  return with("SGD", arguments, learning_rate);
}

// Adam on one parameter in double precision, in the "epsilon hat" form of Kingma and Ba, which Keras
// implements.
struct AdamByHand {
  double w, m = 0, v = 0;
  void step(double g, int t, double decay = 0) {
    w -= w * decay * 0.001;
    const double alpha = 0.001 * std::sqrt(1 - std::pow(0.999, t)) / (1 - std::pow(0.9, t));
    m += (g - m) * 0.1;
    v += (g * g - v) * 0.001;
    w -= m * alpha / (std::sqrt(v) + 1e-7);
  }
};

TEST(P6, AdamHasKerasDefaults) {
  const Optimizer adam = optimizer_named("adam");
  EXPECT_EQ(adam.learning_rate, 0.001);
  EXPECT_EQ(adam.arguments,
            (Arguments{{"beta_1", 0.9}, {"beta_2", 0.999}, {"epsilon", 1e-7}, {"amsgrad", 0}}));
  EXPECT_FALSE(adam.weight_decay);
}

TEST(P6, AdamCorrectsItsMomentsForTheCountOfSteps) {
  const Values after = updated(optimizer_named("Adam"), 3);
  AdamByHand a{1}, b{0.5};
  for (int t = 1; t <= 3; ++t) {
    a.step(0.5, t);
    b.step(2, t);
  }
  EXPECT_NEAR(number(after, "a"), a.w, 1e-6);
  EXPECT_NEAR(number(after, "b"), b.w, 1e-6);
  EXPECT_NEAR(number(after, "Adam/m/a"), a.m, 1e-6);
  EXPECT_NEAR(number(after, "Adam/v/b"), b.v, 1e-6);
  EXPECT_EQ(number(after, "Adam/iteration"), 3);
}

TEST(Optimizer, AdamWShrinksWeightsBeforeTheStep) {
  const Optimizer adamw = optimizer_named("AdamW");
  EXPECT_EQ(adamw.weight_decay, 0.004);
  AdamByHand a{1};
  a.step(0.5, 1, 0.004);
  EXPECT_NEAR(number(updated(adamw, 1), "a"), a.w, 1e-6);
}

TEST(P7, SgdDescendsByRateTimesGradient) {
  const Optimizer plain = optimizer_named("sgd");
  EXPECT_EQ(plain.learning_rate, 0.01);
  EXPECT_EQ(plain.arguments, (Arguments{{"momentum", 0}, {"nesterov", 0}}));
  const Values after = updated(sgd({}, 0.25), 2);
  EXPECT_EQ(number(after, "a", 0), 0.75);
  EXPECT_EQ(number(after, "a", 1), -1.5);
  EXPECT_EQ(number(after, "b"), -0.5);
  EXPECT_EQ(number(after, "SGD/iteration"), 2);
}

// m is -1 after the first step and -1 + 0.5 * -1 after the second. Nesterov's form applies the momentum once
// more.
TEST(P7, SgdWithMomentumCarriesItsStepOn) {
  const Values after = updated(sgd({{"momentum", 0.5}}, 0.5), 2);
  EXPECT_EQ(number(after, "b"), 0.5 - 1 - 1.5);
  EXPECT_EQ(number(after, "SGD/m/b"), -1.5);
  const Values nesterov = updated(sgd({{"momentum", 0.5}, {"nesterov", 1}}, 0.5), 1);
  EXPECT_EQ(number(nesterov, "b"), 0.5 - 1 - 0.5);
}

TEST(F19, Keras2KeepsASlotAlsoWithoutMomentum) {
  const ApplyOptions keras2{.semantics = Semantics::keras2};
  EXPECT_EQ(variables_of(update_step(sgd({}), keras2)), "a b SGD/iteration SGD/m/a SGD/m/b ");
  const Values after = updated(sgd({}, 0.25), 1, keras2);
  EXPECT_EQ(number(after, "SGD/m/a", 0), -0.125);
  EXPECT_EQ(number(after, "SGD/m/b"), -0.5);
}

TEST(F19, Keras3AndTensorFlow20KeepNoneAndGiveTheSameBits) {
  const Values with_slot = updated(sgd({}, 0.1), 3, {.semantics = Semantics::keras2});
  for (const Semantics semantics : {Semantics::keras3, Semantics::tf20}) {
    EXPECT_EQ(variables_of(update_step(sgd({}), {.semantics = semantics})), "a b SGD/iteration ");
    const Values without = updated(sgd({}, 0.1), 3, {.semantics = semantics});
    for (const auto* name : {"a", "b"}) EXPECT_TRUE(test::same_bits(with_slot.at(name), without.at(name)));
  }
}

TEST(Optimizer, RmspropDividesByTheRootOfTheMeanSquare) {
  const Values after = updated(optimizer_named("rmsprop"), 1);
  const double velocity = 0.1 * 4;
  EXPECT_NEAR(number(after, "RMSprop/velocity/b"), velocity, 1e-7);
  EXPECT_NEAR(number(after, "b"), 0.5 - 0.001 * 2 / std::sqrt(velocity + 1e-7), 1e-6);
}

TEST(Optimizer, RmspropHasASlotForEachThingItKeeps) {
  const Optimizer all = with("RMSprop", {{"momentum", 0.5}, {"centered", 1}}, 0.01);
  EXPECT_EQ(
      variables_of(update_step(all)),
      "a b RMSprop/iteration RMSprop/velocity/a RMSprop/velocity/b RMSprop/momentum/a RMSprop/momentum/b "
      "RMSprop/average_gradient/a RMSprop/average_gradient/b ");
  const Values after = updated(all, 1);
  EXPECT_NEAR(number(after, "RMSprop/average_gradient/b"), 0.2, 1e-7);
  EXPECT_NEAR(number(after, "RMSprop/momentum/b"), 0.01 * 2 / std::sqrt(0.4 - 0.04 + 1e-7), 1e-6);
}

TEST(Optimizer, TensorFlow20sRmspropIsRefusedWhereItDiffers) {
  EXPECT_EQ(
      refusal([] { update_step(optimizer_named("RMSprop"), {.semantics = Semantics::tf20}); }),
      "[RMSprop] TensorFlow 2.0's form without momentum, with epsilon outside the root, is not offered yet\n"
      "choose the semantics keras2 or keras3, or another optimizer");
  const Optimizer with_momentum = with("RMSprop", {{"momentum", 0.5}}, 0.01);
  EXPECT_NO_THROW(update_step(with_momentum, {.semantics = Semantics::tf20}));
}

TEST(P8, TheGradientOfALossReachesEveryVariable) {
  const std::vector<Tensor> given{floats({2, 1}, {1, 3}), floats({2, 1}, {2, 2}), floats({1, 1}, {1}),
                                  floats({1}, {0})};
  const auto gradient = [](std::size_t of) {
    return [=](const std::vector<Symbol>& x) {
      const Symbol predictions = bias_add(matmul(x[0], x[2]), x[3]);
      const Symbol loss = compute_average_loss(per_example_loss(loss_named("mse"), x[1], predictions), 2);
      return x[0].trace->gradient(loss, {{x[of]}})[0];
    };
  };
  test::expect_near(test::compute(given, gradient(2)), {(2 * -1 * 1 + 2 * 1 * 3) / 2.0});
  test::expect_near(test::compute(given, gradient(3)), {(2 * -1 + 2 * 1) / 2.0});
}

TEST(P9, ApplyGradientsSumsOverTheReplicasUnlessToldNotTo) {
  const auto sums = [](const Step& step) {
    return std::count_if(step.program.nodes.begin(), step.program.nodes.end(),
                         [](const Node& node) { return std::holds_alternative<AllReduce>(node.operation); });
  };
  EXPECT_EQ(sums(update_step(sgd({}))), 2);
  EXPECT_EQ(sums(update_step(sgd({}), {.aggregate = false})), 0);
}

TEST(P9, ApplyGradientsWantsOneGradientPerVariable) {
  const auto mismatched = [] {
    trace("update", [](Trace& trace) {
      Building building(trace, true);
      const Symbol w = building.weight({"w", {Type::float32, {2}}, zeros, {}, {}});
      apply_gradients(building, optimizer_named("sgd"), {w}, {}, trace.input("rate", {Type::float32, {}}));
    });
  };
  EXPECT_EQ(refusal(mismatched),
            "[apply_gradients] 1 variables and 0 gradients\nthere must be one gradient per variable, and at "
            "least one");
}

// A GAN has two optimizers in one step.
TEST(P26, TwoOptimizersOfAStepNeedTwoNames) {
  Problems problems;
  const json::Value value =
      json::parse(R"({"class_name": "Adam", "config": {"name": "generator"}})", "x.json");
  const Optimizer adam = read_optimizer(value, problems).value();
  EXPECT_EQ(variables_of(update_step(adam)),
            "a b generator/iteration generator/m/a generator/v/a generator/m/b generator/v/b ");
}

// ---- reading

Optimizer read(const std::string& text) {
  Problems problems;
  const auto optimizer = read_optimizer(json::parse(text, "x.json"), problems);
  problems.throw_if_any();
  return optimizer.value();
}

TEST(Optimizer, IsReadInAllFormsKerasWrites) {
  EXPECT_EQ(read(R"("rmsprop")").name, "RMSprop");
  const Optimizer keras2 = read(R"({"class_name": "SGD", "config": {"name": "SGD", "weight_decay": null,
    "clipnorm": null, "global_clipnorm": null, "clipvalue": null, "use_ema": false, "ema_momentum": 0.99,
    "ema_overwrite_frequency": null, "jit_compile": true, "is_legacy_optimizer": false, "learning_rate": 0.1,
    "momentum": 0.9, "nesterov": true}})");
  EXPECT_EQ(keras2.learning_rate, 0.1);
  EXPECT_EQ(keras2.arguments, (Arguments{{"momentum", 0.9}, {"nesterov", 1}}));
  const Optimizer keras3 =
      read(R"({"module": "keras.optimizers", "class_name": "Adam", "registered_name": null,
    "config": {"name": "adam", "learning_rate": 0.002, "weight_decay": null, "clipnorm": null, "clipvalue": null,
    "global_clipnorm": null, "use_ema": false, "ema_momentum": 0.99, "ema_overwrite_frequency": null,
    "loss_scale_factor": null, "gradient_accumulation_steps": null, "beta_1": 0.8, "beta_2": 0.9, "epsilon": 1e-8,
    "amsgrad": false}})");
  EXPECT_EQ(keras3.arguments,
            (Arguments{{"beta_1", 0.8}, {"beta_2", 0.9}, {"epsilon", 1e-8}, {"amsgrad", 0}}));
  const Optimizer legacy =
      read(R"({"class_name": "RMSprop", "config": {"name": "RMSprop", "learning_rate": 0.001,
    "decay": 0.0, "rho": 0.8, "momentum": 0.5, "epsilon": 1e-7, "centered": true}})");
  EXPECT_EQ(legacy.arguments,
            (Arguments{{"rho", 0.8}, {"momentum", 0.5}, {"epsilon", 1e-7}, {"centered", 1}}));
}

TEST(Optimizer, NamesWhatIsWrongInAFile) {
  EXPECT_EQ(
      refusal([] { read(R"("adamm")"); }),
      "x.json:1:1: unknown optimizer \"adamm\"\n"
      "  1 | \"adamm\"\n"
      "    | ^~~~~~~\n"
      "did you mean \"adam\"? known: LossScaleOptimizer, Adadelta, Adafactor, Adagrad, Adam, AdamW, Adamax, "
      "Ftrl, Lamb, Lion, Muon, Nadam, RMSprop, SGD, ScheduleFreeAdamW");
  EXPECT_EQ(refusal([] { read(R"({"class_name": "SGD", "config": {"momentum": 1.5}})"); }),
            "x.json:1:46: 1.5 is out of range\n"
            "  1 | {\"class_name\": \"SGD\", \"config\": {\"momentum\": 1.5}}\n"
            "    |                                              ^~~\n"
            "it must be at most 1");
  EXPECT_EQ(
      refusal(
          [] { read(R"({"class_name": "SGD", "config": {"learning_rate": {"class_name": "StepDecay"}}})"); }),
      "x.json:1:66: unknown schedule of learning rates \"StepDecay\"\n"
      "  1 | {\"class_name\": \"SGD\", \"config\": {\"learning_rate\": {\"class_name\": \"StepDecay\"}}}\n"
      "    |                                                                  ^~~~~~~~~~~\n"
      "known: CosineDecay, CosineDecayRestarts, ExponentialDecay, InverseTimeDecay, PiecewiseConstantDecay, "
      "PolynomialDecay; a class of your own has to be written as one of these, such as "
      "PiecewiseConstantDecay");
  EXPECT_EQ(
      refusal([] {
        read(
            R"({"class_name": "AdamW", "config": {"weight_decay": 0.1, "exclude_from_weight_decay": ["("]}})");
      }),
      "x.json:1:86: \"(\" is not a regular expression\n"
      "  1 | {\"class_name\": \"AdamW\", \"config\": {\"weight_decay\": 0.1, \"exclude_from_weight_decay\": "
      "[\"(\"]}}\n"
      "    |                                                                                      ^\n"
      "write a part of the names of the variables, such as \"bias\"");
  EXPECT_EQ(refusal([] { read(R"({"config": {}})"); }),
            "x.json:1:1: this object has no \"class_name\"\n"
            "  1 | {\"config\": {}}\n"
            "    | ^\n"
            "add \"class_name\": it has no default");
}

TEST(Optimizer, SuggestsTheKeyThatWasMeant) {
  const std::string text = refusal([] { read(R"({"class_name": "SGD", "config": {"momentun": 0.9}})"); });
  EXPECT_NE(text.find("unknown key \"momentun\""), std::string::npos) << text;
  EXPECT_NE(text.find("did you mean \"momentum\"?"), std::string::npos) << text;
}

}  // namespace
}  // namespace wt::model
