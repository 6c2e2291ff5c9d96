#pragma once

#include <functional>

#include "base/json_reader.h"
#include "model/layer.h"

namespace wt::model {

// Reads the "config" object of a layer as Keras writes it. A key whose value is null has its default, as None
// in Python. Each function adds a problem and returns a usable value if what the file contains is wrong.
class LayerReader : public json::Reader {
 public:
  // `passed` receives the unknown keys whose values stand for nothing. Without it they are problems.
  LayerReader(const json::Value& config, Problems& problems, json::PassedOver* passed = nullptr)
      : Reader(config, problems), problems_(problems), passed_(passed) {}

  std::string name();
  bool trainable() { return flag("trainable", true); }
  bool flag(std::string_view key, bool otherwise);
  double number(std::string_view key, double otherwise, const json::Range<double>& range = {});
  std::int64_t extent(std::string_view key);      // a required number of at least 1
  std::int64_t table_rows(std::string_view key);  // the same for a table, which parameter servers may share
  std::optional<std::int64_t> maybe_extent(std::string_view key);
  std::optional<std::int64_t> seed();
  // "dtype" is a name or a policy: {"class_name": "DTypePolicy", "config": {"name": "float32"}}. None: it isn't given.
  std::optional<std::string> dtype();
  std::optional<Type> integer_dtype();  // int32 or int64; none for real numbers
  int axis(int otherwise);              // "axis" as a number or as a list of one: -1, 3 or [3]

  // One number for all spatial axes, or one for each. Empty if the key is missing.
  Shape sizes(std::string_view key, int rank, std::int64_t at_least = 1);
  // One or two numbers for each spatial axis, or one for all: what is added or removed before and after.
  std::vector<Shape> sides(std::string_view key, int rank);
  std::vector<int> axes(std::string_view key, std::vector<int> otherwise);           // one number, or a list
  std::vector<double> numbers(std::string_view key, std::vector<double> otherwise);  // likewise, at any depth
  std::vector<std::int64_t> extents(std::string_view key);  // a required list such as [7, 7, -1]
  Padding padding();

  std::string activation(std::string_view key);
  // The name alone, for layers that have activations of their own. A null is "linear", as in Keras.
  std::string activation_name(std::string_view key, std::string_view otherwise = "linear");
  Initializer initializer(std::string_view key, const Initializer& otherwise);
  std::optional<Regularizer> regularizer(std::string_view key);
  std::optional<Constraint> constraint(std::string_view key);
  // "kernel_initializer", "kernel_regularizer" and "kernel_constraint", for the stem "kernel".
  WeightRule rule(std::string_view stem, const Initializer& otherwise);

  // The class of the layer, "Conv2D".
  std::string_view class_name() const { return class_name_; }
  void set_class_name(std::string_view class_name) { class_name_ = class_name; }

  // Adds a problem unless the key is missing, null, or false.
  void not_offered(std::string_view key, std::string_view remedy);

  // A layer inside this one, as wrappers have it; null after a problem, or if the key is missing. Without a name it is
  // named after its class, as in Keras.
  LayerPtr layer(std::string_view key);
  LayerPtr layer(const json::Value& entry) const;
  using ReadInner = std::function<LayerPtr(const json::Value& entry)>;
  void read_inner_by(ReadInner read) { read_inner_ = std::move(read); }

  json::PassedOver* passed() const { return passed_; }
  Problems& problems() { return problems_; }
  const json::Value* given(std::string_view key);  // a null pointer if the key is missing or has JSON's null

 private:
  Problems& problems_;
  json::PassedOver* passed_;
  ReadInner read_inner_{};
  std::string_view class_name_{};
};

}  // namespace wt::model
