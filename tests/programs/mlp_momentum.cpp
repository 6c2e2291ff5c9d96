// As linear_sgd.cpp, for another case of tests/oracle: three dense layers, softmax cross-entropy from logits,
// and SGD with momentum. Layers are functions here, and the optimizer has slots.
#include "program/operations.h"
#include "programs/oracle.h"

namespace {

using namespace wt;

constexpr std::int64_t batch = 24;

struct Dense {
  std::string name{};
  std::int64_t inputs = 0;
  std::int64_t units = 0;
};
const std::vector<Dense> layers{{"dense", 20, 48}, {"dense_1", 48, 32}, {"dense_2", 32, 5}};

struct Variables {
  std::vector<Symbol> trainable{};
  Slots slots{};

  Symbol add(Trace& trace, const std::string& name, const Shape& shape) {
    const TensorSpec spec{Type::float32, shape};
    trainable.push_back(trace.variable(name, spec));
    slots.first.push_back(trace.variable(name + "/momentum", spec, {.trainable = false}));
    return trainable.back();
  }
};

void train_step(Trace& trace) {
  const Symbol labels = trace.input("y", {Type::int32, {batch}});
  const Symbol learning_rate = trace.input("learning_rate", {Type::float32, {}});
  Symbol x = trace.input("x", {Type::float32, {batch, 20}});
  Variables variables;
  const auto dense = [&](const Dense& layer) {
    return trace.in_scope(layer.name, [&] {
      const Symbol kernel = variables.add(trace, layer.name + "/kernel", {layer.inputs, layer.units});
      const Symbol bias = variables.add(trace, layer.name + "/bias", {layer.units});
      return bias_add(matmul(x, kernel), bias);
    });
  };
  x = relu(dense(layers[0]));
  x = tanh(dense(layers[1]));
  const Symbol logits = dense(layers[2]);
  const Symbol loss = reduce_mean(sparse_softmax_cross_entropy(logits, labels));
  apply_sgd(variables.trainable, variables.slots, trace.gradient(loss, variables.trainable), learning_rate,
            {.momentum = 0.9});
  trace.result("loss", loss);
}

}  // namespace

int main() { return oracle::train("mlp_momentum", trace("mlp_momentum", train_step), batch, 0.1f); }
