// What the strategies of this folder have in common: a machine that a scenario's keys describe, the lowering of steps to
// it, this host's queues, and the time of a step.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "session/lowering.h"
#include "timing/simulated.h"
#include "train/distributed/step_recorder.h"
#include "train/model.h"
#include "train/strategy.h"

namespace wt::distribute {

// The arguments of a constructor, in the form in which a scenario file has them.
struct Described {
  std::string name{};      // of the class in TensorFlow: "MirroredStrategy"
  std::string platform{};  // a name, or JSON
  std::string strategy{};  // an object
  std::string devices{};   // an object, or nothing
  std::string cluster{};   // an object in the form of TF_CONFIG, or nothing
  train::VariablePlacement variables = train::VariablePlacement::mirrored;
  strategy::CrossDeviceOps cross_device_ops = strategy::CrossDeviceOps::collective_nccl;
  std::string eager_refusal{};  // train::Strategy::Traits
  // Throws InputError if the machine isn't what another argument describes. Null: there is no such argument.
  std::function<void(const cluster::Machine& machine)> check{};
};

// How a step runs: compiled, as a tf.function, or operation by operation, each of which the host launches by itself.
enum class Execution : std::uint8_t { function, eager };

// How a coordinator schedules the closures whose time is simulated.
struct Schedule {
  std::optional<std::int64_t> closures{};  // of all workers; unset: as many as show how workers drift apart
  std::int64_t join_every = 0;             // closures between two joins; 0: it joins at the end
};

// tf.config.set_logical_device_configuration: the memory limits of the pieces that a device is cut into, {{"GPU:0",
// {1024_MiB, 1024_MiB}}}. The pieces are numbered through. A limit of 0 stands for a piece without one, as those of a CPU:
// {{"CPU:0", {Bytes(0), Bytes(0)}}}.
using LogicalDevices = std::map<std::string, std::vector<Bytes>>;

// A platform with so many machines of that name. A platform in JSON is taken as it stands.
std::string machines_of(const std::string& platform, std::int64_t count);

namespace internal {

// What a strategy has before its base class can be made, which wants the devices of the replicas.
class Parts {
 protected:
  // Throws InputError for a platform, a device or an option that isn't there, with TensorFlow's words where it has some.
  explicit Parts(const Described& described);
  ~Parts();

  data::Distribution input() const;  // how datasets are dealt out
  // Throws device::ResourceExhaustedError if the step doesn't fit into a device's memory.
  timing::Simulated simulated(strategy::Steps steps, std::int64_t rows, scenario::Loop loop,
                              Execution execution, const Schedule& schedule = {}) const;
  timing::Simulated simulated(train::Function& step, const train::PerReplica& arguments, Execution execution,
                              const Schedule& schedule = {}) const;
  timing::Simulated simulated(train::Model& model, const std::vector<Tensor>& batch,
                              const Schedule& schedule = {}) const;
  timing::Simulated simulated(std::vector<train::StepRecorder>& recorded,
                              const Schedule& schedule = {}) const;
  Seconds first_values(const train::State& state) const;

  scenario::Scenario computed_;  // by this host
  scenario::Scenario timed_;     // the same without numbers, so that tasks that are alike are played once
  cluster::Machine machine_;
  std::unique_ptr<device::Workers> workers_;
  std::unique_ptr<device::CpuQueue> queue_;
  mutable session::ScenarioLowering lowering_, timed_lowering_;
  mutable communication::KnownTimes known_{};
};

// Runs the body on each replica once, numbers included, and writes down what each does.
template <class Body, class... Arguments>
void record(const train::Strategy& strategy, std::span<train::StepRecorder> steps, const Body& body,
            const Arguments&... arguments) {
  const train::StepRecorder::Here all(steps);
  strategy.run_replicas([&](std::size_t replica) {
    const train::StepRecorder::Here own(steps.subspan(replica, 1));
    body(train::select_replica(arguments, replica)...);
  });
}

}  // namespace internal
}  // namespace wt::distribute
