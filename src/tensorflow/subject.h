#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "scenario/build.h"
#include "tensor/tensor.h"

namespace wt::tensorflow {

// The names of a dataset's tensors in data.npz: the inputs, the labels, and the weights of rows.
struct TensorNames {
  std::vector<std::string> inputs{};
  std::vector<std::string> labels{};
  std::vector<std::string> weights{};

  std::vector<std::string> all() const;
};

// A process of the cluster.
struct Process {
  std::string role{};  // "worker"
  int index = 0;
  std::int64_t gpus = 0;
};

// What all parts of the program are written from.
struct Subject {
  // Requires: both outlive the subject, and the job was built from the scenario.
  Subject(const scenario::Scenario& scenario, const scenario::Job& job);

  const scenario::Scenario& scenario;
  const scenario::Job& job;
  json::Value resolved;  // the scenario with every default, as scenario.resolved.json has it
  TensorNames names{};
  std::vector<Process> processes{};  // none for a single process

  bool has_numbers() const { return scenario.numerics != scenario::Numerics::none; }
  // The version of Keras that the program runs with. Parameter servers have been part of Keras 2 alone.
  model::Semantics keras() const { return has_coordinator() ? model::Semantics::keras2 : scenario.semantics; }
  bool is_keras3() const { return keras() == model::Semantics::keras3; }
  bool is_fit() const { return scenario.training.loop == scenario::Loop::fit; }
  // Several processes run the training together, each with the same program.
  bool has_workers() const { return !processes.empty() && !has_coordinator(); }
  bool has_coordinator() const { return scenario.strategy->has_coordinator(); }
  std::size_t outputs() const { return job.labels.size(); }
  std::int64_t replicas() const { return std::ssize(job.machine.replicas); }
  // Of each process.
  std::int64_t replicas_of_process() const;
  bool has_role(std::string_view role) const;

  // Refuses what the program cannot express, at a key of the scenario.
  [[noreturn]] void refuse(std::string_view key, std::string fact, std::string remedy) const;
  // The value of a key of the resolved scenario; null if it is absent.
  const json::Value* find(std::initializer_list<std::string_view> path) const;
  // The resolved options of the strategy.
  const json::Value* option(std::string_view key) const { return find({"strategy", key}); }
};

}  // namespace wt::tensorflow
