// Recordings `workers_config_...`: what the cluster resolver reads from a TF_CONFIG, and what
// MultiWorkerMirroredStrategy says of it. Most of them are wrong.

#include <fmt/format.h>

#include "study/recordings/families.h"
#include "study/recordings/workers.h"

namespace wt::recordings {

namespace {

template <class T>
std::string printed(const std::optional<T>& value) {
  if (!value) return "None";
  if constexpr (std::is_same_v<T, std::string>)
    return cluster::python_repr(*value);
  else
    return std::to_string(*value);
}

void compare_resolver(const json::Value& recorded, const cluster::ClusterResolver& resolver,
                      Comparison& comparison) {
  const auto compare = [&](const char* key, const auto& call) {
    Outcome ours = outcome_of(call);
    ours.returned = without_ports(ours.returned);
    compare_outcome(comparison, key, ours, *recorded.find(key));
  };
  compare("resolver", [&] { return cluster::print_dict(resolver.cluster_spec()); });
  compare("task_type", [&] { return printed(resolver.task_type()); });
  compare("task_id", [&] { return printed(resolver.task_id()); });
  compare("master", [&] { return cluster::python_repr(resolver.master()); });
  Outcome strategy = outcome_of([&] {
    const distribute::Strategy made =
        distribute::multi_worker_mirrored({.platform = "cpu_cluster_10gbe", .cluster_resolver = &resolver});
    return fmt::format("[{}]", made.num_replicas_in_sync());
  });
  strategy.sentence = without_ports(strategy.sentence);
  compare_outcome(comparison, "strategy", strategy, *recorded.find("strategy"));
}

}  // namespace

void compare_worker_config(const Recording& recording, Comparison& comparison) {
  comparison.starts_to_compute();
  for (const json::Value& recorded : recording.value("workers")->elements()) {
    std::unique_ptr<cluster::ClusterResolver> resolver;
    const Outcome reading = outcome_of([&] {
      resolver = std::make_unique<cluster::TFConfigClusterResolver>(
          cluster::parse_tf_config_for_resolver(with_ports(recorded.find("text")->string())));
      return std::string();
    });
    if (resolver) {
      compare_resolver(recorded, *resolver, comparison);
      continue;
    }
    // The whole text is read here before a resolver exists, so that what TensorFlow could still answer can't be asked.
    for (const char* key : {"resolver", "task_type", "task_id", "master", "strategy"})
      if (is_error(*recorded.find(key))) compare_outcome(comparison, key, reading, *recorded.find(key));
  }
}

}  // namespace wt::recordings
