// Claims: eleven models of keras.applications, a BERT and a decoder like GPT-2 are read from the JSON that Keras 3.15 wrote,
// have as many parameters as Keras counts, and train their first step with Keras' loss. record.py made the models and
// losses, and compares all weights after the step. Where the batch statistics of two rows are ill-conditioned, the loss
// may be off by twice the distance of Keras' own float32 from its float64.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/temporary_folder.h"
#include "model/keras_json.h"
#include "model/weights.h"
#include "study/recordings/archive.h"
#include "study/recordings/machine.h"
#include "train/model.h"

namespace wt {
namespace {

const std::string folder = std::string(WT_TEST_DATA) + "/applications/";

// ---- The fill that record.py describes

std::vector<std::uint64_t> bits_of(std::string_view name, std::int64_t count) {
  std::uint64_t state = 14695981039346656037U;
  for (const char c : name) state = (state ^ static_cast<unsigned char>(c)) * 1099511628211U;
  std::vector<std::uint64_t> bits(static_cast<std::size_t>(count));
  for (std::uint64_t& z : bits) {
    z = state += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    z ^= z >> 31U;
  }
  return bits;
}

Tensor filled(const std::string& name, const Shape& shape) {
  std::vector<float> values;
  double scale = 0.1, middle = name.ends_with("gamma") || name.ends_with("variance") ? 1 : 0;
  if (shape.rank() > 1) {
    scale = std::sqrt(3.0 / static_cast<double>(shape.elements() / shape[shape.rank() - 1]));
    middle = 0;
  }
  for (const std::uint64_t bits : bits_of(name, shape.elements())) {
    const double uniform = static_cast<double>(bits >> 40U) / 8388608.0 - 1;
    values.push_back(static_cast<float>(middle + scale * uniform));
  }
  return Tensor::of<float>(shape, values);
}

constexpr std::int64_t batch = 2;
constexpr const char* language_inputs[] = {"words", "positions", "mask"};

// Images are between 0 and 255, words below 1000, positions counted, and nobody looks at the last quarter.
Tensor input(const std::string& name, TensorSpec spec) {
  spec.shape = model::batched({spec}, batch)[0].shape;
  const std::int64_t length = spec.shape[spec.shape.rank() - 1];
  std::vector<std::uint64_t> bits = bits_of(name, spec.shape.elements());
  std::vector<float> floats;
  std::vector<std::int32_t> integers;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    const std::int64_t position = static_cast<std::int64_t>(i) % length;
    if (name == "positions")
      integers.push_back(static_cast<std::int32_t>(position));
    else if (name == "words")
      integers.push_back(static_cast<std::int32_t>(bits[i] % 1000));
    else
      floats.push_back(name == "mask" ? (position < 3 * length / 4 ? 1.0F : 0.0F)
                                      : static_cast<float>(bits[i] >> 56U));
  }
  return floats.empty() ? Tensor::of<std::int32_t>(spec.shape, integers)
                        : Tensor::of<float>(spec.shape, floats);
}

Tensor labels(const Shape& output) {
  Shape shape;
  for (int axis = 0; axis + 1 < output.rank(); ++axis) shape.append(output[axis]);
  std::vector<std::int32_t> values;
  for (const std::uint64_t bits : bits_of("labels", shape.elements()))
    values.push_back(static_cast<std::int32_t>(bits % static_cast<std::uint64_t>(output[output.rank() - 1])));
  return Tensor::of<std::int32_t>(shape, values);
}

// ---- The models

const json::Value& recorded() {
  static const json::Value all = json::parse_file(folder + "steps.json");
  return all;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const json::Member& model : recorded().members()) all.push_back(model.key);
  return all;
}

class Applications : public testing::TestWithParam<std::string> {
 protected:
  static const std::filesystem::path& models() {
    static const TemporaryFolder scratch;
    static const bool is_unpacked = (recordings::unpack(folder + "models.tar.gz", scratch.path()), true);
    EXPECT_TRUE(is_unpacked);
    return scratch.path();
  }
};
INSTANTIATE_TEST_SUITE_P(OfKeras, Applications, testing::ValuesIn(names()),
                         [](const auto& test) { return test.param; });

TEST_P(Applications, HaveKerasParametersAndTrainWithItsLoss) {
  const json::Value& theirs = *recorded().find(GetParam());
  const model::LayerPtr layer = model::model_from_json_file((models() / (GetParam() + ".json")).string());
  train::State state(1);
  std::int64_t parameters = 0;
  for (const model::Weight& weight : model::weights_of(*layer)) {
    if (std::holds_alternative<model::StreamStart>(weight.initializer.rule)) continue;
    parameters += weight.spec.shape.elements();
    if (weight.spec.type != Type::float32) continue;  // Normalization counts its rows
    state.preset({{weight.name, filled(weight.name, weight.spec.shape)}});
  }
  EXPECT_EQ(parameters, theirs.find("parameters")->integer());

  std::vector<TensorSpec> specs = layer->input_specs();
  std::vector<Tensor> rows;
  for (std::size_t i = 0; i < specs.size(); ++i)
    rows.push_back(input(specs.size() == 1 ? "image" : language_inputs[i], specs[i]));
  const model::Forward forward = model::forward(*layer, model::batched(specs, batch), false);
  rows.push_back(labels(forward.outputs.front().shape));
  recordings::Machine machine;
  train::Model model(layer, state, machine);
  model::Optimizer sgd = model::optimizer_named("SGD");
  sgd.learning_rate = 0.01;
  model.compile({.loss = model::loss_named("sparse_categorical_crossentropy"), .optimizer = sgd});
  const double loss = theirs.find("loss")->real();
  const double rounding = std::abs(loss - theirs.find("loss_in_float64")->real());
  EXPECT_NEAR(model.train_on_batch(rows).loss, loss, std::max(1e-5 * loss, 2 * rounding));
}

}  // namespace
}  // namespace wt
