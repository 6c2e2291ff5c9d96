// The smallest case of tests/oracle, without model/ and train/: a dense layer, mean squared error and plain
// SGD. The step is traced, differentiated, lowered by the default strategy and executed on the CPU, and its
// losses and weights must be those of the reference.
#include "program/operations.h"
#include "programs/oracle.h"

namespace {

using namespace wt;

constexpr std::int64_t batch = 10;

void train_step(Trace& trace) {
  const Symbol x = trace.input("x", {Type::float32, {batch, 1}});
  const Symbol y = trace.input("y", {Type::float32, {batch, 1}});
  const Symbol learning_rate = trace.input("learning_rate", {Type::float32, {}});
  const Symbol kernel = trace.variable("dense/kernel", {Type::float32, {1, 1}});
  const Symbol bias = trace.variable("dense/bias", {Type::float32, {1}});

  const Symbol prediction = trace.in_scope("dense", [&] { return bias_add(matmul(x, kernel), bias); });
  const Symbol loss = reduce_mean(mean_squared_error(prediction, y));
  apply_sgd({kernel, bias}, {}, trace.gradient(loss, {{kernel, bias}}), learning_rate, {});
  trace.result("loss", loss);
}

}  // namespace

int main() { return oracle::train("linear_sgd", trace("linear_sgd", train_step), batch, 0.05f); }
