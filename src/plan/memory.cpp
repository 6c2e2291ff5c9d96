#include "plan/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "kernel/operation_name.h"

namespace wt::plan {

namespace {

// The nodes from the first access of a buffer to the last. A buffer that outlives the step is needed at all
// times.
struct Lifetime {
  std::int32_t first = -1;
  std::int32_t last = -1;
};

std::vector<Lifetime> lifetimes(const Plan& plan) {
  std::vector<Lifetime> result(plan.buffers.size());
  for (std::size_t node = 0; node < plan.nodes.size(); ++node) {
    const auto touch = [&](BufferId buffer) {
      Lifetime& lifetime = result[index(buffer)];
      if (lifetime.first < 0) lifetime.first = static_cast<std::int32_t>(node);
      lifetime.last = static_cast<std::int32_t>(node);
    };
    for (const BufferId buffer : reads(plan.nodes[node].action)) touch(buffer);
    for (const BufferId buffer : writes(plan.nodes[node].action)) touch(buffer);
  }
  return result;
}

// A tensor without elements also gets an address of its own.
Bytes wanted(Bytes bytes) { return std::max(bytes, Bytes(1)); }
Bytes rounded(Bytes bytes) { return device::rounded_to_granule(wanted(bytes)); }
Bytes rounded(const Plan& plan, const Buffer& buffer) { return rounded(stored(plan, buffer)); }

bool rounds_activations(const Device& device) { return device.memory && device.memory->rounds_activations; }

// The options for a device without a limit: one region of 1 EiB, and no slack in its chunks, since it does
// not represent a TensorFlow allocator.
device::MemoryOptions without_limit() {
  constexpr std::int64_t limit = std::int64_t{1} << 60;
  return {.allocator = "cpu",
          .limit = Bytes(limit),
          .fragmentation_fraction = static_cast<double>(address_granule) / static_cast<double>(limit)};
}

// The options for as many bytes as are asked for, with the places of the device's own allocator.
device::MemoryOptions of_any_size(const Device& device) {
  device::MemoryOptions options = without_limit();
  if (!device.memory) return options;
  const Bytes limit = options.limit;
  options = *device.memory;
  options.fragmentation_fraction *= options.limit / limit;
  options.limit = limit;
  options.obtainable.reset();
  return options;
}

// The buffer that used each range of a device's addresses last.
class Holders {
 public:
  // Records that `user` now holds [start, start + size), and returns the buffers that held parts of the range
  // before.
  std::vector<BufferId> take_over(BufferId user, std::int64_t start, std::int64_t size) {
    split_at(start);
    split_at(start + size);
    std::vector<BufferId> previous;
    auto range = uses_.lower_bound(start);
    while (range != uses_.end() && range->first < start + size) {
      previous.push_back(range->second.user);
      range = uses_.erase(range);
    }
    uses_.emplace_hint(range, start, Use{user, size});
    return previous;
  }

 private:
  struct Use {
    BufferId user{};
    std::int64_t size = 0;
  };

  void split_at(std::int64_t address) {
    auto range = uses_.upper_bound(address);
    if (range == uses_.begin()) return;
    --range;
    const std::int64_t end = range->first + range->second.size;
    if (range->first == address || end <= address) return;
    uses_[address] = {range->second.user, end - address};
    range->second.size = address - range->first;
  }

  std::map<std::int64_t, Use> uses_{};  // by start address
};

// The name in an out-of-memory log: TensorFlow's operation in its layer, or the buffer's own name if it
// outlives the step.
std::string requester(const Plan& plan, BufferId buffer, std::optional<NodeId> id) {
  if (!id) return plan.buffer(buffer).name;
  const Node& node = plan.node(*id);
  std::string operation(kernel_name(node));
  if (const auto* run = std::get_if<Run>(&node.action)) {
    std::vector<TensorSpec> inputs;
    for (const Operand& input : run->inputs) inputs.push_back(input.spec);
    const std::string_view name = operation_name(run->kernel->name, inputs, run->attributes);
    if (!name.empty()) operation = name;
  }
  return node.scope.empty() ? operation : fmt::format("{}/{}", node.scope, operation);
}

bool is_of_collective(const Buffer& buffer) {
  return buffer.kind == BufferKind::communication || buffer.kind == BufferKind::arrival;
}

// The nodes that access a buffer first. Nodes that work on parts of it, as those of collectives do, may be
// many, and may run in any order.
std::vector<std::vector<NodeId>> entrances(const Plan& plan) {
  std::vector<std::vector<NodeId>> result(plan.buffers.size());
  const auto touches = [&](NodeId id, BufferId buffer) {
    const std::vector<BufferId> read = reads(plan.node(id).action), written = writes(plan.node(id).action);
    return std::ranges::find(read, buffer) != read.end() ||
           std::ranges::find(written, buffer) != written.end();
  };
  for (const NodeId id : canonical_order(plan))
    for (const BufferId buffer : writes(plan.node(id).action)) {
      std::vector<NodeId>& first = result[index(buffer)];
      const bool is_alone = !is_of_collective(plan.buffer(buffer));
      if (!first.empty() && (is_alone || first.back() == id)) continue;
      const std::vector<NodeId>& after = plan.node(id).after;
      if (first.empty() || std::ranges::none_of(after, [&](NodeId other) { return touches(other, buffer); }))
        first.push_back(id);
    }
  return result;
}

bool is_between_devices(const Plan& plan, const Action& action) {
  const auto* move = std::get_if<Move>(&action);
  return move != nullptr &&
         plan.buffer(move->source.buffer).device != plan.buffer(move->target.buffer).device;
}

class Planner {
 public:
  Planner(Plan& plan, const std::vector<Frontier>& last)
      : plan_(plan),
        last_(last),
        entrances_(entrances(plan)),
        held_(plan.buffers.size(), false),
        ends_(plan.devices.size()),
        stored_end_(plan.devices.size()) {
    for (const Device& device : plan.devices) {
      allocators_.emplace_back(device.memory ? *device.memory : without_limit());
      addresses_.emplace_back();
      if (rounds_activations(device)) addresses_.back().emplace(without_limit());
    }
    for (const Buffer& buffer : plan.buffers)
      if (const std::size_t device = index(buffer.device); !is_stored(buffer) && !addresses_[device])
        addresses_[device].emplace(of_any_size(plan.devices[device]));
    stored_.resize(plan.buffers.size());
    holders_.resize(plan.devices.size());
    plan.out_of_memory.reset();
  }

  // Both functions return whether the memory sufficed.
  bool place_what_outlives_the_step() {
    for (std::size_t i = 0; i < plan_.buffers.size(); ++i)
      if (outlives_step(plan_.buffers[i].kind) && !place(static_cast<BufferId>(i), {})) return false;
    return true;
  }

  bool place_the_rest() {
    const std::vector<Lifetime> life = lifetimes(plan_);
    const std::size_t count = plan_.nodes.size();
    std::vector<std::vector<BufferId>> starting(count);
    std::vector<std::vector<BufferId>> ending(count);
    for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
      if (outlives_step(plan_.buffers[i].kind) || life[i].first < 0) continue;
      starting[static_cast<std::size_t>(life[i].first)].push_back(static_cast<BufferId>(i));
      ending[static_cast<std::size_t>(life[i].last)].push_back(static_cast<BufferId>(i));
    }
    for (std::size_t node = 0; node < count; ++node) {
      for (const BufferId buffer : starting[node])
        if (!place(buffer, static_cast<NodeId>(node))) return false;
      for (const BufferId buffer : ending[node]) release(buffer);
    }
    return true;
  }

  void set_arenas() {
    for (std::size_t i = 0; i < allocators_.size(); ++i) {
      plan_.devices[i].arena = Bytes(ends_[i]);
      if (addresses_[i]) plan_.devices[i].stored = stored_end_[i];
      plan_.devices[i].statistics = allocators_[i].statistics();
    }
  }

 private:
  bool place(BufferId id, std::optional<NodeId> node) {
    Buffer& buffer = plan_.buffers[index(id)];
    const std::size_t device = index(buffer.device);
    if (is_stored(buffer) && !store(id, node)) return false;
    buffer.address =
        addresses_[device] ? addresses_[device]->allocate(wanted(buffer.bytes)).value() : stored_[index(id)];
    held_[index(id)] = true;
    const std::int64_t size = rounded(buffer.bytes).count();
    ends_[device] = std::max(ends_[device], buffer.address.count() + size);
    for (const BufferId previous : holders_[device].take_over(id, buffer.address.count(), size))
      for (const NodeId entrance : entrances_[index(id)])
        take_over(plan_.nodes[index(entrance)], id, previous);
    return true;
  }

  bool store(BufferId id, std::optional<NodeId> node) {
    const Buffer& buffer = plan_.buffer(id);
    const std::size_t device = index(buffer.device);
    const Bytes bytes = stored(plan_, buffer);
    const std::optional<Bytes> place = allocators_[device].allocate(wanted(bytes));
    if (!place) {
      report_out_of_memory(id, node);
      return false;
    }
    stored_[index(id)] = *place;
    stored_end_[device] = std::max(stored_end_[device], *place + rounded(bytes));
    return true;
  }

  void take_over(Node& node, BufferId id, BufferId previous) {
    const bool is_message = is_between_devices(plan_, node.action) && is_of_collective(plan_.buffer(id));
    insert(is_message ? node.slot_after : node.after, last_[index(previous)].last_accesses());
  }

  void release(BufferId id) {
    held_[index(id)] = false;
    const Buffer& buffer = plan_.buffer(id);
    const std::size_t device = index(buffer.device);
    if (is_stored(buffer)) allocators_[device].free(stored_[index(id)]);
    if (addresses_[device]) addresses_[device]->free(buffer.address);
  }

  void report_out_of_memory(BufferId id, std::optional<NodeId> node) {
    const Buffer& buffer = plan_.buffer(id);
    const device::BfcAllocator& allocator = allocators_[index(buffer.device)];
    OutOfMemory& result = plan_.out_of_memory.emplace();
    result = {.buffer = id,
              .node = node,
              .free = allocator.free_bytes(),
              .largest_free = allocator.largest_free(),
              .summary = allocator.failure_log(wanted(stored(plan_, buffer)), requester(plan_, id, node))};
    result.slack = allocator.statistics().current;
    for (std::size_t i = 0; i < held_.size(); ++i) {
      if (!held_[i] || plan_.buffers[i].device != buffer.device || !is_stored(plan_.buffers[i])) continue;
      result.held.push_back(static_cast<BufferId>(i));
      result.slack -= rounded(plan_, plan_.buffers[i]);
    }
  }

  Plan& plan_;
  const std::vector<Frontier>& last_;
  const std::vector<std::vector<NodeId>> entrances_;  // by buffer
  std::vector<device::BfcAllocator> allocators_{};    // by device, as are the next members
  // Where numbers lie of a device that stores some of them in fewer bytes than this machine, or not at all; unset: where
  // the allocator put them.
  std::vector<std::optional<device::BfcAllocator>> addresses_{};
  std::vector<Holders> holders_{};
  std::vector<bool> held_;  // by buffer
  std::vector<std::int64_t> ends_;
  std::vector<Bytes> stored_{};  // by buffer, its place in the device's memory
  std::vector<Bytes> stored_end_;
};

// A buffer in the memory of its device, from one node to another.
struct Stay {
  BufferId buffer{};
  std::size_t first = 0, last = 0;
};

// The nodes that run: in a plan that ran out of memory, those before the failed allocation.
std::size_t nodes_that_run(const Plan& plan) {
  if (!plan.out_of_memory) return plan.nodes.size();
  return plan.out_of_memory->node ? index(*plan.out_of_memory->node) : 0;
}

// What each device stores, in the order of the buffers. After a failed allocation only the buffers before it have a place.
std::vector<std::vector<Stay>> stays_of(const Plan& plan) {
  const std::vector<Lifetime> life = lifetimes(plan);
  const std::size_t nodes = nodes_that_run(plan);
  const bool is_cut = plan.out_of_memory && !plan.out_of_memory->node;
  const std::size_t outliving = is_cut ? index(plan.out_of_memory->buffer) : plan.buffers.size();
  std::vector<std::vector<Stay>> stays(plan.devices.size());
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const Buffer& buffer = plan.buffers[i];
    if (!is_stored(buffer)) continue;
    const auto first = static_cast<std::size_t>(life[i].first);
    std::vector<Stay>& there = stays[index(buffer.device)];
    if (outlives_step(buffer.kind)) {
      if (i < outliving) there.push_back({static_cast<BufferId>(i), 0, nodes});
    } else if (life[i].first >= 0 && first < nodes) {
      const std::size_t last = std::min(static_cast<std::size_t>(life[i].last), nodes);
      there.push_back({static_cast<BufferId>(i), first, last});
    }
  }
  return stays;
}

Peak peak_of(const Plan& plan, std::span<const Stay> stays) {
  std::map<std::size_t, std::int64_t> changes;  // by node, to what is held at the node before
  Peak peak;
  for (const Stay& stay : stays) {
    const std::int64_t size = rounded(plan, plan.buffer(stay.buffer)).count();
    if (outlives_step(plan.buffer(stay.buffer).kind)) peak.bytes += Bytes(size);
    changes[stay.first] += size;
    changes[stay.last + 1] -= size;
  }
  Bytes now{};
  const std::size_t nodes = nodes_that_run(plan);
  for (const auto& [node, change] : changes) {
    now += Bytes(change);
    if (node >= nodes || now <= peak.bytes) continue;
    peak.bytes = now;
    peak.node = static_cast<NodeId>(node);
  }
  for (const Stay& stay : stays) {
    const bool is_there = peak.node && stay.first <= index(*peak.node) && index(*peak.node) <= stay.last;
    if (is_there || outlives_step(plan.buffer(stay.buffer).kind)) peak.held.push_back(stay.buffer);
  }
  return peak;
}

}  // namespace

bool is_stored(const Buffer& buffer) { return buffer.kind != BufferKind::arrival; }

Bytes stored(const Plan& plan, const Buffer& buffer) {
  constexpr std::array between_kernels{BufferKind::activation, BufferKind::gradient, BufferKind::workspace};
  const bool is_rounded = rounds_activations(plan.devices[index(buffer.device)]) &&
                          std::ranges::find(between_kernels, buffer.kind) != between_kernels.end();
  return is_rounded ? buffer.bytes / 2 : buffer.bytes;
}

void plan_memory(Plan& plan, const std::vector<Frontier>& last) {
  Planner planner(plan, last);
  if (planner.place_what_outlives_the_step()) planner.place_the_rest();
  planner.set_arenas();
}

std::vector<Peak> peaks_of(const Plan& plan) {
  std::vector<Peak> peaks;
  for (const std::vector<Stay>& stays : stays_of(plan)) peaks.push_back(peak_of(plan, stays));
  return peaks;
}

Bytes HeldMoment::sum() const {
  Bytes sum{};
  for (const Bytes bytes : by_kind) sum += bytes;
  return sum;
}

std::vector<HeldMoment> held_over_step(const Plan& plan, DeviceId device) {
  const std::vector<std::vector<Stay>> stays = stays_of(plan);
  std::map<std::size_t, std::array<std::int64_t, buffer_kinds>> changes;  // by node
  for (const Stay& stay : stays[index(device)]) {
    const auto kind = static_cast<std::size_t>(plan.buffer(stay.buffer).kind);
    const std::int64_t size = rounded(plan, plan.buffer(stay.buffer)).count();
    changes[stay.first].at(kind) += size;
    changes[stay.last + 1].at(kind) -= size;
  }
  std::vector<HeldMoment> course;
  HeldMoment now;
  for (const auto& [node, change] : changes) {
    if (node >= std::max<std::size_t>(1, nodes_that_run(plan))) break;
    now.node = node;
    for (std::size_t kind = 0; kind < buffer_kinds; ++kind) now.by_kind[kind] += Bytes(change[kind]);
    course.push_back(now);
  }
  return course;
}

Bytes live_bytes_bound(const Plan& plan, DeviceId device) {
  return peak_of(plan, stays_of(plan)[index(device)]).bytes;
}

}  // namespace wt::plan
