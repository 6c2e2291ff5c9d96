#pragma once
// Tracing: a step function runs once with symbols, and the operations that it applies become a Step.
//
//     const Step step = trace("train", [](Trace& trace) {
//       const Symbol x = trace.input("x", {Type::float32, {4, 3}});
//       const Symbol w = trace.variable("w", {Type::float32, {3, 2}});
//       const Symbol loss = reduce_mean(matmul(x, w));
//       trace.update(w, w - trace.gradient(loss, {{w}})[0]);
//       trace.result("loss", loss);
//     });
//
// The functions on symbols are in program/operations.h.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "program/program.h"

namespace wt {

class Trace;

// A tensor of a step that is being traced. It has a type and a shape but no numbers. Requires: its trace
// exists as long as the symbol is used.
struct Symbol {
  Trace* trace = nullptr;
  ValueId value{};

  // Both return copies, because a reference would become invalid when the program grows.
  TensorSpec spec() const;
  Shape shape() const { return spec().shape; }
};

struct VariableOptions {
  bool trainable = true;
  Synchronization synchronization = Synchronization::automatic;
  Aggregation aggregation = Aggregation::none;
  std::string slot_of{};  // the variable whose state an optimizer keeps here, as in Adam's m; "": none
};

// Records the operations that a step function applies to symbols.
class Trace {
 public:
  explicit Trace(std::string name) { step_.name = std::move(name); }
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  Symbol input(std::string name, TensorSpec spec);
  // Throws InputError if another variable has the name.
  Symbol variable(std::string name, TensorSpec spec, VariableOptions options = {});
  // Assigns a new value for the next step. Throws InputError for a second update of the variable in a step,
  // and where type or shape differ.
  void update(Symbol variable, Symbol value);
  // The same where the step may have updated the variable before: the last value counts.
  void update_again(Symbol variable, Symbol value);
  // The value that the variable has after the step as it is so far; none if the step has not updated it.
  std::optional<Symbol> updated_value(Symbol variable);
  void result(std::string name, Symbol value);

  // Appends a kernel, or any operation, and returns its outputs. Throws InputError where the inputs do not
  // fit.
  std::vector<Symbol> apply(std::string_view kernel, std::span<const Symbol> inputs,
                            Attributes attributes = {});
  std::vector<Symbol> append(Operation operation, std::span<const Symbol> inputs);

  // The gradient of a scalar loss with respect to each of the values, zeros where the loss does not depend on
  // the value (see program/differentiate.h).
  std::vector<Symbol> gradient(Symbol loss, std::span<const Symbol> of);

  // Runs `body`. The nodes that it appends belong to this scope, and scopes nest: "block/conv2d".
  template <class Body>
  auto in_scope(std::string_view name, Body&& body) {
    const Entered entered(*this, name);
    return body();
  }

  const Program& program() const { return step_.program; }
  Step finish() &&;  // drops the nodes on which no result and no update depends

 private:
  // A scope from its begin to its end.
  struct Entered {
    Entered(Trace& trace, std::string_view name);
    ~Entered();
    Trace& trace;
    std::size_t outer;
  };
  VariableId updated(Symbol variable, Symbol value) const;
  std::vector<Node>::const_iterator update_of(VariableId variable) const;
  std::vector<ValueId> values_of(std::span<const Symbol> symbols) const;
  std::vector<Symbol> symbols_of(std::span<const ValueId> values);

  Step step_{};
  std::string scope_{};
};

// Traces a step function.
Step trace(std::string name, const std::function<void(Trace&)>& function);

}  // namespace wt
