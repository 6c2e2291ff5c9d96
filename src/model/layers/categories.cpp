#include "model/layers/categories.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/constants.h"

namespace wt::model {

namespace {

class Discretization final : public Layer {
 public:
  explicit Discretization(DiscretizationConfig config)
      : Layer(config.name),
        boundaries_(std::move(config.bin_boundaries)),
        mode_(config.mode),
        type_(config.type) {
    if (boundaries_.empty()) refuse("it has no bin_boundaries", "write them into the model");
    if (!std::ranges::is_sorted(boundaries_)) refuse("its bin_boundaries are not ascending", "sort them");
  }
  std::string_view class_name() const override { return "Discretization"; }

 protected:
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    const Symbol given = only(inputs);
    const Symbol x = is_floating(given.spec().type) ? given : cast(given, Type::float32);
    std::optional<Symbol> reached;
    for (const double boundary : boundaries_) {
      const Symbol below = cast(less(x, number_like(x, boundary)), Type::float32);
      reached = reached ? *reached + (-below + 1) : -below + 1;
    }
    if (mode_) return {encoded(*reached, std::ssize(boundaries_) + 1, *mode_, type_.value_or(Type::float32))};
    const bool is_given = is_on(Switch::look_ups_give_whole_numbers, building.semantics());
    return {cast(*reached, is_given ? Type::int32 : type_.value_or(Type::int64))};
  }

 private:
  std::vector<double> boundaries_;
  std::optional<CategoryMode> mode_;
  std::optional<Type> type_;
};

class CategoryEncoding final : public Layer {
 public:
  explicit CategoryEncoding(CategoryEncodingConfig config) : Layer(config.name), config_(std::move(config)) {
    require_positive("num_tokens", config_.num_tokens);
  }
  std::string_view class_name() const override { return "CategoryEncoding"; }

 protected:
  std::vector<Symbol> call(Building&, const std::vector<Symbol>& inputs) const override {
    return {encoded(only(inputs), config_.num_tokens, config_.mode, config_.type.value_or(Type::float32))};
  }

 private:
  CategoryEncodingConfig config_;
};

}  // namespace

Symbol encoded(Symbol x, std::int64_t tokens, CategoryMode mode, Type type) {
  Shape apart = x.shape();
  apart.append(1);
  const Symbol numbers = range(*x.trace, {Type::float32, {tokens}}, 1);
  const Symbol hot = cast(equal(wt::reshape(cast(x, Type::float32), apart), numbers), Type::float32);
  const int last = x.shape().rank() - 1;
  const bool drops_axis = x.shape().rank() > 1 && x.shape().last() == 1;
  const Symbol vectors = mode == CategoryMode::count                     ? reduce_sum(hot, {last})
                         : mode == CategoryMode::multi_hot || drops_axis ? reduce_max(hot, {last})
                                                                         : hot;
  return type == Type::float32 ? vectors : cast(vectors, type);
}

LayerPtr discretization(DiscretizationConfig config) {
  return std::make_shared<Discretization>(std::move(config));
}
LayerPtr category_encoding(CategoryEncodingConfig config) {
  return std::make_shared<CategoryEncoding>(std::move(config));
}

}  // namespace wt::model
