#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "program/program.h"
#include "strategy/logical_devices.h"

namespace wt::strategy {

// Where a replica computes, and the host whose input pipeline feeds it; none where that is the same memory.
struct Replica {
  plan::DeviceId device{};
  std::vector<plan::DeviceId> further{};    // its logical devices 1, 2, ...
  const LogicalDevices* logical = nullptr;  // what they compute; null: `device` does everything
  std::optional<plan::DeviceId> host{};
  std::size_t number = 0;
  bool is_only_one = true;  // then cross-replica operations hand on their input
};

// A node, or what some parameters have of an optimizer's node.
struct Part {
  std::size_t node = 0;
  std::vector<std::size_t> parameters{};  // empty: all of it
};
std::vector<Part> whole_nodes(const Step& step);
std::vector<Part> parameters_of(const Step& step, std::size_t node);  // of any other node: the node
// Of an optimizer's node what each device has of it, the last one first: what all share is on the first.
std::vector<Part> parts_by_device(const Step& step, const LogicalDevices& logical);

// Writes nodes of a step into a plan, on the devices of its replica:
// - inputs are copied from the host where there is one;
// - every value gets a buffer; a reshape shares its input's;
// - an output takes its input's place where the kernel allows it and nobody reads the input later;
// - so optimizers write variables where they lie; other updates are moved there when all nodes are lowered, since
//   reads within the step see the old value;
// - results keep their buffers after the step;
// - what a logical device reads of another one is moved there, once.
class ReplicaLowering {
 public:
  // `parts` are those that it is going to be given. Requires: step and plan outlive it.
  ReplicaLowering(const Step& step, Replica replica, plan::Plan& plan, const std::vector<Part>& parts);

  // First, in this order. A variable without a port of its own is defined instead.
  void add_input(const NamedValue& input);
  void add_variable(const Variable& variable);
  void save_values();  // that would be overwritten before they are a result or another variable's
  void save_results();
  void save_new_values();

  // In any order in which values are written before they are read.
  void lower(const Part& part);

  // Operations that others lower. A value may be overwritten by its last reader.
  plan::Operand operand(ValueId value) const;
  void define(ValueId value, plan::Operand operand);
  // A buffer of its own. A gather's extent depends on all replicas' rows, so its spec is given.
  plan::Operand define_buffer(ValueId value, const Part& part, std::optional<TensorSpec> spec = {});
  bool may_overwrite(ValueId value) const;
  bool is_ready(const Part& part) const;  // all that it reads is defined
  void keep(ValueId value);               // nobody may overwrite it
  void note_reads(const Part& part);

  // Last.
  void move_updates();
  void add_results();

  plan::DeviceId device() const { return replica_.device; }  // the first
  std::optional<plan::DeviceId> host() const { return replica_.host; }
  std::optional<plan::NodeId> first_run() const { return first_run_; }
  const std::map<plan::DeviceId, plan::NodeId>& last_runs() const { return last_runs_; }  // by device
  // The scope "replica_1/conv2d", and the role of a node of this replica.
  plan::Label label(const std::string& within, plan::Purpose purpose, std::int32_t number = -1) const;

 private:
  bool is_identity(const Operation& operation) const;
  plan::DeviceId device_of(const Part& part) const;
  plan::DeviceId device_of(ValueId value) const;
  plan::DeviceId device_at(LogicalId logical) const;
  plan::Operand operand_on(ValueId value, plan::DeviceId device, const std::string& reader);
  void find_roots();
  void count_reads(const std::vector<Part>& parts);
  bool is_update_by_saved_value(const Part& part) const;
  std::vector<std::size_t> positions(const Part& part, bool outputs) const;
  std::vector<ValueId> roots_read(const Part& part) const;
  void save_result(const NamedValue& result);
  void save_new_value(std::size_t variable);
  plan::Operand copy_of(ValueId value, std::string name, plan::BufferKind kind);
  void give_output_buffer(const Part& part, std::size_t output, ValueId input);
  bool may_take_place(ValueId input, ValueId output, plan::DeviceId device) const;
  bool is_new_value_of_owner(ValueId input, ValueId output) const;
  std::optional<plan::BufferId> workspace(const plan::Run& run, std::size_t node);
  ValueId root(ValueId value) const { return roots_[index(value)]; }
  bool is_result(ValueId value) const;
  void give_buffer(ValueId value, plan::DeviceId device, const std::string& name, plan::BufferKind kind,
                   std::optional<TensorSpec> given = {});
  std::string value_name(ValueId value, std::size_t node, std::size_t output) const;
  std::string own(std::string name) const;

  const Step& step_;
  Replica replica_;
  plan::Plan& plan_;
  std::string prefix_;                                                     // of scopes
  std::string suffix_;                                                     // of names
  std::vector<std::optional<plan::Operand>> operands_;                     // by root value
  std::map<std::pair<ValueId, plan::DeviceId>, plan::BufferId> copies_{};  // of root values, elsewhere
  std::vector<ValueId> roots_{};                                           // by value: whose buffer it shares
  std::vector<std::int32_t> reads_left_{};                                 // by root value
  std::vector<ValueId> results_{};                                         // roots that the step computes
  std::vector<std::optional<plan::Operand>> copied_results_{};             // by result
  std::vector<std::optional<plan::Operand>> saved_new_values_{};           // by variable
  std::vector<std::optional<ValueId>> new_value_of_{};                     // by variable
  std::optional<plan::NodeId> first_run_{};
  std::map<plan::DeviceId, plan::NodeId> last_runs_{};
};

// A replica that is the only one: its whole step.
void lower_replica(const Step& step, Replica replica, plan::Plan& plan);

}  // namespace wt::strategy
