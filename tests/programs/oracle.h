// The common part of the programs that repeat a case of tests/oracle: trains a traced step on the case's data
// and compares the losses and the final weights with those of the case.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/json_reader.h"
#include "device/cpu/cpu_queue.h"
#include "execute/execution.h"
#include "strategy/default.h"
#include "tensor/difference.h"
#include "tensor/safetensors.h"

namespace wt::oracle {

inline std::string path(const std::string& name, const std::string& file) {
  return fmt::format("{}/oracle/{}/{}", WT_TEST_DATA, name, file);
}

inline std::map<std::string, Tensor> tensors(const std::string& name, const std::string& file) {
  return read_safetensors(path(name, file + ".safetensors")).tensors;
}

inline std::vector<double> expected_losses(const std::string& name) {
  std::vector<double> losses;
  const json::Value root = json::parse_file(path(name, "case.json"));
  for (const json::Value& loss : root.find("loss_per_step")->elements()) losses.push_back(loss.real());
  return losses;
}

// Prints the largest errors. Returns true if they are within the tolerances of tests/oracle/README.md.
inline bool agrees(const std::string& name, const std::vector<float>& losses,
                   const execute::Execution& trained) {
  const std::vector<double> expected = expected_losses(name);
  double worst_loss = losses.size() == expected.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(losses.size(), expected.size()); ++i)
    worst_loss = std::max(worst_loss, relative_difference(static_cast<double>(losses[i]), expected[i]));
  double worst_weight = 0;
  for (const auto& [weight, theirs] : tensors(name, "final"))
    worst_weight = std::max(worst_weight, relative_difference(trained.read(weight), theirs));
  fmt::print(
      "{}: {} steps, worst loss error {:.1e} (allowed 1e-5), worst weight error {:.1e} (allowed 1e-4)\n",
      name, losses.size(), worst_loss, worst_weight);
  return losses.size() == expected.size() && worst_loss <= 1e-5 && worst_weight <= 1e-4;
}

// Prints the step and its plan, trains on the case's batches in order, and returns the program's exit code.
// Requires: the step has the inputs x, y and learning_rate, the result loss, and variables named as the
// weights of the case.
inline int train(const std::string& name, const Step& step, std::int64_t batch, float learning_rate) {
  const plan::Plan plan = strategy::lower_default(step, {"cpu:0"});
  fmt::print("{}\n{}\n", print(step), print(plan));

  device::Workers workers(device::hardware_threads());
  device::CpuQueue queue(workers);
  execute::Execution execution(plan, queue);
  for (const auto& [weight, tensor] : tensors(name, "initial")) execution.write(weight, tensor);
  execution.write("learning_rate", Tensor::of<float>({}, {learning_rate}));

  const auto data = tensors(name, "data");
  std::vector<float> losses;
  for (std::int64_t row = 0; row < data.at("x").shape()[0]; row += batch) {
    for (const auto* input : {"x", "y"}) execution.write(input, data.at(input).rows(row, row + batch));
    execution.step();
    losses.push_back(execution.read("loss").values<float>()[0]);
  }
  return agrees(name, losses, execution) ? 0 : 1;
}

}  // namespace wt::oracle
