// Claims: what programs of the kind `training` with a loop of their own did under TensorFlow, these do, too: a GAN, checkpoints
// that another strategy restores, models that are saved, masks of Dropout, losses that are scaled wrongly, and refusals.
// `windtunnel verify tensorflow` repeats the rest of the kind (tests/recordings/training.tar.gz).

#include <gtest/gtest.h>

#include "distribute/recorded.h"
#include "model/keras_file.h"
#include "model/keras_json.h"
#include "model/layers/dropout.h"
#include "model/weights.h"
#include "study/recordings/machine.h"
#include "study/recordings/training_case.h"
#include "support/folder.h"
#include "train/checkpoint.h"
#include "train/distributed/loss.h"

namespace wt::test {
namespace {

using namespace train;
using recordings::Comparison;
using Symbols = std::vector<Symbol>;

const recordings::PackedRecordings& trainings() {
  static const recordings::PackedRecordings all({"../distribute/trainings.tar.gz"});
  return all;
}

std::vector<const Recording*> trainings_of(const std::string& beginning) {
  std::vector<const Recording*> found;
  for (const Recording& recording : trainings().all())
    if (recording.id.starts_with("training_" + beginning)) found.push_back(&recording);
  return found;
}

void expect_passed(const Recording& recording, const Comparison& comparison) {
  EXPECT_EQ(comparison.judgement().verdict, recordings::Verdict::passed)
      << recording.version << " " << recording.id << ": " << comparison.judgement().why;
}

// As the recorded programs: faults of Keras included.
distribute::Strategy strategy_of(const Recording& recording, std::string_view key = "strategy") {
  return recordings::recorded_strategy(recording.config(key)->string());
}

float number(const Tensor& scalar) { return scalar.values<float>()[0]; }

// ---- A GAN: two models and two optimizers in one step

class Gan {
 public:
  explicit Gan(const Recording& recording) : recording_(recording) {
    for (const auto& [name, layer] : {std::pair{"g", generator_}, std::pair{"d", discriminator_}})
      state_.preset(recordings::recorded_weights(std::string("initial/") + name, tensors_, *layer,
                                                 recording.semantics()));
  }

  void compare() {
    Comparison comparison;
    std::vector<float> losses;
    Function step = strategy_.function(
        "train_step", state_, Function::Mode::training,
        [this](model::Building& building, const Symbols& batch) { return train_step(building, batch); },
        recording_.semantics());
    const data::DistributedDataset rows = strategy_.experimental_distribute_dataset(
        data::Dataset::from_tensor_slices({tensors_.at("z"), tensors_.at("real")}).batch(batch_));
    for (std::uint64_t epoch = 0; epoch < 2; ++epoch) {
      data::DistributedIterator batches = rows.iterate(epoch);
      while (const auto batch = batches.next()) {
        const PerReplica results = strategy_.run(step, *batch);
        for (std::size_t i = 0; i < 2; ++i)
          losses.push_back(number(strategy_.reduce(ReduceOp::sum, results, i)));
      }
    }
    const Tensor& recorded = tensors_.at("losses");
    ASSERT_EQ(recorded.shape().elements(), std::ssize(losses));
    comparison.near("losses", Tensor::of<float>(recorded.shape(), losses), recorded, recordings::loss_limit);
    compare_end("g", *generator_, of_generator_, comparison);
    compare_end("d", *discriminator_, of_discriminator_, comparison);
    expect_passed(recording_, comparison);
  }

 private:
  Symbol cross_entropy(Symbol logits, double label) const {
    const Symbol labels = fill(*logits.trace, logits.spec(), label);
    return model::per_example_loss(loss_, labels, logits, recording_.semantics());
  }

  Symbols train_step(model::Building& tape, const Symbols& inputs) const {
    const Symbol fake = (*generator_)(tape, inputs[0]);
    const Symbols generators = tape.trainable();
    const Symbol of_real = (*discriminator_)(tape, inputs[1]), of_fake = (*discriminator_)(tape, fake);
    Symbols discriminators = tape.trainable();
    discriminators.erase(discriminators.begin(), discriminators.begin() + std::ssize(generators));
    const Symbol generator_loss = model::compute_average_loss(cross_entropy(of_fake, 1), batch_);
    const Symbol discriminator_loss =
        model::compute_average_loss(cross_entropy(of_real, 1) + cross_entropy(of_fake, 0), batch_);
    const auto apply = [&](const model::Optimizer& optimizer, Symbol loss, const Symbols& variables) {
      model::apply_gradients(tape, optimizer, variables, tape.trace().gradient(loss, variables),
                             model::learning_rate(tape, optimizer), {.semantics = recording_.semantics()});
    };
    apply(of_generator_, generator_loss, generators);
    apply(of_discriminator_, discriminator_loss, discriminators);
    return {generator_loss, discriminator_loss};
  }

  void compare_end(const std::string& name, const model::Layer& layer, const model::Optimizer& optimizer,
                   Comparison& comparison) const {
    for (const auto& [weight, theirs] :
         recordings::recorded_weights("final/" + name, tensors_, layer, recording_.semantics()))
      comparison.near(weight, state_.read(weight), theirs, recordings::weight_limit);
    recordings::compare_optimizer_variables("optimizer/" + name + "/", tensors_,
                                            {optimizer, state_, layer.name(), recording_.semantics()},
                                            comparison);
  }

  model::Optimizer optimizer(std::string_view text) const {
    return recordings::recorded_optimizer(json::parse(std::string(text), "optimizer"),
                                          recording_.semantics());
  }

  const Recording& recording_;
  std::int64_t batch_ = recording_.config("batch")->integer();
  std::map<std::string, Tensor> tensors_ = recording_.tensors();
  model::LayerPtr generator_ = recordings::recorded_model(recording_, "generator.json");
  model::LayerPtr discriminator_ = recordings::recorded_model(recording_, "discriminator.json");
  model::Optimizer of_generator_ = optimizer(R"(["Adam", {"learning_rate": 0.01, "beta_1": 0.5}])");
  model::Optimizer of_discriminator_ = optimizer(R"(["SGD", {"learning_rate": 0.05}])");
  model::Loss loss_ = recordings::recorded_loss("bce");
  distribute::Strategy strategy_ = strategy_of(recording_);
  State state_{1};
};

TEST(P26, AGanTrainsAsRecorded) {
  const auto all = trainings_of("gan_");
  ASSERT_EQ(all.size(), 4u);
  for (const Recording* recording : all) Gan(*recording).compare();
}

// ---- Checkpoints

// One of the two trainings of a recorded program: a loop whose variables are saved, or restored, under a strategy.
class Checkpointed {
 public:
  Checkpointed(const Recording& recording, std::string_view key)
      : recording_(recording), strategy_(strategy_of(recording, key)) {}

  State& state() { return state_; }

  std::vector<float> train(const std::map<std::string, Tensor>& tensors) {
    const data::DistributedDataset rows = strategy_.experimental_distribute_dataset(
        data::Dataset::from_tensor_slices({tensors.at("x"), tensors.at("y")}).batch(12));
    std::vector<float> losses;
    data::DistributedIterator batches = rows.iterate();
    while (const auto batch = batches.next())
      losses.push_back(number(strategy_.reduce(ReduceOp::sum, strategy_.run(step_, *batch), 0)));
    return losses;
  }

  void build(const std::map<std::string, Tensor>& tensors) {
    const data::DistributedDataset rows = strategy_.experimental_distribute_dataset(
        data::Dataset::from_tensor_slices({tensors.at("x"), tensors.at("y")}).batch(12));
    step_.create_variables(*rows.iterate().next());
  }

  void compare_weights(const std::string& when, const std::map<std::string, Tensor>& tensors,
                       Comparison& comparison) const {
    for (const auto& [name, theirs] :
         recordings::recorded_weights(when, tensors, *layer_, recording_.semantics()))
      comparison.near(when + " " + name, state_.read(name), theirs,
                      recordings::Limit{.of_largest = recordings::weight_limit, .absolute = floor_of(name)});
  }
  // A normalization takes the mean away, so the gradient of a bias before it is rounding noise, of which Adam makes steps, and the
  // moving mean follows the bias.
  double floor_of(const std::string& name) const {
    const bool is_noise = (name == "first/bias" || name == "norm/moving_mean") && state_.has("norm/gamma");
    constexpr double steps = 4;  // two before the checkpoint and two behind it
    return is_noise ? steps * static_cast<double>(optimizer_.learning_rate) : 0;
  }

  void compare_optimizer(const std::string& prefix, const std::map<std::string, Tensor>& tensors,
                         const std::string& model, Comparison& comparison) const {
    recordings::compare_optimizer_variables(prefix, tensors,
                                            {optimizer_, state_, model, recording_.semantics()}, comparison);
  }

  std::vector<Tensor> metric() const {
    std::vector<Tensor> states;
    for (const std::string& name : model::state_names(seen_)) states.push_back(state_.read(name));
    return states;
  }
  void reset_metric() {
    for (const std::string& name : model::state_names(seen_)) state_.reset(name);
  }
  float metric_result() const {
    return number(model::metric_result(seen_, metric(), recording_.semantics()));
  }

 private:
  Symbols step(model::Building& building, const Symbols& batch) const {
    const Symbol predictions = (*layer_)(building, batch[0]);
    const Symbol loss =
        model::compute_average_loss(model::per_example_loss(recordings::recorded_loss("scce"), batch[1],
                                                            predictions, recording_.semantics()),
                                    12);
    const Symbols variables = building.trainable();
    model::apply_gradients(building, optimizer_, variables, building.trace().gradient(loss, variables),
                           model::learning_rate(building, optimizer_), {.semantics = recording_.semantics()});
    model::update_mean(building, seen_, loss);
    const TensorSpec spec{Type::int64, {}};
    const Symbol counter =
        building.weight({"counter",
                         spec,
                         model::zeros,
                         {.trainable = false, .aggregation = Aggregation::only_first_replica},
                         {},
                         {}});
    building.update(counter, counter + fill(building.trace(), spec, 1));
    return {loss};
  }

  const Recording& recording_;
  distribute::Strategy strategy_;
  model::LayerPtr layer_ = recordings::recorded_model(recording_);
  model::Optimizer optimizer_ =
      recordings::recorded_optimizer(*recording_.config("optimizer"), recording_.semantics());
  model::Metric seen_ = model::metric_named("Mean", "seen");
  State state_{1};
  Function step_ = strategy_.function(
      "train_step", state_, Function::Mode::training,
      [this](model::Building& building, const Symbols& batch) { return step(building, batch); },
      recording_.semantics());
};

void compare_losses(const std::string& name, const std::vector<float>& ours, const Tensor& recorded,
                    Comparison& comparison) {
  comparison.near(name, Tensor::of<float>({std::ssize(ours)}, ours), recorded, recordings::loss_limit);
}

void compare_metric(const std::vector<Tensor>& ours, const json::Value& recorded, Comparison& comparison) {
  for (std::size_t i = 0; i < ours.size(); ++i)
    comparison.near("the metric's state", static_cast<double>(number(ours[i])),
                    recordings::number_of(recorded.elements()[i]));
}

// Keras 3's metrics can't be in a tf.train.Checkpoint, and begin anew.
void compare_checkpoint(const Recording& recording) {
  const TestFolder folder;
  const std::map<std::string, Tensor> tensors = recording.tensors();
  Comparison comparison;
  Checkpointed first(recording, "saved_under");
  first.state().preset(recordings::recorded_weights(
      "initial", tensors, *recordings::recorded_model(recording), recording.semantics()));
  first.build(tensors);
  compare_losses("losses_before", first.train(tensors), tensors.at("losses_before"), comparison);
  first.compare_weights("saved", tensors, comparison);
  const std::string model = recordings::recorded_model(recording)->name();
  first.compare_optimizer("saved_optimizer/", tensors, model, comparison);
  compare_metric(first.metric(), *recording.value("saved_metric"), comparison);
  const std::filesystem::path saved = Checkpoint(first.state()).save(folder / "ckpt");
  comparison.same("the checkpoint", saved.filename().string(), recording.value("checkpoint_name")->string());
  comparison.same("the newest checkpoint", latest_checkpoint(folder.path())->filename().string(),
                  recording.value("latest")->string());

  Checkpointed second(recording, "restored_under");
  second.build(tensors);
  Checkpoint(second.state()).restore(saved);
  if (recording.version == "keras3") second.reset_metric();
  second.compare_weights("restored", tensors, comparison);
  second.compare_optimizer("restored_optimizer/", tensors,
                           recording.version == "keras3" ? model + "_1" : model, comparison);
  compare_metric(second.metric(), *recording.value("restored_metric"), comparison);
  comparison.near("the counter",
                  static_cast<double>(second.state().read("counter").values<std::int64_t>()[0]),
                  recordings::number_of(*recording.value("restored_counter")));
  compare_losses("losses_after", second.train(tensors), tensors.at("losses_after"), comparison);
  second.compare_weights("final", tensors, comparison);
  comparison.near("the metric at the end", static_cast<double>(second.metric_result()),
                  recordings::number_of(*recording.value("final_metric")));
  expect_passed(recording, comparison);
}

TEST(P22, ACheckpointIsRestoredUnderAnotherStrategyAsRecorded) {
  const auto all = trainings_of("checkpoint_");
  ASSERT_EQ(all.size(), 6u);
  for (const Recording* recording : all) compare_checkpoint(*recording);
}

// ---- Dropout. TensorFlow's seeds are not reproduced: what is compared is which masks are equal, and what they are made of.

std::vector<Values> recorded_masks(const Recording& recording, std::size_t replicas) {
  const std::map<std::string, Tensor> tensors = recording.tensors();
  std::vector<Values> calls(3);
  for (std::size_t call = 0; call < calls.size(); ++call)
    for (std::size_t i = 0; i < replicas; ++i)
      calls[call].push_back(tensors.at(fmt::format("call{}/replica{}", call, i)));
  return calls;
}

std::vector<Values> own_masks(const Recording& recording, const distribute::Strategy& strategy) {
  strategy.resources().faithful = true;
  std::optional<std::int64_t> seed;
  if (recording.config("layer_seed")->kind() == json::Kind::integer)
    seed = recording.config("layer_seed")->integer();
  const model::LayerPtr layer = model::dropout({.name = "drop", .rate = 0.5, .seed = seed});
  State state(5);
  Function step = strategy.function(
      "go", state, Function::Mode::training,
      [&](model::Building& building, const Symbols&) {
        return Symbols{(*layer)(building, fill(building.trace(), {Type::float32, {4, 8}}, 1))};
      },
      recording.semantics());
  std::vector<Values> calls;
  for (int call = 0; call < 3; ++call)
    calls.push_back(experimental_local_results(
        strategy.run(step, PerReplica(static_cast<std::size_t>(strategy.num_replicas_in_sync())))));
  return calls;
}

bool are_equal(const Tensor& a, const Tensor& b) { return std::ranges::equal(a.bytes(), b.bytes()); }

TEST(Dropout, MasksAreEqualOnReplicasWhereTheyAreRecordedToBe) {
  const auto all = trainings_of("dropout_");
  ASSERT_EQ(all.size(), 6u);
  for (const Recording* recording : all) {
    const distribute::Strategy strategy = strategy_of(*recording);
    const std::vector<Values> ours = own_masks(*recording, strategy);
    const std::vector<Values> theirs = recorded_masks(*recording, ours[0].size());
    const std::string at = recording->version + " " + recording->id;
    for (std::size_t call = 0; call < ours.size(); ++call) {
      EXPECT_EQ(are_equal(ours[call].front(), ours[call].back()),
                are_equal(theirs[call].front(), theirs[call].back()))
          << at;
      if (call > 0) {
        EXPECT_EQ(are_equal(ours[call][0], ours[0][0]), are_equal(theirs[call][0], theirs[0][0])) << at;
      }
      for (const Values* values : {&ours[call], &theirs[call]})
        for (const Tensor& mask : *values)
          for (const float element : mask.values<float>()) EXPECT_TRUE(element == 0 || element == 2) << at;
    }
  }
}

// ---- A loss that is scaled wrongly

TEST(L14, ScaledLossesAndTheirMeanAreAsRecorded) {
  const auto all = trainings_of("average_loss_pitfall");
  ASSERT_EQ(all.size(), 2u);
  for (const Recording* recording : all) {
    const distribute::Strategy strategy = recordings::recorded_strategy("mirrored2");
    const model::Metric metric = model::metric_named("Mean", "mean");
    State state(1);
    Function step = strategy.function(
        "step", state, Function::Mode::training,
        [&](model::Building& building, const Symbols& losses) {
          const Symbol average = model::compute_average_loss(losses[0], std::int64_t{4});
          model::update_mean(building, metric, average);
          return Symbols{average};
        },
        recording->semantics());
    const Values values{Tensor::of<float>({2}, {2, 3}), Tensor::of<float>({2}, {4, 5})};
    const PerReplica got = strategy.run(step, {{values[0]}, {values[1]}});
    std::vector<float> replicas;
    for (const Tensor& each : experimental_local_results(got)) replicas.push_back(number(each));
    std::vector<float> states;
    std::vector<Tensor> tensors;
    for (const std::string& name : model::state_names(metric)) {
      tensors.push_back(state.read(name));
      states.push_back(number(tensors.back()));
    }
    const auto is = [&](const std::string& key, const auto& found) {
      expect_recorded(*recording, key, [&] { return found; });
    };
    is("replicas", replicas);
    is("sum", number(strategy.reduce(ReduceOp::sum, got, 0)));
    is("mean_axis0", number(strategy.reduce(ReduceOp::mean, values, 0)));
    is("metric", number(model::metric_result(metric, tensors, recording->semantics())));
    is("metric_variables", states);
  }
}

// ---- Models that are saved under a strategy. A SavedModel (`export`) is not written: its path is a .keras file.

Tensor predictions_of(model::LayerPtr layer, const std::map<std::string, Tensor>& weights, const Tensor& x,
                      const distribute::Strategy& strategy) {
  State state(1);
  state.preset(weights);
  Model model(std::move(layer), state, strategy.resources());
  return model.predict(data::Dataset::from_tensor_slices({x}).batch(x.shape()[0]));
}

void compare_saved(const Recording& recording) {
  const TestFolder folder;
  const std::map<std::string, Tensor> tensors = recording.tensors();
  const model::LayerPtr layer = recordings::recorded_model(recording);
  const model::Semantics semantics = recording.semantics();
  const distribute::Strategy mirrored = recordings::recorded_strategy("mirrored2");
  const distribute::Strategy one = recordings::recorded_strategy("one");
  const distribute::Strategy none = recordings::recorded_strategy("default");
  Comparison comparison;
  const auto saved = recordings::recorded_weights("saved", tensors, *layer, semantics);
  State state(1);
  state.preset(saved);
  {
    const auto scope = mirrored.scope();
    Model model(layer, state, mirrored.resources());
    model.compile({.loss = model::loss_named("sparse_categorical_crossentropy"),
                   .optimizer = model::optimizer_named("sgd"),
                   .semantics = semantics});
    const Tensor& x = tensors.at("x");
    const Tensor labels = Tensor::zeros({Type::int64, {x.shape()[0]}});
    model.create_variables({x, labels});
    model.save_weights(folder / "w.weights.h5");
    const json::Value architecture = json::parse(recording.text("model.json")->string(), "model.json");
    model::write_keras(folder / "whole.keras", *layer, model::weights_of(*layer, semantics), model.weights(),
                       architecture, semantics);
  }
  const auto read = [&](const char* file, const model::Layer& as) {
    return model::read_saved_weights(folder / file, as, model::weights_of(as, semantics));
  };
  for (const auto& [name, weight] : read("w.weights.h5", *layer))
    comparison.near(name, weight, recordings::recorded_weights("h5", tensors, *layer, semantics).at(name),
                    recordings::weight_limit);
  const model::LayerPtr again =
      model::model_from_json(model::read_saved_model(folder / "whole.keras").architecture);
  const auto restored = read("whole.keras", *again);
  for (const auto& [key, strategy] : {std::pair{"keras_predictions", &none},
                                      std::pair{"other_predictions", &one}, std::pair{"predictions", &none}})
    comparison.near(key, predictions_of(again, restored, tensors.at("x"), *strategy), tensors.at(key),
                    recordings::prediction_limit);
  expect_passed(recording, comparison);
}

TEST(P24, AModelThatIsSavedUnderAStrategyIsReadWithoutOne) {
  const auto all = trainings_of("export_");
  ASSERT_EQ(all.size(), 2u);
  for (const Recording* recording : all) compare_saved(*recording);
}

// ---- Refusals

// Whether a call was recorded to be refused; an error of ours has TensorFlow's sentence, up to where it is cut.
void expect_refusal(const Recording& recording, const std::string& key, const std::function<void()>& call) {
  const std::string at = recording.version + " " + key;
  const json::Value& error = *recording.error(key);
  const bool is_refused = error.find("type")->kind() == json::Kind::string;
  try {
    call();
    EXPECT_FALSE(is_refused) << at;
  } catch (const InputError& refusal) {
    ASSERT_TRUE(is_refused) << at << ": " << refusal.what();
    if (error.find("python")->boolean()) return;
    const std::string sentence = without_addresses(error.find("sentence")->string());
    const std::string ours = refusal.problems().front().fact;
    EXPECT_EQ(sentence.substr(0, 60), ours.substr(0, 60)) << at;
  }
}

TEST(P20, ProgramsAreRefusedWhereTheyAreRecordedToBe) {
  const auto all = trainings_of("refusals");
  ASSERT_EQ(all.size(), 2u);
  for (const Recording* recording : all) {
    const auto strategy = strategy_named("mirrored2"), other = strategy_named("one1");
    const auto is = [&](const std::string& key, const std::function<void()>& call) {
      expect_refusal(*recording, key, call);
    };
    // "auto" is a name of Keras 2 alone. In a scenario, Keras 3's objects are read without it.
    for (const std::string reduction : {"auto", "sum_over_batch_size", "sum", "none"}) {
      if (reduction == "auto" && recording->version == "keras3") continue;
      is("loss_" + reduction, [&] {
        model::require_custom_loop_reduction(model::reduction_named(reduction).value(),
                                             recording->semantics());
      });
    }
    is("nested_scopes", [&] {
      const auto outer = other->scope();
      const auto inner = strategy->scope();
    });
    is("scope_in_run", [&] { strategy->run([&] { const auto scope = strategy->scope(); }); });
    is("reduce_in_run",
       [&] { strategy->run([&] { strategy->reduce(ReduceOp::sum, constant(1.f).numbers); }); });
    is("unbatched", [&] {
      const distribute::Strategy described = recordings::recorded_strategy("mirrored2");
      described.experimental_distribute_dataset(
          data::Dataset::from_tensor_slices({Tensor::of<std::int64_t>({4}, {0, 1, 2, 3})}));
    });
    is("all_reduce_under_condition", [&] {
      strategy->run([&] {
        const InsideFunction inner;
        context().all_reduce(ReduceOp::sum, constant(1.f));
      });
    });
  }
}

}  // namespace
}  // namespace wt::test
