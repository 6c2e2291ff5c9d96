// tf.distribute.MirroredStrategy: a copy of the variables on each device of one machine.

#include "strategy/mirrored.h"
#include "strategy/multi_worker_mirrored.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <variant>

#include "base/narrow.h"
#include "strategy/collective_ops.h"
#include "strategy/rows/one_machine.h"
#include "strategy/strategy.h"

namespace wt::strategy {

namespace {

constexpr std::array<json::Named<CrossDeviceOps>, 5> reduction_rows{
    {{"nccl", CrossDeviceOps::nccl},
     {"hierarchical_copy", CrossDeviceOps::hierarchical_copy},
     {"reduction_to_one_device", CrossDeviceOps::reduction_to_one_device},
     {"collective_nccl", CrossDeviceOps::collective_nccl},
     {"collective_ring", CrossDeviceOps::collective_ring}}};
constexpr std::int64_t most_packs = 1 << 20;  // more than any model has gradients

constexpr Words<CrossDeviceOps> reductions{.noun = "a reduction", .rows = reduction_rows};

class Mirrored final : public Cloned<Mirrored> {
 public:
  std::string_view name() const override { return "mirrored"; }

  void keys(KeyVisitor& visit) override;
  void check(const IsGiven& is_given, const Report& report) const override;
  std::optional<NamedFile> file() const override {
    if (ops_ != CrossDeviceOps::schedule) return std::nullopt;
    return NamedFile{"strategy.cross_device_ops.schedule", schedule_.path};
  }
  std::vector<std::string> ignored_options(const cluster::Machine&) const override {
    return hints_.ignored(name());
  }

  void check_platform(const platform::Platform& platform, const Report& report) const override {
    require_one_machine(name(), platform, report);
  }
  void add_replicas(Site& site) const override;
  void warn(Site& site) const override;
  Overrides resized(const Resizing& resizing) const override {
    return resized_on_one_machine(name(), resizing, devices_, "devices");
  }

  plan::Plan lower(Steps steps, const Setting& setting) const override;
  std::optional<plan::Plan> lower_first_values(const Step& step,
                                               std::span<const Place> places) const override {
    return places.size() > 1 ? std::optional(lower_initial_broadcast(step, places)) : std::nullopt;
  }
  std::optional<ReductionChoice> reduction(const Setting& setting) const override;
  std::optional<std::string> library_algorithm() const override { return name_or_none(algorithm_); }
  std::vector<Overrides> other_reductions(const IsGiven&) const override;
  bool may_overlap() const override { return !buckets_.overlap.has_value(); }
  bool asks_for_device() const override { return true; }
  Mended mended(const cluster::Machine& machine) const override;
  std::optional<RowGathering> gathers_rows(const Setting& setting) const override;
  std::string refusal_of_reduction(const cluster::Machine& machine) const override;
  std::vector<std::string> log(const cluster::Machine& machine, model::Semantics semantics,
                               const cluster::ClusterSpec&) const override;

 private:
  void visit_cross_device_ops(KeyVisitor& visit);
  bool has_bug() const { return ops_ == CrossDeviceOps::hierarchical_copy && faithful_; }
  Chosen chosen_ops(const Setting& setting) const;

  DeviceNames devices_{};                          // absent: all GPUs of the machine, else its CPUs
  std::optional<CrossDeviceOps> ops_{};            // absent: what TensorFlow takes on such devices
  json::InputPath schedule_{};                     // where the reduction is a schedule in a file
  std::optional<std::int64_t> num_packs_{};        // absent: 1
  std::optional<std::string> reduce_to_device_{};  // absent: the device of replica 0
  bool faithful_ = true;
  std::optional<AlgorithmName> algorithm_{};  // absent: what the library takes
  Buckets buckets_{};
  Hints hints_{};
};

// ---- Options

void Mirrored::keys(KeyVisitor& visit) {
  visit(
      json::optional("devices",
                     "one replica on each, as [\"GPU:0\", \"GPU:1\"]; all GPUs where absent, else all CPUs"),
      devices_);
  visit_cross_device_ops(visit);
  visit(json::Key{.name = "num_packs",
                  .meaning = "of nccl and hierarchical_copy: how many packs gradients are put in; 0: each on "
                             "its own; 1 where absent",
                  .at_least = 0,
                  .at_most = most_packs},
        num_packs_);
  visit(json::optional("reduce_to_device",
                       "of reduction_to_one_device: where gradients are added; the first replica's "
                       "device where absent"),
        reduce_to_device_);
  visit(json::optional("faithful",
                       "of hierarchical_copy: leave out the last of an odd number of devices, as "
                       "TensorFlow does"),
        faithful_);
  visit_algorithm(visit, algorithm_);
  buckets_.keys(visit);
  hints_.keys(visit);
}

// One of TensorFlow's reductions, or a schedule in a file.
void Mirrored::visit_cross_device_ops(KeyVisitor& visit) {
  WordOrObject choice{.word = reductions.of(ops_)};
  choice.object.is_given = ops_ == CrossDeviceOps::schedule;
  choice.object.give = [&] { ops_ = CrossDeviceOps::schedule; };
  choice.object.keys = [&](KeyVisitor& inside) {
    inside(json::required("schedule", "a file of moves, as `collective --algorithm` reads it"), schedule_);
  };
  visit(json::optional("cross_device_ops",
                       "how gradients are added: a word, or a schedule in a file; what TensorFlow takes on "
                       "such devices where absent"),
        choice);
  if (choice.word.index) ops_ = reductions.rows[*choice.word.index].value;
}

// Options of one reduction beside the name of another.
void Mirrored::check(const IsGiven&, const Report& report) const {
  using enum CrossDeviceOps;
  const auto refuse = [&](std::string_view key, bool is_given, std::initializer_list<CrossDeviceOps> takes,
                          std::string_view what) {
    if (!is_given || (ops_ && std::ranges::count(takes, *ops_) > 0)) return;
    report(fmt::format("strategy.{}", key),
           fmt::format("\"{}\" is a matter of {}, and \"cross_device_ops\" {}", key, what,
                       !ops_               ? "isn't there"
                       : *ops_ == schedule ? "is a schedule"
                                           : fmt::format("is {}", reductions.name(*ops_))),
           "leave it out, or name that reduction");
  };
  refuse("num_packs", num_packs_.has_value(), {nccl, hierarchical_copy}, "nccl and hierarchical_copy");
  refuse("reduce_to_device", reduce_to_device_.has_value(), {reduction_to_one_device},
         "reduction_to_one_device");
  refuse("faithful", !faithful_, {hierarchical_copy}, "hierarchical_copy");
  if (ops_) {
    refuse("algorithm", algorithm_.has_value(), {nccl, collective_nccl}, "nccl and collective_nccl");
    refuse("overlap", buckets_.are_used(), {collective_nccl, collective_ring, schedule},
           "collective_nccl and collective_ring");
  }
  buckets_.check(report);
}

// ---- The machine

void Mirrored::add_replicas(Site& site) const {
  add_replicas_on(site, Kind::mirrored, devices_, "devices");
  if (!reduce_to_device_ || site.has_problems()) return;
  cluster::Machine& machine = site.machine();
  machine.center = site.named(site.processes().front(), *reduce_to_device_, "reduce_to_device");
  const device::Name& center = machine.center->name;
  if (std::ranges::count(device_names(machine), center) == 0 && center != device::host_of(center))
    site.report("strategy.reduce_to_device", fmt::format("no replica is on {}", print(center)),
                "name a replica's device, or the host: \"/CPU:0\"");
}

// Halves of n / 2 devices leave the last of an odd number out (tests/README.md, fact F7).
void Mirrored::warn(Site& site) const {
  const cluster::Machine& machine = site.machine();
  if (!has_bug() || machine.replicas.size() % 2 == 0 || machine.replicas.size() == 1) return;
  site.warn(
      "strategy.cross_device_ops",
      fmt::format("HierarchicalCopyAllReduce leaves the gradients of {} out of the sum: with an odd number "
                  "of devices the last one is in neither half, in TensorFlow too",
                  print(machine.replicas.back().device.name)),
      R"("faithful": false adds them all)");
}

// ---- A step

plan::Plan Mirrored::lower(Steps steps, const Setting& setting) const {
  const cluster::Machine& machine = setting.machine;
  MirroredOptions options{.cross_device_ops = chosen_ops(setting).ops,
                          .packing = buckets_.packing(),
                          .nccl = setting.library(name_or_none(algorithm_)),
                          .num_packs = narrow<int>(num_packs_.value_or(1)),
                          .faithful = faithful_,
                          .stand_for = setting.stand_for,
                          .schedule = setting.file};
  if (machine.center) {
    const auto replica = std::ranges::find(machine.replicas, machine.center->name,
                                           [](const cluster::Replica& each) { return each.device.name; });
    options.reduce_on_host = replica == machine.replicas.end();
    if (!options.reduce_on_host) options.reduce_to = narrow<int>(replica - machine.replicas.begin());
  }
  return lower_mirrored(steps, setting.places, options);
}

// ---- The reduction

// What the program names, or what MirroredStrategy takes on such devices. NCCL is for GPUs alone.
Chosen Mirrored::chosen_ops(const Setting& setting) const {
  if (!ops_) {
    device::Context context = setting.machine.context;
    const std::vector<device::Name> devices = device_names(setting.machine);
    if (!model::is_on(model::Switch::nccl_or_one_device, setting.semantics))
      return choose_cross_device_ops(devices, context);
    Chosen chosen = select_cross_device_ops(devices, context);
    if (chosen.why.empty()) chosen.why = "all devices are whole GPUs";
    return chosen;
  }
  const bool has_gpus = has_gpus_only(setting.places);
  if (*ops_ == CrossDeviceOps::nccl && !has_gpus)
    return {CrossDeviceOps::reduction_to_one_device, "NCCL was asked for, and not all devices are GPUs"};
  if (*ops_ == CrossDeviceOps::collective_nccl && !has_gpus)
    return {CrossDeviceOps::collective_ring, "NCCL was asked for, and not all devices are GPUs"};
  return {*ops_, "the scenario asks for it"};
}

// TensorFlow's class NcclAllReduce takes any devices, and fails in the first step. Recording training_loop_mirrored2_nccl.
std::string Mirrored::refusal_of_reduction(const cluster::Machine& machine) const {
  const auto is_gpu = [](const cluster::Replica& replica) {
    return replica.device.name.kind == device::Kind::gpu;
  };
  if (ops_ != CrossDeviceOps::nccl || machine.replicas.size() == 1 ||
      std::ranges::all_of(machine.replicas, is_gpu))
    return "";
  return fmt::format(
      "No OpKernel was registered to support Op 'NcclAllReduce' used by with these attrs: "
      "[reduction=\"sum\", "
      "shared_name=\"c0\", T=DT_FLOAT, num_devices={}]",
      machine.replicas.size());
}

std::optional<ReductionChoice> Mirrored::reduction(const Setting& setting) const {
  const Chosen chosen = chosen_ops(setting);
  const cluster::Machine& machine = setting.machine;
  ReductionChoice choice{.name = std::string(strategy::name(chosen.ops)), .why = chosen.why};
  switch (chosen.ops) {
    case CrossDeviceOps::collective_ring:
      choice.algorithm = collective_op(CollectiveType::reduce).algorithm;
      break;
    case CrossDeviceOps::hierarchical_copy:
      choice.algorithm = "hierarchical_copy";
      break;
    case CrossDeviceOps::schedule:
      choice.algorithm = "the scenario's own";
      break;
    case CrossDeviceOps::reduction_to_one_device:
      choice.algorithm = fmt::format("to {} and back", print(machine.center.value_or(machine.device()).name));
      break;
    case CrossDeviceOps::nccl:
    case CrossDeviceOps::collective_nccl:
      choice.is_librarys = true;
  }
  return choice;
}

std::vector<Overrides> Mirrored::other_reductions(const IsGiven&) const {
  std::vector<Overrides> all;
  for (const char* algorithm : {"ring", "tree", "nvls"})
    all.push_back(
        {"strategy.cross_device_ops=collective_nccl", fmt::format("strategy.algorithm={}", algorithm)});
  for (const char* reduction : {"collective_ring", "hierarchical_copy", "reduction_to_one_device"})
    all.push_back({fmt::format("strategy.cross_device_ops={}", reduction)});
  return all;
}

// cross_device_ops.py: CollectiveAllReduce has an all-gather for IndexedSlices; all others hand them to ReductionToOneDevice,
// also those that log "Efficient allreduce is not supported for 1 IndexedSlices".
std::optional<RowGathering> Mirrored::gathers_rows(const Setting& setting) const {
  using enum CrossDeviceOps;
  const CrossDeviceOps ops = chosen_ops(setting).ops;
  if (ops == collective_nccl || ops == collective_ring || ops == schedule) return RowGathering{};
  const cluster::Machine& machine = setting.machine;
  return RowGathering{.center = planned(machine.center.value_or(machine.device())), .goes_back = true};
}

// Only the hierarchical copy of TensorFlow has a bug that changes numbers (tests/README.md, fact F7).
Mended Mirrored::mended(const cluster::Machine& machine) const {
  if (!has_bug()) return {};
  auto without = std::make_unique<Mirrored>(*this);
  without->faithful_ = false;
  return {std::move(without), fmt::format("HierarchicalCopyAllReduce leaves {} out of the sum; "
                                          "\"faithful\": false mends it",
                                          print(machine.replicas.back().device.name))};
}

// ---- The log

// TensorFlow 2.0 logs why it doesn't take NCCL; today it doesn't.
std::vector<std::string> Mirrored::log(const cluster::Machine& machine, model::Semantics semantics,
                                       const cluster::ClusterSpec&) const {
  std::vector<std::string> lines;
  const std::vector<device::Name> devices = device_names(machine);
  if (!ops_ && model::is_on(model::Switch::nccl_or_one_device, semantics)) {
    device::Context context = machine.context;
    const std::string warning = select_cross_device_ops(devices, context).why;
    if (!warning.empty()) lines.push_back("WARNING:tensorflow:" + warning);
  }
  lines.push_back(info("Using MirroredStrategy with devices " + python_tuple(texts_of(devices))));
  return lines;
}

}  // namespace

std::unique_ptr<Strategy> make_mirrored() { return std::make_unique<Mirrored>(); }

}  // namespace wt::strategy
