// Claims: trainings with TensorFlow's parameter servers have the same numbers here, by a loop with a
// coordinator and by Keras 2's fit, and what Keras 2 and Keras 3 refuse under parameter servers is refused
// here with the same words. Recordings: tests/train/servers. Losses agree within 1e-5, weights within 1e-4.

#include "model/keras_json.h"
#include "train/server_recordings.h"

namespace wt::train {
namespace {

WT_FAMILY(Training, "train_");

// The recorded loop: the mean of three looked-up rows, a product, a softmax, and an optimizer.
TEST_P(Training, P27_ClosuresOneAtATimeGiveTheNumbersOfTensorFlow) {
  const std::map<std::string, Tensor> theirs = theirs_.tensors();
  ParameterServerStrategy strategy({1, theirs_.config("ps").integer()},
                                   partition_of(theirs_.config("partitioner")));
  test::Machine machine(strategy);
  ClusterCoordinator coordinator(strategy);
  const model::Optimizer optimizer =
      model::optimizer_named(theirs_.config("optimizer").string(), semantics());
  const std::int64_t batch = theirs_.config("batch").integer();
  State state(1);
  state.preset({{"embed", theirs.at("initial/embed")}, {"w", theirs.at("initial/w")}});
  Function step(
      "step", state, machine, Function::Mode::training,
      [&](Building& building, const Symbols& arguments) {
        const Symbol e = building.weight({"embed", {Type::float32, {10, 4}}, {}, {}, {}});
        const Symbol w = building.weight({"w", {Type::float32, {4, 3}}, {}, {}, {}});
        const Symbol mean = reduce_mean(embedding(arguments[0], e), {1});
        const Symbol loss = reduce_sum(sparse_softmax_cross_entropy(matmul(mean, w), arguments[1])) /
                            static_cast<double>(batch);
        const Symbol rate = fill(building.trace(), {Type::float32, {}}, 0.1);
        model::apply_gradients(building, optimizer, {e, w}, building.trace().gradient(loss, {{e, w}}), rate,
                               {.semantics = semantics()});
        return Symbols{loss};
      },
      semantics());
  const PerWorkerIterator batches =
      coordinator
          .create_per_worker_dataset([&] {
            return data::Dataset::from_tensor_slices({theirs.at("x"), theirs.at("y")}).batch(batch).repeat();
          })
          .iterate();
  const auto losses = theirs.at("losses").values<float>();
  for (const float loss : losses)
    EXPECT_LE(relative_difference(
                  static_cast<double>(coordinator.schedule(step, {batches}).fetch()[0].values<float>()[0]),
                  static_cast<double>(loss)),
              1e-5);
  coordinator.join();
  EXPECT_LE(relative_difference(state.read("embed"), theirs.at("final/embed")), 1e-4);
  EXPECT_LE(relative_difference(state.read("w"), theirs.at("final/w")), 1e-4);
  EXPECT_EQ(state.read(model::iteration_name(optimizer)).values<std::int64_t>()[0],
            theirs_.value("iterations").integer());
}

// The loop of a recording on any machine: the losses of some steps, then both weights.
std::vector<float> trained(
    const Recording& theirs, Resources& machine, model::Semantics semantics,
    const std::function<Tensor(Function& step, const std::vector<Tensor>& batch)>& call) {
  const std::map<std::string, Tensor> tensors = theirs.tensors();
  const model::Optimizer optimizer = model::optimizer_named(theirs.config("optimizer").string(), semantics);
  State state(1);
  state.preset({{"embed", tensors.at("initial/embed")}, {"w", tensors.at("initial/w")}});
  Function step(
      "step", state, machine, Function::Mode::training,
      [&](Building& building, const Symbols& arguments) {
        const Symbol e = building.weight({"embed", {Type::float32, {10, 4}}, {}, {}, {}});
        const Symbol w = building.weight({"w", {Type::float32, {4, 3}}, {}, {}, {}});
        const Symbol mean = reduce_mean(embedding(arguments[0], e), {1});
        const Symbol loss = reduce_mean(sparse_softmax_cross_entropy(matmul(mean, w), arguments[1]));
        model::apply_gradients(building, optimizer, {e, w}, building.trace().gradient(loss, {{e, w}}),
                               fill(building.trace(), {Type::float32, {}}, 0.1), {.semantics = semantics});
        return Symbols{loss};
      },
      semantics);
  const auto rows = data::Dataset::from_tensor_slices({tensors.at("x"), tensors.at("y")}).batch(6).repeat();
  data::Iterator batches = rows.iterate();
  std::vector<float> numbers;
  for (int i = 0; i < 12; ++i) numbers.push_back(call(step, *batches.next()).values<float>()[0]);
  for (const char* weight : {"embed", "w"}) {
    const Tensor value = state.read(weight);
    numbers.insert(numbers.end(), value.values<float>().begin(), value.values<float>().end());
  }
  return numbers;
}

// Each closure is joined before the next one is scheduled, so every worker pulls what the one before has
// left.
TEST_P(Training, G8_SeveralWorkersInLockStepComputeWhatOneDeviceDoes) {
  test::Machine one;
  const std::vector<float> alone =
      trained(theirs_, one, semantics(),
              [](Function& step, const std::vector<Tensor>& batch) { return step(batch)[0]; });
  for (const std::int64_t workers : {1, 2, 3, 8}) {
    ParameterServerStrategy strategy({workers, theirs_.config("ps").integer()},
                                     partition_of(theirs_.config("partitioner")));
    test::Machine machine(strategy);
    ClusterCoordinator coordinator(strategy);
    EXPECT_EQ(trained(theirs_, machine, semantics(),
                      [&](Function& step, const std::vector<Tensor>& batch) {
                        const RemoteValue loss = coordinator.schedule(step, {batch[0], batch[1]});
                        coordinator.join();
                        return loss.fetch()[0];
                      }),
              alone)
        << workers;
  }
}

// ---- Keras' fit

// "initial/00/sequential/a/kernel" is the weight "a/kernel". With a partitioner Keras lists the shards
// "a/kernel/part_0", which are put together here.
std::map<std::string, Tensor> weights_of(const Recording& theirs, const std::string& when) {
  std::map<std::string, std::vector<Tensor>> parts;
  for (const auto& [name, tensor] : theirs.tensors()) {
    if (!name.starts_with(when + "/")) continue;
    std::string path = name.substr(when.size() + 4);
    if (path.starts_with("sequential/")) path = path.substr(11);
    path = path.substr(0, path.find("/part_"));
    parts[path].push_back(tensor);  // in the order of their numbers
  }
  std::map<std::string, Tensor> weights;
  for (const auto& [path, all] : parts) {
    TensorSpec spec = all.front().spec();
    spec.shape[0] = 0;
    for (const Tensor& part : all) spec.shape[0] += part.shape()[0];
    Tensor whole = Tensor::zeros(spec);
    auto position = whole.bytes().begin();
    for (const Tensor& part : all) position = std::ranges::copy(part.bytes(), position).out;
    weights.emplace(path, whole);
  }
  return weights;
}

// The program of a recording: a model, and datasets that are passed as they are or by a function.
class KerasFit {
 public:
  KerasFit(const Recording& theirs, ServerCounts cluster, model::Semantics semantics, double rate)
      : theirs_(theirs),
        strategy_(cluster, theirs.value("config").find("partitioner") == nullptr
                               ? model::Partition{}
                               : partition_of(theirs.config("partitioner"))),
        machine_(strategy_),
        tensors_(theirs.tensors()) {
    state_.preset(weights_of(theirs, "initial"));
    options_ = {.loss = model::loss_named("mse"),
                .optimizer = model::optimizer_named("SGD", semantics),
                .metrics = {{model::metric_named("mae")}},
                .semantics = semantics};
    options_.optimizer.learning_rate = rate;
    model_.compile(options_);
  }

  Model& model() { return model_; }
  Tensor weight(const std::string& name) const { return state_.read(name); }
  void compile_eagerly() {
    options_.run_eagerly = true;
    model_.compile(options_);
  }
  bool is_creator() const { return theirs_.config("dataset").string() == "creator"; }
  data::Dataset rows(std::int64_t repeats = data::forever) const {
    const auto batches = data::Dataset::from_tensor_slices({tensors_.at("x"), tensors_.at("y")}).batch(6);
    return repeats == 1 ? batches : batches.repeat(repeats);
  }
  data::Dataset inputs(std::int64_t repeats = data::forever) const {
    const auto batches = data::Dataset::from_tensor_slices({tensors_.at("x")}).batch(6);
    return repeats == 1 ? batches : batches.repeat(repeats);
  }
  // Arrays: Keras makes batches of 32 rows of them.
  data::Dataset arrays() const {
    return data::Dataset::from_tensor_slices({tensors_.at("x"), tensors_.at("y")}).batch(32);
  }
  std::vector<EpochResult> fit(const FitOptions& options) {
    if (!is_creator()) return model_.fit(rows(), options);
    return model_.fit(DatasetCreator{[&] { return rows(); }}, options);
  }
  EpochResult evaluate(const EvaluateOptions& options) {
    if (!is_creator()) return model_.evaluate(rows(), options);
    return model_.evaluate(DatasetCreator{[&] { return rows(); }}, options);
  }

 private:
  const Recording& theirs_;
  ParameterServerStrategy strategy_;
  test::Machine machine_;
  std::map<std::string, Tensor> tensors_;
  State state_{1};
  CompileOptions options_{};
  Model model_{model::model_from_json(at(theirs_.all(), "model")), state_, machine_};
};

std::vector<std::string> fits() {
  std::vector<std::string> names = cases_of("fit_");
  std::erase_if(names, [](const std::string& name) { return name.find("fit_endings") != std::string::npos; });
  return names;
}

class Fit : public Case {};
INSTANTIATE_TEST_SUITE_P(Servers, Fit, testing::ValuesIn(fits()), name_of_case);

TEST_P(Fit, ST20_KerasTrainsUnderTheStrategy) {
  KerasFit program(theirs_, {1, 2}, semantics(), 0.1);
  std::vector<EpochResult> history;
  expect_as_recorded("fit", [&] { history = program.fit({.epochs = 3, .steps_per_epoch = 4}); });
  if (!theirs_.has("history")) {
    EXPECT_TRUE(history.empty());
    return;
  }
  const auto& losses = at(theirs_.value("history"), "loss").elements();
  const auto& errors = at(theirs_.value("history"), "mae").elements();
  ASSERT_EQ(history.size(), losses.size());
  for (std::size_t i = 0; i < history.size(); ++i) {
    EXPECT_LE(relative_difference(history[i].loss, losses[i].real()), 1e-5) << i;
    EXPECT_LE(relative_difference(history[i].metrics.at(0).value, errors[i].real()), 1e-5) << i;
  }
  for (const auto& [name, tensor] : weights_of(theirs_, "final"))
    EXPECT_LE(relative_difference(program.weight(name), tensor), 1e-4) << name;

  const auto returned = [&](std::string_view call) {
    return json::parse(theirs_.returned(call), std::string(call));
  };
  const EpochResult evaluated = program.evaluate({.steps = 4});
  const json::Value evaluation = returned("evaluate");
  EXPECT_LE(relative_difference(evaluated.loss, evaluation.elements()[0].real()), 1e-5);
  EXPECT_LE(relative_difference(evaluated.metrics.at(0).value, evaluation.elements()[1].real()), 1e-5);

  std::vector<float> outputs;
  const json::Value prediction = returned("predict");
  for (const json::Value& row : prediction.elements())
    for (const json::Value& output : row.elements()) outputs.push_back(static_cast<float>(output.real()));
  const Tensor ours = program.model().predict(program.inputs(), 1);
  EXPECT_LE(relative_difference(ours, Tensor::of<float>({std::ssize(prediction.elements()), 2}, outputs)),
            1e-5);
}

TEST_P(Fit, ST20_WhatKerasRefusesUnderTheStrategyIsRefused) {
  KerasFit program(theirs_, {1, 2}, semantics(), 0.1);
  expect_as_recorded("no_steps", [&] { program.fit({.epochs = 1}); });
  expect_as_recorded("arrays",
                     [&] { program.model().fit(program.arrays(), {.epochs = 1, .steps_per_epoch = 2}); });
  expect_as_recorded("batch_callback", [&] {
    program.fit({.epochs = 1, .steps_per_epoch = 2, .on_step = [](const StepResult&) {}});
  });
  expect_as_recorded("evaluate", [&] { program.evaluate({.steps = 4}); });
  expect_as_recorded("predict", [&] { program.model().predict(program.inputs(), 1); });
  program.compile_eagerly();
  expect_as_recorded("run_eagerly", [&] { program.fit({.epochs = 1, .steps_per_epoch = 2}); });
}

// Nothing was computed before the refusal.
TEST_P(Fit, ST20_ARefusedFitChangesNothing) {
  KerasFit program(theirs_, {1, 2}, semantics(), 0.1);
  EXPECT_THROW(program.fit({.epochs = 1}), device::ValueError);
  EXPECT_THROW(program.weight("a/kernel"), InputError);  // it has not been made
}

// ---- Datasets that end

WT_FAMILY(Endings, "fit_endings");

// TensorFlow waits for the closures of a failed one, so that the program sees the end of the dataset or, by
// chance, the CancelledError of another closure. Here it always sees the end.
TEST_P(Endings, P19_AnEpochTakesItsStepsWhicheverWorkersReadThem) {
  const std::int64_t workers = theirs_.config("workers").integer();
  const auto expect = [&](std::string_view key, auto&& call) {
    KerasFit program(theirs_, {workers, 1}, semantics(), 0);
    Thrown theirs = theirs_.thrown(key);
    if (theirs.type == "CancelledError") theirs = {"OutOfRangeError", "End of sequence"};
    EXPECT_EQ(thrown_by([&] { call(program); }), theirs) << key;
  };
  const auto fit = [&](std::string_view key, std::int64_t repeats, FitOptions options) {
    expect(key, [&](KerasFit& program) { program.model().fit(program.rows(repeats), options); });
  };
  fit("fit_finite_no_steps", 1, {});
  fit("fit_finite_exact", 1, {.steps_per_epoch = 4});
  fit("fit_finite_exact_2_epochs", 1, {.epochs = 2, .steps_per_epoch = 4});
  fit("fit_finite_fewer", 1, {.steps_per_epoch = 3});
  fit("fit_finite_fewer_2_epochs", 1, {.epochs = 2, .steps_per_epoch = 3});
  fit("fit_finite_more", 1, {.steps_per_epoch = 5});
  fit("fit_twice_2_epochs", 2, {.epochs = 2, .steps_per_epoch = 4});
  const auto evaluate = [&](std::string_view key, std::int64_t repeats, EvaluateOptions options) {
    expect(key, [&](KerasFit& program) { program.model().evaluate(program.rows(repeats), options); });
  };
  evaluate("evaluate_finite", 1, {});
  evaluate("evaluate_finite_steps", 1, {.steps = 4});
  evaluate("evaluate_finite_more", 1, {.steps = 5});
  evaluate("evaluate_endless", data::forever, {});
  const auto predict = [&](std::string_view key, std::int64_t repeats, std::optional<std::int64_t> steps) {
    expect(key, [&](KerasFit& program) { program.model().predict(program.inputs(repeats), steps); });
  };
  predict("predict_finite", 1, {});
  predict("predict_finite_steps", 1, 4);
  predict("predict_finite_more", 1, 5);
  predict("predict_endless", data::forever, {});
  predict("predict_endless_steps", data::forever, 2);
}

TEST_P(Endings, P19_AnEvaluationOfOneWorkerHasTheRecordedLoss) {
  if (is_keras3() || theirs_.config("workers").integer() > 1) return;  // refused, or a matter of chance
  KerasFit program(theirs_, {1, 1}, semantics(), 0);
  EXPECT_LE(relative_difference(program.model().evaluate(program.rows(1), {.steps = 4}).loss,
                                json::parse(theirs_.returned("evaluate_finite_steps"), "loss").real()),
            1e-5);
}

// Without a coordinator a dataset may end, and an endless one needs a number of steps, too.
TEST(FitOfOneDevice, P19_OnlyADatasetWithoutEndNeedsSteps) {
  const Recording theirs("keras2/servers_fit_2");
  test::Machine machine;
  State state(1);
  Model model(model::model_from_json(at(theirs.all(), "model")), state, machine);
  model.compile({.loss = model::loss_named("mse"), .optimizer = model::optimizer_named("SGD")});
  const auto rows =
      data::Dataset::from_tensor_slices({theirs.tensors().at("x"), theirs.tensors().at("y")}).batch(6);
  EXPECT_EQ(model.fit(rows, {.epochs = 2, .on_step = [](const StepResult&) {}}).size(), 2U);
  EXPECT_EQ(model.evaluate(rows).steps, 4);
  EXPECT_EQ(model.evaluate(rows.repeat(), {.steps = 7}).steps, 7);
  EXPECT_EQ(thrown_by([&] { model.fit(rows.repeat(), {}); }), theirs.thrown("no_steps"));
  EXPECT_EQ(thrown_by([&] { model.evaluate(rows.repeat()); }), theirs.thrown("no_steps"));
  EXPECT_EQ(model.fit(rows.repeat(), {.steps_per_epoch = 3}).front().steps, 3);
}

}  // namespace
}  // namespace wt::train
