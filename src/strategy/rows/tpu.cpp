// tf.distribute.TPUStrategy: a replica on each core of a slice, or on several cores.

#include "strategy/tpu.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/json_writer.h"
#include "base/rough.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "cluster/connect.h"
#include "cluster/device_assignment.h"
#include "cluster/tpu_resolver.h"
#include "cluster/tpu_topology.h"
#include "platform/slice.h"
#include "strategy/rows/one_machine.h"
#include "strategy/strategy.h"

namespace wt::strategy {

namespace {

class Tpu final : public Cloned<Tpu> {
 public:
  std::string_view name() const override { return "tpu"; }

  void keys(KeyVisitor& visit) override;
  void check(const IsGiven& is_given, const Report& report) const override;
  std::vector<std::string> ignored_options(const cluster::Machine&) const override {
    return hints_.ignored(name());
  }

  Processes processes() const override { return Processes::per_machine; }
  void check_platform(const platform::Platform& platform, const Report& report) const override;
  void add_replicas(Site& site) const override;
  cluster::AssignedLayers assigned_layers(const model::Layer& model, const Report& report) const override;
  Overrides resized(const Resizing& resizing) const override;

  plan::Plan lower(Steps steps, const Setting& setting) const override;
  plan::Plan lower_alone(const Step& step, const Setting& setting) const override;
  std::string obstacle_to_folding(const cluster::Machine& machine) const override {
    return machine.devices_of_each() == 1 ? "" : "its replicas have several cores";
  }
  std::optional<ReductionChoice> reduction(const Setting&) const override {
    return ReductionChoice{.name = "cross_replica_sum",
                           .algorithm = algorithm_ ? algorithm_->name : "by the slice's axes",
                           .why = algorithm_ ? "the scenario asks for it" : "XLA adds along the torus"};
  }
  std::vector<Overrides> other_reductions(const IsGiven&) const override;

  bool asks_for_device() const override { return true; }
  bool compiles_steps() const override { return true; }
  HostSoftware host_software() const override { return HostSoftware::unmeasured; }
  std::vector<std::string> log(const cluster::Machine& machine, model::Semantics,
                               const cluster::ClusterSpec&) const override;

 private:
  std::int64_t cores_per_replica() const {
    std::int64_t cores = 1;
    for (const std::int64_t extent : computation_shape_.value_or(std::vector<std::int64_t>{}))
      cores *= extent;
    return cores;
  }
  std::optional<cluster::Computation> computation_on(const platform::Shape& mesh, Site& site) const;
  void assign(const model::Layer& layer, std::int64_t around, cluster::AssignedLayers& assigned) const;
  TpuOptions options_for(const cluster::Machine& machine) const {
    return {.algorithm = name_or_none(algorithm_), .assigned = machine.assigned};
  }

  std::optional<std::vector<std::int64_t>> computation_shape_{};  // absent: one core
  std::map<std::string, std::int64_t> assigned_{};                // layers by name, and their logical device
  std::optional<AlgorithmName> algorithm_{};                      // absent: by the axes of the slice
  Hints hints_{};
};

// ---- Options

void Tpu::keys(KeyVisitor& visit) {
  visit(json::Key{.name = "computation_shape",
                  .meaning = "the cores of a replica along the slice's axes, [x, y, z, core], as "
                             "DeviceAssignment has it; absent: [1, 1, 1, 1], a replica on each core",
                  .at_least = 1,
                  .at_most = 4096},
        computation_shape_);
  visit(json::Key{.name = "experimental_assign_to_logical_device",
                  .meaning = "layers by name, and which core of their replica they are on, as {\"dense_1\": "
                             "1}; others are on its core 0",
                  .at_least = 0,
                  .at_most = 1 << 22},
        assigned_);
  visit.later("experimental_split_to_logical_devices",
              "a tensor is cut over the cores of a replica; whole layers go to them by "
              "experimental_assign_to_logical_device");
  visit_algorithm(visit, algorithm_);
  hints_.keys(visit);
}

void Tpu::check(const IsGiven& is_given, const Report& report) const {
  if (cores_per_replica() > 1 && is_given("time.measured_step"))
    report("time.measured_step",
           fmt::format("a measured step is one device's, and a replica has {} cores", cores_per_replica()),
           "leave it out, or take a replica on each core");
}

// ---- The machine

void Tpu::check_platform(const platform::Platform& platform, const Report& report) const {
  if (platform.slice() != nullptr) return;
  report("strategy.type", fmt::format("tpu trains on TPUs, and {} has none", platform.name()),
         "take mirrored for the devices of one machine, multi_worker_mirrored for those of several, or "
         "a platform with TPUs: tpu_v3");
}

// A replica is fed by the host of its first core; hosts that feed none read no rows.
void add_assigned(const cluster::DeviceAssignment& assignment, Site& site) {
  std::map<int, int> feeding;  // task of the cluster to task that feeds
  for (int replica = 0; replica < assignment.num_replicas(); ++replica)
    feeding.emplace(*assignment.host_device(replica).task, 0);
  int tasks = 0;
  for (auto& [task, number] : feeding) number = tasks++;
  site.machine().tasks = tasks;
  for (int replica = 0; replica < assignment.num_replicas(); ++replica) {
    const auto core = [&](int logical) {
      const device::Name name = assignment.tpu_device(replica, logical);
      return site.processes()[static_cast<std::size_t>(*name.task)].list_logical_devices(
          device::Kind::tpu)[static_cast<std::size_t>(*name.index)];
    };
    site.add_replica(core(0), feeding[*assignment.host_device(replica).task]);
    for (int logical = 1; logical < assignment.num_cores_per_replica(); ++logical)
      site.machine().replicas.back().further.push_back(core(logical));
  }
}

// In the order of the torus, so that neighbours are neighbours; the cores of a chip first: a DeviceAssignment
// of as many replicas as there is room for, whose order of devices is MESH.
void Tpu::add_replicas(Site& site) const {
  if (!site.machine().platform)
    return site.report("strategy.type", "tpu trains on TPUs, and this machine has none",
                       "add a platform: \"platform\": \"tpu_v3\"");
  site.at("platform", "take a platform of one slice", [&] {
    const cluster::Topology topology = cluster::topology_of(*site.machine().platform);
    const std::optional<cluster::Computation> computation = computation_on(topology.mesh_shape(), site);
    if (!computation) return;
    site.machine().computation_shape = computation->computation_shape;
    add_assigned(cluster::DeviceAssignment::build(topology, *computation), site);
  });
}

// Replicas that fill the slice. None, and a problem, if the slice can't be divided into such replicas.
std::optional<cluster::Computation> Tpu::computation_on(const platform::Shape& mesh, Site& site) const {
  cluster::Computation computation{.device_order_mode = cluster::DeviceOrder::mesh};
  if (computation_shape_)
    computation.computation_shape.assign(computation_shape_->begin(), computation_shape_->end());
  const std::vector<int>& shape = computation.computation_shape;
  if (shape.size() != cluster::mesh_rank) {
    site.report("strategy.computation_shape",
                fmt::format("a slice has four axes, (x, y, z, core), and here are {}", shape.size()),
                fmt::format("this one is [{}]", fmt::join(mesh.extents, ", ")));
    return std::nullopt;
  }
  std::vector<int> fits = shape;
  for (std::size_t axis = 0; axis < fits.size(); ++axis)
    while (mesh[axis] % fits[axis] != 0) --fits[axis];
  for (std::size_t axis = 0; axis < fits.size(); ++axis) computation.num_replicas *= mesh[axis] / fits[axis];
  if (fits == shape) return computation;
  site.report("strategy.computation_shape",
              fmt::format("replicas of [{}] cores don't divide {}'s slice of [{}]", fmt::join(shape, ", "),
                          site.machine().platform->name(), fmt::join(mesh.extents, ", ")),
              fmt::format("each number divides that of its axis, (x, y, z, core): [{}] makes {}",
                          fmt::join(fits, ", "), counted(computation.num_replicas, "replica")));
  return std::nullopt;
}

void collect_names(const model::Layer& layer, std::vector<std::string_view>& names) {
  if (!layer.name().empty()) names.push_back(layer.name());
  for (const auto& part : layer.parts()) collect_names(*part, names);
}

// Weights belong to the layers that have no parts.
void Tpu::assign(const model::Layer& layer, std::int64_t around, cluster::AssignedLayers& assigned) const {
  const auto named = assigned_.find(layer.name());
  const std::int64_t own = named != assigned_.end() ? named->second : around;
  if (layer.parts().empty() && own > 0) assigned[layer.name()] = static_cast<LogicalId>(own);
  for (const auto& part : layer.parts()) assign(*part, own, assigned);
}

// A model among the layers stands for all layers inside it that aren't named themselves.
cluster::AssignedLayers Tpu::assigned_layers(const model::Layer& model, const Report& report) const {
  std::vector<std::string_view> names;
  collect_names(model, names);
  const std::int64_t cores = cores_per_replica();
  for (const auto& [layer, logical] : assigned_) {
    const std::string key = "strategy.experimental_assign_to_logical_device." + layer;
    if (std::ranges::count(names, std::string_view(layer)) == 0)
      report(key, fmt::format("the model \"{}\" has no layer \"{}\"", model.name(), printable(layer)),
             did_you_mean(layer, names));
    if (logical >= cores)
      report(key, fmt::format("a replica has {}, and there is no number {}", counted(cores, "core"), logical),
             cores > 1 ? fmt::format("take one from 0 to {}, or a larger \"computation_shape\"", cores - 1)
                       : "give replicas several: \"computation_shape\": [1, 1, 1, 2]");
  }
  cluster::AssignedLayers assigned;
  assign(model, 0, assigned);
  return assigned;
}

Overrides Tpu::resized(const Resizing& resizing) const {
  const std::string& platform = resizing.machine().platform->name();
  const std::optional<platform::Ici> ici = resizing.ici();
  WT_EXPECT(ici.has_value(), "{} has TPUs and no rule for slices", platform);
  const platform::SliceOfReplicas found =
      platform::slice_of_replicas(*ici, resizing.wanted() * cores_per_replica());
  if (!found.shape) resizing.refuse("platform", fmt::format("{} has no such slice", platform), found.nearest);
  return {resizing.set_platform("slice", json::quote(print(*found.shape)))};
}

// ---- A step

plan::Plan Tpu::lower(Steps steps, const Setting& setting) const {
  TpuOptions options = options_for(setting.machine);
  options.stand_for = setting.stand_for;
  const cluster::Machine& machine = setting.machine;
  if (const platform::Slice* slice = machine.platform ? machine.platform->slice() : nullptr) {
    const std::vector<int>& shape = machine.computation_shape;
    for (std::size_t axis = 0; axis < slice->shape.axes(); ++axis)
      options.slice.push_back(slice->shape[axis] / shape[axis]);
    options.wraps = slice->wraps;
    options.cores = slice->devices_per_chip() / shape.back();
  }
  return lower_tpu(steps, setting.places, options);
}

plan::Plan Tpu::lower_alone(const Step& step, const Setting& setting) const {
  if (setting.places.front().further.empty()) return Strategy::lower_alone(step, setting);
  const Step* const steps[] = {&step};
  return lower_tpu(steps, setting.places, options_for(setting.machine));
}

std::vector<Overrides> Tpu::other_reductions(const IsGiven&) const {
  std::vector<Overrides> all;
  for (const char* algorithm : {"ring", "torus_2d", "torus_2d_bucket", "torus_3d", "torus_3d_bucket"})
    all.push_back({fmt::format("strategy.algorithm={}", algorithm)});
  return all;
}

// ---- The log

// experimental_connect_to_cluster, initialize_tpu_system, TPUStrategy: as a program calls them.
std::vector<std::string> Tpu::log(const cluster::Machine& machine, model::Semantics,
                                  const cluster::ClusterSpec&) const {
  const cluster::TPUClusterResolver resolver(*machine.platform, {.tpu = machine.platform->name()});
  std::vector<std::string> lines;
  for (const std::string& text : cluster::connect_to_cluster(resolver).log) lines.push_back(info(text));
  for (const std::string& text : cluster::initialize_tpu_system(resolver).log) lines.push_back(info(text));
  for (const std::string& text : cluster::describe(resolver.get_tpu_system_metadata()))
    lines.push_back(info(text));
  return lines;
}

}  // namespace

std::unique_ptr<Strategy> make_tpu() { return std::make_unique<Tpu>(); }

}  // namespace wt::strategy
