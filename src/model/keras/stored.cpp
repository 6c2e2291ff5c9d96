#include "model/keras/stored.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "model/layers/wrapper.h"

namespace wt::model::keras {

namespace {

// Parts of weight names that Keras' files name after an attribute of the layer.
struct Attribute {
  std::string_view in_name{};
  std::string_view in_file{};
};
constexpr Attribute cells[] = {{"lstm_cell", "cell"}, {"gru_cell", "cell"}, {"simple_rnn_cell", "cell"}};
constexpr Attribute projections[] = {{"query", "query_dense"},
                                     {"key", "key_dense"},
                                     {"value", "value_dense"},
                                     {"attention_output", "output_dense"}};

// Keras 3's MultiHeadAttention has properties of these names without the underscore, which come first in the file.
bool has_properties(std::string_view class_name, Semantics semantics) {
  return class_name == "MultiHeadAttention" && semantics == Semantics::keras3;
}

class Layout {
 public:
  Layout(const std::vector<Weight>& weights, Semantics semantics)
      : weights_(weights), semantics_(semantics) {}

  std::vector<StoredWeight> of(const Layer& model) {
    visit(model, "", false);
    return std::move(stored_);
  }

 private:
  void visit(const Layer& layer, const std::string& path, bool is_cell) {
    if (!seen_.insert(&layer).second) return;  // a layer that is shared stands where it comes first
    const auto parts = layer.parts();
    if (!parts.empty()) return visit_parts(layer, parts, path);
    add_own(layer, path, is_cell);
    if (const auto* wrapper = dynamic_cast<const Wrapper*>(&layer))
      for (const Wrapper::Inner& inner : wrapper->inner())
        visit(*inner.layer, below(path, inner.attribute), inner.is_cell);
  }

  // A Sequential doesn't count the layer of its input.
  void visit_parts(const Layer& model, const std::vector<std::shared_ptr<Layer>>& parts,
                   const std::string& path) {
    std::map<std::string, int> used;
    for (const std::shared_ptr<Layer>& part : parts) {
      if (part->class_name() == "InputLayer" && model.class_name() == "Sequential") continue;
      const std::string name = snake_case(part->class_name());
      const int number = used[name]++;
      visit(*part, below(path, "layers/" + (number == 0 ? name : fmt::format("{}_{}", name, number))), false);
    }
  }

  void add_own(const Layer& layer, const std::string& path, bool is_cell) {
    const std::string prefix = layer.name() + "/";
    std::map<std::string, int> numbers;
    for (const Weight& weight : weights_) {
      if (std::holds_alternative<StreamStart>(weight.initializer.rule) || !weight.name.starts_with(prefix))
        continue;
      const std::string group = below(path, group_of(layer, weight.name.substr(prefix.size()), is_cell));
      stored_.push_back({&weight, below(group, fmt::format("vars/{}", numbers[group]++))});
    }
  }

  // The groups between that of the layer and the numbered variable; none for most layers.
  std::string group_of(const Layer& layer, const std::string& own_name, bool is_cell) const {
    const std::string_view class_name = layer.class_name();
    if (class_name.starts_with("ConvLSTM")) return "cell";
    const std::size_t slash = own_name.find('/');
    if (slash == std::string::npos) return "";
    const std::string_view part = std::string_view(own_name).substr(0, slash);
    if (const auto* cell = std::ranges::find(cells, part, &Attribute::in_name); cell != std::end(cells))
      return is_cell ? "" : std::string(cell->in_file);
    const auto* projection = std::ranges::find(projections, part, &Attribute::in_name);
    if (projection == std::end(projections)) return std::string(part);
    return (has_properties(class_name, semantics_) ? "" : "_") + std::string(projection->in_file);
  }

  static std::string below(const std::string& path, const std::string& name) {
    if (path.empty() || name.empty()) return path + name;
    return path + "/" + name;
  }

  const std::vector<Weight>& weights_;
  Semantics semantics_;
  std::set<const Layer*> seen_{};
  std::vector<StoredWeight> stored_{};
};

}  // namespace

std::vector<StoredWeight> numbered_layout(const Layer& model, const std::vector<Weight>& weights,
                                          Semantics semantics) {
  return Layout(weights, semantics).of(model);
}

std::vector<LayerWeights> layers_with_weights(const Layer& model, const std::vector<Weight>& weights) {
  std::vector<LayerWeights> all;
  for (const std::shared_ptr<Layer>& part : model.parts()) {
    LayerWeights own{part->name(), {}};
    for (const StoredWeight& stored : numbered_layout(*part, weights, Semantics::keras3))
      own.weights.push_back(stored.weight);
    std::stable_partition(own.weights.begin(), own.weights.end(),
                          [](const Weight* weight) { return weight->options.trainable; });
    if (!own.weights.empty()) all.push_back(std::move(own));
  }
  return all;
}

}  // namespace wt::model::keras
