// Claims: Keras models under strategies train, evaluate and predict, and refuse the scopes of other strategies, as
// TensorFlow was recorded to do; functions around a run and runs of functions compute what was recorded.

#include <gtest/gtest.h>

#include "distribute/recorded.h"
#include "distribute/strategy.h"
#include "model/layers/dense.h"
#include "model/loss.h"
#include "model/metric.h"
#include "model/optimizer.h"
#include "model/sequential.h"
#include "train/model.h"

namespace wt::test {
namespace {

using namespace train;

data::Element columns(bool with_labels) {
  const Tensor x = Tensor::of<float>({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  const Tensor y = Tensor::of<float>({4, 1}, {1, 2, 3, 4});
  return with_labels ? data::Element{x, y} : data::Element{x};
}

data::Dataset rows(bool with_labels) {
  return data::Dataset::from_tensor_slices(columns(with_labels)).batch(4);
}

// Keras' logs, as numbers.
void expect_logs(const std::string& at, const json::Value& wanted, const EpochResult& found) {
  const auto number = [&](std::string_view name) {
    const json::Value& value = *wanted.find(name);
    return value.kind() == json::Kind::object ? items(value)[0].real() : value.real();
  };
  EXPECT_NEAR(found.loss, number("loss"), 1e-5 * number("loss")) << at;
  for (const Log& log : found.metrics)
    EXPECT_NEAR(log.value, number(log.name), 1e-5 * number(log.name)) << at;
}

// Where the recorded program made or called something: "s" is mirrored, "t" is one device, "-" is no scope.
struct Places {
  const distribute::Strategy s = distribute::mirrored({.platform = "workstation_2x4090"});
  const distribute::Strategy t =
      distribute::one_device({.platform = "workstation_2x4090", .device = "GPU:1"});

  template <class Call>
  auto in(const std::string& place, const Call& call) const {
    std::optional<Strategy::Scope> scope;
    if (place != "-") scope.emplace(place == "s" ? s : t);
    return call();
  }
};

// Optimizers and metrics are plain data here and belong to no scope, so that Keras 2's refusal of a metric of another
// scope has no counterpart, nor has Keras 3's trouble with the variables of another scope's optimizer.
bool has_counterpart(const Recording& recording) {
  const auto place = [&](const std::string& key) { return recording.config(key)->string(); };
  if (recording.version == "keras2") return place("metric") == place("model");
  return place("model") == "s";
}

TEST(AP2_G12, KerasModelsBelongToTheScopeTheyAreMadeIn) {
  int compared_models = 0;
  for (const Recording* recording : family("keras_scope_")) {
    if (!has_counterpart(*recording)) continue;
    ++compared_models;
    Places places;
    const auto place = [&](const std::string& key) { return recording->config(key)->string(); };
    State state(1);
    const auto layer = model::sequential(
        "sequential", {model::input_layer({2}), model::dense({.name = "dense", .units = 1})});
    Resources& resources = (place("model") == "s" ? places.s : places.t).resources();
    std::optional<Model> made;
    places.in(place("model"), [&] { made.emplace(layer, state, resources); });
    Model& model = *made;
    state.preset({{"dense/kernel", Tensor::of<float>({2, 1}, {1, 2})},
                  {"dense/bias", Tensor::of<float>({1}, {0.5f})}});
    const auto is = [&](const std::string& key, const auto& call) {
      expect_recorded(*recording, key, [&] { places.in(place(key == "compile" ? "compile" : "fit"), call); });
    };
    is("compile", [&] {
      model.compile({.loss = model::loss_named("mse"),
                     .optimizer = model::optimizer_named("sgd"),
                     .metrics = {{model::metric_named("mean_squared_error", "mse")}},
                     .semantics = recording->semantics()});
    });
    is("fit", [&] {
      const auto history = model.fit(rows(true), {});
      if (recording->value("fit") != nullptr)
        expect_logs(recording->id + " fit", *recording->value("fit"), history[0]);
    });
    is("evaluate", [&] {
      const EpochResult result = model.evaluate(rows(true));
      if (recording->value("evaluate") != nullptr)
        expect_logs(recording->id + " evaluate", *recording->value("evaluate"), result);
    });
    expect_recorded(*recording, "predict", [&] {
      places.in(place("fit"), [&] {
        const Tensor found = model.predict(rows(false));
        const json::Value* wanted = recording->value("predict");
        if (wanted == nullptr) return;
        const Tensor same = tensor_of(Type::float32, {4, 1}, *wanted->find("value"));
        EXPECT_LT(relative_difference(found, same), 1e-5) << recording->id;
      });
    });
  }
  EXPECT_GE(compared_models, 13);
}

// ---- Functions

TEST(AP7_AP13, FunctionsAroundRunsAndRunsOfFunctionsDoWhatWasRecorded) {
  for (const Recording* recording : family("functions_")) {
    const auto strategy = strategy_named(recording->config("strategy")->string());
    std::optional<Variable> made;
    {
      const auto scope = strategy->scope();
      made.emplace(constant(1.f), Variable::Settings{.name = "v", .aggregation = Aggregation::sum});
    }
    Variable& v = *made;
    const auto id = [] { return static_cast<double>(get_replica_context()->replica_id_in_sync_group()); };
    const auto is = [&](const std::string& key, const auto& call) { expect_recorded(*recording, key, call); };
    const auto outer = [&](const auto& x) {
      const InsideFunction function;
      return strategy->run([&](const EagerTensor& y) { return EagerTensor(v) * y; }, x);
    };
    const auto inner = [&](const EagerTensor& x) {
      const InsideFunction function;
      return EagerTensor(v) * x;
    };
    is("function around run", [&] { return outer(constant(2.f)); });
    is("function around run again", [&] { return outer(constant(3.f)); });
    is("run of function", [&] { return strategy->run(inner, constant(2.f)); });
    is("run of function again", [&] { return strategy->run(inner, constant(5.f)); });
    is("function called in scope", [&] {
      const auto scope = strategy->scope();
      return inner(constant(2.f));
    });
    is("function called outside", [&] { return inner(constant(2.f)); });
    is("loop in function", [&] {
      const InsideFunction function;
      EagerTensor total = constant(0.f);
      for (int i = 0; i < 4; ++i)
        total = total + strategy->reduce(ReduceOp::sum,
                                         strategy->run([&](const EagerTensor& z) { return z * (id() + 1); },
                                                       constant(static_cast<float>(i))));
      return total;
    });
    is("assign in function", [&] {
      const InsideFunction function;
      strategy->run([&] { v.assign_add(constant(static_cast<float>(id() + 1))); });
      return v.read_value();
    });
    is("copies", [&] { return v.copies(); });
    const auto p = strategy->run([&] { return constant(static_cast<float>(id() + 1)); });
    is("per replica as argument", [&] { return outer(p); });
    is("per replica argument reduced", [&] { return strategy->reduce(ReduceOp::sum, p); });
    is("per replica captured", [&] {
      return strategy->reduce(ReduceOp::sum, strategy->run([](const EagerTensor& q) { return q * 2; }, p));
    });
    is("returns a variable", [&] { return v.read_value(); });
    is("run eagerly", [&] {
      return strategy->run([&](const EagerTensor& y) { return EagerTensor(v) * y; }, constant(2.f));
    });
    is("autograph branch in replica", [&] {
      return strategy->run(
          [](const EagerTensor& x) { return x.numbers.values<float>()[0] > 2 ? x * 2 : EagerTensor(x); }, p);
    });
  }
}

}  // namespace
}  // namespace wt::test
