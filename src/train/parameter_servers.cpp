#include "train/parameter_servers.h"

#include <fmt/format.h>

#include "cluster/roles.h"
#include "device/error.h"
#include "model/semantics.h"
#include "strategy/parameter_servers.h"
#include "train/errors.h"

namespace wt::train {

namespace {

std::string server_device(std::size_t server) {
  return fmt::format("/job:ps/replica:0/task:{}/device:CPU:0", server);
}

std::string variable_name(const std::string& name) { return name.empty() ? "Variable:0" : name + ":0"; }

Strategy::Traits traits_of(ServerCounts counts, std::vector<device::LogicalDevice> replicas) {
  if (replicas.empty()) replicas = {{.name = device::host_of(device::canonical({}))}};
  Strategy::Traits traits{.name = "ParameterServerStrategyV2",
                          .devices = std::move(replicas),
                          .variables = VariablePlacement::on_servers,
                          .gathering = Gathering::by_concatenation};
  for (std::int64_t i = 0; i < counts.servers; ++i)
    traits.servers.push_back(device::parse_name(server_device(static_cast<std::size_t>(i))));
  return traits;
}

void require_tasks(ServerCounts counts) {
  if (counts.servers < 1) throw device::ValueError("There must be at least one ps.");
  if (counts.workers < 1) throw device::ValueError("There must be at least one worker.");
}

constexpr std::string_view version_1 =
    "`tf.compat.v1.distribute.experimental.ParameterServerStrategy` currently only works with the "
    "tf.Estimator API";

}  // namespace

// The checks of ParameterServerStrategyV2._verify_args_and_config, in its order.
ServerCounts server_counts_of(const cluster::ClusterResolver& resolver) {
  const cluster::ClusterSpec spec = resolver.cluster_spec();
  if (spec.is_empty())
    throw device::ValueError(
        "Cluster spec must be non-empty in `tf.distribute.cluster_resolver.ClusterResolver`.");
  const std::vector<cluster::Fault> faults = cluster::faults(spec, resolver.task_type(), resolver.task_id());
  if (!faults.empty()) throw device::ValueError(faults.front().text);
  const ServerCounts counts{.workers = cluster::task_count(spec, "worker"),
                            .servers = cluster::task_count(spec, "ps")};
  require_tasks(counts);
  return counts;
}

ParameterServerStrategy::ParameterServerStrategy(ServerCounts counts, model::Partition variable_partitioner,
                                                 std::vector<device::LogicalDevice> replicas)
    : Strategy([&] {
        require_tasks(counts);
        Traits traits = traits_of(counts, std::move(replicas));
        traits.place_on_servers = [this](const VariableDeclaration& variable) { return place(variable); };
        return traits;
      }()),
      counts_(counts),
      partition_(std::move(variable_partitioner)) {}

ParameterServerStrategy::ParameterServerStrategy(const cluster::ClusterResolver& resolver,
                                                 model::Partition variable_partitioner)
    : ParameterServerStrategy(server_counts_of(resolver), std::move(variable_partitioner)) {}

std::vector<ServerPart> ParameterServerStrategy::place(const VariableDeclaration& variable) const {
  if (makes_dataset_) throw device::ValueError("Creating variables in `dataset_fn` is not allowed.");
  const TensorSpec& spec = variable.spec;
  const std::string& name = variable.name;
  const std::int64_t shards = model::shards(partition_, spec);
  std::vector<ServerPart> parts;
  std::int64_t first_row = 0;
  const auto add = [&](const std::string& part_name, const TensorSpec& part) {
    const std::string device = server_device(next_++ % static_cast<std::size_t>(servers()));
    parts.push_back({variable_name(part_name), part, first_row, device::parse_name(device)});
  };
  variables_.push_back(variable);
  if (shards == 1) {
    add(name, spec);
    return parts;
  }
  for (const std::int64_t rows : model::rows_of_shards(spec.shape[0], shards)) {
    TensorSpec part = spec;
    part.shape[0] = rows;
    add(name.empty() ? name : strategy::shard_name(name, parts.size()), part);
    first_row += rows;
  }
  return parts;
}

ServerVariable ParameterServerStrategy::create(std::string name, const TensorSpec& spec,
                                               const InitialValue& initial_value) {
  if (!initial_value)
    throw device::ValueError(
        "The `initial_value` arg to `tf.Variable` must be specified except when you are not providing a "
        "`variable_def`. You provided neither.");
  std::vector<ServerVariable::Part> parts;
  for (const ServerPart& part : place({next_variable_number(), name, spec})) {
    Tensor value = initial_value(part.spec, part.first_row);
    if (value.spec() != part.spec)
      throw InputError(fmt::format("the initial value of {} is {}", part.name, print(value.spec())),
                       fmt::format("give it {}", print(part.spec)));
    parts.push_back({part.name, device::print(part.device), std::move(value)});
  }
  return {std::move(name), spec, std::move(parts)};
}

ServerVariable ParameterServerStrategy::create(std::string name, const Tensor& initial_value) {
  return create(std::move(name), initial_value.spec(), [&](const TensorSpec& part, std::int64_t first_row) {
    const bool is_whole = part == initial_value.spec();
    return is_whole ? initial_value.copy() : initial_value.rows(first_row, first_row + part.shape[0]).copy();
  });
}

ServerVariable ParameterServerStrategy::create_slot(std::string name, const ServerVariable::Part& owner) {
  std::vector<ServerVariable::Part> parts{{name + ":0", owner.device, Tensor::zeros(owner.value.spec())}};
  return {std::move(name), owner.value.spec(), std::move(parts)};
}

data::DistributedDataset ParameterServerStrategy::experimental_distribute_dataset(
    const data::Dataset& dataset) const {
  data::DistributedDataset distributed(
      dataset, {.replicas = num_replicas_in_sync(), .goes_on_with_empty_replicas = false});
  distributed.check_before_iterations(
      [] { throw device::ValueError(std::string(model::refusal_outside_of_coordinator)); });
  return distributed;
}

Lowering ParameterServerStrategy::lowering() const {
  strategy::ParameterServers servers{.strategy = "ParameterServerStrategyV2", .partition = partition_};
  for (std::int64_t i = 0; i < counts_.servers; ++i)
    servers.devices.push_back(server_device(static_cast<std::size_t>(i)));
  return [servers](strategy::Steps steps) {
    const strategy::Place worker{.device = {.name = "/job:worker/replica:0/task:0/device:CPU:0"},
                                 .kind = device::Kind::cpu};
    return strategy::lower_with_parameter_servers(steps, {&worker, 1}, servers);
  };
}

Resources ParameterServerStrategy::resources(execute::Queues queues) const {
  return {.lower = lowering(), .queues = std::move(queues), .coordinated_workers = counts_.workers};
}

// ---- Version 1

ParameterServerStrategyV1::ParameterServerStrategyV1()
    : Strategy("ParameterServerStrategy", 1, std::string(version_1)) {}

ParameterServerStrategyV1::ParameterServerStrategyV1(const cluster::ClusterResolver& resolver)
    : ParameterServerStrategyV1() {
  if (cluster::task_count(resolver.cluster_spec(), "ps") == 0)
    throw device::ValueError("The cluster spec needs to have `ps` jobs.");
}

void ParameterServerStrategyV1::experimental_distribute_dataset(const data::Dataset&) const {
  throw NotImplementedError(std::string(version_1));
}

void ParameterServerStrategyV1::distribute_datasets_from_function(
    const std::function<data::Dataset()>&) const {
  throw NotImplementedError(std::string(version_1));
}

}  // namespace wt::train
