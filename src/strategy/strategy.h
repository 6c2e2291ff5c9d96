#pragma once
// A strategy brings a training step to several devices. Everything that depends on which strategy a scenario
// names is in this folder. Other folders call member functions of `Strategy` and never ask for its type.
//
//   strategy/table.cpp   a row for each strategy: {"mirrored", "copies on the devices of ...", make}
//   strategy/rows/       a file for each row: a class with the options of the strategy, which says what it
//                        reads from JSON, needs of a machine, refuses, logs, and how it lowers a step
//   strategy/mirrored.h  and its neighbours: the lowering, a function from a step for each replica to a plan
//
// A new strategy is a file in rows/ and a row in the table. It overrides only what most strategies do
// otherwise. A strategy writes a plan and doesn't know
// whether the plan will be timed or computed. What is above it comes in through the interfaces below: the
// machine while it is resolved (Site), the communication library of a described machine (Setting::library),
// the scenario when it is resized (Resizing). Names and behaviour are those of tf.distribute (TensorFlow
// 2.x). Read on in strategy/replica.h, then replicas.h, data_parallel.h and mirrored.h.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/narrow.h"
#include "cluster/machine.h"
#include "cluster/tf_config.h"
#include "device/context.h"
#include "model/layer.h"
#include "model/semantics.h"
#include "platform/description.h"
#include "program/program.h"
#include "strategy/gathered_rows.h"
#include "strategy/library.h"
#include "strategy/look_ups.h"
#include "strategy/options.h"
#include "strategy/place.h"
#include "strategy/reduction.h"
#include "strategy/replicas.h"
#include "strategy/variable_placement.h"

namespace wt::strategy {

// Whether the scenario gives a key, by its dotted path.
using IsGiven = std::function<bool(std::string_view key)>;

// "training.epochs=3", as `--set` takes them.
using Overrides = std::vector<std::string>;

// Which programs take part in a training.
enum class Processes : std::uint8_t {
  alone,        // one program on one machine
  per_machine,  // one on every machine of the platform
  per_worker,   // one for every worker of the scenario's cluster; without a cluster one on every machine
  with_servers  // one for every worker, and for every parameter server, of a cluster that has both
};

// The machine of a training while a scenario is resolved: its programs have started and know their devices,
// and the strategy adds the replicas.
class Site {
 public:
  virtual ~Site() = default;

  virtual std::vector<device::Context>& processes() = 0;  // of the tasks that train; at least one
  virtual cluster::Machine& machine() = 0;                // where replicas are added

  virtual void report(std::string_view key, std::string fact, std::string remedy) = 0;
  virtual bool has_problems() const = 0;
  virtual void warn(std::string_view key, std::string fact, std::string remedy) = 0;

  // Calls `call`. What it throws as InputError is reported at the key, with `remedy` where it has none.
  virtual void at(std::string_view key, std::string_view remedy, const std::function<void()>& call) = 0;

  // The device that an option of the strategy names. Reports a problem and returns another device if there is
  // no device of that name.
  virtual device::LogicalDevice named(device::Context& context, const std::string& name,
                                      std::string_view option) = 0;

  void add_replica(const device::LogicalDevice& device, int task) {
    machine().replicas.push_back({device, task});
  }
};

// A scenario that is to have another number of replicas.
class Resizing {
 public:
  virtual ~Resizing() = default;

  virtual const cluster::Machine& machine() const = 0;  // as it is now
  virtual int wanted() const = 0;                       // replicas
  virtual bool is_given(std::string_view key) const = 0;
  virtual bool cuts_devices() const = 0;  // into logical devices
  virtual bool is_virtual() const = 0;    // the platform is a number of devices without a machine around them
  virtual std::optional<platform::Ici> ici() const = 0;  // the rules for slices, if the devices are TPUs

  // The override that sets a key of the platform file, in whatever form the scenario names the platform.
  virtual std::string set_platform(std::string_view key, const std::string& value) const = 0;

  // What InputError says at the key.
  virtual Problem refusal(std::string_view key, std::string fact, std::string remedy) const = 0;
  [[noreturn]] void refuse(std::string_view key, std::string fact, std::string remedy) const {
    throw InputError(refusal(key, std::move(fact), std::move(remedy)));
  }

  int now() const { return narrow<int>(machine().replicas.size()); }
};

// What a step is lowered for.
struct Setting {
  const cluster::Machine& machine;
  model::Semantics semantics{};
  std::vector<Place> places{};  // of the replicas that are lowered: all, or some that stand for all
  StandFor stand_for{};
  std::string file{};    // the content of the file that the options name (Strategy::file)
  RowShare row_share{};  // of look-ups in tables; null: all ids are equally likely
  // The all-reduces of the machine's communication library; "" stands for the algorithm that the library
  // takes.
  std::function<Library(const std::string& algorithm)> library{};
};

// A file that an option names, and the key of the option.
struct NamedFile {
  std::string_view key{};
  std::string path{};
};

class Strategy;

// The same strategy without a bug of TensorFlow's that changes numbers.
struct Mended {
  std::unique_ptr<Strategy> strategy{};  // null: there is no such bug
  std::string bug{};                     // "HierarchicalCopyAllReduce leaves ... out of the sum; ..."
};

// Whether the time of TensorFlow's own software on a host is known for a strategy (timing/software.h).
enum class HostSoftware : std::uint8_t {
  unmeasured,  // it isn't counted
  alone,       // that of a program without a strategy
  by_replica   // it grows with the replicas of a process
};

// A strategy with its options. Defaults are what most strategies answer.
class Strategy {
 public:
  virtual ~Strategy() = default;
  virtual std::unique_ptr<Strategy> clone() const = 0;
  virtual std::string_view name() const = 0;  // as in the table

  // ---- Options

  virtual void keys(KeyVisitor&) {}
  virtual void complete() {}  // sets what follows from other options, after all keys are read
  // Reports options that contradict each other or other keys of the scenario.
  virtual void check(const IsGiven&, const Report&) const {}
  virtual std::optional<NamedFile> file() const { return std::nullopt; }
  // Sentences about options that are given and have no effect.
  virtual std::vector<std::string> ignored_options(const cluster::Machine&) const { return {}; }

  // ---- The machine

  virtual Processes processes() const { return Processes::alone; }
  virtual void check_platform(const platform::Platform&, const Report&) const {}
  // What TensorFlow's constructor says of a cluster that it refuses for its jobs; empty: nothing.
  virtual std::string refusal_of(const cluster::ClusterSpec&) const { return ""; }
  virtual void add_replicas(Site& site) const = 0;
  virtual void warn(Site&) const {}  // after all replicas are added
  // The program or the strategy opens tf.device around each replica's step, so that soft placement knows the
  // requested device.
  virtual bool asks_for_device() const { return false; }
  // The step with its variables as they are placed: ParameterServerStrategy may cut them into shards.
  virtual Step with_placed_variables(const Step& step, const cluster::Machine&) const { return step; }
  // By variable of such a step, the device of its only copy. Empty: every replica has copies on its own device.
  virtual std::vector<device::Name> variable_devices(const Step&, const cluster::Machine&) const {
    return {};
  }
  // The layers that are not on the first logical device of their replica.
  virtual cluster::AssignedLayers assigned_layers(const model::Layer&, const Report&) const { return {}; }
  // The overrides that give a scenario another number of replicas.
  virtual Overrides resized(const Resizing& resizing) const;

  // ---- A step

  // Throws InputError for what the strategy can't do on such devices.
  virtual plan::Plan lower(Steps steps, const Setting& setting) const = 0;
  // What runs once before the first step: every replica receives the first values of the step's variables. Unset: none
  // are sent, because there is one copy.
  virtual std::optional<plan::Plan> lower_first_values(const Step&, std::span<const Place>) const {
    return std::nullopt;
  }
  // On the devices of the first replica alone, which is the only place of `setting`.
  virtual plan::Plan lower_alone(const Step& step, const Setting& setting) const;
  // Why no task stands for all tasks, even if they are alike; empty: it does.
  virtual std::string obstacle_to_folding(const cluster::Machine&) const {
    return "its replicas are one process, and none is another's like";
  }

  // ---- The reduction of gradients

  // How several replicas add their gradients, and why; none: there is nothing to add.
  virtual std::optional<ReductionChoice> reduction(const Setting&) const { return std::nullopt; }
  // The all-reduce that the options name for a communication library, "" for the one that the library takes;
  // none: a library couldn't carry out the reduction.
  virtual std::optional<std::string> library_algorithm() const { return std::nullopt; }
  // Further ways to reduce, each as overrides. Some of them may be refused for the machine or the other
  // options.
  virtual std::vector<Overrides> other_reductions(const IsGiven&) const { return {}; }
  // Gradients could be reduced while the backward pass goes on, and are not.
  virtual bool may_overlap() const { return false; }
  // The option of TensorFlow by which gradients are reduced in packs, each as soon as it is complete; none: it has no
  // such option, or packs are made already.
  virtual std::optional<Overrides> in_packs() const { return std::nullopt; }
  virtual Mended mended(const cluster::Machine&) const { return {}; }
  // How TensorFlow gathers gradients that are rows of look-ups; none: it doesn't, or plans have it (gathered_rows.h).
  virtual std::optional<RowGathering> gathers_rows(const Setting&) const { return std::nullopt; }

  // ---- A training

  virtual VariablePlacement variables() const { return VariablePlacement::mirrored; }
  // What TensorFlow says where the first gradients are to be added up, if it has no operation for that on such devices;
  // empty: it has one. Where a plan is made nevertheless, they are added in another way (`reduction`).
  virtual std::string refusal_of_reduction(const cluster::Machine&) const { return ""; }
  // Kernels of all devices end before a collective begins. What is pushed to one place waits for no such
  // kernel.
  virtual bool meets_in_collectives() const { return true; }
  virtual HostSoftware host_software() const { return HostSoftware::by_replica; }
  // The rows of the next step are copied to the devices during the current one (plan/rows.h).
  virtual bool copies_rows_ahead() const { return true; }
  // An epoch goes on after a replica has run out of rows, as long as another replica has some.
  virtual bool goes_on_with_empty_replicas() const { return true; }
  // A host starts the step as a compiled program: compile time, dispatch and steps per execution have a
  // meaning.
  virtual bool compiles_steps() const { return false; }
  // Workers take steps from a coordinator's queue: steps per execution have a meaning, too.
  virtual bool has_coordinator() const { return false; }
  // Other workers go on when a worker is lost, and find out that it is.
  virtual bool outlives_workers() const { return false; }
  virtual std::optional<Seconds> collective_timeout() const { return std::nullopt; }

  // What TensorFlow logs while a program makes the strategy. `named`: the cluster that the scenario gives, if
  // any.
  virtual std::vector<std::string> log(const cluster::Machine&, model::Semantics,
                                       const cluster::ClusterSpec& /*named*/) const {
    return {};
  }
};

// Implements `clone` by copying.
template <class Derived>
class Cloned : public Strategy {
 public:
  std::unique_ptr<Strategy> clone() const override {
    return std::make_unique<Derived>(static_cast<const Derived&>(*this));
  }
};

// A strategy as a value that can be copied. Without arguments: TensorFlow's default strategy.
class AnyStrategy {
 public:
  AnyStrategy();
  explicit AnyStrategy(std::unique_ptr<Strategy> strategy) : strategy_(std::move(strategy)) {}
  AnyStrategy(const AnyStrategy& other) : strategy_(other.strategy_->clone()) {}
  AnyStrategy(AnyStrategy&&) noexcept = default;
  AnyStrategy& operator=(const AnyStrategy& other) {
    strategy_ = other.strategy_->clone();
    return *this;
  }
  AnyStrategy& operator=(AnyStrategy&&) noexcept = default;
  ~AnyStrategy() = default;

  const Strategy& operator*() const { return *strategy_; }
  const Strategy* operator->() const { return strategy_.get(); }
  Strategy* operator->() { return strategy_.get(); }

 private:
  std::unique_ptr<Strategy> strategy_;
};

}  // namespace wt::strategy
