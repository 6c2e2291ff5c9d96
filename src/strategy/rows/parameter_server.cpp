// tf.distribute.ParameterServerStrategy: variables on servers, and workers that don't wait for each other. In
// version 2 they take closures from the queue of a coordinator. In version 1 each runs the training loop of
// its own.

#include <fmt/format.h>

#include "base/rough.h"
#include "cluster/cluster.h"
#include "cluster/roles.h"
#include "strategy/parameter_servers.h"
#include "strategy/rows/one_machine.h"
#include "strategy/strategy.h"

namespace wt::strategy {

namespace {

// A variable has at most as many shards as a file may name servers.
constexpr std::int64_t most_shards = 100'000;

// One of TensorFlow's partitioners, as the key "variable_partitioner" names it.
struct PartitionerOption {
  std::optional<std::int64_t> fixed_shards{};
  std::optional<Bytes> min_size{};
  std::optional<Bytes> max_size{};
  std::optional<std::int64_t> max_shards{};

  void keys(KeyVisitor& visit);
  void check(Site& site) const;
  model::Partitioner partitioner() const;
};

void PartitionerOption::keys(KeyVisitor& visit) {
  visit(json::count("fixed_shards", "FixedShardsPartitioner: so many shards, and no more than rows",
                    most_shards),
        fixed_shards);
  visit(json::optional("min_size", "MinSizePartitioner: no shard is smaller; needs max_shards"), min_size);
  visit(json::optional("max_size", "MaxSizePartitioner: no shard is larger, unless a single row is"),
        max_size);
  visit.at_most_one({"fixed_shards", "min_size", "max_size"});
  visit(json::count("max_shards", "at most so many shards of a variable", most_shards), max_shards);
}

void PartitionerOption::check(Site& site) const {
  const std::string key = "strategy.variable_partitioner";
  if (!fixed_shards && !min_size && !max_size)
    site.report(key, "it names no partitioner", R"(choose one of "fixed_shards", "min_size" and "max_size")");
  if (fixed_shards && max_shards)
    site.report(key + ".max_shards", "fixed_shards has no such limit", "leave it out");
  if (min_size && !max_shards)
    site.report(key, "min_size alone cuts nothing: TensorFlow's default of max_shards is 1",
                R"(add "max_shards", for example the number of servers)");
  for (const std::optional<Bytes>& size : {min_size, max_size})
    if (size && *size <= Bytes(0))
      site.report(key, "a size must be at least 1 B", "write for example \"256 KiB\"");
}

model::Partitioner PartitionerOption::partitioner() const {
  if (min_size)
    return model::MinSizePartitioner{.min_shard_bytes = min_size->count(),
                                     .max_shards = max_shards.value_or(1)};
  if (max_size)
    return model::MaxSizePartitioner{.max_shard_bytes = max_size->count(), .max_shards = max_shards};
  return model::FixedShardsPartitioner{fixed_shards.value_or(1)};
}

class ParameterServer : public Cloned<ParameterServer> {
 public:
  std::string_view name() const override { return "parameter_server"; }

  void keys(KeyVisitor& visit) override {
    visit_object(visit,
                 json::optional("variable_partitioner",
                                "how variables are cut into shards, which are on several servers"),
                 partitioner_);
  }

  Processes processes() const override { return Processes::with_servers; }
  bool has_coordinator() const override { return true; }
  std::string refusal_of(const cluster::ClusterSpec& spec) const override;
  void check_platform(const platform::Platform& platform, const Report& report) const override;
  void add_replicas(Site& site) const override;

  plan::Plan lower(Steps steps, const Setting& setting) const override;
  // A table is looked up and updated row by row on one device, too.
  plan::Plan lower_alone(const Step& step, const Setting& setting) const override {
    return Strategy::lower_alone(with_look_ups_at_tables(step, 1, setting.row_share), setting);
  }
  std::optional<ReductionChoice> reduction(const Setting& setting) const override;
  std::string obstacle_to_folding(const cluster::Machine&) const override {
    return "workers don't wait for each other, and at no time do two of them the same";
  }
  VariablePlacement variables() const override { return VariablePlacement::on_parameter_device; }
  bool meets_in_collectives() const override { return false; }
  HostSoftware host_software() const override { return HostSoftware::unmeasured; }
  bool copies_rows_ahead() const override { return false; }  // a closure begins with the copy of its rows
  bool goes_on_with_empty_replicas() const override { return false; }
  bool asks_for_device() const override { return true; }
  Step with_placed_variables(const Step& step, const cluster::Machine& machine) const override {
    return placed_step(step, std::ssize(machine.replicas), servers_of(machine));
  }
  std::vector<device::Name> variable_devices(const Step& step,
                                             const cluster::Machine& machine) const override {
    std::vector<device::Name> devices;
    for (const std::size_t server : in_turn(step, machine.pool->servers.size()))
      devices.push_back(machine.pool->servers[server]);
    return devices;
  }
  Overrides resized(const Resizing& resizing) const override;
  std::vector<std::string> log(const cluster::Machine& machine, model::Semantics,
                               const cluster::ClusterSpec& named) const override;

 private:
  ParameterServers servers_of(const cluster::Machine& machine) const;

  std::optional<PartitionerOption> partitioner_{};
};

// Version 1 (tf.compat.v1.distribute.experimental.ParameterServerStrategy, TensorFlow 2.x,
// distribute/parameter_server_strategy.py) replicates between graphs: a chief trains as the workers do, and
// no program dispatches. Each worker's step adds 1 to the same global step, so the steps of a training are
// those of all workers together.
class ParameterServerV1 final : public ParameterServer {
 public:
  std::unique_ptr<Strategy> clone() const override { return std::make_unique<ParameterServerV1>(*this); }
  std::string_view name() const override { return "parameter_server_v1"; }
  void keys(KeyVisitor&) override {}
  bool has_coordinator() const override { return false; }
  std::string refusal_of(const cluster::ClusterSpec& spec) const override {
    return cluster::task_count(spec, "ps") == 0 ? "The cluster spec needs to have `ps` jobs." : "";
  }
  void warn(Site& site) const override;
  std::vector<std::string> log(const cluster::Machine&, model::Semantics,
                               const cluster::ClusterSpec&) const override {
    return {};
  }
};

void ParameterServerV1::warn(Site& site) const {
  site.machine().notes.push_back(
      {.fact = "TensorFlow runs this strategy inside tf.Estimator only; called eagerly it says: "
               "`tf.compat.v1.distribute.experimental.ParameterServerStrategy` currently only works with the "
               "tf.Estimator API"});
}

std::string ParameterServer::refusal_of(const cluster::ClusterSpec& spec) const {
  if (spec.is_empty())
    return "Cluster spec must be non-empty in `tf.distribute.cluster_resolver.ClusterResolver`.";
  if (cluster::task_count(spec, "ps") == 0) return "There must be at least one ps.";
  return cluster::task_count(spec, "worker") == 0 ? "There must be at least one worker." : "";
}

Overrides ParameterServer::resized(const Resizing& resizing) const {
  if (resizing.wanted() == resizing.now()) return {};
  resizing.refuse("cluster", "the cluster says how many workers there are",
                  R"(write it: --set cluster='{"worker": 8, "ps": 2, "chief": 1}')");
}

void ParameterServer::check_platform(const platform::Platform& platform, const Report& report) const {
  if (platform.slice() != nullptr)
    report("platform",
           fmt::format("{} has its variables on servers, and the machines of a TPU slice are none", name()),
           "take tpu, or a platform of GPU or CPU machines");
}

// TensorFlow takes the GPUs of a worker, and its first CPU where it has none.
void ParameterServer::add_replicas(Site& site) const {
  if (partitioner_) partitioner_->check(site);
  cluster::Pool pool;
  for (device::Context& worker : site.processes()) {
    std::vector<device::LogicalDevice> devices = worker.list_logical_devices(device::Kind::gpu);
    if (devices.empty()) devices = {worker.list_logical_devices(device::Kind::cpu).front()};
    std::vector<cluster::Replica>& replicas = pool.workers.emplace_back();
    for (const device::LogicalDevice& device : devices) replicas.push_back({device, 0});
    const std::size_t first = pool.workers.front().size();
    if (replicas.size() != first)
      site.report(
          "cluster",
          fmt::format("Mismatched number of GPUs per worker: the first worker has {}, and worker {} has {}",
                      first, pool.workers.size() - 1, replicas.size()),
          "give the workers machines with equally many GPUs, and list the servers after them");
  }
  const cluster::Cluster& cluster = *site.machine().cluster;
  for (const cluster::Task* server : cluster::tasks_of(cluster, "ps"))
    pool.servers.push_back(cluster::host_name(*server));
  site.machine().replicas = pool.workers.front();
  if (has_coordinator() && cluster::tasks_of(cluster, "chief").empty())
    site.report("cluster", "no task is the coordinator, which needs a machine, too",
                R"(add it: "cluster": {"worker": 4, "ps": 2, "chief": 1})");
  site.machine().pool = std::move(pool);
}

ParameterServers ParameterServer::servers_of(const cluster::Machine& machine) const {
  ParameterServers servers{.strategy = name()};
  for (const device::Name& server : machine.pool->servers) servers.devices.push_back(print(server));
  if (partitioner_) servers.partition = model::partition_by(partitioner_->partitioner());
  return servers;
}

plan::Plan ParameterServer::lower(Steps steps, const Setting& setting) const {
  ParameterServers servers = servers_of(setting.machine);
  servers.row_share = setting.row_share;
  return lower_with_parameter_servers(steps, setting.places, servers);
}

std::optional<ReductionChoice> ParameterServer::reduction(const Setting& setting) const {
  return ReductionChoice{.name = "pushed and applied",
                         .algorithm = "on " + counted(std::ssize(setting.machine.pool->servers), "server"),
                         .why = "each worker updates the variables without waiting for the others"};
}

std::vector<std::string> ParameterServer::log(const cluster::Machine& machine, model::Semantics,
                                              const cluster::ClusterSpec& named) const {
  const bool has_gpus = machine.device().name.kind == device::Kind::gpu;
  return {info("`tf.distribute.experimental.ParameterServerStrategy` is initialized with cluster_spec: " +
               cluster::print(named)),
          info("ParameterServerStrategyV2 is now connecting to cluster with cluster_spec: " +
               cluster::print(named)),
          info(fmt::format("Number of GPUs on workers: {}", has_gpus ? machine.replicas.size() : 0))};
}

}  // namespace

std::unique_ptr<Strategy> make_parameter_server() { return std::make_unique<ParameterServer>(); }
std::unique_ptr<Strategy> make_parameter_server_v1() { return std::make_unique<ParameterServerV1>(); }

}  // namespace wt::strategy
