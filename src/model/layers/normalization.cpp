#include "model/layers/normalization.h"

#include <fmt/format.h>

#include <cmath>

#include "model/axes.h"
#include "model/constants.h"
#include "model/layers/written.h"
#include "model/mask.h"
#include "model/operands.h"

namespace wt::model {

namespace {

// Every replica keeps its own moving statistics. Outside of a step, Keras 2 reads the mean of the replicas'
// copies and Keras 3 reads replica 0's copy (Keras 2: batch_normalization.py, aggregation=MEAN; Keras 3: no
// aggregation).
VariableOptions statistics_in(Semantics semantics) {
  if (!is_on(Switch::moving_statistics_are_averaged, semantics)) return {.trainable = false};
  return {.trainable = false, .synchronization = Synchronization::on_read, .aggregation = Aggregation::mean};
}

// A weight that scales or shifts what was normalized, or the constant that changes nothing.
Symbol weight_or(Building& building, bool is_used, std::string name, const TensorSpec& spec,
                 const WeightRule& rule, double otherwise) {
  return is_used ? building.weight(std::move(name), spec, rule) : fill(building.trace(), spec, otherwise);
}

class BatchNormalization final : public Layer, public WritesArguments {
 public:
  explicit BatchNormalization(BatchNormalizationConfig config)
      : Layer(config.name, config.trainable), config_(std::move(config)) {}
  std::string_view class_name() const override { return "BatchNormalization"; }
  void write_arguments(json::Writer& out) const override {
    out.member("axis", config_.axis).member("momentum", config_.momentum).member("epsilon", config_.epsilon);
    if (!config_.center) out.member("center", false);
    if (!config_.scale) out.member("scale", false);
    if (config_.synchronized) out.member("synchronized", true);
  }

 protected:
  WholeNumbers whole_numbers() const override { return WholeNumbers::converts; }
  UnderHalves under_halves() const override { return UnderHalves::rounds_inputs; }
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    const Symbol x = only(inputs);
    if (x.shape().rank() < 2)
      refuse(fmt::format("it is given {}", print(x.spec())), "it takes a batch axis and at least one more");
    const int axis = axis_of(config_.axis, x.spec());
    const MovedAxes moved(x, {axis});
    const bool is_last = axis == x.shape().rank() - 1;
    const Symbol y = normalized(building, is_last ? x : moved.last(), is_fused(x, axis));
    return {is_last ? y : moved.back(y)};
  }
  std::optional<Symbol> mask_of_outputs(Building& building, const std::vector<Symbol>&) const override {
    return building.mask();
  }

 private:
  // Keras 2 calls TensorFlow's fused kernel for images and volumes whose channels are the first or the last axis.
  static bool is_fused(Symbol x, int axis) {
    const int rank = x.shape().rank();
    return (rank == 4 || rank == 5) && (axis == 1 || axis == rank - 1);
  }

  Symbol normalized(Building& building, Symbol x, bool is_fused) const {
    const TensorSpec spec{wide_type(x.spec().type), {x.shape().last()}};
    const Symbol gamma = weight_or(building, config_.scale, name() + "/gamma", spec, config_.gamma, 1);
    const Symbol beta = weight_or(building, config_.center, name() + "/beta", spec, config_.beta, 0);
    const VariableOptions statistics = statistics_in(building.semantics());
    const Symbol mean =
        building.weight({name() + "/moving_mean", spec, config_.moving_mean_initializer, statistics, {}, {}});
    const Symbol variance = building.weight(
        {name() + "/moving_variance", spec, config_.moving_variance_initializer, statistics, {}, {}});
    const std::optional<Slow> slow =
        config_.renorm ? std::optional(slow_statistics(building, spec)) : std::nullopt;
    const Symbol mean_now = building.latest(mean), variance_now = building.latest(variance);
    NormalizationAttributes attributes{.epsilon = config_.epsilon, .momentum = config_.momentum};
    if (!building.training()) return batch_norm_inference(x, gamma, beta, mean_now, variance_now, attributes);
    if (building.frozen())  // the gradient goes through operations of one type
      return batch_norm_inference(as_wide_float(x), gamma, beta, mean_now, variance_now, attributes);
    attributes.corrects_variance =
        is_fused && is_on(Switch::moving_variance_of_images_is_corrected, building.semantics());
    if (slow) return renormalized(building, as_wide_float(x), gamma, beta, mean, variance, *slow);
    const bool has_own_rule = building.mask() || config_.synchronized;
    const Normalized result =
        has_own_rule ? by_moments(building, as_wide_float(x), gamma, beta, mean_now, variance_now)
                     : batch_norm(x, gamma, beta, mean_now, variance_now, attributes);
    building.update(mean, result.moving_mean);
    building.update(variance, result.moving_variance);
    return result.y;
  }

  struct Moments {
    Symbol mean{};
    Symbol variance{};
  };

  // Steps that the mask skips are normalized, too, but their numbers are not part of the statistics.
  Moments moments(Building& building, Symbol x) const {
    Shape axes;
    for (int axis = 0; axis + 1 < x.shape().rank(); ++axis) axes.append(axis);
    const Symbol factors = building.mask() ? as_factors(*building.mask(), x) : number_like(x, 1);
    const Symbol count =
        building.mask() ? reduce_sum(factors)
                        : number_like(x, static_cast<double>(x.shape().elements(0, x.shape().rank() - 1)));
    if (!config_.synchronized) {
      const Symbol mean = reduce_sum(x * factors, axes) / count;
      return {mean, reduce_sum(square(x - mean) * factors, axes) / count};
    }
    // As Keras: sums, squares and counts of all replicas.
    const Symbol all = all_reduce(
        concat({reduce_sum(x * factors, axes), reduce_sum(square(x) * factors, axes), reshape(count, {1})},
               0),
        Reduction::sum);
    const std::int64_t channels = x.shape().last();
    const std::vector<Symbol> sums = split(all, 0, {channels, channels, 1});
    const Symbol mean = sums[0] / sums[2];
    return {mean, sums[1] / sums[2] - square(mean)};
  }

  Normalized by_moments(Building& building, Symbol x, Symbol gamma, Symbol beta, Symbol mean_now,
                        Symbol variance_now) const {
    const auto [mean, variance] = moments(building, x);
    const Symbol centred = x - mean;
    const bool is_empty = x.shape()[0] == 0;
    const bool keeps =
        is_empty && config_.synchronized && is_on(Switch::empty_pieces_keep_statistics, building.semantics());
    // All replicas have the same operations. They differ in a factor where a replica keeps what it has.
    const double momentum = keeps ? 1 : config_.momentum;
    const auto moved = [&](Symbol before, Symbol now) { return before * momentum + now * (1 - momentum); };
    return {centred / sqrt(variance + config_.epsilon) * gamma + beta, moved(mean_now, mean),
            moved(variance_now, variance)};
  }

  // The standard deviation of weights whose variance begins with these numbers.
  Initializer initial_deviation() const {
    const auto* variance = std::get_if<Constant>(&config_.moving_variance_initializer.rule);
    if (variance == nullptr || variance->value < 0)
      refuse("its moving_variance_initializer isn't a constant of at least 0",
             "renorm takes its root: name another");
    return {Constant{std::sqrt(variance->value)}, {}};
  }

  // What renorm keeps beside the moving mean and variance: Keras 2 averages deviations in place of variances, and the
  // averages that correct are kept apart from those of inference.
  struct Slow {
    Symbol moving_deviation{};
    Symbol mean{};
    Symbol deviation{};
  };
  Slow slow_statistics(Building& building, const TensorSpec& spec) const {
    if (!is_on(Switch::batch_norm_renormalizes, building.semantics()))
      refuse("Keras 3 has no renorm", "choose the semantics keras2, or leave it out");
    const VariableOptions options = statistics_in(building.semantics());
    const auto weight = [&](const char* own, const Initializer& initial) {
      return building.weight({name() + own, spec, initial, options, {}, {}});
    };
    const Initializer deviation = initial_deviation();
    const Symbol moving = weight("/moving_stddev", deviation);
    const Symbol mean = weight("/renorm_mean", config_.moving_mean_initializer);
    return {moving, mean, weight("/renorm_stddev", deviation)};
  }

  Symbol renormalized(Building& building, Symbol x, Symbol gamma, Symbol beta, Symbol moving_mean,
                      Symbol moving_variance, const Slow& slow) const {
    const auto move = [&](Symbol average, Symbol now, double momentum) {
      const Symbol moved = building.latest(average) * momentum + now * (1 - momentum);
      building.update(average, moved);
      return moved;
    };
    const auto [mean, variance] = moments(building, x);
    const Symbol deviation = sqrt(variance + config_.epsilon);
    const Symbol least = number_like(deviation, std::sqrt(config_.epsilon));
    const Symbol divisor = maximum(building.latest(slow.deviation), least);
    const Renormalization& renorm = *config_.renorm;
    const Symbol r = clipped_if(deviation / divisor, renorm.rmin, renorm.rmax);
    const auto least_d = renorm.dmax ? std::optional(-*renorm.dmax) : std::nullopt;
    const Symbol d = clipped_if((mean - building.latest(slow.mean)) / divisor, least_d, renorm.dmax);
    move(slow.mean, mean, renorm.momentum);
    move(slow.deviation, deviation, renorm.momentum);
    move(moving_mean, mean, config_.momentum);
    const Symbol moved = move(slow.moving_deviation, deviation, config_.momentum);
    building.update(moving_variance, relu(square(moved) - config_.epsilon));
    return ((x - mean) / deviation * stop_gradient(r) + stop_gradient(d)) * gamma + beta;
  }

  static Symbol clipped_if(Symbol x, std::optional<double> least, std::optional<double> most) {
    if (least) x = maximum(x, number_like(x, *least));
    return most ? minimum(x, number_like(x, *most)) : x;
  }

  BatchNormalizationConfig config_;
};

class LayerNormalization final : public Layer {
 public:
  explicit LayerNormalization(LayerNormalizationConfig config)
      : Layer(config.name, config.trainable), config_(std::move(config)) {}
  std::string_view class_name() const override { return "LayerNormalization"; }

 protected:
  UnderHalves under_halves() const override { return UnderHalves::rounds_output; }
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    const Symbol x = only(inputs);
    if (x.shape().rank() < 2)
      refuse(fmt::format("it is given {}", print(x.spec())), "it takes a batch axis and at least one more");
    if (is_floating(x.spec().type) || !is_on(Switch::whole_numbers_join_real_ones, building.semantics()))
      return {normalized(building, x)};
    // Keras 3 gives the type of the inputs back to the results: their fractions are lost, and the gradient with them.
    return {cast(normalized(building, as_float(x)), x.spec().type)};
  }
  std::optional<Symbol> mask_of_outputs(Building& building, const std::vector<Symbol>&) const override {
    return building.mask();
  }

 private:
  Symbol normalized(Building& building, Symbol x) const {
    const MovedAxes moved(x, config_.axes);
    const TensorSpec spec{wide_type(x.spec().type), moved.extents()};
    const auto flat = [&](Symbol weight) { return reshape(weight, {spec.shape.elements()}); };
    if (config_.rms_scaling)
      return moved.back(scaled_alone(as_wide_float(moved.last()),
                                     flat(building.weight(name() + "/gamma", spec, config_.gamma))));
    const Symbol gamma = weight_or(building, config_.scale, name() + "/gamma", spec, config_.gamma, 1);
    const Symbol beta = weight_or(building, config_.center, name() + "/beta", spec, config_.beta, 0);
    return moved.back(layer_norm(moved.last(), flat(gamma), flat(beta), {.epsilon = config_.epsilon}));
  }

  // Keras 3's rms_scaling divides by the standard deviation, without taking the mean away.
  Symbol scaled_alone(Symbol x, Symbol gamma) const {
    const int axis = x.shape().rank() - 1;
    const Symbol variance = reduce_mean(square(x - reduce_mean(x, {axis}, true)), {axis}, true);
    return x / sqrt(variance + config_.epsilon) * gamma;
  }

  LayerNormalizationConfig config_;
};

class GroupNormalization final : public Layer {
 public:
  explicit GroupNormalization(GroupNormalizationConfig config)
      : Layer(config.name, config.trainable), config_(std::move(config)) {}
  std::string_view class_name() const override { return "GroupNormalization"; }

 protected:
  UnderHalves under_halves() const override { return UnderHalves::rounds_output; }
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    const Symbol x = as_wide_float(only(inputs));
    if (x.shape().rank() < 2)
      refuse(fmt::format("it is given {}", print(x.spec())), "it takes a batch axis and at least one more");
    const MovedAxes moved(x, {config_.axis});
    const Symbol last = moved.last();
    const std::int64_t rows = last.shape()[0], channels = last.shape().last();
    const std::int64_t groups = config_.groups == -1 ? channels : config_.groups;
    if (groups < 1 || channels % groups != 0)
      refuse(fmt::format("{} channels don't divide into {} groups", channels, groups));
    const std::int64_t places = last.shape().elements() / std::max<std::int64_t>(1, rows * channels);
    // [rows, groups, places, channels of the group]: each group becomes a row of the kernel.
    const Symbol grouped =
        transpose(wt::reshape(last, {rows, places, groups, channels / groups}), {0, 2, 1, 3});
    const std::int64_t extent = places * (channels / groups);
    const TensorSpec one{x.spec().type, {extent}};
    const Symbol normalized =
        layer_norm(wt::reshape(grouped, {rows, groups, extent}), fill(building.trace(), one, 1),
                   fill(building.trace(), one, 0), {.epsilon = config_.epsilon});
    const Symbol apart =
        transpose(wt::reshape(normalized, {rows, groups, places, channels / groups}), {0, 2, 1, 3});
    return {moved.back(scaled(building, wt::reshape(apart, last.shape())))};
  }

 private:
  Symbol scaled(Building& building, Symbol y) const {
    const TensorSpec spec{y.spec().type, {y.shape().last()}};
    if (config_.scale) y = y * building.weight(name() + "/gamma", spec, config_.gamma);
    if (config_.center) y = y + building.weight(name() + "/beta", spec, config_.beta);
    return y;
  }

  GroupNormalizationConfig config_;
};

class RmsNormalization final : public Layer {
 public:
  explicit RmsNormalization(RmsNormalizationConfig config)
      : Layer(config.name, config.trainable), config_(std::move(config)) {}
  std::string_view class_name() const override { return "RMSNormalization"; }

 protected:
  UnderHalves under_halves() const override { return UnderHalves::rounds_inputs; }
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    const Symbol x = as_wide_float(only(inputs));
    const MovedAxes moved(x, config_.axes);
    const TensorSpec spec{x.spec().type, moved.extents()};
    const Symbol scale = building.weight(name() + "/scale", spec, WeightRule{ones, {}, {}});
    const Symbol last = moved.last();
    const Symbol mean = reduce_mean(square(last), {last.shape().rank() - 1}, true);
    return {moved.back(last / sqrt(mean + config_.epsilon) * wt::reshape(scale, {spec.shape.elements()}))};
  }

 private:
  RmsNormalizationConfig config_;
};

class UnitNormalization final : public Layer {
 public:
  explicit UnitNormalization(UnitNormalizationConfig config)
      : Layer(config.name), axes_(std::move(config.axes)) {}
  std::string_view class_name() const override { return "UnitNormalization"; }

 protected:
  std::vector<Symbol> call(Building&, const std::vector<Symbol>& inputs) const override {
    const MovedAxes moved(only(inputs), axes_);
    const Symbol last = moved.last();
    const Symbol squares = reduce_sum(square(last), {last.shape().rank() - 1}, true);
    return {moved.back(last / sqrt(maximum(squares, number_like(squares, least_square))))};
  }
  std::optional<Symbol> mask_of_outputs(Building& building, const std::vector<Symbol>&) const override {
    return building.mask();
  }

 private:
  static constexpr double least_square = 1e-12;  // of tf.math.l2_normalize
  std::vector<int> axes_;
};

class Normalization final : public Layer {
 public:
  explicit Normalization(NormalizationConfig config) : Layer(config.name), config_(std::move(config)) {
    if (config_.mean.empty() != config_.variance.empty())
      refuse("it has a mean without a variance, or a variance without a mean", "give both, or neither");
  }
  std::string_view class_name() const override { return "Normalization"; }

 protected:
  WholeNumbers whole_numbers() const override { return WholeNumbers::converts; }
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    const Symbol given = only(inputs);
    const Symbol x = is_floating(given.spec().type) ? given : cast(given, Type::float32);
    const Shape shape = kept_shape(x);
    const Symbol mean = statistic(building, "mean", config_.mean, shape);
    const Symbol variance = statistic(building, "variance", config_.variance, shape);
    if (config_.mean.empty()) add_count(building);
    const Symbol deviation = maximum(sqrt(variance), number_like(variance, least_deviation));
    return {config_.invert ? mean + x * deviation : (x - mean) / deviation};
  }

 private:
  static constexpr double least_deviation = 1e-7;  // Keras' backend.epsilon()

  // The shape of the statistics: the extents of the kept axes, and 1 elsewhere.
  Shape kept_shape(Symbol x) const {
    Shape shape;
    for (int axis = 0; axis < x.shape().rank(); ++axis) shape.append(1);
    for (const int axis : config_.axes) {
      const int own = axis_of(axis, x.spec());
      if (own == 0) refuse("the batch axis has no statistics of its own", "name other axes");
      shape[own] = x.shape()[own];
    }
    return shape;
  }

  // How many rows `adapt` has seen: a weight of Keras' files that no step reads.
  void add_count(Building& building) const {
    building.weight(Weight{.name = name() + "/count",
                           .spec = {Type::int64, {}},
                           .initializer = zeros,
                           .options = {.trainable = false}});
  }

  Symbol statistic(Building& building, std::string_view own, const std::vector<double>& given,
                   const Shape& shape) const {
    Shape extents;
    for (const std::int64_t extent : shape)
      if (extent != 1) extents.append(extent);
    if (given.empty()) {
      const Weight weight{.name = fmt::format("{}/{}", name(), own),
                          .spec = {Type::float32, extents},
                          .initializer = own == "mean" ? zeros : ones,
                          .options = {.trainable = false}};
      return wt::reshape(building.weight(weight), shape);
    }
    const Symbol numbers = constants(building.trace(), given);
    if (given.size() == 1) return wt::reshape(numbers, {});
    if (static_cast<std::int64_t>(given.size()) != shape.elements())
      refuse(fmt::format("it has {} numbers for a statistic of shape {}", given.size(), print(shape)));
    return wt::reshape(numbers, shape);
  }

  NormalizationConfig config_;
};

}  // namespace

LayerPtr batch_normalization(BatchNormalizationConfig config) {
  return std::make_shared<BatchNormalization>(std::move(config));
}
LayerPtr layer_normalization(LayerNormalizationConfig config) {
  return std::make_shared<LayerNormalization>(std::move(config));
}
LayerPtr group_normalization(GroupNormalizationConfig config) {
  return std::make_shared<GroupNormalization>(std::move(config));
}
LayerPtr rms_normalization(RmsNormalizationConfig config) {
  return std::make_shared<RmsNormalization>(std::move(config));
}
LayerPtr unit_normalization(UnitNormalizationConfig config) {
  return std::make_shared<UnitNormalization>(std::move(config));
}
LayerPtr normalization(NormalizationConfig config) {
  return std::make_shared<Normalization>(std::move(config));
}

}  // namespace wt::model
