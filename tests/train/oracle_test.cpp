// Claim: the trainings of tests/oracle, which ran on one device, have the same result on N replicas. The
// losses agree within a relative error of 1e-5, and the final weights within 1e-4 (the largest difference
// divided by the largest weight of a tensor).

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "model/keras_json.h"
#include "strategy/multi_worker_mirrored.h"
#include "strategy/tpu.h"
#include "tensor/difference.h"
#include "tensor/safetensors.h"
#include "train/machine.h"

namespace wt::train {
namespace {

struct Case {
  explicit Case(const std::string& name)
      : folder(std::filesystem::path(WT_TEST_DATA) / "oracle" / name),
        written(json::parse_file(folder / "case.json")) {}

  const json::Value& at(const char* key) const { return *written.find(key); }
  std::map<std::string, Tensor> tensors(const char* file) const {
    return read_safetensors(folder / file).tensors;
  }

  CompileOptions options() const {
    Problems problems;
    const auto loss = model::read_loss(at("loss"), problems);
    const auto optimizer = model::read_optimizer(at("optimizer"), problems);
    problems.throw_if_any();
    return {.loss = *loss, .optimizer = *optimizer, .loss_scale = LossScale::global_rows};
  }

  data::Dataset dataset() const {
    const auto data = tensors("data.safetensors");
    return data::Dataset::from_tensor_slices({data.at("x"), data.at("y")})
        .batch(at("global_batch").integer());
  }

  std::filesystem::path folder;
  json::Value written;
};

struct Errors {
  double loss = 0;
  double weight = 0;
};

Errors train(const Case& reference, const Lowering& lower, const data::Distribution& input) {
  test::Machine machine(lower, input);
  State state(1);
  state.preset(reference.tensors("initial.safetensors"));
  Model model(model::model_from_json_file(reference.folder / "model.json"), state, machine);
  model.compile(reference.options());
  std::vector<double> losses;
  model.fit(reference.dataset(), {.on_step = [&](const StepResult& step) { losses.push_back(step.loss); }});

  Errors errors;
  const auto& expected = reference.at("loss_per_step").elements();
  EXPECT_EQ(losses.size(), expected.size());
  for (std::size_t i = 0; i < std::min(losses.size(), expected.size()); ++i)
    errors.loss = std::max(errors.loss, relative_difference(losses[i], expected[i].real()));
  const auto weights = model.weights();
  for (const auto& [name, theirs] : reference.tensors("final.safetensors"))
    errors.weight = std::max(errors.weight, relative_difference(weights.at(name), theirs));
  return errors;
}

struct Way {
  std::string name{};
  std::function<Lowering(std::int64_t replicas)> lowering{};
};

Way mirrored(const std::string& name, strategy::MirroredOptions options) {
  return {name, [=](std::int64_t replicas) -> Lowering {
            return [=, places = test::gpus(replicas)](strategy::Steps steps) {
              return strategy::lower_mirrored(steps, places, options);
            };
          }};
}

void expect_agreement(const std::string& name, const Way& way, const data::Distribution& input) {
  const Errors errors = train(Case(name), way.lowering(input.replicas), input);
  fmt::print("{:<18} {:<28} {:>8}  {:>10.1e}  {:>10.1e}\n", name, way.name, input.replicas, errors.loss,
             errors.weight);
  EXPECT_LE(errors.loss, 1e-5) << name << " " << way.name << " " << input.replicas;
  EXPECT_LE(errors.weight, 1e-4) << name << " " << way.name << " " << input.replicas;
}

void print_header() {
  fmt::print("{:<18} {:<28} {:>8}  {:>10}  {:>10}\n", "case", "way", "replicas", "loss", "weight");
}

TEST(Oracle, EveryCaseTrainsAsTheReferenceDidOnUpToFourMirroredReplicas) {
  print_header();
  const Way nccl = mirrored("mirrored, nccl", {});
  for (const std::string name : {"linear_sgd", "mlp_momentum", "mlp_uneven", "fashion_cnn_adam"})
    for (const std::int64_t replicas : {1, 2, 3, 4}) expect_agreement(name, nccl, {.replicas = replicas});
}

TEST(Oracle, UnevenBatchesTrainAsTheReferenceDidUnderEveryStrategy) {
  using strategy::CrossDeviceOps;
  print_header();
  const std::vector<Way> ways{
      mirrored("mirrored, ring", {.cross_device_ops = CrossDeviceOps::collective_ring}),
      mirrored("mirrored, eager", {.packing = {.eager = true}}),
      mirrored("mirrored, overlap", {.packing = {.overlap = true, .bucket_cap = Bytes(256)}}),
      mirrored("mirrored, hierarchical copy",
               {.cross_device_ops = CrossDeviceOps::hierarchical_copy, .faithful = false}),
      mirrored("mirrored, one device", {.cross_device_ops = CrossDeviceOps::reduction_to_one_device}),
      {"central storage", test::central_storage},
      {"multi-worker mirrored", test::multi_worker_mirrored},
      {"tpu", test::tpu}};
  for (const Way& way : ways)
    for (const std::int64_t replicas : {2, 3, 8}) {
      data::Distribution input{.replicas = replicas};
      if (way.name == "multi-worker mirrored") input.workers = replicas;
      expect_agreement("mlp_uneven", way, input);
    }
}

// With the policy OFF, pieces have equal sizes and the last batch fills the first replicas, so that its 7
// rows leave some replicas without rows.
TEST(Oracle, EvenPiecesTrainAsTheReferenceDid) {
  print_header();
  for (const std::int64_t replicas : {3, 5})
    expect_agreement("mlp_uneven", mirrored("mirrored, policy OFF", {}),
                     {.replicas = replicas, .policy = data::AutoShardPolicy::off});
}

}  // namespace
}  // namespace wt::train
