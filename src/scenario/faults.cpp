#include "scenario/faults.h"

#include <algorithm>
#include <charconv>

#include "base/suggest.h"
#include "base/utf8.h"

namespace wt::scenario {

namespace {

// "worker:1", "chief", or a part of TensorFlow's own names.
device::Name name_written(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string job = text.substr(0, colon);
  const bool is_job = text.find('/') == std::string::npos && !device::kind_named(job);
  if (!is_job) return device::parse_name(text);
  device::Name name{.job = job, .task = 0};
  if (colon == std::string::npos) return name;
  const char* const end = text.data() + text.size();
  int task = 0;
  const auto [rest, error] = std::from_chars(text.data() + colon + 1, end, task);
  if (error != std::errc{} || rest != end || task < 0) return device::parse_name(text);
  name.task = task;
  return name;
}

device::Name task_of(const device::Name& device) {
  return {.job = device.job, .replica = device.replica, .task = device.task};
}

class FaultReader {
 public:
  FaultReader(const Scenario& scenario, const cluster::Machine& machine, std::int64_t steps)
      : scenario_(scenario), machine_(machine), steps_(steps) {
    const bool is_cluster = machine.tasks > 1;
    const auto add = [&](const std::string& name) {
      if (known_.empty() || known_.back() != name) known_.push_back(name);
    };
    for (const cluster::Replica& replica : machine.replicas)
      if (is_cluster) add(fmt::format("{}:{}", *replica.device.name.job, *replica.device.name.task));
    for (const cluster::Replica& replica : machine.replicas) {
      const device::Name& name = replica.device.name;
      add(is_cluster ? print(name) : fmt::format("{}:{}", device::name(*name.kind), *name.index));
    }
  }

  timing::Faults read() {
    for (std::size_t i = 0; i < scenario_.faults.size(); ++i) {
      const Fault& fault = scenario_.faults[i];
      const std::string key = fmt::format("faults.{}", i);
      if (fault.slow)
        read_slowed(fault, key);
      else
        read_killed(fault, key);
    }
    problems_.throw_if_any();
    return faults_;
  }

 private:
  void read_slowed(const Fault& fault, const std::string& key) {
    check_step(fault.from_step, key + ".from_step");
    const std::vector<std::size_t> replicas = find(*fault.slow, key + ".slow");
    if (!replicas.empty()) faults_.slowed.push_back({*fault.slow, replicas, fault.factor, fault.from_step});
  }

  void read_killed(const Fault& fault, const std::string& key) {
    check_step(fault.step, key + ".step");
    if (!scenario_.strategy->outlives_workers() || machine_.tasks < 2) {
      problems_.add(
          scenario_.place(key + ".kill"),
          "only multi_worker_mirrored with several workers goes on when one of them is lost, to find out",
          "leave it out, or train on several workers");
      return;
    }
    const std::vector<std::size_t> replicas = find(*fault.kill, key + ".kill");
    if (replicas.empty()) return;
    const cluster::Replica& lost = machine_.replicas[replicas.front()];
    if (name_written(*fault.kill).kind) {
      problems_.add(scenario_.place(key + ".kill"), "a worker is lost with all of its devices",
                    fmt::format("name the worker: \"{}:{}\"", *lost.device.name.job, *lost.device.name.task));
      return;
    }
    if (!faults_.killed || fault.step < faults_.killed->step)
      faults_.killed = {lost.task, print(task_of(lost.device.name)), fault.step};
  }

  void check_step(std::int64_t step, const std::string& key) {
    if (step < steps_) return;
    problems_.add(
        scenario_.place(key),
        fmt::format("the training has {} steps, counted from 0, and never comes to step {}", steps_, step),
        "name an earlier step, or train longer");
  }

  // In a cluster, a device's short name is the first worker's, as in a program.
  std::vector<std::size_t> find(const std::string& text, const std::string& key) {
    std::vector<std::size_t> found;
    const Place place = scenario_.place(key);
    try {
      device::Name wanted = name_written(text);
      if (wanted.kind) wanted = merged(wanted, task_of(machine_.device().name));
      for (std::size_t i = 0; i < machine_.replicas.size(); ++i) {
        const device::Name& name = machine_.replicas[i].device.name;
        if (merged(wanted, name) == name) found.push_back(i);
      }
    } catch (const InputError&) {
      found.clear();
    }
    const std::vector<std::string_view> names(known_.begin(), known_.end());
    if (found.empty())
      problems_.add(place, fmt::format("no replica computes on \"{}\"", printable(text)),
                    did_you_mean(text, names));
    return found;
  }

  const Scenario& scenario_;
  const cluster::Machine& machine_;
  const std::int64_t steps_;
  std::vector<std::string> known_{};
  Problems problems_{};
  timing::Faults faults_{};
};

}  // namespace

timing::Faults faults_of(const Scenario& scenario, const cluster::Machine& machine, std::int64_t steps) {
  return FaultReader(scenario, machine, steps).read();
}

}  // namespace wt::scenario
