#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernel/optimizer.h"
#include "plan/plan.h"
#include "program/program.h"
#include "strategy/logical_devices.h"

namespace wt::strategy {

// Where a replica computes, and the host whose input pipeline feeds it; no host if both are the same memory.
struct Replica {
  plan::DeviceId device{};
  std::vector<plan::DeviceId> further{};    // its logical devices 1, 2, ...
  const LogicalDevices* logical = nullptr;  // what they compute; null: `device` does everything
  std::optional<plan::DeviceId> host{};
  std::size_t number = 0;
  bool is_only_one = true;  // then the result of a cross-replica operation is its input
};

// A node, or of an optimizer's node the part for some of its parameters.
struct Part {
  std::size_t node = 0;
  std::vector<std::size_t> parameters{};  // empty: all of it
};
std::vector<Part> whole_nodes(const Step& step);
std::optional<OptimizerLayout> optimizer_layout(const wt::Node& node);  // none: it is no optimizer's node
// A part for each parameter of an optimizer's node; one part for any other node.
std::vector<Part> parameters_of(const Step& step, std::size_t node);
// The parts of optimizers' nodes that each device computes, the last device first, since the first device
// holds what all parts share. Other nodes are whole.
std::vector<Part> parts_by_device(const Step& step, const LogicalDevices& logical);

// Writes nodes of a step into a plan, on the devices of its replica:
// - inputs are copied from the host where there is one;
// - every value gets a buffer; a reshape shares its input's;
// - an output takes its input's place if the kernel allows it and no later node reads the input;
// - so optimizers write variables in place. Other new values are moved to their variable after all nodes,
//   since reads within the step see the old value;
// - results keep their buffers after the step, or are copied to the host where there is one;
// - a value that another logical device reads is moved there, once.
class ReplicaLowering {
 public:
  // `parts` are all parts that will be lowered. Requires: step and plan outlive this object.
  ReplicaLowering(const Step& step, Replica replica, plan::Plan& plan, const std::vector<Part>& parts);

  // Called first, in this order. A variable that has no port of its own is given by define() instead.
  void add_input(const NamedValue& input);
  void add_variable(const StepVariable& variable);
  void save_values();  // copies values that would be overwritten before they become a result or a new value
  void save_results();
  void save_new_values();

  // Parts may be lowered in any order in which values are written before they are read.
  void lower(const Part& part);

  // For operations that are lowered elsewhere. The last reader of a value may overwrite it.
  plan::Operand operand(ValueId value) const;
  void define(ValueId value, plan::Operand operand);
  // Defines the value as a new buffer. `spec` is given for a gather, whose extent depends on the rows of all
  // replicas.
  plan::Operand define_buffer(ValueId value, const Part& part, std::optional<TensorSpec> spec = {});
  bool may_overwrite(ValueId value) const;
  bool is_ready(const Part& part) const;  // all values that the part reads are defined
  void keep(ValueId value);               // from now on no node may overwrite the value
  void note_reads(const Part& part);

  // Called last.
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
  plan::Operand fetched(const plan::Operand& result, const std::string& name);
  void save_new_value(std::size_t variable);
  plan::Operand copy_of(ValueId value, std::string name, plan::BufferKind kind);
  void give_output_buffer(const Part& part, std::size_t output, ValueId input);
  bool may_take_place(ValueId input, ValueId output, plan::DeviceId device) const;
  bool is_new_value_of_owner(ValueId input, ValueId output) const;
  std::optional<plan::BufferId> workspace(const plan::Run& run, std::size_t node);
  ValueId root(ValueId value) const { return roots_[index(value)]; }
  double share(ValueId value) const { return step_.program.values[index(value)].share; }
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

// Lowers the whole step of a replica that is the only one.
void lower_replica(const Step& step, Replica replica, plan::Plan& plan);

}  // namespace wt::strategy
