#include "model/keras_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>

#include "base/file.h"
#include "base/file_kind.h"
#include "base/json_writer.h"
#include "base/utf8.h"
#include "model/keras/archive.h"
#include "model/keras/stored.h"
#include "tensor/hdf5.h"

namespace wt::model {

namespace {

constexpr const char* config_entry = "config.json";
constexpr const char* metadata_entry = "metadata.json";
constexpr const char* weights_entry = "model.weights.h5";

[[noreturn]] void refuse(const std::string& file, std::string fact, std::string remedy) {
  Place place;
  place.file = file;
  throw InputError(Problem{std::move(place), std::move(fact), std::move(remedy)});
}

// How a SavedModel becomes a file with layers. Keras 2 puts a description of its layers into the folder; what Keras 3
// exports has none.
std::string conversion_of(const std::filesystem::path& folder) {
  const std::string name = folder.filename().string();
  if (!is_there(folder / "keras_metadata.pb"))
    return fmt::format("save the model as layers in the program that made it: model.save(\"{}.keras\")",
                       name);
  return fmt::format(
      "convert it, and name the new file:\n"
      "  python3 -m venv tf && tf/bin/pip install tensorflow==2.15.1\n"
      "  tf/bin/python -c 'import tensorflow as tf; tf.keras.models.load_model(\"{}\").save(\"{}.keras\")'",
      folder.string(), name);
}

// TensorFlow's own format is a folder, and holds graphs instead of layers.
void refuse_folder(const std::filesystem::path& path, const Place& named_at) {
  if (!is_folder(path)) return;
  if (!is_there(path / "saved_model.pb"))
    throw InputError(Problem{named_at, fmt::format("{} is a folder", path.string()), "name a file in it"});
  throw InputError(Problem{
      named_at,
      fmt::format("{} is a SavedModel, which holds graphs of operations and no layers", path.string()),
      conversion_of(path)});
}

json::Value text_value(const std::string& text) { return json::parse(json::quote(text), "keras_version"); }

std::optional<WrittenBy> writer_of(const std::string& version, const json::Value& architecture) {
  if (version.empty()) return written_by(architecture);
  return written_by(json::object_of("keras_version", text_value(version)));
}

std::string entry_of(const std::filesystem::path& path, const char* entry, std::uint64_t most,
                     const Place& named_at) {
  std::optional<std::string> content = keras::read_entry(path, entry, most, named_at);
  if (!content)
    refuse(path.string(), fmt::format("this archive has no \"{}\"", entry),
           "name a .keras file that Keras wrote");
  return *std::move(content);
}

SavedModel read_archive(const std::filesystem::path& path, const Place& named_at) {
  const std::string inside = path.string() + "/";
  SavedModel saved{
      json::parse(entry_of(path, config_entry, json::largest_text, named_at), inside + config_entry)};
  std::string version;
  if (const auto metadata = keras::read_entry(path, metadata_entry, json::largest_text, named_at)) {
    const json::Value tree = json::parse(*metadata, inside + metadata_entry);
    const json::Value* found = tree.kind() == json::Kind::object ? tree.find("keras_version") : nullptr;
    if (found != nullptr && found->kind() == json::Kind::string) version = found->string();
  }
  saved.writer = writer_of(version, saved.architecture);
  if (saved.architecture.kind() == json::Kind::object)
    if (const json::Value* compiled = saved.architecture.find("compile_config"))
      saved.compiled_with = *compiled;
  return saved;
}

std::string only_text(const Hdf5File& file, std::string_view attribute) {
  std::vector<std::string> texts = file.texts("", attribute);
  return texts.empty() ? "" : texts.front();
}

SavedModel read_whole_h5(const std::filesystem::path& path, const Place& named_at) {
  const Hdf5File file(path, named_at);
  std::string model = only_text(file, "model_config");
  if (model.empty())
    refuse(path.string(), "this file holds weights and no model",
           R"(name the model's JSON as "keras_json" and this file as "weights")");
  SavedModel saved{json::parse(std::move(model), path.string() + "/model_config")};
  saved.writer = writer_of(only_text(file, "keras_version"), saved.architecture);
  if (std::string training = only_text(file, "training_config"); !training.empty())
    saved.compiled_with = json::parse(std::move(training), path.string() + "/training_config");
  return saved;
}

// Reads weights one after another, and collects what is wrong with them.
class WeightsReader {
 public:
  WeightsReader(const Hdf5File& file, const Layer& model, const std::vector<Weight>& weights)
      : file_(file), model_(model), weights_(weights) {}

  std::map<std::string, Tensor> read() {
    if (std::ranges::any_of(file_.datasets(), is_numbered)) {
      read_numbered();
    } else {
      read_named();
    }
    problems_.throw_if_any();
    return std::move(values_);
  }

 private:
  static bool is_numbered(const std::string& path) {
    return path.starts_with("layers/") || path.starts_with("_layer_checkpoint_dependencies/");
  }
  // Streams of random numbers are no weights.
  static bool is_of_stream(const std::string& path) { return path.find("generator/") != std::string::npos; }

  void problem(std::string fact, std::string remedy) {
    Place place;
    place.file = file_.name();
    problems_.add(std::move(place), std::move(fact), std::move(remedy));
  }

  void take(const Weight& weight, const std::string& path) {
    try {
      values_[weight.name] = file_.read(path, weight.spec);
    } catch (const InputError& error) {
      for (Problem each : error.problems()) {
        each.fact = fmt::format("weight \"{}\": {}", weight.name, each.fact);
        problems_.add(std::move(each));
      }
    }
  }

  std::size_t missing_in(const std::vector<keras::StoredWeight>& layout) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        layout, [&](const keras::StoredWeight& stored) { return !file_.datasets().contains(stored.path); }));
  }

  void read_numbered() {
    std::vector<keras::StoredWeight> layout = keras::numbered_layout(model_, weights_, Semantics::keras3);
    if (missing_in(layout) > 0)
      if (auto older = keras::numbered_layout(model_, weights_, Semantics::keras2);
          missing_in(older) < missing_in(layout))
        layout = std::move(older);
    std::set<std::string> used;
    for (const auto& [weight, path] : layout) {
      used.insert(path);
      if (file_.datasets().contains(path))
        take(*weight, path);
      else
        problem(fmt::format("there is no \"{}\", and the model has \"{}\" there", path, weight->name),
                fmt::format("the model has {} there: name the weights of this model", print(weight->spec)));
    }
    for (const std::string& path : file_.datasets())
      if (is_numbered(path) && !used.contains(path) && !is_of_stream(path))
        problem(fmt::format("the model has no weight for \"{}\"", printable(path)),
                "name the weights of this model");
  }

  struct Named {
    std::string layer{};
    std::vector<std::string> paths{};
    std::vector<std::string> names{};
  };

  // A list that is too long for one attribute is cut in several with numbers.
  std::vector<std::string> list(const std::string& group, const std::string& attribute) const {
    std::vector<std::string> all = file_.texts(group, attribute);
    if (!all.empty()) return all;
    for (int i = 0;; ++i) {
      const std::vector<std::string> piece = file_.texts(group, attribute + std::to_string(i));
      if (piece.empty()) return all;
      all.insert(all.end(), piece.begin(), piece.end());
    }
  }

  // A name without the number of the output that TensorFlow appends: "dense/kernel:0".
  static std::string without_output(const std::string& name) { return name.substr(0, name.find(':')); }

  std::vector<Named> layers_in_file() const {
    const std::string outer = file_.groups().contains("model_weights") ? "model_weights" : "";
    const std::vector<std::string> layers = list(outer, "layer_names");
    if (layers.empty())
      refuse(file_.name(), "this HDF5 file holds no weights as Keras saves them",
             "save them by model.save_weights(\"NAME.weights.h5\")");
    std::vector<Named> all;
    for (const std::string& layer : layers) {
      const std::string group = outer.empty() ? layer : outer + "/" + layer;
      if (!file_.groups().contains(group))
        refuse(file_.name(), fmt::format("there is no group \"{}\"", printable(group)),
               "the file is damaged");
      Named named{layer, {}, {}};
      for (const std::string& name : list(group, "weight_names")) {
        named.paths.push_back(group + "/" + name);
        named.names.push_back(without_output(name));
        if (!file_.datasets().contains(named.paths.back()))
          refuse(file_.name(), fmt::format("there is no \"{}\"", printable(named.paths.back())),
                 "the file is damaged");
      }
      if (!named.paths.empty()) all.push_back(std::move(named));
    }
    return all;
  }

  // Layers by their names if these are the same, otherwise in their order, as Keras does.
  void read_named() {
    std::vector<Named> given = layers_in_file();
    std::vector<keras::LayerWeights> own = keras::layers_with_weights(model_, weights_);
    if (given.size() != own.size()) {
      problem(fmt::format("it has weights of {} layers, and the model has {} layers with weights",
                          given.size(), own.size()),
              "name the weights of this model");
      return;
    }
    const auto by_given = [](const Named& a, const Named& b) { return a.layer < b.layer; };
    const auto by_own = [](const keras::LayerWeights& a, const keras::LayerWeights& b) {
      return a.layer < b.layer;
    };
    std::vector<Named> sorted = given;
    std::vector<keras::LayerWeights> sorted_own = own;
    std::ranges::stable_sort(sorted, by_given);
    std::ranges::stable_sort(sorted_own, by_own);
    const bool has_same_names = std::ranges::equal(
        sorted, sorted_own, [](const Named& a, const keras::LayerWeights& b) { return a.layer == b.layer; });
    if (has_same_names) {
      given = std::move(sorted);
      own = std::move(sorted_own);
    }
    for (std::size_t i = 0; i < given.size(); ++i) read_layer(given[i], own[i]);
  }

  void read_layer(const Named& given, const keras::LayerWeights& own) {
    if (given.paths.size() != own.weights.size()) {
      problem(fmt::format("layer \"{}\" has {} weights, and the model's \"{}\" has {}",
                          printable(given.layer), given.paths.size(), own.layer, own.weights.size()),
              "name the weights of this model");
      return;
    }
    const bool has_all_names = std::ranges::all_of(own.weights, [&](const Weight* weight) {
      return std::ranges::count(given.names, weight->name) == 1;
    });
    for (std::size_t i = 0; i < own.weights.size(); ++i) {
      const auto found = std::ranges::find(given.names, own.weights[i]->name);
      const std::size_t at = has_all_names ? static_cast<std::size_t>(found - given.names.begin()) : i;
      take(*own.weights[i], given.paths[at]);
    }
  }

  const Hdf5File& file_;
  const Layer& model_;
  const std::vector<Weight>& weights_;
  std::map<std::string, Tensor> values_{};
  Problems problems_{};
};

std::string image_of(const Layer& model, const std::vector<Weight>& weights,
                     const std::map<std::string, Tensor>& values, Semantics semantics) {
  Hdf5Content content;
  content.groups["vars"];  // of the model itself; Keras 2 looks for it
  for (const auto& [weight, path] : keras::numbered_layout(model, weights, semantics)) {
    const auto value = values.find(weight->name);
    WT_EXPECT(value != values.end(), "the weight {} has no value", weight->name);
    content.datasets.emplace(path, value->second);
  }
  WT_EXPECT(content.datasets.size() == values.size(), "{} of {} weights have a place in Keras' file",
            content.datasets.size(), values.size());
  return hdf5_image(content);
}

// As Keras writes a model: with the module of its class, which it needs to find it, and not compiled.
json::Value complete(const json::Value& architecture) {
  const json::Value& model = unwrapped_model(architecture);
  const auto with = [](const json::Value& tree, const char* key, const char* value) {
    const std::vector<std::string> path{key};
    return json::replaced(tree, path, json::parse(value, "config.json"));
  };
  json::Value result = with(model, "compile_config", "null");
  if (model.find("module") == nullptr) result = with(result, "module", "\"keras\"");
  if (model.find("registered_name") == nullptr) result = with(result, "registered_name", "null");
  return result;
}

}  // namespace

Container container_of(const std::filesystem::path& path, const Place& named_at) {
  refuse_folder(path, named_at);
  const InputFile file(path, named_at);
  std::array<std::byte, 8> bytes{};
  if (!file.is_regular() || file.size() < bytes.size()) return Container::other;
  file.read_at(0, bytes);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (keras::is_zip(text)) return Container::zip;
  return is_hdf5(text) ? Container::hdf5 : Container::other;
}

SavedModel read_saved_model(const std::filesystem::path& path, const Place& named_at) {
  switch (container_of(path, named_at)) {
    case Container::zip:
      return read_archive(path, named_at);
    case Container::hdf5:
      return read_whole_h5(path, named_at);
    case Container::other:
      break;
  }
  throw InputError(Problem{named_at, fmt::format("{} is neither a .keras nor a .h5 file", path.string()),
                           R"(name what model.save wrote; the JSON of a model is named as "keras_json")"});
}

std::map<std::string, Tensor> read_saved_weights(const std::filesystem::path& path, const Layer& model,
                                                 const std::vector<Weight>& weights, const Place& named_at) {
  if (container_of(path, named_at) == Container::hdf5)
    return WeightsReader(Hdf5File(path, named_at), model, weights).read();
  const std::string image = entry_of(path, weights_entry, largest_file, named_at);
  const Hdf5File file(image, path.string() + "/" + weights_entry);
  return WeightsReader(file, model, weights).read();
}

SavedAs saved_as(std::string_view name) {
  if (name.ends_with(".weights.h5")) return SavedAs::weights_h5;
  if (name.ends_with(".keras")) return SavedAs::keras;
  return name.ends_with(".h5") || name.ends_with(".hdf5") ? SavedAs::h5 : SavedAs::other;
}

void write_weights_h5(const std::filesystem::path& path, const Layer& model,
                      const std::vector<Weight>& weights, const std::map<std::string, Tensor>& values,
                      Semantics semantics) {
  write_text(path, image_of(model, weights, values, semantics));
}

void write_keras(const std::filesystem::path& path, const Layer& model, const std::vector<Weight>& weights,
                 const std::map<std::string, Tensor>& values, const json::Value& architecture,
                 Semantics semantics) {
  json::Writer config(json::Layout::compact);
  json::write_value(config, complete(architecture));
  json::Writer metadata(json::Layout::compact);
  metadata.begin_object()
      .member("keras_version", semantics == Semantics::keras3 ? "3.0.0" : "2.15.0")
      .end_object();
  keras::write_archive(path, {{config_entry, config.text()},
                              {metadata_entry, metadata.text()},
                              {weights_entry, image_of(model, weights, values, semantics)}});
}

}  // namespace wt::model
