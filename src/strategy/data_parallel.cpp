#include "strategy/data_parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "plan/memory.h"

namespace wt::strategy {

namespace {

// All-reduces that happen before a node.
struct Due {
  std::size_t before = 0;
  Packed pack{};
};

// All-reduces of one type and reduction, on one logical device, until a node reads a result of one of them.
struct Group {
  std::vector<std::size_t> nodes{};
  std::size_t until = 0;
};

bool reads_any(const wt::Node& node, const std::vector<bool>& values) {
  return std::ranges::any_of(node.inputs, [&](ValueId input) { return values[index(input)]; });
}

// All-reduces that can share a buffer.
std::vector<Group> split(const Program& program, const LogicalDevices& logical,
                         const std::vector<std::size_t>& nodes, std::size_t until) {
  std::vector<Group> groups;
  const auto key = [&](std::size_t node) {
    return std::tuple(program.spec(program.nodes[node].inputs[0]).type,
                      std::get<AllReduce>(program.nodes[node].operation).reduction, logical.of(node));
  };
  for (const std::size_t node : nodes) {
    const auto fits = [&](const Group& group) { return key(group.nodes.front()) == key(node); };
    const auto found = std::ranges::find_if(groups, fits);
    if (found == groups.end())
      groups.push_back({{node}, until});
    else
      found->nodes.push_back(node);
  }
  return groups;
}

std::vector<Group> groups_of(const Program& program, const LogicalDevices& logical) {
  std::vector<Group> groups;
  std::vector<std::size_t> pending;
  std::vector<bool> reduced(program.values.size(), false);
  const auto close = [&](std::size_t until) {
    for (Group& group : split(program, logical, pending, until)) groups.push_back(std::move(group));
    for (const std::size_t node : pending) reduced[index(program.nodes[node].outputs[0])] = false;
    pending.clear();
  };
  for (std::size_t i = 0; i < program.nodes.size(); ++i) {
    if (reads_any(program.nodes[i], reduced)) close(i);
    if (!std::holds_alternative<AllReduce>(program.nodes[i].operation)) continue;
    pending.push_back(i);
    reduced[index(program.nodes[i].outputs[0])] = true;
  }
  close(program.nodes.size());
  return groups;
}

class DataParallelLowering {
 public:
  DataParallelLowering(Steps steps, std::span<const Place> places, const DataParallel& options)
      : steps_(steps),
        options_(options),
        count_(options.stand_for.value_or(places.size())),
        has_several_devices_(!places[0].further.empty()),
        logical_(assign_logical_devices(*steps[0], options.assigned, places[0].further.size() + 1)),
        cross_replica_(draft_, replicas_, steps, options_.communication),
        parts_(has_several_devices_ ? parts_by_device(*steps[0], logical_) : whole_nodes(*steps[0])) {
    draft_.plan.name = steps[0]->name;
    for (Replica& replica : add_devices(draft_, places, count_)) {
      replica.logical = &logical_;
      replicas_.emplace_back(*steps[replica.number], replica, draft_.plan, parts_);
    }
    if (count_ > 1) plan_all_reduces();
    if (options.stand_for && can_be_folded()) cross_replica_.stand_for(count_);
  }

  plan::Plan lower() && {
    for (std::size_t r = 0; r < replicas_.size(); ++r) {
      for (const NamedValue& input : steps_[r]->inputs) replicas_[r].add_input(input);
      for (const StepVariable& variable : steps_[r]->variables) replicas_[r].add_variable(variable);
      replicas_[r].save_values();
    }
    for (const Part& part : parts_) {
      all_reduce_before(part.node);
      lower(part);
    }
    all_reduce_before(parts_.size());
    for (ReplicaLowering& replica : replicas_) replica.move_updates();
    if (count_ > 1) aggregate_variables();
    for (ReplicaLowering& replica : replicas_) replica.add_results();
    draft_.order();
    plan::plan_memory(draft_.plan, draft_.frontiers);
    return std::move(draft_.plan);
  }

 private:
  const Program& program() const { return steps_[0]->program; }

  // Operations that need every replica in the plan. A collective that stays whole also has its links alone.
  std::string_view obstacle_to_folding() const {
    const Communication& way = options_.communication;
    if (way.one_device) return "adds on one device";
    if (!way.schedule.empty()) return "has a schedule of its own";
    if (has_several_devices_) return "reduces on several devices of a replica at once";
    if (due_.size() > 1 && !way.one_after_the_other) return "runs several all-reduces at once";
    const auto has = [&]<class Operation>(const Operation&) {
      return std::ranges::any_of(program().nodes, [](const wt::Node& node) {
        return std::holds_alternative<Operation>(node.operation);
      });
    };
    if (has(Permute{})) return "permutes values among all replicas";
    return has(Gather{}) ? "gathers rows of all replicas" : "";
  }

  // If all replicas are in the plan, the collective is expanded instead.
  bool can_be_folded() const {
    const std::string_view obstacle = obstacle_to_folding();
    if (!obstacle.empty() && count_ != replicas_.size())
      throw InputError(
          fmt::format("[{}] {} {}, so {} replicas can't stand for {}", options_.communication.strategy,
                      steps_[0]->name, obstacle, replicas_.size(), count_),
          "expand its collectives");
    return obstacle.empty();
  }

  void plan_all_reduces() {
    const std::vector<Group> groups = groups_of(program(), logical_);
    const std::vector<std::size_t> written = positions_written(groups);
    for (const Group& group : groups) {
      std::vector<std::size_t> ready;
      std::vector<Bytes> sizes;
      for (const std::size_t node : group.nodes) {
        ready.push_back(written[index(program().nodes[node].inputs[0])]);
        sizes.push_back(program().spec(program().nodes[node].inputs[0]).bytes());
      }
      for (const Pack& pack : packs(sizes, ready)) {
        Due due{group.until, {.nodes = {}, .pieces = options_.pieces}};
        if (options_.packing.starts_early()) due.before = 0;
        for (const std::size_t i : pack) {
          due.pack.nodes.push_back(group.nodes[i]);
          if (options_.packing.starts_early()) due.before = std::max(due.before, ready[i]);
        }
        due_.push_back(std::move(due));
      }
    }
    std::ranges::stable_sort(due_, {}, &Due::before);
  }

  // For each value the node behind its writer, or for a reduced value the first node that may read it.
  std::vector<std::size_t> positions_written(const std::vector<Group>& groups) const {
    std::vector<std::size_t> written(program().values.size(), 0);
    for (std::size_t i = 0; i < program().nodes.size(); ++i)
      for (const ValueId output : program().nodes[i].outputs) written[index(output)] = i + 1;
    for (const Group& group : groups)
      for (const std::size_t node : group.nodes)
        written[index(program().nodes[node].outputs[0])] = group.until;
    return written;
  }

  std::vector<Pack> packs(std::span<const Bytes> sizes, std::span<const std::size_t> ready) const {
    if (options_.sharing == Sharing::in_order) {
      Pack all(sizes.size());
      std::iota(all.begin(), all.end(), std::size_t{0});
      return {all};
    }
    if (options_.sharing == Sharing::each) return unpacked(sizes.size());
    if (options_.packing.overlap) return buckets(sizes, ready, options_.packing.bucket_cap);
    if (options_.packing.eager) return unpacked(sizes.size());
    return reversed_packs(sizes, options_.packing.bytes_per_pack);
  }

  void all_reduce_before(std::size_t node) {
    for (; next_due_ < due_.size() && due_[next_due_].before <= node; ++next_due_)
      cross_replica_.all_reduce(due_[next_due_].pack);
  }

  void lower(const Part& part) {
    const Operation& operation = program().nodes[part.node].operation;
    const bool is_alone = count_ == 1;
    if (!is_alone && std::holds_alternative<AllReduce>(operation)) return;
    if (!is_alone && std::holds_alternative<Reduce>(operation)) return cross_replica_.reduce(part.node);
    if (!is_alone && std::holds_alternative<Broadcast>(operation)) return cross_replica_.broadcast(part.node);
    if (!is_alone && std::holds_alternative<Gather>(operation)) return cross_replica_.gather(part.node);
    if (!is_alone && std::holds_alternative<Permute>(operation)) return cross_replica_.permute(part.node);
    for (ReplicaLowering& replica : replicas_) replica.lower(part);
  }

  void aggregate_variables() {
    const std::vector<bool> mirrored = mirrored_values(steps_);
    for (const wt::Node& node : program().nodes) {
      const auto* update = std::get_if<Update>(&node.operation);
      if (update == nullptr) continue;
      const StepVariable& variable = steps_[0]->variables[index(update->variable)];
      const bool is_first = variable.aggregation == Aggregation::only_first_replica;
      if (!is_on_write(variable) || (is_first && mirrored[index(node.inputs[0])])) continue;
      cross_replica_.aggregate(variable);
    }
  }

  Steps steps_;
  const DataParallel& options_;
  const std::size_t count_;  // of replicas, also those that these stand for
  const bool has_several_devices_;
  const LogicalDevices logical_;
  Draft draft_{};
  std::vector<ReplicaLowering> replicas_{};
  CrossReplica cross_replica_;
  std::vector<Part> parts_;
  std::vector<Due> due_{};  // by position
  std::size_t next_due_ = 0;
};

}  // namespace

plan::Plan lower_data_parallel(Steps steps, std::span<const Place> places, const DataParallel& options) {
  return DataParallelLowering(steps, places, options).lower();
}

}  // namespace wt::strategy
