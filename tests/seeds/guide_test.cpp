// Claims: the guide's programs on one number, fit with a dataset and with arrays, a loop of their own with each loss,
// another way of reducing, batch sizes and learning rates for 1 to 4 replicas, print and learn what was recorded.

#include "program/placement.h"
#include "seeds/seeds_recorded.h"

namespace wt::test::seeds {
namespace {

using Lines = std::vector<std::string>;

Tensor column(const std::vector<float>& numbers) {
  return Tensor::of<float>({std::ssize(numbers), 1}, numbers);
}

// ---- Keras' fit

// Keras' model of one number, compiled with mse and sgd. The places where the program compiles it make no difference.
class Linear {
 public:
  Linear(const distribute::Strategy& strategy, model::Semantics semantics, double learning_rate = 0.01)
      : semantics_(semantics), model_(layer_, state_, strategy.resources()) {
    strategy.resources().faithful = true;  // what ends in TensorFlow ends here
    state_.preset({{"dense/kernel", column({-0.625f})}, {"dense/bias", Tensor::of<float>({1}, {0.25f})}});
    model::Optimizer sgd = model::optimizer_named("sgd", semantics);
    sgd.learning_rate = static_cast<float>(learning_rate);
    model_.compile({.loss = model::loss_named("mse"), .optimizer = sgd, .semantics = semantics});
    model_.create_variables({column(std::vector<float>(10, 0.f)), column(std::vector<float>(10, 0.f))});
  }

  // fit with verbose=2. Times are not compared: a recording has TIME in their place.
  std::vector<double> fit(const data::Dataset& dataset, std::int64_t epochs, Lines* printed = nullptr) {
    std::vector<double> losses;
    for (const train::EpochResult& epoch : model_.fit(dataset, {.epochs = epochs})) {
      losses.push_back(epoch.loss);
      if (printed == nullptr) continue;
      printed->push_back(fmt::format("Epoch {}/{}", epoch.epoch + 1, epochs));
      printed->push_back(line(epoch));
    }
    return losses;
  }

  double evaluate(const data::Dataset& dataset, Lines& printed) {
    const train::EpochResult result = model_.evaluate(dataset);
    printed.push_back(line(result));
    return result.loss;
  }

  std::vector<Tensor> weights() const { return weights_in(state_, *layer_); }
  train::Model& model() { return model_; }

 private:
  std::string line(const train::EpochResult& result) const {
    static const std::regex of_each("0s/"), whole(" - 0s -");
    const std::string text = train::epoch_line(result, Seconds(0), semantics_);
    return std::regex_replace(std::regex_replace(text, of_each, "TIME/"), whole, " - TIME -");
  }

  model::Semantics semantics_;
  model::LayerPtr layer_ = dense_model(1);
  train::State state_{1};
  train::Model model_;
};

data::Dataset fit_dataset(const std::string& kind) {
  if (kind != "numpy") return constant_rows({1.f}, std::stoi(kind.substr(kind.find('_') + 1)), 10);
  const Tensor ones = column(std::vector<float>(100, 1.f));
  return data::Dataset::from_tensor_slices({ones, ones}).batch(10);
}

// Keras 3 ends where a batch does not divide evenly, and NcclAllReduce on CPUs.
bool is_refused_in_fit(const Recording& recording) {
  const json::Value* error = recording.error("fit");
  return error != nullptr && error->find("type")->kind() != json::Kind::null;
}

TEST(P3_P7_P11_P13_P19, FitOnOneNumberDoesWhatWasRecorded) {
  for (const Recording* recording : family("fit_")) {
    const auto strategy = mirrored(config_number(*recording, "replicas"));
    expect_strategy_log(*recording, strategy.log());
    Linear linear(strategy, recording->semantics());
    expect_weights(*recording, "initial", linear.weights());
    const std::string kind = config_text(*recording, "data");
    const data::Dataset dataset = fit_dataset(kind);
    if (is_refused_in_fit(*recording)) {
      expect_recorded(*recording, "fit", [&] { linear.fit(dataset, 2); });
      expect_weights(*recording, "final", linear.weights());
      expect_all_compared(*recording);
      continue;
    }
    Lines printed, evaluated;
    expect_history(*recording, "history", linear.fit(dataset, 2, &printed));
    expect_printed(*recording, "printed fit", printed);
    expect_weights(*recording, "final", linear.weights());
    expect_numbers(*recording, "evaluate", {linear.evaluate(dataset, evaluated)}, 1e-4);
    expect_printed(*recording, "printed evaluate", evaluated);
    const data::Dataset five = data::Dataset::from_tensor_slices({column({0, 1, 2, 3, 4})}).batch(32);
    expect_tensor(*recording, "predict", linear.model().predict(five));
    if (kind == "dataset_100") {
      expect_history(*recording, "history arrays", linear.fit(fit_dataset("numpy"), 2));
      expect_weights(*recording, "after arrays", linear.weights());
    }
    expect_all_compared(*recording);
  }
}

TEST(ST6, ReductionsOnCpusDoWhatWasRecorded) {
  for (const Recording* recording : family("cross_device_")) {
    const std::map<std::string, std::string> options{{"ncclallreduce", "nccl"},
                                                     {"hierarchicalcopyallreduce", "hierarchical_copy"},
                                                     {"reductiontoonedevice", "reduction_to_one_device"}};
    const auto strategy = mirrored(2, options.at(recording->id.substr(recording->id.rfind('_') + 1)));
    expect_strategy_log(*recording, strategy.log());
    Linear linear(strategy, recording->semantics());
    expect_recorded(*recording, "fit", [&] {
      const std::vector<double> history = linear.fit(fit_dataset("dataset_100"), 2);
      expect_history(*recording, "history", history);
      expect_weights(*recording, "final", linear.weights());
    });
    expect_all_compared(*recording);
  }
}

// ---- A loop of its own

// tf.nn.softmax_cross_entropy_with_logits, a loss for each row, or binary crossentropy on logits.
class Guide {
 public:
  Guide(const Recording& recording, const distribute::Strategy& strategy)
      : strategy_(strategy),
        is_binary_(config_text(recording, "kind") == "binary"),
        classes_(config_number(recording, "classes")),
        batch_(config_number(recording, "global batch")),
        layer_(dense_model(classes_)),
        dataset_(strategy.experimental_distribute_dataset(
            constant_rows(label(), config_number(recording, "elements"), batch_))),
        step_(
            "train_step", state_, strategy.resources(), train::Function::Mode::training,
            [this](Building& tape, const Symbols& inputs) { return step(tape, inputs); },
            recording.semantics()) {
    state_.preset({{"dense/kernel", Tensor::of<float>({1, classes_}, spaced(-0.5, 0.5, 0.125))},
                   {"dense/bias", Tensor::of<float>({classes_}, spaced(0, 0.25, 0))}});
    auto first = dataset_.iterate();
    step_.create_variables(*first.next());
  }

  // Takes so many steps of a new iterator, or all, and adds their losses. Returns whether the iterator ran out before.
  bool run(std::optional<std::int64_t> steps, Lines& printed, std::vector<double>& values) {
    auto batches = dataset_.iterate();
    for (std::int64_t step = 0; !steps || step < *steps; ++step) {
      const auto batch = batches.next();
      if (!batch) return steps.has_value();
      const train::PerReplica results = strategy_.run(step_, *batch);
      const train::Values each = train::experimental_local_results(results);
      const Tensor loss = is_binary_ ? strategy_.reduce(train::ReduceOp::sum, each)
                                     : strategy_.reduce(train::ReduceOp::mean, each, 0);
      printed.push_back(print(train::EagerTensor{loss}));
      values.push_back(number(loss));
    }
    return false;
  }

  std::vector<Tensor> weights() const { return weights_in(state_, *layer_); }
  bool is_binary() const { return is_binary_; }

 private:
  Symbols step(Building& tape, const Symbols& inputs) const {
    const model::Loss loss_object =
        model::loss_named(is_binary_ ? "BinaryCrossentropy" : "CategoricalCrossentropy",
                          {.from_logits = true, .reduction = model::LossReduction::none});
    const Symbol losses = model::per_example_loss(loss_object, inputs[1], (*layer_)(tape, inputs[0]));
    const Symbol loss =
        is_binary_ ? model::compute_average_loss(losses, batch_) : model::scaled_loss_sum(losses, batch_);
    const model::Optimizer sgd = model::optimizer_named("sgd");
    const Symbols variables = tape.trainable();
    model::apply_gradients(tape, sgd, variables, tape.trace().gradient(loss, variables),
                           model::learning_rate(tape, sgd));
    return {is_binary_ ? loss : losses};
  }

  std::vector<float> label() const {
    std::vector<float> values(static_cast<std::size_t>(classes_), 0.f);
    values.back() = 1;
    return values;
  }
  // numpy.linspace, and a number added to each.
  std::vector<float> spaced(double first, double last, double more) const {
    std::vector<float> values;
    for (std::int64_t i = 0; i < classes_; ++i) {
      const double part = classes_ == 1 ? 0 : static_cast<double>(i) / static_cast<double>(classes_ - 1);
      values.push_back(static_cast<float>(first + part * (last - first) + more));
    }
    return values;
  }

  const distribute::Strategy& strategy_;
  const bool is_binary_;
  const std::int64_t classes_, batch_;
  const model::LayerPtr layer_;
  train::State state_{1};
  const data::DistributedDataset dataset_;
  train::Function step_;
};

distribute::Strategy guide_strategy(const Recording& recording) {
  const std::int64_t replicas = config_number(recording, "replicas");
  if (config_text(recording, "kind") != "softmax_central") return mirrored(replicas);
  std::vector<std::string> cpus;
  for (std::int64_t i = 0; i < replicas; ++i) cpus.push_back(fmt::format("CPU:{}", i));
  return distribute::central_storage({.platform = "cpu_server",
                                      .compute_devices = cpus,
                                      .parameter_device = "/cpu:0",
                                      .logical = logical_cpus(replicas)});
}

TEST(P3_P7_L11, TheGuidesOwnLoopDoesWhatWasRecorded) {
  for (const Recording* recording : family("guide_")) {
    const auto strategy = guide_strategy(*recording);
    expect_strategy_log(*recording, strategy.log());
    const auto scope = strategy.scope();
    Guide guide(*recording, strategy);
    expect_weights(*recording, "initial", guide.weights());
    Lines looped, iterated;
    std::vector<double> values;
    guide.run({}, looped, values);
    // An iterator that runs out is an empty optional, where Python raises StopIteration.
    const bool runs_out = guide.run(guide.is_binary() ? 10 : 2, iterated, values);
    compared()[recording].insert("iterator");
    EXPECT_EQ(recording->error("iterator")->find("type")->kind() != json::Kind::null, runs_out)
        << recording->id;
    expect_printed(*recording, "printed loop", looped);
    expect_printed(*recording, "printed iterator", iterated);
    expect_numbers(*recording, "values", values);
    expect_weights(*recording, "final", guide.weights());
    expect_all_compared(*recording);
  }
}

// ---- Batch sizes

// The document's table of learning rates has no row for every number of replicas, where Python raises KeyError.
TEST(P14_P15_P16_P17, TheGlobalBatchAndTheTableOfRatesAreThoseRecorded) {
  for (const Recording* recording : family("batch_and_rate")) {
    for (const int replicas : {1, 2, 3, 4}) {
      const auto strategy = mirrored(replicas);
      const std::int64_t batch = 5 * strategy.num_replicas_in_sync();
      expect_numbers(*recording, fmt::format("global {}", replicas), {static_cast<double>(batch)});
      const std::map<std::int64_t, double> brief{{5, 0.1}, {10, 0.15}},
          full{{5, 0.1}, {10, 0.15}, {20, 0.175}};
      for (const auto& [name, table] : {std::pair{"short", &brief}, {"long", &full}}) {
        const std::string key = fmt::format("{} {}", name, replicas);
        compared()[recording].insert(key);
        const bool is_known = recording->error(key)->find("type")->kind() == json::Kind::null;
        EXPECT_EQ(is_known, table->contains(batch)) << at(*recording, key);
      }
      std::vector<double> shapes;
      auto batches = strategy.experimental_distribute_dataset(constant_rows({1.f}, 100, batch)).iterate();
      for (int step = 0; step < 12; ++step) {
        const auto elements = batches.next();
        if (!elements) break;
        for (const data::Element& own : *elements)
          for (const std::int64_t extent : own[0].shape()) shapes.push_back(static_cast<double>(extent));
      }
      expect_numbers(*recording, fmt::format("pieces {}", replicas), shapes, 0);
    }
    expect_all_compared(*recording);
  }
}

}  // namespace
}  // namespace wt::test::seeds
