#include "timing/several_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/id.h"
#include "base/random.h"
#include "base/rough.h"
#include "plan/unfold.h"
#include "simulate/simulate.h"

namespace wt::timing {

namespace {

constexpr int first_try = 8, last_try = 64;  // numbers of steps to simulate until the step times repeat
constexpr int steps_with_jitter = 100, least_steps_with_jitter = 10;
constexpr std::size_t most_nodes = 2'000'000, most_requested_nodes = 2'500'000;

class StepsPlayer {
 public:
  StepsPlayer(const plan::Plan& plan, const plan::Costs& costs, const cluster::Machine& machine,
              const plan::StepEnd& end, plan::RowCopies copies, const StepsOptions& options)
      : plan_(plan),
        machine_(machine),
        options_(options),
        condensed_(copies == plan::RowCopies::none ? plan::condensed(plan::with_rows_ahead(plan), costs)
                                                   : plan::condensed(plan, costs)),
        step_(condensed_.timed),
        end_(end),
        copies_(copies) {
    for (std::size_t i = 0; i < machine.replicas.size(); ++i) {
      const cluster::Replica& replica = machine.replicas[i];
      for (const device::LogicalDevice& device : replica.devices()) {
        replica_of_[print(device.name)] = i;
        task_of_[print(device.name)] = replica.task;
      }
      task_of_[print(device::host_of(replica.device.name))] = replica.task;
    }
    if (is_slowed() && is_folded()) unfold();
  }

  SeveralSteps play() && {
    if (options_.jitter > 0 || options_.count) {
      require_affordable(count());
      play(count());
    } else {
      for (int steps = first_try; steps <= last_try && !made_.steady; steps *= 2) play(steps);
    }
    settle();
    return std::move(made_);
  }

 private:
  bool is_slowed() const { return options_.jitter > 0 || !options_.slow.empty(); }
  bool is_folded() const {
    return static_cast<std::size_t>(std::ranges::count_if(plan_.devices, [&](const plan::Device& device) {
             return replica_of_.contains(device.name);
           })) < replica_of_.size();
  }

  int count() const {
    if (options_.count) return *options_.count;
    const std::size_t affordable = most_nodes / std::max(std::size_t{1}, step_.plan.nodes.size());
    return std::clamp(static_cast<int>(std::min<std::size_t>(affordable, steps_with_jitter)),
                      least_steps_with_jitter, steps_with_jitter);
  }

  // Every node of every step is simulated, and takes about a kibibyte.
  void require_affordable(int steps) const {
    const std::size_t each = std::max(std::size_t{1}, step_.plan.nodes.size());
    const std::size_t affordable =
        std::max<std::size_t>(most_requested_nodes / each, least_steps_with_jitter);
    if (!options_.count || static_cast<std::size_t>(steps) <= affordable) return;
    throw InputError(Problem{options_.count_at,
                             fmt::format("{} steps of {} are too many to simulate one after the other", steps,
                                         counted(std::ssize(step_.plan.nodes), "node")),
                             fmt::format("simulate at most {}", affordable)});
  }

  // ---- Replacing a task by all tasks that it stands for

  // Each task has the devices of its replicas in their order, and its host.
  void unfold() {
    std::map<int, std::vector<const cluster::Replica*>> tasks;
    for (const cluster::Replica& replica : machine_.replicas) tasks[replica.task].push_back(&replica);
    std::vector<std::vector<plan::Device>> devices;
    for (const auto& [task, replicas] : tasks) {
      std::size_t next = 0;
      for (const plan::Device& device : devices.emplace_back(plan_.devices))
        WT_EXPECT(task_of_.contains(device.name), "the device {} belongs to no task", device.name);
      for (plan::Device& device : devices.back()) {
        const bool is_replica = replica_of_.contains(device.name);
        device.name = print(is_replica ? replicas.at(next)->device.name
                                       : device::host_of(replicas.front()->device.name));
        if (is_replica) ++next;
      }
    }
    plan::Unfolded unfolded = plan::unfolded(step_, devices);
    step_ = std::move(unfolded.timed);
    first_task_ = std::move(unfolded.first);
    made_.is_unfolded = true;
  }

  // ---- The simulation

  void play(int steps) {
    plan::Repetition repetition{
        .steps = steps, .end = end_, .prefetch = options_.prefetch, .copies = copies_};
    for (const plan::Device& device : step_.plan.devices) {
      const auto task = task_of_.find(device.name);  // a switch that adds belongs to no task
      repetition.processes.push_back(task == task_of_.end() ? 0 : task->second);
    }
    add_pipelines(repetition);
    if (is_slowed()) add_pace(repetition);
    made_.repeated = plan::repeated(step_, repetition);
    std::vector<platform::Endpoint> where;
    for (const plan::Device& device : step_.plan.devices) where.push_back(machine_.endpoint(device.name));
    made_.timeline =
        simulate::simulate(made_.repeated.timed.plan, made_.repeated.timed.costs, *machine_.platform, where);
    std::vector<Seconds> ends;
    for (const plan::Span& span : made_.timeline.nodes) ends.push_back(span.end);
    made_.times = plan::step_times(made_.repeated, ends);
    if (options_.jitter == 0) made_.steady = plan::steady_state(made_.times);
  }

  // A pipeline runs on the host. If replicas are their own hosts, it runs on the first replica.
  void add_pipelines(plan::Repetition& repetition) const {
    if (options_.rows.empty()) return;
    std::map<int, plan::DeviceId> hosts;
    for (std::size_t i = 0; i < step_.plan.devices.size(); ++i) {
      const std::string& name = step_.plan.devices[i].name;
      const auto task = task_of_.find(name);
      if (task == task_of_.end()) continue;
      const auto id = static_cast<plan::DeviceId>(i);
      const auto [host, is_new] = hosts.try_emplace(task->second, id);
      if (!replica_of_.contains(name)) host->second = id;
    }
    for (const auto& [task, host] : hosts)
      repetition.pipelines.push_back({task, host, options_.rows.at(static_cast<std::size_t>(task))});
  }

  void add_pace(plan::Repetition& repetition) const {
    const std::size_t replicas = machine_.replicas.size();
    const auto steps = static_cast<std::size_t>(repetition.steps);
    std::vector<double> factors(steps * replicas, 1.0);
    if (options_.jitter > 0) factors = jitter_factors(options_.jitter, options_.seed, steps * replicas);
    std::vector<std::optional<std::size_t>> replica_of;  // by device
    for (const plan::Device& device : step_.plan.devices) {
      const auto found = replica_of_.find(device.name);
      replica_of.push_back(found == replica_of_.end() ? std::nullopt : std::optional(found->second));
    }
    repetition.pace = [this, replicas, factors, replica_of](int step, plan::DeviceId device) {
      const std::optional<std::size_t> replica = replica_of[index(device)];
      if (!replica) return 1.0;
      const double slow = options_.slow.empty() ? 1.0 : options_.slow.at(*replica);
      return slow * factors[static_cast<std::size_t>(step) * replicas + *replica];
    };
  }

  // ---- The result

  void settle() {
    const std::size_t played = made_.times.size();
    if (made_.steady)
      made_.from = played - made_.steady->period;
    else
      made_.from = options_.jitter > 0 ? std::min<std::size_t>(1, played - 1) : played / 2;
    set_last();
    set_software();
    const auto steps = static_cast<std::int64_t>(played);
    made_.last.links = made_.timeline.links;
    for (plan::LinkUse& link : made_.last.links) {
      link.carried = link.carried / steps;
      link.busy = link.busy / static_cast<double>(steps);
    }
    made_.last.end = made_.step();
  }

  // Sets the spans of the last step's nodes, which condensing had joined, in the plan of one step.
  void set_last() {
    const std::size_t first = index(made_.repeated.first.back());
    const Seconds begin = sum_of_all_but_the_last();
    for (const plan::Stretch& stretch : condensed_.stretches) {
      const std::size_t node =
          first_task_.empty() ? index(stretch.node) : index(first_task_[index(stretch.node)]);
      const plan::Span& span = made_.timeline.nodes[first + node];
      const Seconds whole = condensed_.timed.costs.nodes[index(stretch.node)].seconds;
      const bool is_all = stretch.begin == Seconds(0) && stretch.end == whole;
      const double pace = is_all ? 1 : (span.end - span.start) / whole;
      made_.last.nodes.push_back(
          is_all ? span : plan::Span{span.start + stretch.begin * pace, span.start + stretch.end * pace});
    }
    for (plan::Span& span : made_.last.nodes)
      span = {std::max(Seconds(0), span.start - begin), std::max(Seconds(0), span.end - begin)};
    if (!options_.rows.empty()) set_rows_of_last(begin);
  }

  // All but the time in which the devices are synchronized.
  void set_software() {
    const plan::Plan& plan = made_.repeated.timed.plan;
    for (std::size_t step = 0; step < made_.times.size(); ++step) {
      const plan::NodeId last = made_.repeated.ends[step].front();
      Seconds work = step == 0 ? Seconds(0) : end_of(made_.repeated.ends[step - 1].front());
      for (const plan::NodeId before : plan.node(last).after)
        if (plan.node(before).role.purpose != plan::Purpose::synchronization)
          work = std::max(work, end_of(before));
      made_.software.push_back({work, std::max(work, end_of(last) - end_.synchronization)});
    }
  }
  Seconds end_of(plan::NodeId node) const { return made_.timeline.nodes[index(node)].end; }

  Seconds sum_of_all_but_the_last() const {
    Seconds sum{};
    for (std::size_t step = 0; step + 1 < made_.times.size(); ++step) sum += made_.times[step];
    return sum;
  }

  // A device has the rows of the last step when they are copied to it, or when its task has read them.
  void set_rows_of_last(Seconds begin) {
    made_.rows_arrive.resize(plan_.devices.size());
    const plan::Plan& plan = made_.repeated.timed.plan;
    const std::size_t steps = made_.times.size();
    const std::size_t from = steps > 1 ? index(made_.repeated.ends[steps - 2].front()) : 0;
    for (std::size_t i = from; i < index(made_.repeated.ends.back().front()); ++i) {
      const auto* move = std::get_if<plan::Move>(&plan.nodes[i].action);
      const plan::Purpose purpose = plan.nodes[i].role.purpose;
      if (move == nullptr ||
          (purpose != plan::Purpose::input_copy && purpose != plan::Purpose::input_pipeline))
        continue;
      const std::size_t device = index(plan.buffer(move->target.buffer).device);
      if (device >= made_.rows_arrive.size()) continue;  // of another task than the one that stands for all
      Seconds& arrival = made_.rows_arrive[device];
      arrival = std::max(arrival, made_.timeline.nodes[i].end - begin);
    }
  }

  const plan::Plan& plan_;
  const cluster::Machine& machine_;
  const StepsOptions& options_;
  plan::Condensed condensed_;
  plan::Timed step_;
  std::vector<plan::NodeId> first_task_{};  // by node of the step, that of the first task
  plan::StepEnd end_{};
  plan::RowCopies copies_{};
  std::map<std::string, std::size_t, std::less<>> replica_of_{};
  std::map<std::string, int, std::less<>> task_of_{};
  SeveralSteps made_{};
};

Seconds sum(std::span<const Seconds> times) {
  Seconds sum{};
  for (const Seconds time : times) sum += time;
  return sum;
}

}  // namespace

Seconds SeveralSteps::begin() const { return sum(std::span(times).first(from)); }

Seconds SeveralSteps::step() const {
  const std::span<const Seconds> reported = std::span(times).subspan(from);
  return sum(reported) / static_cast<double>(reported.size());
}

SeveralSteps play_steps(const plan::Plan& plan, const plan::Costs& costs, const cluster::Machine& machine,
                        const plan::StepEnd& end, plan::RowCopies copies, const StepsOptions& options) {
  return StepsPlayer(plan, costs, machine, end, copies, options).play();
}

std::vector<double> jitter_factors(double jitter, std::int64_t seed, std::size_t count) {
  // The letters of "jitter". Other uses of the seed have other streams.
  constexpr std::int64_t stream = 0x6a6974746572;
  std::vector<float> normal(count);
  fill_normal(normal, stream_of({seed, stream}));
  const double variance = std::log1p(jitter * jitter);
  std::vector<double> factors;
  for (const float z : normal)
    factors.push_back(std::exp(std::sqrt(variance) * static_cast<double>(z) - variance / 2));
  return factors;
}

}  // namespace wt::timing
