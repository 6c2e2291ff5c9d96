#pragma once
// The gradient of each kernel, as a function that appends other kernels to a program.

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "program/program.h"

namespace wt {

// The arguments of a gradient rule: the node, the gradients of its outputs, and functions that append nodes
// and pass gradients on to its inputs.
class Backward {
 public:
  Backward(Program& program, Node node, std::span<const std::optional<ValueId>> gradients,
           std::vector<bool> wanted);

  ValueId input(std::size_t i = 0) const { return node_.inputs[i]; }
  std::size_t inputs() const { return node_.inputs.size(); }
  ValueId output(std::size_t i = 0) const { return node_.outputs[i]; }
  const Shape& shape(ValueId value) const { return program_.spec(value).shape; }
  const TensorSpec& spec(ValueId value) const { return program_.spec(value); }
  template <class Expected>
  const Expected& attributes() const {
    return attributes_as<Expected>(std::get<Apply>(node_.operation).attributes);
  }
  const Operation& operation() const { return node_.operation; }

  bool wants(std::size_t i) const { return wanted_[i]; }  // whether the gradient of input i is needed
  ValueId gradient(std::size_t i = 0);  // of output i, zeros if the loss does not depend on it
  bool has_gradient(std::size_t i) const { return gradients_[i].has_value(); }

  // Sets the gradient of input i. `send_summed` first sums it over the axes along which the input was
  // broadcast.
  void send(std::size_t i, ValueId gradient);
  void send_summed(std::size_t i, ValueId gradient);

  // These append nodes in the scope "gradient/..." of the node.
  ValueId apply(std::string_view kernel, std::vector<ValueId> inputs, Attributes attributes = {});
  std::vector<ValueId> apply_all(std::string_view kernel, std::vector<ValueId> inputs,
                                 Attributes attributes = {});
  ValueId append_one(Operation operation, std::vector<ValueId> inputs);
  ValueId reshape(ValueId value, const Shape& shape);
  ValueId constant(const TensorSpec& spec, double value);
  ValueId scaled(ValueId value, double factor);
  ValueId divided(ValueId value, double by);

  const std::vector<std::optional<ValueId>>& sent() const { return sent_; }  // by input

 private:
  Program& program_;
  Node node_;
  std::string scope_;
  std::span<const std::optional<ValueId>> gradients_;
  std::vector<bool> wanted_;
  std::vector<std::optional<ValueId>> sent_;
};

// The gradient of a kernel.
struct GradientRule {
  std::string_view kernel{};
  void (*send)(Backward& backward) = nullptr;
};

std::span<const GradientRule> gradient_rules();                   // sorted by kernel
const GradientRule* find_gradient_rule(std::string_view kernel);  // null if the kernel has no gradient

}  // namespace wt
