#pragma once

#include "model/layers/input.h"

namespace wt::model {

struct Calling;

// What a layer gives in a functional model that is being written.
struct Output {
  std::shared_ptr<const Calling> by{};
  std::size_t index = 0;
};

// One call of a layer; an input is the call of an InputLayer on nothing.
struct Calling {
  LayerPtr layer{};
  std::vector<Output> inputs{};
  CallOptions options{};
};

Output input(const Shape& shape, Type type = Type::float32, std::string name = {});  // without the batch axis

// A graph of layers: several inputs and outputs, layers that are called more than once.
//
//   const Output image = input({28, 28, 1});
//   Output x = conv2d({.filters = 32, .kernel_size = {3, 3}})(image);
//   x = add()({x, conv2d({.filters = 32, .kernel_size = {3, 3}, .padding = Padding::same})(x)});
//   const Functional model("residual", {image}, {x});
class Functional : public Layer {
 public:
  struct Reference {
    std::size_t node = 0;
    std::size_t output = 0;
  };
  struct Node {
    LayerPtr layer{};
    std::vector<Reference> inputs{};
    CallOptions options{};
  };
  // Nodes in an order in which each stands after its inputs; `inputs` are nodes of InputLayers.
  struct Graph {
    std::vector<Node> nodes{};
    std::vector<std::size_t> inputs{};
    std::vector<Reference> outputs{};
  };

  // Throws InputError where an output needs an input that is not listed.
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
