#include "cluster/connect.h"

#include <fmt/format.h>

#include "device/error.h"

namespace wt::cluster {

namespace {

constexpr std::string_view scheme = "grpc://";

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Adds the client itself as a job, because it is a server, too. TensorFlow chooses a free port, for which 0
// stands here.
ClusterSpec with_client(const ClusterSpec& spec, const Client& client) {
  std::vector<Job> jobs = spec.as_dict();
  if (spec.find(client.job_name) == nullptr) jobs.push_back(job_of(client.job_name, {"localhost:0"}));
  return ClusterSpec(std::move(jobs));
}

// The task with the master's address. As in TensorFlow's loops, the last job that has one counts, and in a
// job the first task.
device::Name master_device(const ClusterSpec& spec, const std::string& master) {
  std::optional<device::Name> found;
  for (const Job& job : spec.as_dict())
    for (const auto& [index, address] : job.tasks)
      if (contains(master, address) || contains(address, master)) {
        found = device::Name{.job = job.name, .replica = 0, .task = index};
        break;
      }
  if (!found)
    throw device::ValueError(fmt::format(
        "`make_master_device_default` is set to True but cannot find master {} in the cluster", master));
  return canonical(*found, {});
}

// Makes the master the default device.
void enter(const device::Name& master, const Client& client, Connection& connection) {
  if (client.device_scope && *client.device_scope != master)
    throw device::ValueError(fmt::format(
        "`connect_to_cluster` is called inside existing device scope {}, which is different from the master "
        "device scope {} to enter. This is not allowed.",
        print(*client.device_scope), print(master)));
  if (!client.device_scope)
    connection.log.push_back(fmt::format("Entering into master device scope: {}", print(master)));
  connection.default_device = master;
}

}  // namespace

Connection connect_to_cluster(const ClusterSpec& spec, const Client& client) {
  return {.cluster = with_client(spec, client)};
}

Connection connect_to_cluster(const ClusterResolver& resolver, const Client& client) {
  const std::string master = resolver.master();
  if (master.empty() || master == "local") return {};
  const ClusterSpec spec = resolver.cluster_spec();
  Connection connection = connect_to_cluster(spec, client);
  if (client.make_master_device_default) enter(master_device(spec, master), client, connection);
  return connection;
}

Connection connect_to_host(const std::vector<std::string>& remote_hosts, const std::string& job_name) {
  if (remote_hosts.empty()) throw device::ValueError("Must provide at least one remote_host");
  std::vector<std::string> addresses;
  for (const std::string& host : remote_hosts)
    addresses.push_back(host.starts_with(scheme) ? host.substr(scheme.size()) : host);
  return connect_to_cluster(ClusterSpec({job_of(job_name, addresses)}));
}

}  // namespace wt::cluster
