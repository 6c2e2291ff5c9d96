// Claim: small models of one layer, which Keras 3.15 trained on TensorFlow 2.21, train here to the same losses,
// weights and predictions, from the files that Keras wrote. tests/train/keras3 has a folder for each, with the
// model as Keras writes it (its compile_config names loss and optimizer), the data, and all weights before and
// after four steps. Losses and predictions agree within a relative error of 1e-5, and weights within 1e-4.
//
// A case with "replicas" was trained under MirroredStrategy on as many logical CPUs, and is trained here under
// every strategy whose replicas have equal copies.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "model/keras_json.h"
#include "model/weights.h"
#include "tensor/difference.h"
#include "tensor/safetensors.h"
#include "train/machine.h"

namespace wt::train {
namespace {

namespace fs = std::filesystem;

const fs::path recorded = fs::path(WT_TEST_DATA) / "train" / "keras3";

std::vector<std::string> all_cases() {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(recorded))
    if (entry.is_directory() && !json::parse_file(entry.path() / "case.json").find("replicas"))
      names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

class Keras3Case {
 protected:
  explicit Keras3Case(const std::string& name) : name_(name) {}
  fs::path folder() const { return recorded / name_; }
  std::string name_;
  json::Value model_ = json::parse_file(folder() / "model.json");
  json::Value case_ = json::parse_file(folder() / "case.json");
  json::PassedOver passed_{};
  model::LayerPtr layer_ = model::model_from_json(model_, &passed_);
  std::map<std::string, Tensor> tensors_ = read_safetensors(folder() / "data.safetensors").tensors;

  CompileOptions options() const {
    const json::Value& compiled = *model_.find("compile_config");
    Problems problems;
    auto loss = model::read_losses(*compiled.find("loss"), problems);
    const auto optimizer = model::read_optimizer(*compiled.find("optimizer"), problems);
    problems.throw_if_any();
    if (const json::Value* weights = compiled.find("loss_weights"); weights->kind() == json::Kind::array)
      for (const json::Value& weight : weights->elements()) loss->weights.push_back(weight.real());
    return {.loss = *loss, .optimizer = *optimizer, .semantics = model::Semantics::keras3};
  }

  // The weights "initial/07/dense/kernel" or "final/07/dense/kernel", by their names here. Keras' path
  // may begin with the model that a layer is in.
  std::map<std::string, Tensor> weights(const std::string& when) const {
    std::map<std::string, Tensor> found;
    for (const auto& [name, tensor] : tensors_)
      if (name.starts_with(when + "/")) found.emplace(own_name(name.substr(when.size() + 4)), tensor);
    return found;
  }
  std::string own_name(const std::string& path) const {
    for (const model::Weight& weight : model::weights_of(*layer_))
      if (weight.name == path || path.ends_with("/" + weight.name)) return weight.name;
    ADD_FAILURE() << "no weight here is " << path;
    return path;
  }

  // The tensors x0, x1, ... or y0, y1, ..., in order.
  std::vector<Tensor> numbered(char letter) const {
    std::vector<Tensor> found;
    for (int i = 0; tensors_.contains(fmt::format("{}{}", letter, i)); ++i)
      found.push_back(tensors_.at(fmt::format("{}{}", letter, i)));
    return found;
  }

  data::Dataset batches(bool with_labels) const {
    std::vector<Tensor> rows = numbered('x');
    if (with_labels)
      for (const Tensor& labels : numbered('y')) rows.push_back(labels);
    return data::Dataset::from_tensor_slices(rows).batch(case_.find("batch")->integer());
  }

  void expect_the_same_training(train::Resources& machine) {
    State state(1);
    state.preset(weights("initial"));
    Model model(layer_, state, machine);
    model.compile(options());
    std::vector<double> losses;
    model.fit(batches(true), {.on_step = [&](const StepResult& step) { losses.push_back(step.loss); }});

    const auto& expected = case_.find("losses")->elements();
    ASSERT_EQ(losses.size(), expected.size());
    for (std::size_t i = 0; i < losses.size(); ++i)
      EXPECT_LE(relative_difference(losses[i], expected[i].real()), 1e-5) << "loss of step " << i;
    const std::map<std::string, Tensor> trained = model.weights();
    EXPECT_EQ(trained.size(), weights("final").size());
    for (const auto& [name, theirs] : weights("final")) {
      ASSERT_TRUE(trained.contains(name)) << name;
      EXPECT_LE(relative_difference(trained.at(name), theirs), 1e-4) << name;
    }
    const std::vector<Tensor> outputs = model.predict_outputs(batches(false).take(1));
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const std::string name = outputs.size() == 1 ? "predict_final" : fmt::format("predict_final/{}", i);
      EXPECT_LE(relative_difference(outputs[i], tensors_.at(name)), 1e-5) << name;
    }
  }
};

class Recorded : public Keras3Case, public testing::TestWithParam<std::string> {
 protected:
  Recorded() : Keras3Case(GetParam()) {}
};

TEST_P(Recorded, TrainsToTheSameDigits) {
  EXPECT_TRUE(passed_.empty());  // Every key that Keras 3.15 writes is known.
  test::Machine machine;
  expect_the_same_training(machine);
}

// The cases model_replicas_N share one model: a batch normalization of images that is called twice, an embedding
// with repeated ids, two losses with weights, and Adam. table_replicas_3 has no batch normalization, whose
// statistics central storage refuses with the semantics of Keras 3.
struct Way {
  std::string name{};
  Lowering (*lowering)(std::int64_t replicas) = nullptr;
  std::int64_t replicas = 1;
  std::string recorded{};
  friend void PrintTo(const Way& way, std::ostream* out) { *out << way.name << " " << way.replicas; }
};

class Replicas : public Keras3Case, public testing::TestWithParam<Way> {
 protected:
  Replicas() : Keras3Case(GetParam().recorded) {}
};

TEST_P(Replicas, TrainToTheSameDigits) {
  const Way& way = GetParam();
  EXPECT_EQ(case_.find("replicas")->integer(), way.replicas);
  data::Distribution input{.replicas = way.replicas};
  if (way.lowering == test::multi_worker_mirrored) input.workers = way.replicas;
  test::Machine machine(way.lowering(way.replicas), input);
  expect_the_same_training(machine);
}

std::vector<Way> all_ways() {
  std::vector<Way> ways;
  for (const std::int64_t replicas : {1, 2, 3, 8})
    for (const Way& way : {Way{"mirrored", test::mirrored},
                           Way{"multi_worker_mirrored", test::multi_worker_mirrored}, Way{"tpu", test::tpu}})
      ways.push_back({fmt::format("{}_{}", way.name, replicas), way.lowering, replicas,
                      fmt::format("model_replicas_{}", replicas)});
  ways.push_back({"central_storage_3", test::central_storage, 3, "table_replicas_3"});
  ways.push_back({"mirrored_table_3", test::mirrored, 3, "table_replicas_3"});
  return ways;
}

INSTANTIATE_TEST_SUITE_P(Keras3, Replicas, testing::ValuesIn(all_ways()),
                         [](const auto& given) { return given.param.name; });

INSTANTIATE_TEST_SUITE_P(Keras3, Recorded, testing::ValuesIn(all_cases()),
                         [](const auto& given) { return given.param; });

}  // namespace
}  // namespace wt::train
