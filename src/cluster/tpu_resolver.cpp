#include "cluster/tpu_resolver.h"

#include <fmt/format.h>

#include "base/narrow.h"

namespace wt::cluster {

namespace {

constexpr std::string_view scheme = "grpc://";
constexpr int tpu_port = 8470;

// "grpc://a:8470,grpc://b:8470" becomes {"a:8470", "b:8470"}.
std::vector<std::string> addresses_in(std::string_view text) {
  std::vector<std::string> addresses;
  while (true) {
    const std::size_t comma = text.find(',');
    std::string_view address = text.substr(0, comma);
    if (address.starts_with(scheme)) address.remove_prefix(scheme.size());
    addresses.emplace_back(address);
    if (comma == std::string_view::npos) return addresses;
    text.remove_prefix(comma + 1);
  }
}

// One address for each host: the given ones, or names made from the name of the TPU.
std::vector<std::string> endpoints(const TPUClusterResolver::Arguments& arguments, int hosts) {
  if (arguments.tpu.starts_with(scheme)) {
    std::vector<std::string> addresses = addresses_in(arguments.tpu);
    if (narrow<int>(addresses.size()) == hosts) return addresses;
    throw InputError(
        fmt::format("tpu={} gives {} address{}, and the slice has {} host{}", python_repr(arguments.tpu),
                    addresses.size(), addresses.size() == 1 ? "" : "es", hosts, hosts == 1 ? "" : "s"),
        "give one address for each host, separated by commas, or the name of the TPU");
  }
  std::vector<std::string> addresses;
  for (int host = 0; host < hosts; ++host)
    addresses.push_back(
        fmt::format("{}-{}:{}", arguments.tpu.empty() ? "tpu" : arguments.tpu, host, tpu_port));
  return addresses;
}

// The cluster of a TPU: one task for each host, and the coordinator if there is one. A local TPU has no
// cluster.
ClusterSpec spec_of(const TPUClusterResolver::Arguments& arguments, int hosts) {
  if (arguments.tpu == "local") return {};
  std::vector<Job> jobs = {job_of(arguments.job_name, endpoints(arguments, hosts))};
  // For a coordinator without an address TensorFlow starts a server.
  const std::string started = fmt::format("{}:{}", arguments.coordinator_name.value_or(""), tpu_port);
  if (arguments.coordinator_name && !arguments.coordinator_name->empty())
    jobs.push_back(job_of(*arguments.coordinator_name, {arguments.coordinator_address.value_or(started)}));
  return ClusterSpec(std::move(jobs));
}

}  // namespace

TPUClusterResolver::TPUClusterResolver(const platform::Platform& platform, Arguments arguments)
    : arguments_(std::move(arguments)),
      topology_(topology_of(platform)),
      spec_(spec_of(arguments_, topology_.num_tasks())) {}

TPUClusterResolver::TPUClusterResolver(const platform::Platform& platform)
    : TPUClusterResolver(platform, Arguments{}) {}

std::string TPUClusterResolver::master(const TaskArguments& task) const {
  if (is_local()) return "";
  const bool names_a_task = task.task_type && task.task_id;
  return format_master_url(names_a_task ? spec_.task_address(*task.task_type, *task.task_id)
                                        : spec_.task_address(arguments_.job_name, 0),
                           "grpc");
}

Accelerators TPUClusterResolver::num_accelerators() const {
  return {{device::Kind::tpu, topology_.num_tpus_per_task()}};
}

TPUSystemMetadata TPUClusterResolver::get_tpu_system_metadata() const {
  TPUSystemMetadata metadata{.num_cores = topology_.num_tasks() * topology_.num_tpus_per_task(),
                             .num_hosts = topology_.num_tasks(),
                             .num_of_cores_per_host = topology_.num_tpus_per_task()};
  for (int task = 0; task < metadata.num_hosts; ++task)
    for (int device = 0; device < metadata.num_of_cores_per_host; ++device)
      metadata.devices.push_back({.job = is_local() ? "localhost" : arguments_.job_name,
                                  .replica = 0,
                                  .task = task,
                                  .kind = device::Kind::tpu,
                                  .index = device});
  return metadata;
}

TpuSystem initialize_tpu_system(const TPUClusterResolver& resolver, bool was_initialized) {
  TpuSystem system{.topology = resolver.topology()};
  system.log.push_back("Deallocate tpu buffers before initializing tpu system.");
  if (was_initialized)
    system.log.push_back(
        fmt::format("TPU system {} has already been initialized. Reinitializing the TPU can cause "
                    "previously created variables on TPU to be lost.",
                    resolver.tpu()));
  system.log.push_back(fmt::format("Initializing the TPU system: {}", resolver.tpu()));
  system.log.push_back("Finished initializing TPU system.");
  return system;
}

std::vector<std::string> describe(const TPUSystemMetadata& metadata) {
  return {"Found TPU system:", fmt::format("*** Num TPU Cores: {}", metadata.num_cores),
          fmt::format("*** Num TPU Workers: {}", metadata.num_hosts),
          fmt::format("*** Num TPU Cores Per Worker: {}", metadata.num_of_cores_per_host)};
}

}  // namespace wt::cluster
