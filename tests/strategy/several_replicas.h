// A small net over several replicas: numbers are whole, or whole over a power of two, so that sums are exact in
// any order and N replicas must agree with one device bit by bit.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <numeric>

#include "device/cpu/workers.h"
#include "plan/memory.h"
#include "program/operations.h"
#include "strategy/replicas.h"
#include "support/step.h"

namespace wt::test {

inline TensorSpec floats(const Shape& shape) { return {Type::float32, shape}; }

inline Tensor whole_numbers(const Shape& shape, std::int64_t low, std::int64_t high, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Tensor tensor = Tensor::zeros(floats(shape));
  for (float& value : tensor.values<float>())
    value = static_cast<float>(
        low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1)));
  return tensor;
}

// Rows [begin, end) of a matrix.
inline Tensor rows_of(const Tensor& tensor, std::int64_t begin, std::int64_t end) {
  const std::int64_t width = tensor.shape()[1];
  const auto values = tensor.values<float>();
  return Tensor::of<float>({end - begin, width},
                           std::vector<float>(values.begin() + begin * width, values.begin() + end * width));
}

// As even as can be, larger ones first.
inline std::vector<std::int64_t> split_rows(std::int64_t rows, std::size_t replicas) {
  const auto n = static_cast<std::int64_t>(replicas);
  std::vector<std::int64_t> parts;
  for (std::int64_t i = 0; i < n; ++i) parts.push_back(rows / n + (i < rows % n ? 1 : 0));
  return parts;
}

inline constexpr std::int64_t batch = 16;

using Optimize =
    std::function<void(const std::vector<Symbol>& variables, const std::vector<Symbol>& gradients)>;

inline void descend(const std::vector<Symbol>& variables, const std::vector<Symbol>& gradients) {
  apply_sgd(variables, {}, gradients, fill(*variables[0].trace, floats({}), 1), {});
}

// Two layers with relu, squared error over the whole batch.
inline Step small_net(std::int64_t rows, Reduction reduction = Reduction::sum,
                      const Optimize& optimize = descend) {
  return trace("train", [&](Trace& trace) {
    const Symbol x = trace.input("x", floats({rows, 4}));
    const Symbol y = trace.input("y", floats({rows, 2}));
    const std::vector<Symbol> variables{
        trace.variable("hidden/kernel", floats({4, 3})), trace.variable("hidden/bias", floats({3})),
        trace.variable("out/kernel", floats({3, 2})), trace.variable("out/bias", floats({2}))};
    const Symbol hidden = relu(bias_add(matmul(x, variables[0]), variables[1]));
    const Symbol error = bias_add(matmul(hidden, variables[2]), variables[3]) - y;
    const Symbol loss = reduce_sum(square(error)) * (1.0 / static_cast<double>(batch));
    std::vector<Symbol> gradients = trace.gradient(loss, variables);
    trace.in_scope("optimizer", [&] {
      for (Symbol& gradient : gradients) gradient = all_reduce(gradient, reduction);
      optimize(variables, gradients);
    });
    trace.result("loss", reduce(loss, Reduction::sum));
  });
}

// One step for each replica; those with as many rows share one.
class ReplicaSteps {
 public:
  template <class Make>
  ReplicaSteps(const std::vector<std::int64_t>& rows, Make make) {
    std::map<std::int64_t, const Step*> made;
    for (const std::int64_t each : rows) {
      const Step*& step = made[each];
      if (step == nullptr) step = owned_.emplace_back(std::make_unique<Step>(make(each))).get();
      steps_.push_back(step);
    }
  }
  operator strategy::Steps() const { return steps_; }

 private:
  std::vector<std::unique_ptr<Step>> owned_{};
  std::vector<const Step*> steps_{};
};

inline std::vector<strategy::Place> places(std::size_t count, device::Kind kind = device::Kind::gpu,
                                           std::size_t per_task = 1000) {
  std::vector<strategy::Place> all;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t task = i / per_task;
    all.push_back({.device = {.name = fmt::format("task:{}/{}:{}", task, device::name(kind), i % per_task)},
                   .host = plan::Device{.name = fmt::format("task:{}/CPU:0", task)},
                   .task = static_cast<int>(task),
                   .kind = kind});
  }
  return all;
}

// Inputs and variables by port in; variables and results by port out. Copies of variables begin with replica 0's
// value.
inline Values run_plan(const plan::Plan& plan, const Values& given, const Running& running = {}) {
  device::Workers workers(running.threads);
  device::CpuQueue queue(workers);
  execute::Execution execution(plan, queue);
  const auto write = [&](const plan::Port& port) {
    const auto found = given.find(port.name);
    const auto original = given.find(port.name.substr(0, port.name.find("/replica_")));
    if (found != given.end())
      execution.write(port.name, found->second);
    else if (original != given.end())
      execution.write(port.name, original->second);
  };
  for (const plan::Port& port : plan.inputs) write(port);
  for (const plan::Port& port : plan.variables) write(port);
  for (int i = 0; i < running.steps; ++i)
    running.order_seed ? execution.step(plan::random_legal_order(plan, *running.order_seed))
                       : execution.step();
  Values answered;
  for (const plan::Port& port : plan.variables) answered[port.name] = execution.read(port.name);
  for (const plan::Port& port : plan.results) answered[port.name] = execution.read(port.name);
  return answered;
}

// What the small net is given: one device's batch, and the same rows split.
inline Values weights() {
  return {{"hidden/kernel", whole_numbers({4, 3}, -1, 1, 1)},
          {"hidden/bias", whole_numbers({3}, -1, 1, 2)},
          {"out/kernel", whole_numbers({3, 2}, -1, 1, 3)},
          {"out/bias", whole_numbers({2}, -1, 1, 4)}};
}
inline Values split_batch(const std::vector<std::int64_t>& rows) {
  const Tensor x = whole_numbers({batch, 4}, -1, 1, 5), y = whole_numbers({batch, 2}, -1, 1, 6);
  Values values = weights();
  std::int64_t begin = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    values[strategy::port_name("x", r)] = rows_of(x, begin, begin + rows[r]);
    values[strategy::port_name("y", r)] = rows_of(y, begin, begin + rows[r]);
    begin += rows[r];
  }
  return values;
}

// Every copy of every variable, and the loss.
inline void expect_same_as_one_device(const Values& replicas, const Values& one) {
  for (const auto& [name, value] : replicas) {
    const std::string original = name.substr(0, name.find("/replica_"));
    if (original == "loss" && name != original) continue;  // a replica's own
    EXPECT_TRUE(same_bits(value, one.at(original))) << name;
  }
  for (const auto& [name, value] : one) EXPECT_TRUE(replicas.contains(name)) << name;
}

}  // namespace wt::test
