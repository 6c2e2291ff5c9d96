#include "plan/pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/id.h"
#include "base/narrow.h"
#include "plan/order.h"

namespace wt::plan {

namespace {

constexpr std::int32_t none = Pooled::none;

// Makes every message wait for the earlier users of its slot. In a plan of one step, time does not know of
// that wait (Node::slot_after); but the nodes of closures are executed in the order of their times.
Plan with_waits_for_slots(Plan plan) {
  for (Node& node : plan.nodes) insert(node.after, std::exchange(node.slot_after, {}));
  return plan;
}

class Pooling {
 public:
  Pooling(const Plan& one, std::span<const std::vector<Device>> workers, std::size_t replicas)
      : one_(with_waits_for_slots(one)), workers_(workers), replicas_(replicas), made_{.plan = one_} {
    WT_EXPECT(!workers.empty() && !one.out_of_memory, "{} workers for plan {}", workers.size(), one.name);
    find_places();
    find_shared();
    for (const std::int32_t place : place_) made_.worker_of.push_back(place == none ? none : 0);
  }

  Pooled pooled() && {
    made_.tasks.push_back({NodeId{0}, id_of<NodeId>(one_.nodes.size())});
    for (std::size_t worker = 1; worker < workers_.size(); ++worker) add(worker);
    for (std::size_t i = 0; i < place_.size(); ++i)
      if (place_[i] == none)
        made_.plan.devices[i].arena +=
            (one_.devices[i].arena - shared_end_[i]) * narrow<std::int64_t>(workers_.size() - 1);
    return std::move(made_);
  }

 private:
  template <class Id>
  static Id id_of(std::size_t number) {
    return static_cast<Id>(narrow<std::int32_t>(number));
  }

  // Which device of the first worker a device of the plan is.
  void find_places() {
    for (const Device& device : one_.devices) {
      const auto own = std::ranges::find(workers_.front(), device.name, &Device::name);
      place_.push_back(own == workers_.front().end() ? none
                                                     : narrow<std::int32_t>(own - workers_.front().begin()));
    }
  }

  // The allocator places buffers that outlive the step before all others.
  void find_shared() {
    shared_end_.resize(one_.devices.size());
    for (const Buffer& buffer : one_.buffers) {
      Bytes& end = shared_end_[index(buffer.device)];
      if (outlives_step(buffer.kind))
        end = std::max(end, device::rounded_to_granule(buffer.address + buffer.bytes));
    }
  }

  bool is_shared(const Buffer& buffer) const {
    return place_[index(buffer.device)] == none && outlives_step(buffer.kind);
  }

  void add(std::size_t worker) {
    WT_EXPECT(workers_[worker].size() == workers_.front().size(),
              "worker {} has {} devices, the first one {}", worker, workers_[worker].size(),
              workers_.front().size());
    worker_ = worker;
    add_devices();
    add_buffers();
    const std::size_t first = made_.plan.nodes.size();
    for (const Node& node : one_.nodes) made_.plan.nodes.push_back(node_of(node, first));
    made_.tasks.push_back({id_of<NodeId>(first), id_of<NodeId>(made_.plan.nodes.size())});
    add_ports(one_.inputs, made_.plan.inputs);
    add_ports(one_.variables, made_.plan.variables);
    add_ports(one_.results, made_.plan.results);
  }

  void add_devices() {
    devices_.clear();
    for (std::size_t i = 0; i < one_.devices.size(); ++i) {
      devices_.push_back(id_of<DeviceId>(i));
      if (place_[i] == none) continue;
      const Device& own = workers_[worker_][static_cast<std::size_t>(place_[i])];
      devices_.back() = id_of<DeviceId>(made_.plan.devices.size());
      made_.plan.devices.push_back(one_.devices[i]);
      made_.plan.devices.back().name = own.name;
      made_.plan.devices.back().memory = own.memory;
      made_.worker_of.push_back(narrow<std::int32_t>(worker_));
    }
  }

  void add_buffers() {
    buffers_.clear();
    for (std::size_t i = 0; i < one_.buffers.size(); ++i) {
      buffers_.push_back(id_of<BufferId>(i));
      Buffer buffer = one_.buffers[i];
      if (is_shared(buffer)) continue;
      const std::size_t at = index(buffer.device);
      if (place_[at] == none)
        buffer.address += (one_.devices[at].arena - shared_end_[at]) * narrow<std::int64_t>(worker_);
      buffer.device = devices_[at];
      buffers_.back() = made_.plan.add_buffer(std::move(buffer));
    }
  }

  // ---- Nodes

  Node node_of(Node node, std::size_t first) const {
    const auto moved = [&](NodeId& id) { id = id_of<NodeId>(index(id) + first); };
    std::ranges::for_each(node.after, moved);
    if (node.behind) moved(*node.behind);
    if (node.role.replica != Role::everyone) node.role.replica += narrow<std::int32_t>(worker_ * replicas_);
    node.scope = fmt::format("worker_{}/{}", worker_, node.scope);
    std::visit([this](auto& action) { move(action); }, node.action);
    return node;
  }

  void move(Operand& operand) const { operand.buffer = buffers_[index(operand.buffer)]; }
  void move(std::vector<Operand>& operands) const {
    for (Operand& operand : operands) move(operand);
  }
  void move(DeviceId& device) const { device = devices_[index(device)]; }
  void move(Run& run) const {
    move(run.device), move(run.inputs), move(run.outputs);
    if (run.workspace) run.workspace = buffers_[index(*run.workspace)];
  }
  void move(Move& message) const {
    move(message.source), move(message.target);
    for (Move& piece : message.more) move(piece);
  }
  void move(Sum& sum) const { move(sum.device), move(sum.slots), move(sum.output); }
  void move(Collective& collective) const { move(collective.values); }

  // ---- Ports

  void add_ports(const std::vector<Port>& ports, std::vector<Port>& all) const {
    for (Port port : ports) {
      if (is_shared(one_.buffer(port.operand.buffer))) continue;
      port.name = name_of(port.name);
      move(port.operand);
      all.push_back(std::move(port));
    }
  }

  // "x" and "x/replica_1" of a worker with two replicas are "x/replica_2" and "x/replica_3" of the next one.
  std::string name_of(const std::string& name) const {
    constexpr std::string_view mark = "/replica_";
    const std::size_t at = replicas_ > 1 ? name.rfind(mark) : std::string::npos;
    std::size_t replica = 0;
    if (at != std::string::npos) replica = std::stoul(name.substr(at + mark.size()));
    return fmt::format("{}{}{}", name.substr(0, at), mark, worker_ * replicas_ + replica);
  }

  const Plan one_;
  std::span<const std::vector<Device>> workers_;
  const std::size_t replicas_;
  Pooled made_;
  std::vector<std::int32_t> place_{};  // by device of `one_`: the worker's device; `none` of a server
  std::vector<Bytes> shared_end_{};    // by device of `one_`: the end of what outlives the step
  std::size_t worker_ = 0;             // the one that is being added
  std::vector<DeviceId> devices_{};    // by device of `one_`, for this worker
  std::vector<BufferId> buffers_{};    // by buffer of `one_`
};

}  // namespace

Pooled pooled(const Plan& one, std::span<const std::vector<Device>> workers, std::size_t replicas) {
  return Pooling(one, workers, replicas).pooled();
}

}  // namespace wt::plan
