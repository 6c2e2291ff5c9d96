// Claims: files of Keras 2.15 and 3.15 (.keras, .weights.h5, .h5 with and without the model) give the predictions that
// TensorFlow computed with them; what is written in Keras' layout reads back; damaged files are refused with their
// place and never end the program. record.py made the files, and shows that TensorFlow reads ours.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>

#include "../cli/command.h"
#include "base/file.h"
#include "base/temporary_folder.h"
#include "model/keras_file.h"
#include "model/weights.h"
#include "scenario/build.h"
#include "scenario/parse.h"
#include "study/recordings/archive.h"
#include "support/step.h"
#include "tensor/hdf5.h"

namespace wt {
namespace {

namespace fs = std::filesystem;

const fs::path& files() {
  static const TemporaryFolder folder;
  static const bool is_unpacked = [] {
    recordings::unpack(fs::path(WT_TEST_DATA) / "keras_files/files.tar.gz", folder.path());
    return true;
  }();
  EXPECT_TRUE(is_unpacked);
  return folder.path();
}

// A model of one version, and what TensorFlow computed with it.
struct Recorded {
  std::string version{};
  std::string name{};
  fs::path file(const std::string& suffix) const { return files() / version / (name + suffix); }
  model::Semantics semantics() const {
    return version == "keras2" ? model::Semantics::keras2 : model::Semantics::keras3;
  }
};

void PrintTo(const Recorded& recorded, std::ostream* out) {
  *out << recorded.version << " " << recorded.name;
}

void collect(const json::Value& value, std::vector<double>& numbers) {
  if (value.kind() == json::Kind::array) {
    for (const json::Value& element : value.elements()) collect(element, numbers);
  } else {
    numbers.push_back(value.kind() == json::Kind::integer ? static_cast<double>(value.integer())
                                                          : value.real());
  }
}

std::vector<double> numbers_of(const json::Value& value) {
  std::vector<double> numbers;
  collect(value, numbers);
  return numbers;
}

Tensor tensor_of(const json::Value& value, const TensorSpec& spec) {
  const std::vector<double> numbers = numbers_of(value);
  if (spec.type == Type::int32) return Tensor::of<std::int32_t>(spec.shape, {numbers.begin(), numbers.end()});
  return Tensor::of<float>(spec.shape, {numbers.begin(), numbers.end()});
}

using Weights = std::map<std::string, Tensor>;

// The largest distance of the predictions with these weights from TensorFlow's.
double distance(const Recorded& recorded, const model::Layer& model, Weights weights) {
  const json::Value values = json::parse_file(recorded.file("_values.json"));
  const json::Value::Elements& inputs = values.find("inputs")->elements();
  const auto rows = static_cast<std::int64_t>(inputs[0].elements().size());
  const model::Forward forward = model::forward(model, rows, false, recorded.semantics());
  const std::vector<TensorSpec> specs = model::batched(model.input_specs(), rows);
  for (std::size_t i = 0; i < specs.size(); ++i)
    weights[i == 0 ? "x" : fmt::format("x_{}", i)] = tensor_of(inputs[i], specs[i]);
  const test::Values answered = test::run(forward.step, weights);
  const json::Value::Elements& wanted = values.find("predictions")->elements();
  EXPECT_EQ(wanted.size(), forward.outputs.size());
  double largest = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const Tensor& y = answered.at(i == 0 ? "y" : fmt::format("y_{}", i));
    const std::vector<double> numbers = numbers_of(wanted[i]);
    EXPECT_EQ(static_cast<std::int64_t>(numbers.size()), y.spec().elements());
    for (std::size_t k = 0; k < numbers.size(); ++k)
      largest = std::max(largest, std::abs(numbers[k] - test::value_at(y, k)));
  }
  return largest;
}

class Files : public testing::TestWithParam<Recorded> {};

std::string name_of(const testing::TestParamInfo<Recorded>& info) {
  return info.param.version + "_" + info.param.name;
}

std::vector<Recorded> all_recorded() {
  std::vector<Recorded> all;
  for (const char* version : {"keras2", "keras3"})
    for (const char* name : {"dense", "conv", "sequence", "two"}) all.push_back({version, name});
  return all;
}

constexpr double tolerance = 1e-5;

std::vector<std::string> suffixes_of_weights(const Recorded& recorded) {
  std::vector<std::string> suffixes{".keras", ".h5", ".weights.h5"};
  if (recorded.version == "keras2") suffixes.emplace_back("_only.h5");
  return suffixes;
}

TEST_P(Files, PredictAsTensorFlowDoes) {
  for (const char* whole : {".keras", ".h5"}) {
    const model::SavedModel saved = model::read_saved_model(GetParam().file(whole));
    ASSERT_TRUE(saved.writer);
    EXPECT_EQ(saved.writer->version, GetParam().version == "keras2" ? "Keras 2.15.0" : "Keras 3.15.1");
    EXPECT_TRUE(saved.compiled_with);
    const model::LayerPtr model = model::model_from_json(saved.architecture);
    const std::vector<model::Weight> weights = model::weights_of(*model, GetParam().semantics());
    for (const std::string& suffix : suffixes_of_weights(GetParam())) {
      const Weights values = model::read_saved_weights(GetParam().file(suffix), *model, weights);
      EXPECT_LT(distance(GetParam(), *model, values), tolerance) << whole << " with " << suffix;
    }
  }
}

TEST_P(Files, AreWrittenAsTheyAreRead) {
  const TemporaryFolder folder;
  const model::SavedModel saved = model::read_saved_model(GetParam().file(".keras"));
  const model::LayerPtr model = model::model_from_json(saved.architecture);
  const std::vector<model::Weight> weights = model::weights_of(*model, GetParam().semantics());
  const Weights values = model::read_saved_weights(GetParam().file(".keras"), *model, weights);
  const fs::path archive = folder.path() / "a.keras", numbers = folder.path() / "a.weights.h5";
  model::write_keras(archive, *model, weights, values, saved.architecture, GetParam().semantics());
  model::write_weights_h5(numbers, *model, weights, values, GetParam().semantics());
  const model::SavedModel again = model::read_saved_model(archive);
  EXPECT_EQ(again.writer->semantics, GetParam().semantics());
  const model::LayerPtr second = model::model_from_json(again.architecture);
  for (const fs::path& file : {archive, numbers}) {
    const Weights read = model::read_saved_weights(file, *second, weights);
    EXPECT_LT(distance(GetParam(), *second, read), tolerance);
    const std::string bytes = read_text(file);
    if (file == archive)
      model::write_keras(file, *model, weights, read, saved.architecture, GetParam().semantics());
    else
      model::write_weights_h5(file, *model, weights, read, GetParam().semantics());
    EXPECT_EQ(read_text(file), bytes) << "the same content gives the same bytes";
  }
  // Our places are exactly those where Keras has numbers.
  const Hdf5File theirs(GetParam().file(".weights.h5")), ours(numbers);
  for (const std::string& path : theirs.datasets())
    EXPECT_TRUE(!path.starts_with("layers/") || ours.datasets().contains(path)) << path;
  for (const std::string& path : ours.datasets()) EXPECT_TRUE(theirs.datasets().contains(path)) << path;
}

INSTANTIATE_TEST_SUITE_P(OfKeras, Files, testing::ValuesIn(all_recorded()), name_of);

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(WrongFiles, AreRefusedWithTheirPlace) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& name, const std::string& text) {
    const fs::path path = folder.path() / name;
    write_text(path, text);
    return refusal([&] { model::read_saved_model(path, {.file = "s.json", .line = 3, .column = 5}); });
  };
  EXPECT_NE(refused("a.keras", "hello, this is no model").find("neither a .keras nor a .h5 file"),
            std::string::npos);
  EXPECT_NE(refused("b.keras", "PK\x03\x04 and nothing else").find("not a zip archive"), std::string::npos);
  EXPECT_NE(refused("c.h5", "\x89HDF\r\n\x1a\n and nothing else").find("not an HDF5 file"),
            std::string::npos);
  const Recorded dense{"keras2", "dense"};
  EXPECT_NE(
      refusal([&] { model::read_saved_model(dense.file("_only.h5")); }).find("holds weights and no model"),
      std::string::npos);
}

TEST(WrongFiles, WeightsOfAnotherModelAreRefused) {
  for (const char* version : {"keras2", "keras3"}) {
    const Recorded dense{version, "dense"}, conv{version, "conv"};
    const model::LayerPtr model =
        model::model_from_json(model::read_saved_model(dense.file(".keras")).architecture);
    const std::vector<model::Weight> weights = model::weights_of(*model);
    const std::string numbered =
        refusal([&] { model::read_saved_weights(conv.file(".weights.h5"), *model, weights); });
    EXPECT_NE(numbered.find("there is no \"layers/dense_1/vars/0\""), std::string::npos) << numbered;
    EXPECT_NE(numbered.find("the model has no weight for \"layers/conv2d/vars/0\""), std::string::npos)
        << numbered;
    const std::string named = refusal([&] { model::read_saved_weights(conv.file(".h5"), *model, weights); });
    EXPECT_NE(named.find("it has weights of 5 layers, and the model has 3 layers with weights"),
              std::string::npos)
        << named;
  }
}

// Row P24: models that are saved as a folder are refused with the command that saves them as .keras.
TEST(P24, ASavedModelIsRefusedWithItsConversion) {
  const TemporaryFolder folder;
  const fs::path saved = folder.path() / "mine";
  fs::create_directory(saved);
  write_text(saved / "saved_model.pb", "graphs");
  const fs::path file = folder.path() / "s.json";
  write_text(file, R"({"name": "s", "model": {"keras": "mine"}, "dataset": {"type": "synthetic", "rows": 8},
    "training": {"loss": "mse", "optimizer": "sgd", "per_replica_batch": 4}})");
  const std::string text = refusal([&] { scenario::build(scenario::parse_file(file)); });
  EXPECT_NE(text.find("is a SavedModel"), std::string::npos) << text;
  EXPECT_NE(text.find("s.json:1:34"), std::string::npos) << text;
  EXPECT_NE(text.find("model.save(\"mine.keras\")"), std::string::npos) << "as Keras 3 exports: " << text;
  write_text(saved / "keras_metadata.pb", "layers");
  const std::string older = refusal([&] { scenario::build(scenario::parse_file(file)); });
  EXPECT_NE(older.find("tf/bin/pip install tensorflow==2.15.1"), std::string::npos) << older;
  EXPECT_NE(older.find("tf.keras.models.load_model(\"" + saved.string() + "\").save(\"mine.keras\")'"),
            std::string::npos)
      << older;
}

TEST(WrongFiles, NamesOfWeightsThatCannotBeWrittenAreRefused) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& name) {
    return refusal([&] {
      scenario::parse(R"({"name": "s", "model": "fashion_cnn", "dataset": {"type": "synthetic", "rows": 8},
          "training": {"loss": "sparse_categorical_crossentropy", "optimizer": "sgd", "per_replica_batch": 4, "save_weights": ")" +
                          name + "\"}}",
                      folder.path() / "s.json");
    });
  };
  EXPECT_EQ(refused("w.weights.h5"), "accepted");
  EXPECT_EQ(refused("w.safetensors"), "accepted");
  EXPECT_NE(refused("w.h5").find("name it NAME.weights.h5"), std::string::npos) << refused("w.h5");
  EXPECT_NE(refused("w.keras").find("models of the zoo have none"), std::string::npos) << refused("w.keras");
}

// On one, two and three replicas; the callback's file of the last epoch and the file at the end are those of one model.
TEST(Saved, FilesBeginAnotherTraining) {
  for (const int devices : {1, 2, 3}) {
    const TemporaryFolder folder;
    const auto in = [&](const std::string& name) { return (folder.path() / name).string(); };
    const std::string rest =
        fmt::format(R"("platform": {{ "virtual": {{ "devices": {} }} }}, "strategy": {{ "type": "mirrored" }},
      "dataset": {{ "type": "synthetic", "rows": 24 }}, "training": {{ "loop": "fit", "loss": "mse", "optimizer": "sgd",
      "global_batch": 12, "epochs": 2)",
                    devices);
    write_text(in("first.json"), fmt::format(R"({{"name": "first", "model": {{ "layers": [
      {{ "class_name": "Dense", "config": {{ "units": 2, "batch_input_shape": [null, 3] }} }},
      {{ "class_name": "BatchNormalization", "config": {{}} }}] }}, {}, "save_weights": "last.keras",
      "callbacks": [{{ "type": "ModelCheckpoint", "filepath": "each/{{epoch}}.weights.h5" }}] }} }})",
                                             rest));
    const test::Said first = test::call({"run", in("first.json"), "--out", in("out")});
    ASSERT_EQ(first.exit, cli::Exit::done) << first.messages;
    const model::SavedModel saved = model::read_saved_model(in("out/last.keras"));
    const model::LayerPtr model = model::model_from_json(saved.architecture);
    const std::vector<model::Weight> weights = model::weights_of(*model);
    const Weights last = model::read_saved_weights(in("out/last.keras"), *model, weights);
    const Weights each = model::read_saved_weights(in("out/each/2.weights.h5"), *model, weights);
    const Weights before = model::read_saved_weights(in("out/each/1.weights.h5"), *model, weights);
    ASSERT_EQ(last.size(), 6U);
    for (const auto& [name, value] : last) {
      EXPECT_TRUE(std::ranges::equal(value.bytes(), each.at(name).bytes())) << name;
      EXPECT_FALSE(std::ranges::equal(value.bytes(), before.at(name).bytes())) << name;
    }
    write_text(in("second.json"), fmt::format(R"({{"name": "second", "model": {{ "keras": "out/last.keras",
      "weights": "out/each/1.weights.h5" }}, {}, "save_weights": "w.safetensors" }} }})",
                                              rest));
    const test::Said second = test::call({"run", in("second.json"), "--out", in("out2")});
    EXPECT_EQ(second.exit, cli::Exit::done) << second.messages;
  }
}

// Every file is cut, and has bytes changed, at drawn places: what is read is refused or has the right shapes.
TEST(WrongFiles, DamageNeverEndsTheProgram) {
  const TemporaryFolder folder;
  const fs::path damaged = folder.path() / "damaged";
  std::mt19937_64 random(1);
  int refused = 0, read = 0;
  for (const Recorded& recorded : {Recorded{"keras2", "dense"}, Recorded{"keras3", "conv"}}) {
    const model::LayerPtr model =
        model::model_from_json(model::read_saved_model(recorded.file(".keras")).architecture);
    const std::vector<model::Weight> weights = model::weights_of(*model);
    for (const std::string& suffix : suffixes_of_weights(recorded)) {
      const std::string whole = read_text(recorded.file(suffix));
      for (int i = 0; i < 60; ++i) {
        std::string bytes = whole;
        if (i % 4 == 0) bytes.resize(random() % bytes.size());
        for (int k = 0; k < 1 + i % 7 && !bytes.empty(); ++k)
          bytes[random() % std::min<std::size_t>(bytes.size(), i % 2 == 0 ? 3000 : bytes.size())] =
              static_cast<char>(random());
        write_text(damaged, bytes);
        try {
          if (suffix != ".weights.h5" && suffix != "_only.h5") model::read_saved_model(damaged);
          for (const auto& [name, value] : model::read_saved_weights(damaged, *model, weights))
            EXPECT_TRUE(value.has_numbers()) << name;
          ++read;
        } catch (const InputError& error) {
          ++refused;
        }
      }
    }
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(read, 10);
}

}  // namespace
}  // namespace wt
