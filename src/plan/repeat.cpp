#include "plan/repeat.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "base/id.h"
#include "plan/order.h"

namespace wt::plan {

namespace {

// With copies that are made ahead: the batch on which a device works, and one more.
constexpr int batches_on_devices = 2;

bool is_computed(const Plan& plan, const Node& node) {
  const auto* move = std::get_if<Move>(&node.action);
  if (move == nullptr) return stream_device(node).has_value();
  return plan.buffer(move->source.buffer).device == plan.buffer(move->target.buffer).device;
}

class Repeater {
 public:
  Repeater(const Timed& step, const Repetition& repetition)
      : step_(step), options_(repetition), made_{.timed = {.plan = {.name = step.plan.name}}} {
    WT_EXPECT(options_.processes.size() == step.plan.devices.size(), "{} processes for {} devices",
              options_.processes.size(), step.plan.devices.size());
    for (const int process : options_.processes) count_ = std::max(count_, process + 1);
    look_at_nodes();
    Plan& plan = made_.timed.plan;
    plan.devices = step.plan.devices;
    plan.buffers = step.plan.buffers;
    made_.timed.costs.basis = step.costs.basis;
    for (int process = 0; process < count_; ++process) signals_.push_back(add_signal(first_device(process)));
    for (const Pipeline& pipeline : options_.pipelines) rows_.push_back(add_signal(pipeline.host));
    plan.nodes.reserve(static_cast<std::size_t>(options_.steps) *
                       (step.plan.nodes.size() + signals_.size() + rows_.size()));
  }

  Repeated repeat() && {
    for (int step = 0; step < options_.steps; ++step) {
      read_rows(step);
      made_.first.push_back(next());
      for (std::size_t id = 0; id < step_.plan.nodes.size(); ++id) add(step, id);
      end(step);
    }
    return std::move(made_);
  }

 private:
  NodeId next() const { return static_cast<NodeId>(made_.timed.plan.nodes.size()); }
  int process_of(DeviceId device) const { return options_.processes[index(device)]; }

  DeviceId first_device(int process) const {
    const auto found = std::ranges::find(options_.processes, process);
    WT_EXPECT(found != options_.processes.end(), "process {} has no device", process);
    return static_cast<DeviceId>(found - options_.processes.begin());
  }

  // Finds the copies that can be made ahead, the nodes that begin a step, and those that end it in each
  // process.
  void look_at_nodes() {
    const Plan& plan = step_.plan;
    fed_.resize(static_cast<std::size_t>(count_));
    ends_.resize(static_cast<std::size_t>(count_));
    for (const Node& node : plan.nodes) {
      is_copy_.push_back(is_copy_of_rows(plan, node));
      is_first_.push_back(
          std::ranges::all_of(node.after, [&](NodeId other) { return is_copy_[index(other)]; }));
      const DeviceId device = devices_of(plan, node.action)[0];
      if (is_copy_.back()) fed_[static_cast<std::size_t>(process_of(device))].insert(device);
    }
    for (const Node& node : plan.nodes) {
      std::vector<int>& own = processes_.emplace_back();
      for (const DeviceId device : devices_of(plan, node.action)) own.push_back(process_of(device));
      std::ranges::sort(own);
      own.erase(std::unique(own.begin(), own.end()), own.end());
    }
    std::vector<std::vector<int>> goes_on(plan.nodes.size());  // by node, the processes that depend on it
    for (std::size_t id = 0; id < plan.nodes.size(); ++id)
      for (const NodeId other : plan.nodes[id].after)
        goes_on[index(other)].insert(goes_on[index(other)].end(), processes_[id].begin(),
                                     processes_[id].end());
    for (std::size_t id = 0; id < plan.nodes.size(); ++id)
      for (const int process : processes_[id])
        if (std::ranges::find(goes_on[id], process) == goes_on[id].end())
          ends_[static_cast<std::size_t>(process)].push_back(id);
  }

  // The operand of a signal: an empty Move onto itself, which has dependencies and takes time only if a time
  // is given.
  Operand add_signal(DeviceId device) {
    const TensorSpec nothing{Type::float32, Shape{0}};
    return {made_.timed.plan.add_buffer({"", device, Bytes(0), BufferKind::input, {}}), nothing, {}};
  }
  NodeId signal(const Operand& where, Seconds time, std::vector<NodeId> after, const Label& label) {
    const NodeId node = made_.timed.plan.add_node(Move{where, where, {}}, label);
    insert(made_.timed.plan.nodes.back().after, after);
    made_.timed.costs.nodes.push_back({.seconds = time});
    return node;
  }

  // The number of steps by which a process takes a batch from its pipeline ahead of the end of a step: the
  // batch of step s is taken when step s - lead is over. Processes that copy rows ahead take it one step
  // earlier.
  int lead(int process) const {
    const bool is_ahead =
        options_.copies != RowCopies::in_the_step && !fed_[static_cast<std::size_t>(process)].empty();
    return is_ahead ? batches_on_devices : 1;
  }

  void wait_for_end(std::vector<NodeId>& after, int step, int process) const {
    if (step >= 0)
      after.push_back(made_.ends[static_cast<std::size_t>(step)][static_cast<std::size_t>(process)]);
  }

  // A pipeline prepares one batch after the other. If `prefetch` batches wait, it pauses until one of them is
  // taken.
  void read_rows(int step) {
    std::vector<NodeId> read;
    for (std::size_t i = 0; i < options_.pipelines.size(); ++i) {
      const Pipeline& pipeline = options_.pipelines[i];
      std::vector<NodeId> after;
      if (step > 0) after.push_back(read_[i]);
      wait_for_end(after, step - options_.prefetch - lead(pipeline.process), pipeline.process);
      read.push_back(signal(rows_[i], pipeline.batch, after, {"rows/input", {Purpose::input_pipeline}}));
    }
    read_ = std::move(read);
  }

  void add_rows(std::vector<NodeId>& after, int process) const {
    for (std::size_t i = 0; i < options_.pipelines.size(); ++i)
      if (options_.pipelines[i].process == process) after.push_back(read_[i]);
  }

  void add(int step, std::size_t id) {
    const Node& original = step_.plan.nodes[id];
    const auto first = static_cast<std::int32_t>(index(made_.first.back()));
    std::vector<NodeId> after;
    for (const NodeId other : original.after)
      after.push_back(static_cast<NodeId>(first + static_cast<std::int32_t>(index(other))));
    if (is_first_[id])
      for (const int process : processes_[id]) begin(after, step, id, process);
    // A device has one stream for copies from its host.
    if (is_copy_[id] && step > 0)
      after.push_back(
          static_cast<NodeId>(static_cast<std::size_t>(index(made_.first[made_.first.size() - 2])) + id));
    Plan& plan = made_.timed.plan;
    plan.add_node(original.action, {original.scope, original.role});
    plan.nodes.back().stream = original.stream;
    insert(plan.nodes.back().after, after);
    if (original.behind)
      plan.nodes.back().behind =
          static_cast<NodeId>(first + static_cast<std::int32_t>(index(*original.behind)));
    Cost cost = step_.costs.nodes[id];
    if (options_.pace && is_computed(step_.plan, original))
      cost.seconds *= options_.pace(step, devices_of(step_.plan, original.action)[0]);
    made_.timed.costs.nodes.push_back(cost);
  }

  void begin(std::vector<NodeId>& after, int step, std::size_t id, int process) const {
    if (is_copy_[id] || fed_[static_cast<std::size_t>(process)].empty()) add_rows(after, process);
    wait_for_end(after, step - (is_copy_[id] ? lead(process) : 1), process);
  }

  void end(int step) {
    made_.ends.emplace_back();
    const auto first = static_cast<std::int32_t>(index(made_.first.back()));
    for (int process = 0; process < count_; ++process) {
      std::vector<NodeId> after;
      for (const std::size_t id : ends_[static_cast<std::size_t>(process)])
        after.push_back(static_cast<NodeId>(first + static_cast<std::int32_t>(id)));
      wait_for_end(after, step - 1, process);
      const Operand& where = signals_[static_cast<std::size_t>(process)];
      if (options_.end.launching > Seconds(0)) {
        std::vector<NodeId> before;
        wait_for_end(before, step - 1, process);
        after.push_back(
            signal(where, options_.end.launching, before, {"launches", {Purpose::synchronization}}));
      }
      made_.ends.back().push_back(signal(where, options_.end.synchronization + options_.end.software, after,
                                         {"end of step", {Purpose::synchronization}}));
    }
  }

  const Timed& step_;
  const Repetition& options_;
  Repeated made_;
  int count_ = 0;                                 // number of processes
  std::vector<bool> is_copy_{};                   // by node of the step
  std::vector<bool> is_first_{};                  // by node of the step: it depends on such copies only
  std::vector<std::set<DeviceId>> fed_{};         // by process, the devices to which rows are copied
  std::vector<std::vector<int>> processes_{};     // by node
  std::vector<std::vector<std::size_t>> ends_{};  // by process, nodes without a successor in the process
  std::vector<Operand> signals_{}, rows_{};
  std::vector<NodeId> read_{};  // by pipeline, the node that prepared the last batch
};

bool is_close(Seconds a, Seconds b) { return std::abs((a - b).count()) <= 1e-9 * b.count(); }

}  // namespace

Repeated repeated(const Timed& step, const Repetition& repetition) {
  return Repeater(step, repetition).repeat();
}

std::vector<Seconds> step_times(const Repeated& repeated, std::span<const Seconds> node_ends) {
  std::vector<Seconds> times;
  Seconds before{};
  for (const std::vector<NodeId>& ends : repeated.ends) {
    Seconds end{};
    for (const NodeId node : ends) end = std::max(end, node_ends[index(node)]);
    times.push_back(end - before);
    before = end;
  }
  return times;
}

std::optional<Steady> steady_state(std::span<const Seconds> steps) {
  constexpr std::size_t longest = 4, times = 3;
  for (std::size_t period = 1; period <= longest; ++period) {
    std::size_t from = steps.size();
    while (from > period && is_close(steps[from - 1 - period], steps[from - 1])) --from;
    from -= std::min(from, period);
    if (steps.size() < from + times * period) continue;
    const std::span<const Seconds> last = steps.last(period);
    const Seconds sum = std::accumulate(last.begin(), last.end(), Seconds(0));
    return Steady{from, period, sum / static_cast<double>(period)};
  }
  return std::nullopt;
}

}  // namespace wt::plan
