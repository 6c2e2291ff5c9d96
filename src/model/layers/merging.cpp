#include "model/layers/merging.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/axes.h"
#include "model/constants.h"
#include "model/layers/written.h"
#include "model/mask.h"

namespace wt::model {

namespace {

// The inputs are combined from left to right. An average divides the complete sum once.
struct MergingKind {
  std::string_view class_name{};
  Symbol (*combine)(Symbol a, Symbol b) = nullptr;
  bool divides = false;
  std::size_t at_most = SIZE_MAX;
  bool has_no_neutral = false;  // no number that leaves any other as it is
};
constexpr MergingKind add_kind{"Add", wt::operator+ };
constexpr MergingKind subtract_kind{"Subtract", wt::operator-, false, 2};
constexpr MergingKind multiply_kind{"Multiply", wt::operator* };
constexpr MergingKind average_kind{"Average", wt::operator+, true};
constexpr MergingKind maximum_kind{"Maximum", wt::maximum, false, SIZE_MAX, true};
constexpr MergingKind minimum_kind{"Minimum", wt::minimum, false, SIZE_MAX, true};

// Keras 2 keeps a step that all inputs keep, and Keras 3 one that any input keeps. An input without a mask keeps all of
// its steps.
std::optional<Symbol> merged_mask(Building& building, const std::vector<Symbol>& inputs) {
  const bool needs_all = is_on(Switch::merged_masks_need_all, building.semantics());
  std::optional<Symbol> merged;
  for (const Symbol& input : inputs) {
    const std::optional<Symbol> mask = building.mask_of(input);
    if (!mask) {
      if (!needs_all) return std::nullopt;
      continue;
    }
    merged = !merged ? mask : needs_all ? both(*merged, *mask) : either(*merged, *mask);
  }
  return merged;
}

class Merging final : public Layer, public WritesArguments {
 public:
  Merging(const MergingKind& kind, std::string name) : Layer(std::move(name)), kind_(kind) {}
  std::string_view class_name() const override { return kind_.class_name; }
  void write_arguments(json::Writer&) const override {}

 protected:
  WholeNumbers whole_numbers() const override { return WholeNumbers::joins; }
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& given) const override {
    require_equal_ranks(given);
    const bool fills_steps = !is_on(Switch::merged_masks_need_all, building.semantics());
    const bool is_product = kind_.class_name == "Multiply";
    if (fills_steps && kind_.has_no_neutral) return {of_kept_steps(building, given)};
    const std::vector<Symbol> inputs = fills_steps && is_product ? with_ones(building, given) : given;
    Symbol merged = inputs[0];
    for (std::size_t i = 1; i < inputs.size(); ++i) merged = kind_.combine(merged, inputs[i]);
    if (fills_steps && is_product)
      if (const auto mask = merged_mask(building, given)) merged = merged * as_factors(*mask, merged);
    return {kind_.divides ? merged / static_cast<double>(inputs.size()) : merged};
  }
  std::optional<Symbol> mask_of_outputs(Building& building,
                                        const std::vector<Symbol>& inputs) const override {
    return merged_mask(building, inputs);
  }

 private:
  void require_equal_ranks(const std::vector<Symbol>& inputs) const {
    if (inputs.size() < 2 || inputs.size() > kind_.at_most)
      refuse(fmt::format("it is given {} inputs", inputs.size()),
             kind_.at_most == 2 ? "it takes two" : "it takes two or more");
    for (std::size_t i = 1; i < inputs.size(); ++i)
      if (inputs[i].shape().rank() != inputs[0].shape().rank())
        refuse(fmt::format("input {} is {}, and the inputs before it are {}", i, print(inputs[i].spec()),
                           print(inputs[0].spec())),
               "reshape one: inputs of different rank are not offered");
  }

  // Keras 3's Maximum and Minimum: where a mask skips a step of one input, the others' steps count alone.
  Symbol of_kept_steps(Building& building, const std::vector<Symbol>& inputs) const {
    const auto chosen = [](const std::optional<Symbol>& mask, Symbol kept, Symbol otherwise) {
      if (!mask) return kept;
      const Symbol factors = as_factors(*mask, kept);
      return kept * factors + otherwise * (-factors + 1);
    };
    Symbol merged = inputs[0];
    std::optional<Symbol> mask = building.mask_of(inputs[0]);
    for (std::size_t i = 1; i < inputs.size(); ++i) {
      const std::optional<Symbol> own = building.mask_of(inputs[i]);
      const Symbol next = chosen(own, inputs[i], merged);
      merged = kind_.combine(chosen(mask, merged, next), next);
      mask = mask && own ? std::optional(either(*mask, *own)) : std::nullopt;
    }
    return merged;
  }

  // Keras 3's Multiply: a step that a mask skips is a factor of 1, and one that all masks skip is 0.
  static std::vector<Symbol> with_ones(Building& building, std::vector<Symbol> inputs) {
    for (Symbol& input : inputs)
      if (const auto mask = building.mask_of(input)) {
        const Symbol factors = as_factors(*mask, input);
        input = input * factors + (-factors + 1);
      }
    return inputs;
  }

  const MergingKind& kind_;
};

class Concatenate final : public Layer, public WritesArguments {
 public:
  explicit Concatenate(const ConcatenateConfig& config) : Layer(config.name), axis_(config.axis) {}
  std::string_view class_name() const override { return "Concatenate"; }
  void write_arguments(json::Writer& out) const override { out.member("axis", axis_); }

 protected:
  WholeNumbers whole_numbers() const override { return WholeNumbers::joins; }
  std::vector<Symbol> call(Building&, const std::vector<Symbol>& inputs) const override {
    if (inputs.empty()) refuse("it is given no inputs");
    const int rank = inputs[0].shape().rank();
    const int axis = axis_ < 0 ? rank + axis_ : axis_;
    for (const Symbol& input : inputs)
      if (axis < 0 || axis >= input.shape().rank())
        refuse(fmt::format("{} has no axis {}", print(input.spec()), axis_));
    return {concat(inputs, axis)};
  }
  // Along the features, a step counts if it counts in all inputs. Along the time, masks would have to be concatenated.
  std::optional<Symbol> mask_of_outputs(Building& building,
                                        const std::vector<Symbol>& inputs) const override {
    std::optional<Symbol> merged;
    for (const Symbol& input : inputs)
      if (const auto mask = building.mask_of(input)) {
        if (axis_ == 1 || axis_ == 1 - inputs[0].shape().rank())
          refuse("it concatenates sequences with masks along the time axis",
                 "concatenate along the features, or drop the masks");
        merged = merged ? both(*merged, *mask) : *mask;
      }
    return merged;
  }

 private:
  int axis_;
};

class Dot final : public Layer {
 public:
  explicit Dot(DotConfig config) : Layer(config.name), config_(std::move(config)) {
    if (config_.axes.size() != 2)
      refuse(fmt::format("it has {} axes", config_.axes.size()), "write one number, or one for each input");
  }
  std::string_view class_name() const override { return "Dot"; }

 protected:
  WholeNumbers whole_numbers() const override { return WholeNumbers::converts; }
  std::vector<Symbol> call(Building&, const std::vector<Symbol>& inputs) const override {
    if (inputs.size() != 2) refuse(fmt::format("it is given {} inputs", inputs.size()), "it takes two");
    std::vector<Symbol> factors;  // [batch, other elements, summed]
    Shape result{inputs[0].shape()[0]};
    for (std::size_t i = 0; i < 2; ++i) {
      const int axis = axis_of(config_.axes[i], inputs[i].spec());
      if (axis == 0) refuse("axis 0 is the batch", "name another axis");
      for (int other = 1; other < inputs[i].shape().rank(); ++other)
        if (other != axis) result.append(inputs[i].shape()[other]);
      const Symbol last = MovedAxes(inputs[i], {axis}).last();
      const Symbol unit = config_.normalize ? normalized(last) : last;
      const std::int64_t rows = unit.shape()[0], summed = unit.shape().last();
      factors.push_back(wt::reshape(
          unit, {rows, unit.shape().elements() / std::max<std::int64_t>(1, rows * summed), summed}));
    }
    if (factors[0].shape().last() != factors[1].shape().last())
      refuse(fmt::format("axes {} and {} of {} and {} differ", config_.axes[0], config_.axes[1],
                         print(inputs[0].spec()), print(inputs[1].spec())));
    if (result.rank() == 1) result.append(1);
    return {wt::reshape(matmul(factors[0], factors[1], {.transpose_b = true}), result)};
  }

 private:
  static Symbol normalized(Symbol x) {
    const Symbol squares = reduce_sum(square(x), {x.shape().rank() - 1}, true);
    return x / sqrt(maximum(squares, number_like(squares, 1e-12)));  // as tf.math.l2_normalize
  }

  DotConfig config_;
};

}  // namespace

LayerPtr dot(DotConfig config) { return std::make_shared<Dot>(std::move(config)); }
LayerPtr add(std::string name) { return std::make_shared<Merging>(add_kind, std::move(name)); }
LayerPtr subtract(std::string name) { return std::make_shared<Merging>(subtract_kind, std::move(name)); }
LayerPtr multiply(std::string name) { return std::make_shared<Merging>(multiply_kind, std::move(name)); }
LayerPtr average(std::string name) { return std::make_shared<Merging>(average_kind, std::move(name)); }
LayerPtr maximum(std::string name) { return std::make_shared<Merging>(maximum_kind, std::move(name)); }
LayerPtr minimum(std::string name) { return std::make_shared<Merging>(minimum_kind, std::move(name)); }
LayerPtr concatenate(const ConcatenateConfig& config) { return std::make_shared<Concatenate>(config); }

}  // namespace wt::model
