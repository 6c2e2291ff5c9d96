#pragma once
// What recordings of the kind `workers` have in common: the same program ran in one to three processes, each with a
// TF_CONFIG of its own, and `values.workers` has what each of them saw. Here one strategy computes the replicas of all
// workers (train/distributed/workers.h).
//
//   const RecordedWorkers workers(recording, comparison);
//   for (std::size_t i = 0; i < workers.count(); ++i) workers.value(i, "losses") ...

#include <memory>
#include <set>

#include "cluster/resolver.h"
#include "data/dataset.h"
#include "distribute/strategy.h"
#include "model/layer.h"
#include "study/recordings/outcome.h"
#include "train/distributed/workers.h"

namespace wt::recordings {

class RecordedWorkers {
 public:
  // `communication` is the implementation that the recorded program asks for.
  RecordedWorkers(const Recording& recording, Comparison& comparison, std::string communication = "RING");

  std::size_t count() const { return recording_.value("workers")->elements().size(); }
  const json::Value* find(std::size_t worker, std::string_view key) const;
  const json::Value& value(std::size_t worker, std::string_view key) const;  // Requires: there is one.
  std::string named(std::size_t worker, std::string_view key) const;         // "losses of worker 1"

  const cluster::ClusterResolver& resolver(std::size_t worker) const { return *resolvers_.at(worker); }
  // The strategy that the program of this worker makes. All of them have the same replicas.
  const distribute::Strategy& strategy(std::size_t worker = 0) const;
  const train::Worker& worker(std::size_t worker) const;

  // Fails for what was recorded of a worker and is neither compared nor among these keys.
  void require_compared(const std::set<std::string>& others) const;

  // The lines that making a strategy logs here are among those that TensorFlow logged in the worker's process.
  void compare_log(std::size_t worker) const;
  void compare_text(std::size_t worker, std::string_view key, const std::string& ours) const;
  // Values of a number for each step, or for each metric.
  void compare_numbers(std::size_t worker, std::string_view key, const std::vector<double>& ours) const;

 private:
  const Recording& recording_;
  Comparison& comparison_;
  std::vector<std::unique_ptr<cluster::ClusterResolver>> resolvers_{};
  std::string communication_;
  mutable std::vector<std::unique_ptr<const distribute::Strategy>> strategies_;  // made at their first use
  mutable std::vector<train::Worker> workers_{};
  mutable std::vector<std::set<std::string, std::less<>>> compared_;  // keys by worker
};

// Recordings have "PORT0" in the place of a port, since each run has others.
std::string with_ports(std::string text);
std::string without_ports(std::string text);

// Whole numbers as a JSON list, "[0,1]".
std::string list_of(const Tensor& numbers);

// A tensor of this type from nested lists.
Tensor tensor_of(const json::Value& lists, Type type = Type::float32);

// ---- What helpers/workers.py gives its programs

model::LayerPtr recorded_mlp();
// Features [rows, 4] and labels [rows].
struct RecordedRows {
  Tensor x, y;
};
RecordedRows recorded_rows(std::int64_t rows);
// Weights that are recorded as [[name, numbers], ...], by the names here.
std::map<std::string, Tensor> recorded_weights(const json::Value& weights);
void compare_weights(Comparison& comparison, const std::string& what, const train::State& state,
                     const json::Value& recorded);

}  // namespace wt::recordings
