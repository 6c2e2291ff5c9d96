#include "tensorflow/subject.h"

#include <fmt/format.h>

#include <algorithm>

#include "cluster/cluster.h"
#include "scenario/resolved.h"

namespace wt::tensorflow {

namespace {

// "x", or "x0" and "x1".
std::vector<std::string> numbered(std::string_view stem, std::size_t count) {
  if (count == 1) return {std::string(stem)};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(fmt::format("{}{}", stem, i));
  return names;
}

// GPUs that a process of this machine may use: those that the scenario makes visible, else all.
std::int64_t gpus_of(const scenario::Scenario& scenario, const cluster::Cluster& cluster,
                     const cluster::Task& task) {
  const std::map<device::Kind, int> all = cluster::accelerators(cluster, task);
  const auto gpus = all.find(device::Kind::gpu);
  if (gpus == all.end()) return 0;
  const auto& visible = scenario.devices.visible;
  if (!visible) return gpus->second;
  return std::ranges::count_if(*visible, [](const std::string& name) { return name.starts_with("GPU"); });
}

std::vector<Process> processes_of(const scenario::Scenario& scenario, const cluster::Machine& machine) {
  std::vector<Process> all;
  if (machine.cluster) {
    for (const cluster::Task& task : machine.cluster->tasks)
      if (task.job != "localhost")
        all.push_back({task.job, task.index, gpus_of(scenario, *machine.cluster, task)});
    return all;
  }
  for (const cluster::Job& job : scenario.cluster.config.cluster.as_dict())
    for (const auto& [index, address] : job.tasks) all.push_back({job.name, index, 0});
  return all;
}

}  // namespace

std::vector<std::string> TensorNames::all() const {
  std::vector<std::string> names = inputs;
  names.insert(names.end(), labels.begin(), labels.end());
  names.insert(names.end(), weights.begin(), weights.end());
  return names;
}

Subject::Subject(const scenario::Scenario& given, const scenario::Job& built)
    : scenario(given),
      job(built),
      resolved(json::parse(scenario::resolved(given, "."), "the resolved scenario")),
      names{numbered("x", built.inputs.size()), numbered("y", built.labels.size()),
            numbered("weight", built.sample_weights.size())},
      processes(processes_of(given, built.machine)) {
  if (built.sample_weights.empty()) names.weights.clear();
  const bool has_processes = given.strategy->processes() == strategy::Processes::per_worker ||
                             given.strategy->processes() == strategy::Processes::with_servers;
  if (!has_processes || processes.size() == 1) processes.clear();
}

std::int64_t Subject::replicas_of_process() const {
  return std::ranges::count(job.machine.replicas, job.machine.replicas.front().task, &cluster::Replica::task);
}

bool Subject::has_role(std::string_view role) const {
  return std::ranges::count(processes, role, &Process::role) > 0;
}

void Subject::refuse(std::string_view key, std::string fact, std::string remedy) const {
  throw InputError(Problem{scenario.place(key), std::move(fact), std::move(remedy)});
}

const json::Value* Subject::find(std::initializer_list<std::string_view> path) const {
  const json::Value* value = &resolved;
  for (const std::string_view key : path) {
    if (value == nullptr || value->kind() != json::Kind::object) return nullptr;
    value = value->find(key);
  }
  return value;
}

}  // namespace wt::tensorflow
