#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "program/program.h"

namespace wt {

class Trace;

// A tensor of a step that is being traced: it has a shape and no numbers. Valid while its trace lives.
struct Symbol {
  Trace* trace = nullptr;
  ValueId value{};

  // Copies: the program grows while one looks.
  TensorSpec spec() const;
  Shape shape() const { return spec().shape; }
};

struct VariableOptions {
  bool trainable = true;
  Synchronization synchronization = Synchronization::automatic;
  Aggregation aggregation = Aggregation::none;
  bool is_slot = false;  // the optimizer's, of another variable
};

// Writes down what a step function does with symbols.
class Trace {
 public:
  explicit Trace(std::string name) { step_.name = std::move(name); }
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  Symbol input(std::string name, TensorSpec spec);
  Symbol variable(std::string name, TensorSpec spec, VariableOptions options = {});
  void update(Symbol variable, Symbol value);
  void result(std::string name, Symbol value);

  std::vector<Symbol> apply(std::string_view kernel, std::span<const Symbol> inputs,
                            Attributes attributes = {});
  std::vector<Symbol> append(Operation operation, std::span<const Symbol> inputs);

  // The gradient of a scalar loss with respect to each value, one per value, zeros where the loss doesn't
  // depend on it.
  std::vector<Symbol> gradient(Symbol loss, std::span<const Symbol> of);

  // Nodes that are appended inside `body` belong to this scope; scopes nest: "block/conv2d".
  template <class Body>
  auto in_scope(std::string_view name, Body&& body) {
    const Entered entered(*this, name);
    return body();
  }

  const Program& program() const { return step_.program; }
  Step finish() &&;  // what nothing needs is dropped

 private:
  struct Entered {
    Entered(Trace& trace, std::string_view name);
    ~Entered();
    Trace& trace;
    std::size_t outer;
  };
  std::vector<ValueId> values_of(std::span<const Symbol> symbols) const;
  std::vector<Symbol> symbols_of(std::span<const ValueId> values);

  Step step_{};
  std::string scope_{};
};

// Traces a step function: `trace("train", [](Trace& trace) { ... })`.
Step trace(std::string name, const std::function<void(Trace&)>& function);

}  // namespace wt
