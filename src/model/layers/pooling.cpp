#include "model/layers/pooling.h"

#include <fmt/format.h>

namespace wt::model {

namespace {

// Maximum and average pooling differ in their class name and their kernel.
struct PoolingKind {
  std::string_view class_name{};
  Symbol (*pool)(Symbol x, const WindowAttributes& window) = nullptr;
};
constexpr PoolingKind max_kind{"MaxPooling2D", wt::max_pool};
constexpr PoolingKind average_kind{"AveragePooling2D", wt::average_pool};

class Pooling2D final : public Layer {
 public:
  Pooling2D(const PoolingKind& kind, Pooling2DConfig config)
      : Layer(config.name), kind_(kind), config_(std::move(config)) {}
  std::string_view class_name() const override { return kind_.class_name; }

 protected:
  std::vector<Symbol> call(Building&, const std::vector<Symbol>& inputs) const override {
    return {kind_.pool(only(inputs, 4), {.size = config_.pool_size,
                                         .strides = config_.strides.value_or(config_.pool_size),
                                         .padding = config_.padding})};
  }

 private:
  const PoolingKind& kind_;
  Pooling2DConfig config_;
};

struct GlobalPoolingKind {
  std::string_view class_name{};
  Symbol (*reduce)(Symbol x, const Shape& axes, bool keep_dims) = nullptr;
};
constexpr GlobalPoolingKind global_max_kind{"GlobalMaxPooling2D", wt::reduce_max};
constexpr GlobalPoolingKind global_average_kind{"GlobalAveragePooling2D", wt::reduce_mean};

class GlobalPooling2D final : public Layer {
 public:
  GlobalPooling2D(const GlobalPoolingKind& kind, const GlobalPooling2DConfig& config)
      : Layer(config.name), kind_(kind), keeps_axes_(config.keepdims) {}
  std::string_view class_name() const override { return kind_.class_name; }

 protected:
  std::vector<Symbol> call(Building&, const std::vector<Symbol>& inputs) const override {
    return {kind_.reduce(only(inputs, 4), {1, 2}, keeps_axes_)};
  }

 private:
  const GlobalPoolingKind& kind_;
  bool keeps_axes_;
};

}  // namespace

LayerPtr max_pooling2d(Pooling2DConfig config) {
  return std::make_shared<Pooling2D>(max_kind, std::move(config));
}
LayerPtr average_pooling2d(Pooling2DConfig config) {
  return std::make_shared<Pooling2D>(average_kind, std::move(config));
}
LayerPtr global_max_pooling2d(const GlobalPooling2DConfig& config) {
  return std::make_shared<GlobalPooling2D>(global_max_kind, config);
}
LayerPtr global_average_pooling2d(const GlobalPooling2DConfig& config) {
  return std::make_shared<GlobalPooling2D>(global_average_kind, config);
}

}  // namespace wt::model
