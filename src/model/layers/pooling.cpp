#include "model/layers/pooling.h"

#include <fmt/format.h>

#include "model/layers/spatial.h"
#include "model/layers/written.h"
#include "model/mask.h"

namespace wt::model {

namespace {

// Maximum and average pooling differ in their class name and their operation.
struct PoolingKind {
  std::string_view class_name{};
  int rank = 2;  // the number of spatial axes
  Symbol (*pool)(Symbol x, const spatial::Window& window) = nullptr;
};
constexpr PoolingKind max_kinds[] = {{"MaxPooling1D", 1, spatial::max_pool},
                                     {"MaxPooling2D", 2, spatial::max_pool},
                                     {"MaxPooling3D", 3, spatial::max_pool}};
constexpr PoolingKind average_kinds[] = {{"AveragePooling1D", 1, spatial::average_pool},
                                         {"AveragePooling2D", 2, spatial::average_pool},
                                         {"AveragePooling3D", 3, spatial::average_pool}};

Shape repeated(int rank, std::int64_t extent) {
  Shape shape;
  for (int i = 0; i < rank; ++i) shape.append(extent);
  return shape;
}

class Pooling final : public Layer, public WritesArguments {
 public:
  Pooling(const PoolingKind& kind, PoolingConfig config)
      : Layer(config.name), kind_(kind), config_(std::move(config)) {
    if (config_.pool_size.rank() == 0) config_.pool_size = repeated(kind_.rank, 2);
    if (config_.pool_size.rank() != kind_.rank || (config_.strides && config_.strides->rank() != kind_.rank))
      refuse("a size has another number of axes", fmt::format("write one number, or {}", kind_.rank));
  }
  std::string_view class_name() const override { return kind_.class_name; }
  void write_arguments(json::Writer& out) const override {
    write_extents(out, "pool_size", config_.pool_size);
    if (config_.strides) write_extents(out, "strides", *config_.strides);
    write_padding(out, config_.padding);
  }

 protected:
  WholeNumbers whole_numbers() const override {
    return kind_.pool == spatial::max_pool ? WholeNumbers::converts : WholeNumbers::keeps;
  }
  std::vector<Symbol> call(Building&, const std::vector<Symbol>& inputs) const override {
    return {kind_.pool(only(inputs, kind_.rank + 2), {.size = config_.pool_size,
                                                      .strides = config_.strides.value_or(config_.pool_size),
                                                      .dilation = repeated(kind_.rank, 1),
                                                      .padding = config_.padding})};
  }

 private:
  const PoolingKind& kind_;
  PoolingConfig config_;
};

struct GlobalPoolingKind {
  std::string_view class_name{};
  int rank = 2;
  bool is_mean = false;
};
constexpr GlobalPoolingKind global_kinds[] = {
    {"GlobalMaxPooling1D", 1, false},    {"GlobalMaxPooling2D", 2, false},
    {"GlobalMaxPooling3D", 3, false},    {"GlobalAveragePooling1D", 1, true},
    {"GlobalAveragePooling2D", 2, true}, {"GlobalAveragePooling3D", 3, true}};

class GlobalPooling final : public Layer, public WritesArguments {
 public:
  GlobalPooling(const GlobalPoolingKind& kind, const GlobalPoolingConfig& config)
      : Layer(config.name), kind_(kind), keeps_axes_(config.keepdims) {}
  std::string_view class_name() const override { return kind_.class_name; }
  void write_arguments(json::Writer& out) const override {
    if (keeps_axes_) out.member("keepdims", true);
  }

 protected:
  WholeNumbers whole_numbers() const override { return WholeNumbers::converts; }
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    const Symbol x = only(inputs, kind_.rank + 2);
    Shape axes;
    for (int i = 0; i < kind_.rank; ++i) axes.append(i + 1);
    if (!kind_.is_mean) return {reduce_max(x, axes, keeps_axes_)};
    if (kind_.rank > 1 || !building.mask()) return {reduce_mean(x, axes, keeps_axes_)};
    const Symbol factors = as_factors(*building.mask(), x);
    return {reduce_sum(x * factors, axes, keeps_axes_) / reduce_sum(factors, axes, keeps_axes_)};
  }

 private:
  const GlobalPoolingKind& kind_;
  bool keeps_axes_;
};

constexpr std::string_view adaptive_names[2][3] = {
    {"AdaptiveMaxPooling1D", "AdaptiveMaxPooling2D", "AdaptiveMaxPooling3D"},
    {"AdaptiveAveragePooling1D", "AdaptiveAveragePooling2D", "AdaptiveAveragePooling3D"}};

class AdaptivePooling final : public Layer {
 public:
  AdaptivePooling(int rank, bool is_mean, AdaptivePoolingConfig config)
      : Layer(config.name), config_(std::move(config)), rank_(rank), is_mean_(is_mean) {
    if (config_.output_size.rank() != rank_)
      refuse(fmt::format("output_size has {} numbers", config_.output_size.rank()),
             fmt::format("write one number, or {}", rank_));
  }
  std::string_view class_name() const override { return adaptive_names[is_mean_ ? 1 : 0][rank_ - 1]; }

 protected:
  std::vector<Symbol> call(Building&, const std::vector<Symbol>& inputs) const override {
    Symbol x = only(inputs, rank_ + 2);
    for (int axis = 1; axis <= rank_; ++axis) x = pooled(x, axis, config_.output_size[axis - 1]);
    return {x};
  }

 private:
  // A window of several axes is one of each axis after the other.
  Symbol pooled(Symbol x, int axis, std::int64_t wanted) const {
    const std::int64_t given = x.shape()[axis];
    std::vector<Symbol> windows;
    for (std::int64_t i = 0; i < wanted; ++i) {
      const std::int64_t begin = i * given / wanted, end = ((i + 1) * given + wanted - 1) / wanted;
      const Symbol window = spatial::cropped(x, axis, begin, given - end);
      windows.push_back(is_mean_ ? reduce_mean(window, {axis}, true) : reduce_max(window, {axis}, true));
    }
    return windows.size() == 1 ? windows.front() : concat(windows, axis);
  }

  AdaptivePoolingConfig config_;
  int rank_;
  bool is_mean_;
};

LayerPtr pooling(const PoolingKind& kind, PoolingConfig config) {
  return std::make_shared<Pooling>(kind, std::move(config));
}
LayerPtr global_pooling(std::size_t kind, const GlobalPoolingConfig& config) {
  return std::make_shared<GlobalPooling>(global_kinds[kind], config);
}

}  // namespace

LayerPtr adaptive_average_pooling(int rank, AdaptivePoolingConfig config) {
  return std::make_shared<AdaptivePooling>(rank, true, std::move(config));
}
LayerPtr adaptive_max_pooling(int rank, AdaptivePoolingConfig config) {
  return std::make_shared<AdaptivePooling>(rank, false, std::move(config));
}
LayerPtr max_pooling1d(PoolingConfig config) { return pooling(max_kinds[0], std::move(config)); }
LayerPtr max_pooling2d(PoolingConfig config) { return pooling(max_kinds[1], std::move(config)); }
LayerPtr max_pooling3d(PoolingConfig config) { return pooling(max_kinds[2], std::move(config)); }
LayerPtr average_pooling1d(PoolingConfig config) { return pooling(average_kinds[0], std::move(config)); }
LayerPtr average_pooling2d(PoolingConfig config) { return pooling(average_kinds[1], std::move(config)); }
LayerPtr average_pooling3d(PoolingConfig config) { return pooling(average_kinds[2], std::move(config)); }
LayerPtr global_max_pooling1d(const GlobalPoolingConfig& config) { return global_pooling(0, config); }
LayerPtr global_max_pooling2d(const GlobalPoolingConfig& config) { return global_pooling(1, config); }
LayerPtr global_max_pooling3d(const GlobalPoolingConfig& config) { return global_pooling(2, config); }
LayerPtr global_average_pooling1d(const GlobalPoolingConfig& config) { return global_pooling(3, config); }
LayerPtr global_average_pooling2d(const GlobalPoolingConfig& config) { return global_pooling(4, config); }
LayerPtr global_average_pooling3d(const GlobalPoolingConfig& config) { return global_pooling(5, config); }

}  // namespace wt::model
