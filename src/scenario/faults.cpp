#include "scenario/faults.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "base/narrow.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "scenario/failure_log.h"
#include "scenario/fault_links.h"
#include "scenario/input_files.h"

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

// A process that may be lost.
struct Process {
  timing::Failure lost{};  // with its victim, task and name
  std::string short_name{};
  std::int32_t machine = 0;
};

std::string short_name_of(const device::Name& task) { return fmt::format("{}:{}", *task.job, *task.task); }

Process process_of(timing::Victim victim, int task, const device::Name& name, std::int32_t machine) {
  return {.lost = {.victim = victim, .task = task, .name = print(task_of(name))},
          .short_name = short_name_of(name),
          .machine = machine};
}

// Of one training: the workers, the servers and the coordinator, on their machines.
std::vector<Process> processes_of(const cluster::Machine& machine) {
  std::vector<Process> processes;
  const auto machine_of = [&](const device::Name& name) {
    const cluster::Task* task =
        machine.cluster ? cluster::find(*machine.cluster, *name.job, *name.task) : nullptr;
    return task == nullptr ? 0 : task->machine;
  };
  const auto add = [&](timing::Victim victim, int task, const device::Name& name) {
    processes.push_back(process_of(victim, task, name, machine_of(name)));
  };
  if (machine.pool) {
    for (std::size_t i = 0; i < machine.pool->workers.size(); ++i)
      add(timing::Victim::worker, narrow<int>(i), machine.pool->workers[i].front().device.name);
    for (std::size_t i = 0; i < machine.pool->servers.size(); ++i)
      add(timing::Victim::server, narrow<int>(i), machine.pool->servers[i]);
    if (!machine.cluster) return processes;
    for (const std::string_view job : {"chief", "coordinator"})
      if (const cluster::Task* task = cluster::find(*machine.cluster, job, 0)) {
        const device::Name name{.job = std::string(job), .replica = 0, .task = 0};
        const auto known = std::ranges::find(processes, short_name_of(name), &Process::short_name);
        if (known == processes.end())
          processes.push_back(process_of(timing::Victim::coordinator, 0, name, task->machine));
      }
    return processes;
  }
  for (const cluster::Replica& replica : machine.replicas) {
    const auto known =
        std::ranges::find(processes, replica.task, [](const Process& each) { return each.lost.task; });
    if (known == processes.end()) add(timing::Victim::worker, replica.task, replica.device.name);
  }
  return processes;
}

class FaultReader {
 public:
  FaultReader(const Scenario& scenario, const cluster::Machine& machine, std::int64_t steps)
      : scenario_(scenario), machine_(machine), steps_(steps), processes_(processes_of(machine)) {
    is_cluster_ = machine.tasks > 1 || machine.pool.has_value();
    for (const Process& process : processes_) known_tasks_.push_back(process.short_name);
    if (is_cluster_) known_ = known_tasks_;
    for (const cluster::Replica& replica : machine.replicas) {
      const device::Name& name = replica.device.name;
      known_.push_back(is_cluster_ ? print(name)
                                   : fmt::format("{}:{}", device::name(*name.kind), *name.index));
    }
  }

  timing::Faults read() {
    for (std::size_t i = 0; i < scenario_.faults.size(); ++i) {
      fault_ = &scenario_.faults[i];
      key_ = fmt::format("faults.{}", i);
      if (fault_->slow) read_slowed();
      if (fault_->degrade) read_degraded();
      if (fault_->kill) read_failure("kill", *fault_->kill, timing::FailureKind::killed);
      if (fault_->preempt) read_failure("preempt", *fault_->preempt, timing::FailureKind::preempted);
      if (fault_->cut) read_cut(*fault_->cut);
      if (fault_->random) read_random();
      if (fault_->log) read_log();
    }
    problems_.throw_if_any();
    return std::move(faults_);
  }

 private:
  Place place(std::string_view key) const { return scenario_.place(fmt::format("{}.{}", key_, key)); }

  timing::StepRange range() {
    check_step(fault_->from_step, "from_step");
    return {fault_->from_step.value_or(0), fault_->until_step};
  }

  void read_slowed() {
    const timing::StepRange steps = range();
    const std::vector<std::size_t> replicas = find(*fault_->slow);
    if (!replicas.empty())
      faults_.slowed.push_back({*fault_->slow, replicas, fault_->factor.value_or(1), steps});
  }

  void read_degraded() {
    const timing::StepRange steps = range();
    const std::vector<platform::LinkId> links = degraded_links(*fault_->degrade);
    if (!links.empty())
      faults_.degraded.push_back({*fault_->degrade, links, fault_->factor.value_or(1), steps});
  }

  std::vector<platform::LinkId> degraded_links(const std::string& text) {
    const platform::Platform& platform = *machine_.platform;
    const auto process = std::ranges::find(processes_, with_index(text), &Process::short_name);
    if (process != processes_.end()) {
      std::vector<platform::LinkId> links = network_of(platform, process->machine);
      if (links.empty())
        problems_.add(place("degrade"), fmt::format("the machine of {} has no links to a network", text),
                      "name a link inside of it, as \"machine 0/gpu 0 -> nvswitch\"");
      return links;
    }
    std::vector<platform::LinkId> links = links_named(platform, text);
    if (links.empty()) say_unknown("degrade", text);
    return links;
  }

  void say_unknown(std::string_view key, const std::string& text) {
    std::vector<std::string> names = known_tasks_;
    std::ranges::copy(names_of_links(*machine_.platform, most_suggested), std::back_inserter(names));
    const std::vector<std::string_view> views(names.begin(), names.end());
    problems_.add(place(key), fmt::format("no task and no link has the name \"{}\"", printable(text)),
                  did_you_mean(text, views));
  }

  // ---- What ends a training

  void read_failure(std::string_view key, const std::string& text, timing::FailureKind kind) {
    check_step(fault_->step, "step");
    const Process* process = process_named(key, text);
    if (process == nullptr) return;
    if (kind == timing::FailureKind::cut && !is_cluster_)
      return problems_.add(place(key), "a training of one process needs no network", "leave it out");
    add_failure(*process, kind);
  }

  void add_failure(const Process& process, timing::FailureKind kind) {
    timing::Failure failure = failure_of(process, kind);
    failure.step = fault_->step.value_or(0);
    failure.time = fault_->at;
    faults_.failures.push_back(std::move(failure));
  }

  // Of a task's network, or of a link by its name.
  void read_cut(const std::string& text) {
    const std::vector<platform::LinkId> links = links_named(*machine_.platform, text);
    if (links.empty() && text.find(" -> ") != std::string::npos) return say_unknown("cut", text);
    if (links.empty()) return read_failure("cut", text, timing::FailureKind::cut);
    check_step(fault_->step, "step");
    const std::vector<const Process*> behind = processes_behind(links);
    if (behind.empty())
      problems_.add(place("cut"), "no task of this training needs this link", "leave it out");
    for (const Process* process : behind) add_failure(*process, kind_of_cut(links.front()));
  }

  // A link of a network carries bytes again. CUDA takes an error of NVLink or PCIe as fatal (NVIDIA's documentation of
  // XID 74 and 79), and so the processes end that use it.
  timing::FailureKind kind_of_cut(platform::LinkId link) const {
    const platform::LinkKind kind = machine_.platform->link(link).kind;
    const bool is_network = kind == platform::LinkKind::nic || kind == platform::LinkKind::network;
    return is_network ? timing::FailureKind::cut : timing::FailureKind::killed;
  }

  std::vector<const Process*> processes_behind(const std::vector<platform::LinkId>& links) const {
    std::vector<std::int32_t> machines;
    for (const Process& process : processes_) machines.push_back(process.machine);
    const std::vector<std::int32_t> behind = machines_behind(links, *machine_.platform, machines);
    std::vector<const Process*> found;
    for (const Process& process : processes_)
      if (std::ranges::find(behind, process.machine) != behind.end()) found.push_back(&process);
    return found;
  }

  timing::Failure failure_of(const Process& process, timing::FailureKind kind) const {
    timing::Failure failure = process.lost;
    failure.kind = kind;
    failure.back_after = fault_->back_after.value_or(Seconds(0));
    failure.grace = fault_->grace.value_or(Seconds(0));
    return failure;
  }

  // A process ends with all of its devices.
  const Process* process_named(std::string_view key, const std::string& text) {
    const auto process = std::ranges::find(processes_, with_index(text), &Process::short_name);
    if (process != processes_.end()) return &*process;
    if (!is_cluster_ && (text == "chief" || text == "worker:0")) return &processes_.front();
    if (const Process* named = process_of_device(text))
      problems_.add(place(key), "a process is lost with all of its devices",
                    fmt::format("name the process: \"{}\"", is_cluster_ ? named->short_name : "chief"));
    else
      problems_.add(place(key), fmt::format("no task of this training has the name \"{}\"", printable(text)),
                    is_cluster_ ? did_you_mean(text, std::vector<std::string_view>(known_tasks_.begin(),
                                                                                   known_tasks_.end()))
                                : std::string("it has one process, which is \"chief\""));
    return nullptr;
  }

  const Process* process_of_device(const std::string& text) const {
    for (const Process& process : processes_) {
      if (text == process.lost.name) return &process;
      if (text.starts_with(process.lost.name + "/")) return &process;
    }
    try {
      return name_written(text).kind ? &processes_.front() : nullptr;
    } catch (const InputError&) {
      return nullptr;
    }
  }

  // "chief" is "chief:0".
  static std::string with_index(const std::string& text) {
    return text.find(':') == std::string::npos && text.find('/') == std::string::npos ? text + ":0" : text;
  }

  // ---- At random, and from a log

  void read_random() {
    timing::RandomFailures random;
    switch (*fault_->random) {
      case FailingPart::device:
        for (const Process& process : processes_)
          for (std::int64_t i = 0; i < devices_of(process); ++i)
            random.parts.push_back(failure_of(process, timing::FailureKind::killed));
        break;
      case FailingPart::machine:
        for (const Process& process : processes_)
          random.parts.push_back(failure_of(process, timing::FailureKind::killed));
        break;
      case FailingPart::link:
        if (!is_cluster_)
          return problems_.add(place("random"), "a training of one process needs no network", "leave it out");
        if (!fault_->back_after)
          problems_.add(place("random"), "a link that fails needs \"back_after\"",
                        "say when it carries bytes again, for example \"back_after\": \"20 s\"");
        for (const Process& process : processes_)
          random.parts.push_back(failure_of(process, timing::FailureKind::cut));
        break;
    }
    random.mean_time = *fault_->mean_time / static_cast<double>(random.parts.size());
    faults_.random.push_back(std::move(random));
  }

  // Devices that a worker computes on. A server or coordinator has none that count.
  std::int64_t devices_of(const Process& process) const {
    if (process.lost.victim != timing::Victim::worker) return 0;
    if (machine_.pool) return std::ssize(machine_.pool->workers.front()) * machine_.devices_of_each();
    return std::ranges::count(machine_.replicas, process.lost.task, &cluster::Replica::task) *
           machine_.devices_of_each();
  }

  // Machines that the training doesn't use may fail as they like.
  void read_log() {
    try {
      for (const LoggedFailure& logged : read_failure_log(existing(*fault_->log, place("log"))))
        for (const Process& process : processes_) {
          if (process.machine != logged.node) continue;
          timing::Failure failure = failure_of(process, timing::FailureKind::killed);
          failure.time = logged.start;
          failure.back_after = logged.end - logged.start;
          faults_.failures.push_back(std::move(failure));
        }
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems()) problems_.add(problem);
    }
  }

  void check_step(const std::optional<std::int64_t>& step, std::string_view key) {
    if (!step || *step < steps_) return;
    problems_.add(
        place(key),
        fmt::format("the training has {} steps, counted from 0, and never comes to step {}", steps_, *step),
        "name an earlier step, or train longer");
  }

  // The first device of each replica; of workers that take closures, the first device of each.
  std::vector<device::Name> computing_names() const {
    std::vector<device::Name> names;
    if (machine_.pool)
      for (const std::vector<cluster::Replica>& worker : machine_.pool->workers)
        names.push_back(worker.front().device.name);
    else
      for (const cluster::Replica& replica : machine_.replicas) names.push_back(replica.device.name);
    return names;
  }

  // In a cluster, a device's short name is the first worker's, as in a program.
  std::vector<std::size_t> find(const std::string& text) {
    std::vector<std::size_t> found;
    try {
      device::Name wanted = name_written(text);
      if (wanted.kind) wanted = merged(wanted, task_of(machine_.device().name));
      const std::vector<device::Name> computing = computing_names();
      for (std::size_t i = 0; i < computing.size(); ++i)
        if (merged(wanted, computing[i]) == computing[i]) found.push_back(i);
    } catch (const InputError&) {
      found.clear();
    }
    const std::vector<std::string_view> names(known_.begin(), known_.end());
    if (found.empty())
      problems_.add(place("slow"), fmt::format("no replica computes on \"{}\"", printable(text)),
                    did_you_mean(text, names));
    return found;
  }

  static constexpr std::size_t most_suggested = 60;

  const Scenario& scenario_;
  const cluster::Machine& machine_;
  const std::int64_t steps_;
  const std::vector<Process> processes_;
  bool is_cluster_ = false;
  std::vector<std::string> known_tasks_{};  // by process
  std::vector<std::string> known_{};        // what computes
  const Fault* fault_ = nullptr;            // the one that is read
  std::string key_{};
  Problems problems_{};
  timing::Faults faults_{};
};

}  // namespace

timing::Faults faults_of(const Scenario& scenario, const cluster::Machine& machine, std::int64_t steps) {
  return FaultReader(scenario, machine, steps).read();
}

}  // namespace wt::scenario
