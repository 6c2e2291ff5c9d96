#include "tensorflow/cluster.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/json_writer.h"
#include "scenario/parse.h"

namespace wt::tensorflow {

namespace {

// The processes of one role.
struct Role {
  std::string name{};
  std::vector<Process> processes{};
};

std::vector<Role> roles_of(const Subject& subject) {
  std::vector<Role> roles;
  for (const Process& process : subject.processes) {
    auto role = std::ranges::find(roles, process.role, &Role::name);
    if (role == roles.end()) role = roles.insert(roles.end(), {process.role, {}});
    role->processes.push_back(process);
  }
  return roles;
}

// A name that Kubernetes takes for a host: letters, digits and hyphens, which fit together with the role into 63.
std::string cluster_name(const Subject& subject) {
  std::string name = scenario::slug(subject.scenario.name).substr(0, 40);
  std::ranges::replace(name, '_', '-');
  while (!name.empty() && !std::isalnum(static_cast<unsigned char>(name.back()))) name.pop_back();
  const bool begins_well = !name.empty() && std::isalpha(static_cast<unsigned char>(name.front())) != 0;
  return begins_well ? name : "training" + (name.empty() ? "" : "-" + name);
}

// The addresses that the scenario gives, or those of the pods of kubernetes.json.
std::string address_of(const Subject& subject, const Process& process) {
  const scenario::ClusterChoice& choice = subject.scenario.cluster;
  const json::Value* jobs = choice.written ? &*choice.written : nullptr;
  if (jobs != nullptr && jobs->find("cluster") != nullptr) jobs = jobs->find("cluster");
  const json::Value* written = jobs == nullptr ? nullptr : jobs->find(process.role);
  const bool is_counted =
      written == nullptr || written->kind() == json::Kind::integer || written->kind() == json::Kind::real;
  if (!is_counted) return choice.config.cluster.task_address(process.role, process.index);
  const std::string name = cluster_name(subject);
  return fmt::format("{0}-{1}-{2}.{0}:{3}", name, process.role, process.index, first_port);
}

// ---- TF_CONFIG

std::string tf_config(const Subject& subject, const std::vector<Role>& roles, const Process& own) {
  json::Writer out;
  out.begin_object().key("cluster").begin_object();
  for (const Role& role : roles) {
    out.key(role.name).begin_array();
    for (const Process& process : role.processes) out.value(address_of(subject, process));
    out.end_array();
  }
  out.end_object().key("task").begin_object(json::Layout::one_line);
  out.member("type", own.role).member("index", own.index).end_object().end_object();
  return out.text();
}

std::string packages(bool needs_keras2, bool has_gpus) {
  return fmt::format("{}{}", has_gpus ? "'tensorflow[and-cuda]==2.21.0'" : "tensorflow==2.21.0",
                     needs_keras2 ? " tf_keras==2.21.0" : "");
}

// ---- Kubernetes

void write_service(json::Writer& out, const std::string& name) {
  out.begin_object().member("apiVersion", "v1").member("kind", "Service");
  out.key("metadata").begin_object(json::Layout::one_line).member("name", name).end_object();
  out.key("spec").begin_object().member("clusterIP", "None");
  out.key("selector").begin_object(json::Layout::one_line).member("app", name).end_object();
  out.key("ports")
      .begin_array()
      .begin_object(json::Layout::one_line)
      .member("name", "grpc")
      .member("port", first_port);
  out.end_object().end_array().end_object().end_object();
}

void write_container(json::Writer& out, const Role& role, bool needs_keras2) {
  const std::int64_t gpus = role.processes.front().gpus;
  out.begin_object()
      .member("name", "program")
      .member("image", "python:3.11")
      .member("workingDir", "/training");
  out.key("command").begin_array();
  out.value("sh").value("-c");
  out.value(
      fmt::format("pip install --quiet {} && "
                  "TF_CONFIG=\"$(cat tf_config/{}-$JOB_COMPLETION_INDEX.json)\" exec python program.py",
                  packages(needs_keras2, gpus > 0), role.name));
  out.end_array();
  out.key("ports").begin_array().begin_object(json::Layout::one_line).member("containerPort", first_port);
  out.end_object().end_array();
  if (gpus > 0) {
    out.key("resources").begin_object().key("limits").begin_object(json::Layout::one_line);
    out.member("nvidia.com/gpu", gpus).end_object().end_object();
  }
  out.key("volumeMounts").begin_array().begin_object(json::Layout::one_line);
  out.member("name", "training").member("mountPath", "/training").end_object().end_array().end_object();
}

// A pod of an indexed Job has the host name <job>-<index>, which TF_CONFIG names.
void write_job(json::Writer& out, const std::string& name, const Role& role, bool needs_keras2) {
  const auto count = std::ssize(role.processes);
  out.begin_object().member("apiVersion", "batch/v1").member("kind", "Job");
  out.key("metadata")
      .begin_object(json::Layout::one_line)
      .member("name", fmt::format("{}-{}", name, role.name))
      .end_object();
  out.key("spec")
      .begin_object()
      .member("completionMode", "Indexed")
      .member("completions", count)
      .member("parallelism", count);
  out.key("template").begin_object();
  out.key("metadata")
      .begin_object(json::Layout::one_line)
      .key("labels")
      .begin_object()
      .member("app", name)
      .end_object()
      .end_object();
  out.key("spec").begin_object().member("subdomain", name).member("restartPolicy", "OnFailure");
  out.key("containers").begin_array();
  write_container(out, role, needs_keras2);
  out.end_array();
  out.key("volumes").begin_array().begin_object(json::Layout::one_line).member("name", "training");
  out.key("persistentVolumeClaim")
      .begin_object()
      .member("claimName", name)
      .end_object()
      .end_object()
      .end_array();
  out.end_object().end_object().end_object().end_object();
}

std::string kubernetes(const Subject& subject, const std::vector<Role>& roles, bool needs_keras2) {
  const std::string name = cluster_name(subject);
  json::Writer out;
  out.begin_object().member("apiVersion", "v1").member("kind", "List").key("items").begin_array();
  write_service(out, name);
  for (const Role& role : roles) write_job(out, name, role, needs_keras2);
  out.end_array().end_object();
  return out.text();
}

// ---- Slurm

std::string slurm(const Subject& subject, const std::vector<Role>& roles, bool needs_keras2) {
  std::string order;
  std::int64_t gpus = 0;
  for (const Role& role : roles)
    for (const Process& process : role.processes) {
      order += (order.empty() ? "" : " ") + role.name;
      gpus = std::max(gpus, process.gpus);
    }
  // The processes of parameter servers serve until they are ended, and the coordinator is the first to end.
  const std::string ends = subject.has_coordinator() ? " --wait=10" : "";
  std::string text = fmt::format(R"sh(#!/bin/bash
#SBATCH --job-name={0}
#SBATCH --nodes={1}
#SBATCH --ntasks={1}
#SBATCH --ntasks-per-node=1
{2}
# Starts program.py once on each node, and makes its TF_CONFIG from the hosts of the job. The Python of the
# job needs: pip install {3}
export ROLES="{4}"
export HOSTS="$(scontrol show hostnames "$SLURM_JOB_NODELIST" | tr '\n' ' ')"
cd "${{SLURM_SUBMIT_DIR:-.}}"

srun{5} bash -c 'export TF_CONFIG="$(python3 - <<END
import collections, json, os
roles, hosts = os.environ["ROLES"].split(), os.environ["HOSTS"].split()
own = int(os.environ["SLURM_PROCID"])
cluster = collections.OrderedDict()
for number, role in enumerate(roles):  # several processes may share a node
    host = hosts[number * len(hosts) // len(roles)]
    cluster.setdefault(role, []).append(f"{{host}}:{{{6} + number}}")
index = roles[:own].count(roles[own])
print(json.dumps({{"cluster": cluster, "task": {{"type": roles[own], "index": index}}}}))
END
)"
exec python3 program.py "$@"' program "$@"
)sh",
                                 cluster_name(subject), subject.processes.size(),
                                 gpus > 0 ? fmt::format("#SBATCH --gpus-per-node={}\n", gpus) : "",
                                 packages(needs_keras2, gpus > 0), order, ends, first_port);
  return text;
}

}  // namespace

std::map<std::string, std::string> cluster_files(const Subject& subject) {
  if (subject.processes.empty()) return {};
  const bool needs_keras2 = !subject.is_keras3();
  const std::vector<Role> roles = roles_of(subject);
  std::map<std::string, std::string> files{{"kubernetes.json", kubernetes(subject, roles, needs_keras2)},
                                           {"job.sbatch", slurm(subject, roles, needs_keras2)}};
  for (const Process& process : subject.processes)
    files.emplace(fmt::format("tf_config/{}-{}.json", process.role, process.index),
                  tf_config(subject, roles, process));
  return files;
}

}  // namespace wt::tensorflow
