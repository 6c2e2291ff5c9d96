#pragma once
// tf.Variable for programs that compute operation by operation. Where it is made decides what it is: in the scope of a
// mirrored strategy it has a copy for each replica, which are kept equal (on_write) or added up when they are read
// (on_read); in that of central storage it is one variable that replicas share; in that of parameter servers it is on the
// next server, or its rows are in shards on several servers (tf.ShardedVariable); elsewhere it is a plain one. The rules,
// for each synchronization, aggregation and context, are those of tensorflow/python/distribute/values.py and
// ps_values.py, and so are the refusals.
//
//   const auto scope = strategy.scope();
//   Variable total(constant(0.f), {.name = "total", .synchronization = Synchronization::on_read,
//                                  .aggregation = Aggregation::sum});
//   strategy.run([&] { total.assign_add(constant(1.f)); });  // each copy is 1
//   total.read_value();                                      // the number of replicas
//
// A Variable refers to its values; a copy of it refers to the same ones. Variables of a compiled function live in a
// train::State instead.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "program/program.h"
#include "train/distributed/replica_context.h"

namespace wt::train {

class Strategy;
class Variable;

// A variable as a strategy knows it.
struct VariableDeclaration {
  std::int64_t number = 0;  // of all variables of this program, in the order in which they were made
  std::string name{};
  TensorSpec spec{};
  bool trainable = true;
  Synchronization synchronization = Synchronization::automatic;
};
std::int64_t next_variable_number();

// What a variable is assigned: a tensor, slices of one, a number, or different ones for the replicas.
class Operand {
 public:
  Operand(const EagerTensor& value) : each_{value} {}
  Operand(const IndexedSlices& value) : each_{value} {}
  Operand(const Addend& value) : each_{value} {}
  Operand(const Variable& value);
  Operand(double value);
  template <class T>
  Operand(const DistributedValues<T>& values)
      : each_(values.values().begin(), values.values().end()), is_distributed_(true) {}

  bool is_distributed() const { return is_distributed_; }
  // Python's numbers are one object on all replicas, which TensorFlow doesn't add up.
  bool is_number() const { return is_number_; }
  Operand in(Type type) const;  // a number as a tensor of this type
  const Addend& of(std::size_t replica) const {
    if (!is_distributed_) return each_.front();
    if (replica >= each_.size()) refuse_replica(replica, each_.size());
    return each_[replica];
  }

 private:
  std::vector<Addend> each_;
  bool is_distributed_ = false;
  bool is_number_ = false;
};

enum class Change : std::uint8_t {
  assign,
  assign_add,
  assign_sub,
  scatter_add,
  scatter_sub,
  scatter_mul,
  scatter_div,
  scatter_min,
  scatter_max,
  scatter_update
};

// The value with rows that were combined with slices, one slice after the other. Throws InvalidArgumentError for an index
// that the value doesn't have.
Tensor scattered(Change change, const Tensor& value, const IndexedSlices& slices);

class Variable {
 public:
  struct Settings {
    std::string name = "Variable";
    std::optional<bool> trainable{};  // unset: unless it is on_read
    Synchronization synchronization = Synchronization::automatic;
    Aggregation aggregation = Aggregation::none;
    std::optional<Type> dtype{};   // converts the initial value
    std::optional<Shape> shape{};  // must be that of the initial value
  };
  using Initial = std::function<EagerTensor()>;

  explicit Variable(const EagerTensor& initial, const Settings& settings);
  explicit Variable(const EagerTensor& initial) : Variable(initial, Settings{}) {}
  // Calls `initial` once, where this thread is.
  Variable(const Initial& initial, const Settings& settings);
  // Throws device::ValueError: copies are equal at first.
  template <class T>
  Variable(const DistributedValues<T>&, const Settings&) {
    refuse_distributed_initial_value();
  }

  const std::string& name() const;  // "total:0"
  Type dtype() const;
  const Shape& shape() const;  // of all shards together
  bool trainable() const;
  Synchronization synchronization() const;
  Aggregation aggregation() const;
  device::Name device() const;  // of the copy that is read here
  // The strategy in whose scope it was made; null for a plain variable that was made outside.
  const Strategy* distribute_strategy() const;

  EagerTensor value() const;       // on the device of the copy that is read
  EagerTensor read_value() const;  // where this thread is
  operator EagerTensor() const { return value(); }

  void assign(const Operand& value) { change(Change::assign, value); }
  void assign_add(const Operand& value) { change(Change::assign_add, value); }
  void assign_sub(const Operand& value) { change(Change::assign_sub, value); }
  void scatter_add(const Operand& slices) { change(Change::scatter_add, slices); }
  void scatter_sub(const Operand& slices) { change(Change::scatter_sub, slices); }
  void scatter_mul(const Operand& slices) { change(Change::scatter_mul, slices); }
  void scatter_div(const Operand& slices) { change(Change::scatter_div, slices); }
  void scatter_min(const Operand& slices) { change(Change::scatter_min, slices); }
  void scatter_max(const Operand& slices) { change(Change::scatter_max, slices); }
  void scatter_update(const Operand& slices) { change(Change::scatter_update, slices); }
  // v[begin:end].assign(rows)
  void assign_rows(std::int64_t begin, std::int64_t end, const EagerTensor& rows);

  // Of variables without copies. Those with copies throw NotImplementedError, as in TensorFlow. gather_nd and scatter_nd_*
  // take elements of vectors, with a column of indices.
  void batch_scatter_update(const Operand& slices);
  void scatter_nd_add(const EagerTensor& indices, const EagerTensor& updates);
  void scatter_nd_update(const EagerTensor& indices, const EagerTensor& updates);
  EagerTensor sparse_read(const EagerTensor& indices) const;
  EagerTensor gather_nd(const EagerTensor& indices) const;

  // Its copies as plain variables of their own names and devices, which share its values: one for each replica, or itself.
  // Of a variable in shards, these.
  std::vector<Variable> copies() const;

  friend bool operator==(const Variable& a, const Variable& b) {
    return a.state_ == b.state_ && a.copy_ == b.copy_;
  }

  // ---- For the other files of this folder

  Variable copy_that_is_read() const;                        // here
  const EagerTensor& stored() const { return own().value; }  // of a plain variable, or of a copy
  bool is_mirrored() const;                                  // has copies that are kept equal
  const std::string& common_name() const { return state_->settings.name; }  // of all copies
  bool has_copies() const;  // is mirrored, or added up when it is read
  bool is_sharded() const { return !copy_ && state_->is_sharded; }
  bool is_shared() const;      // by replicas, for which it is kept in one place
  bool is_on_servers() const;  // parameter servers
  std::int64_t number() const { return state_->number; }
  VariableDeclaration declaration() const;
  void change_copy(Change change, const Addend& value);  // of a plain variable, or of a copy
  EagerTensor read_across_replicas() const;              // as a checkpoint stores it
  [[noreturn]] static void refuse_mean_of_integers();
  void restore(const Tensor& value);  // as a checkpoint gives it back

 private:
  enum class Kind : std::uint8_t { plain, mirrored, sync_on_read, aggregating };
  struct Copy {
    std::string name{};
    EagerTensor value{};
  };
  struct State {
    const Strategy* strategy = nullptr;
    Kind kind = Kind::plain;
    Settings settings{};
    std::int64_t number = 0;
    std::vector<Copy> copies{};  // or shards
    bool is_sharded = false;
    std::string name{};  // of a variable in shards
    Shape shape{};       // of all its shards together
  };

  Variable(std::shared_ptr<State> state, std::size_t copy) : state_(std::move(state)), copy_(copy) {}
  Kind kind() const { return copy_ ? Kind::plain : state_->kind; }
  static std::shared_ptr<State> made(const Initial& initial, const Settings& settings);
  static std::shared_ptr<State> made_here(const Initial& initial, const Settings& settings);
  static void put_on_servers(State& state, const EagerTensor& value);
  [[noreturn]] static void refuse_distributed_initial_value();

  void change(Change change, const Operand& value);
  void change_mirrored(Change change, const Operand& value);
  void change_on_read(Change change, const Operand& value);
  void change_aggregating(Change change, const Operand& value);
  void change_all(Change change, const Operand& value);
  void change_one(Change change, const Addend& value);
  void change_shards(Change change, const Addend& value);
  std::vector<IndexedSlices> by_shard(const IndexedSlices& slices) const;
  std::vector<std::size_t> shards_of(const EagerTensor& indices) const;
  EagerTensor read_shards() const;
  bool is_shard() const { return copy_ && state_->is_sharded; }  // a step has the whole variable
  void aggregate_and_change(Change change, const Operand& value);
  EagerTensor read_copy() const;
  void require_no_copies() const;
  void require_one_value(const Operand& value) const;
  void require_zero(const EagerTensor& number) const;
  EagerTensor shared_out(const EagerTensor& sum) const;
  std::size_t copy_here() const;
  Copy& own() const { return state_->copies.at(copy_.value_or(0)); }

  std::shared_ptr<State> state_{};
  std::optional<std::size_t> copy_{};  // of a variable that is one copy of another
};

// tf.gather: rows of the variable, on its device.
EagerTensor gather(const Variable& variable, const EagerTensor& indices);

// As Python's repr prints it: "<tf.Variable 'v:0' shape=() dtype=float32, numpy=1.0>", and with a line for each copy.
std::string print(const Variable& variable);
std::string_view python_name(Synchronization synchronization);  // "VariableSynchronization.ON_READ"
std::string_view python_name(Aggregation aggregation);          // "VariableAggregationV2.SUM"
ReduceOp reduce_op_of(Aggregation aggregation);  // Throws device::ValueError for those that don't reduce.

}  // namespace wt::train
