#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>

#include "collective/expand.h"
#include "strategy/draft.h"
#include "strategy/library.h"
#include "strategy/replica.h"
#include "strategy/replicas.h"

namespace wt::strategy {

// How a strategy brings values together.
struct Communication {
  std::string_view strategy{};               // for messages
  std::optional<plan::Device> one_device{};  // everything is added there, and handed back
  Library library{};                         // else: an all-reduce
  std::string schedule{};                    // or the user's, as text
  bool integers_to_one_device = false;       // integers are added on the device of replica 0
  bool reduces_by_all_reduce = false;        // a reduction; else values are added on replica 0's host
  Scaling mean = Scaling::divide;            // after the sum; by multiplying, before it
  bool one_after_the_other = false;          // all-reduces wait for each other, as on a stream
  bool waits_for_backward = true;            // and for all their replica has computed so far
  std::string broadcast = "flat";            // of collective/catalog.h
  std::string gather = "direct";
  collective::Options shape{};  // of the broadcast
};

// Nodes whose outputs are brought together at once. The outputs of several nodes lie in one buffer for that.
struct Packed {
  std::vector<std::size_t> nodes{};
  int pieces = 1;  // all-reduces that share the buffer, in nearly equal parts
};

// Writes operations among replicas into a plan.
class CrossReplica {
 public:
  // Requires: all arguments outlive this object.
  CrossReplica(Draft& draft, std::vector<ReplicaLowering>& replicas, Steps steps,
               const Communication& communication);

  // Called first: collectives stay whole, and stand for so many replicas.
  void stand_for(std::size_t replicas) { stand_for_ = replicas; }

  void all_reduce(const Packed& pack);
  void reduce(std::size_t node);
  void broadcast(std::size_t node);
  void gather(std::size_t node);
  void permute(std::size_t node);
  void aggregate(const StepVariable& variable);  // each replica's new value lies in its copy already
  // Replica 0's copy to the first replica of each task, and from there to the task's others.
  void hand_out(const StepVariable& variable, std::size_t replicas_per_task);

 private:
  using Operands = std::vector<plan::Operand>;  // by replica, or by tensor

  std::size_t count() const { return stand_for_.value_or(replicas_.size()); }
  const wt::Node& node(std::size_t node) const { return steps_[0]->program.nodes[node]; }
  Operands copies_of(const StepVariable& variable) const;
  Operands inputs_of(std::size_t node) const;
  Operands targets_of(std::size_t node);
  void note_reads(std::size_t node);
  plan::Label next_reduction();
  // What replica r does before or after a reduction: "copy", "pack", "scale".
  plan::Label packing(std::size_t r, const plan::Label& reduction, std::string_view part) const;
  bool goes_to_one_device(const plan::Operand& value) const;

  void reduce_in_place(const Operands& values, const plan::Label& label);
  void reduce_on(plan::DeviceId device, const Operands& values, const plan::Label& label);
  void add_collective(const collective::Expanded& schedule, const Operands& values,
                      std::span<const plan::Device> helpers, const plan::Label& label);
  void reduce_pack(const Packed& pack, const std::vector<Operands>& inputs,
                   const std::vector<Operands>& targets, const plan::Label& label);
  void scale(const Operands& values, Reduction reduction, Scaling when, const plan::Label& label);
  void wait_for_backward(plan::NodeId first);
  const collective::Expanded& schedule_for(collective::Operation operation, const LibraryChoice& choice,
                                           const Operands& values);
  void add_whole(collective::Operation operation, const LibraryChoice& choice, const Operands& values,
                 const plan::Label& label);
  collective::Request request_for(const LibraryChoice& choice, const Operands& values) const;
  void require_few_moves(const collective::Schedule& schedule) const;
  const collective::Expanded& imported(std::int64_t elements);
  bool is_read(ValueId value) const;
  plan::Operand reduced_buffer(std::size_t node);
  void broadcast_in_place(const Operands& values);
  void check_gather(std::size_t node, std::span<const std::int64_t> rows) const;
  void gather_blocks(const Operands& inputs, const Operands& blocks);
  void cut_blocks(const Operands& inputs, const Operands& blocks, const Operands& outputs);

  struct Known {
    collective::Operation operation{};
    LibraryChoice choice{};
    std::int64_t elements = 0;
    Type type{};
    collective::Expanded schedule{};
  };

  Draft& draft_;
  std::vector<ReplicaLowering>& replicas_;
  Steps steps_;
  const Communication& communication_;
  StandFor stand_for_{};
  std::deque<Known> known_{};                                   // schedules; they stay where they are
  std::map<plan::DeviceId, std::vector<plan::NodeId>> last_{};  // of the all-reduce before
  std::int32_t all_reduces_ = 0;
};

}  // namespace wt::strategy
