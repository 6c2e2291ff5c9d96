#pragma once

#include "model/layers/input.h"

namespace wt::model {

struct Calling;

// One output of a recorded call, while a functional model is being composed.
struct Output {
  std::shared_ptr<const Calling> by{};  // the call
  std::size_t index = 0;                // which of the call's outputs
};

// A recorded call of a layer. An input of the model is the call of an InputLayer without arguments.
struct Calling {
  LayerPtr layer{};
  std::vector<Output> inputs{};
  CallOptions options{};
};

// Keras' Input(). The shape does not include the batch axis.
Output input(const Shape& shape, Type type = Type::float32, std::string name = {});

// A model that is a directed acyclic graph of layer calls. It may have several inputs and outputs, and a
// layer may be called more than once, in which case the calls share its weights. Keras calls this the
// functional API (keras.io/guides/functional_api).
//
//   const Output image = input({28, 28, 1});
//   Output x = conv2d({.filters = 32, .kernel_size = {3, 3}})(image);
//   x = add()({x, conv2d({.filters = 32, .kernel_size = {3, 3}, .padding = Padding::same})(x)});
//   const Functional model("residual", {image}, {x});
class Functional : public Layer {
 public:
  // Output number `output` of node number `node`.
  struct Reference {
    std::size_t node = 0;
    std::size_t output = 0;
  };
  // One call of a layer.
  struct Node {
    LayerPtr layer{};
    std::vector<Reference> inputs{};
    CallOptions options{};
  };
  // Requires: the nodes are in topological order, and the nodes in `inputs` call InputLayers without
  // arguments.
  struct Graph {
    std::vector<Node> nodes{};
    std::vector<std::size_t> inputs{};
    std::vector<Reference> outputs{};
  };

  // Throws InputError if an output depends on an input that is not listed.
  Functional(const std::string& name, const std::vector<Output>& inputs, const std::vector<Output>& outputs,
             bool trainable = true);
  Functional(std::string name, Graph graph, bool trainable = true);

  std::string_view class_name() const override { return "Functional"; }
  const Graph& graph() const { return graph_; }
  std::vector<std::shared_ptr<Layer>> parts() const override;  // in the order of their first calls
  std::vector<TensorSpec> input_specs() const override;
  std::vector<std::string> output_names() const override;

 protected:
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override;

 private:
  Graph graph_;
};

LayerPtr functional(const std::string& name, const std::vector<Output>& inputs,
                    const std::vector<Output>& outputs);

}  // namespace wt::model
