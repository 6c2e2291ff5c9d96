#include "model/layers/merging.h"

#include <fmt/format.h>

namespace wt::model {

namespace {

// The inputs are combined from left to right. An average divides the complete sum once.
struct MergingKind {
  std::string_view class_name{};
  Symbol (*combine)(Symbol a, Symbol b) = nullptr;
  bool divides = false;
  std::size_t at_most = SIZE_MAX;
};
constexpr MergingKind add_kind{"Add", wt::operator+ };
constexpr MergingKind subtract_kind{"Subtract", wt::operator-, false, 2};
constexpr MergingKind multiply_kind{"Multiply", wt::operator* };
constexpr MergingKind average_kind{"Average", wt::operator+, true};
constexpr MergingKind maximum_kind{"Maximum", wt::maximum};
constexpr MergingKind minimum_kind{"Minimum", wt::minimum};

class Merging final : public Layer {
 public:
  Merging(const MergingKind& kind, std::string name) : Layer(std::move(name)), kind_(kind) {}
  std::string_view class_name() const override { return kind_.class_name; }

 protected:
  std::vector<Symbol> call(Building&, const std::vector<Symbol>& inputs) const override {
    if (inputs.size() < 2 || inputs.size() > kind_.at_most)
      refuse(fmt::format("it is given {} inputs", inputs.size()),
             kind_.at_most == 2 ? "it takes two" : "it takes two or more");
    Symbol merged = inputs[0];
    for (std::size_t i = 1; i < inputs.size(); ++i) {
      if (inputs[i].shape().rank() != merged.shape().rank())
        refuse(fmt::format("input {} is {}, and the inputs before it are {}", i, print(inputs[i].spec()),
                           print(merged.spec())),
               "reshape one: inputs of different rank are not offered");
      merged = kind_.combine(merged, inputs[i]);
    }
    return {kind_.divides ? merged / static_cast<double>(inputs.size()) : merged};
  }

 private:
  const MergingKind& kind_;
};

class Concatenate final : public Layer {
 public:
  explicit Concatenate(const ConcatenateConfig& config) : Layer(config.name), axis_(config.axis) {}
  std::string_view class_name() const override { return "Concatenate"; }

 protected:
  std::vector<Symbol> call(Building&, const std::vector<Symbol>& inputs) const override {
    if (inputs.empty()) refuse("it is given no inputs");
    const int rank = inputs[0].shape().rank();
    const int axis = axis_ < 0 ? rank + axis_ : axis_;
    for (const Symbol& input : inputs)
      if (axis < 0 || axis >= input.shape().rank())
        refuse(fmt::format("{} has no axis {}", print(input.spec()), axis_));
    return {concat(inputs, axis)};
  }

 private:
  int axis_;
};

}  // namespace

LayerPtr add(std::string name) { return std::make_shared<Merging>(add_kind, std::move(name)); }
LayerPtr subtract(std::string name) { return std::make_shared<Merging>(subtract_kind, std::move(name)); }
LayerPtr multiply(std::string name) { return std::make_shared<Merging>(multiply_kind, std::move(name)); }
LayerPtr average(std::string name) { return std::make_shared<Merging>(average_kind, std::move(name)); }
LayerPtr maximum(std::string name) { return std::make_shared<Merging>(maximum_kind, std::move(name)); }
LayerPtr minimum(std::string name) { return std::make_shared<Merging>(minimum_kind, std::move(name)); }
LayerPtr concatenate(const ConcatenateConfig& config) { return std::make_shared<Concatenate>(config); }

}  // namespace wt::model
