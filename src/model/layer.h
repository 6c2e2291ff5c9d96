// model/: layers, initialisers, losses, optimizers, metrics, in Keras' words and with its formulas. A model
// is data that can be called: while a step is traced it asks for its weights and writes its nodes. It holds
// no numbers and doesn't know devices, plans or data. Read on in model/sequential.h and model/functional.h.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/initializer.h"
#include "model/semantics.h"
#include "program/operations.h"

namespace wt::model {

class Layer;

// Penalties on a weight, added to the loss: l1 * sum |w| + l2 * sum w^2.
struct Regularizer {
  double l1 = 0;
  double l2 = 0;
};

// What a layer, an optimizer or a metric keeps between steps.
struct Weight {
  std::string name{};  // "conv2d/kernel"
  TensorSpec spec{};
  Initializer initializer{};
  VariableOptions options{};
  std::optional<Regularizer> regularizer{};
};

// A model in the course of being traced: hands out weights as variables of the step, once each, so that a
// layer called twice shares them; collects what the layers want added to the loss.
class Building {
 public:
  Building(Trace& trace, bool training, Semantics semantics = Semantics::keras2)
      : trace_(trace), semantics_(semantics), now_{training, false, nullptr} {}
  Building(const Building&) = delete;
  Building& operator=(const Building&) = delete;

  Trace& trace() { return trace_; }
  Semantics semantics() const { return semantics_; }
  bool training() const { return now_.training; }  // Keras' `training` argument: dropout and batch statistics
  bool frozen() const { return now_.frozen; }      // inside a layer or model that is not trainable

  // The same name gives the same symbol. Throws InputError when the name stands for another shape already, or
  // belongs to another layer.
  Symbol weight(const Weight& weight);

  // The weight's value from the next step on. Once in a step: a batch normalization that is called twice is
  // refused.
  void update(Symbol weight, Symbol value) { trace_.update(weight, value); }

  // A stream of random numbers of a layer's own, int64[2] of stream and step; every step draws others, and so
  // does every replica.
  Symbol random_stream(const std::string& name, std::optional<std::int64_t> seed);

  const std::vector<Weight>& weights() const { return weights_; }  // in the order of creation
  std::vector<Symbol> trainable() const;
  std::optional<Symbol> regularization();  // the sum of all penalties, none where no weight has one

 private:
  friend class Layer;
  struct Circumstances {
    bool training = false;
    bool frozen = false;
    const Layer* caller = nullptr;
  };
  struct Owned {
    Symbol symbol{};
    const Layer* owner = nullptr;  // null: no layer
  };

  Trace& trace_;
  Semantics semantics_;
  Circumstances now_{};
  std::vector<Weight> weights_{};
  std::map<std::string, Owned, std::less<>> symbols_{};
};

// What one call says about itself.
struct CallOptions {
  std::optional<bool> training{};  // instead of the step's
};

// A layer is configuration; its weights live in the step. Models are layers too, so they nest, and a
// subclassed model is a class that derives from Layer and calls others in `call`.
class Layer {
 public:
  explicit Layer(std::string name, bool trainable = true) : name_(std::move(name)), trainable_(trainable) {}
  virtual ~Layer() = default;
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;

  virtual std::string_view class_name() const = 0;  // "Conv2D"
  const std::string& name() const { return name_; }
  bool trainable() const { return trainable_; }  // false freezes everything inside

  // A layer made without a name gets one from the first model that takes it in. Requires: it has none.
  void give_name(std::string name);

  // What a model is made of; nothing for other layers.
  virtual std::vector<std::shared_ptr<Layer>> parts() const { return {}; }

  // What a call wants, without the batch axis; nothing where the inputs decide, 0 for an extent that is open.
  virtual std::vector<TensorSpec> input_specs() const { return {}; }

  // What a model with several outputs calls them: the layers that give them. Nothing for other layers.
  virtual std::vector<std::string> output_names() const { return {}; }

  // Calls the layer in a scope of its name.
  std::vector<Symbol> operator()(Building& building, const std::vector<Symbol>& inputs,
                                 const CallOptions& options = {}) const;
  Symbol operator()(Building& building, Symbol input) const;  // Requires: one output.

 protected:
  // Throws InputError when the inputs don't fit; kernels' complaints get this layer's name and class.
  virtual std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const = 0;

  // InputError `[Conv2D] layer "conv2d_1": fact`.
  [[noreturn]] void refuse(std::string_view fact, std::string_view remedy = {}) const;
  void require_positive(std::string_view what, std::int64_t value) const;
  Symbol only(const std::vector<Symbol>& inputs) const;            // the one input of a layer that wants one
  Symbol only(const std::vector<Symbol>& inputs, int rank) const;  // ... of that rank, batch axis included

 private:
  std::string name_;
  bool trainable_ = true;
};

// An InputError that knows which layer didn't get along.
class LayerError : public InputError {
 public:
  LayerError(const Layer& layer, std::vector<Problem> problems)
      : InputError(std::move(problems)), layer_(&layer) {}
  const Layer* layer() const { return layer_; }

 private:
  const Layer* layer_;
};

struct Output;

// A layer in a model's hands. In a functional model that is being written, calling one gives its output:
// `auto x = dense({.units = 64})(input({28}))`, see functional.h.
class LayerPtr : public std::shared_ptr<Layer> {
 public:
  using std::shared_ptr<Layer>::shared_ptr;
  LayerPtr(std::shared_ptr<Layer> layer) : std::shared_ptr<Layer>(std::move(layer)) {}

  Output operator()(const Output& input, const CallOptions& options = {}) const;
  Output operator()(const std::vector<Output>& inputs, const CallOptions& options = {}) const;
};

// Gives every layer without a name Keras' name for it: dense, dense_1, max_pooling2d; input_1 for inputs.
// Each model counts for itself and passes over names that are in use, in nested models too. Weights' names
// are flat as in Keras 2: a nested model's dense is dense/kernel, so the layers of one outer model want
// different names. Throws InputError when two of `layers` have one name.
void name_layers(const Layer& model, const std::vector<LayerPtr>& layers);

// Keras' spelling: Conv2D becomes conv2d, MaxPooling2D max_pooling2d, ReLU re_lu.
std::string snake_case(std::string_view class_name);

}  // namespace wt::model
