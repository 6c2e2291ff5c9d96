#pragma once

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
  int last_axis(int otherwise);  // "axis" as a number or as a list of one: -1, 3 or [3]
  int axis(int otherwise);

  // Reads two numbers, for height and width, or one number for both.
  std::optional<Shape> pair(std::string_view key, std::int64_t at_least = 1);
  std::vector<std::int64_t> extents(std::string_view key);  // a required list such as [7, 7, -1]
  Padding padding();

  std::string activation(std::string_view key);
  Initializer initializer(std::string_view key, const Initializer& otherwise);
  std::optional<Regularizer> regularizer(std::string_view key);

  Problems& problems() { return problems_; }
  const json::Value* given(std::string_view key);  // a null pointer if the key is missing or has JSON's null

 private:
  Problems& problems_;
  json::PassedOver* passed_;
};

}  // namespace wt::model
