#include "train/distributed/variable.h"

#include <fmt/format.h>

#include <array>
#include <numeric>

#include "device/error.h"
#include "tensor/print_numpy.h"
#include "train/distributed/cross_device_ops.h"
#include "train/distributed/extended.h"
#include "train/distributed/step_recorder.h"
#include "train/distributed/tape.h"
#include "train/errors.h"
#include "train/tensor_operations.h"

namespace wt::train {

namespace {

// In the order of Change.
struct ChangeRow {
  std::string_view name;
  std::string_view kernel;     // that combines the old value with the given one; none: the given one
  std::string_view operation;  // TensorFlow's
};
constexpr std::array<ChangeRow, 10> changes{{{"assign", "", "AssignVariableOp"},
                                             {"assign_add", "add", "AssignAddVariableOp"},
                                             {"assign_sub", "subtract", "AssignSubVariableOp"},
                                             {"scatter_add", "add", "ResourceScatterAdd"},
                                             {"scatter_sub", "subtract", "ResourceScatterSub"},
                                             {"scatter_mul", "multiply", "ResourceScatterMul"},
                                             {"scatter_div", "divide", "ResourceScatterDiv"},
                                             {"scatter_min", "minimum", "ResourceScatterMin"},
                                             {"scatter_max", "maximum", "ResourceScatterMax"},
                                             {"scatter_update", "", "ResourceScatterUpdate"}}};
const ChangeRow& row(Change change) { return changes[static_cast<std::size_t>(change)]; }

bool is_scatter(Change change) { return change >= Change::scatter_add; }

// MirroredVariable.scatter_min: the maximum of sums isn't the sum of maxima.
bool needs_equal_replicas(Change change) {
  return change == Change::scatter_min || change == Change::scatter_max || change == Change::scatter_update;
}

constexpr std::string_view aggregation_is_missing =
    "You must specify an aggregation method to update a {0} in Replica Context. You can do so by passing an "
    "explicit value for argument `aggregation` to tf.Variable(..).e.g. `tf.Variable(..., "
    "aggregation=tf.VariableAggregation.SUM)``tf.VariableAggregation` lists the possible aggregation "
    "methods.This is required because {0} should always be kept in sync. When updating them or assigning to "
    "them in a replica context, we automatically try to aggregate the values before updating the variable. "
    "For "
    "this aggregation, we need to know the aggregation method. Another alternative is to not try to update "
    "such "
    "{0} in replica context, but in cross replica context. You can enter cross replica context by calling "
    "`tf.distribute.get_replica_context().merge_call(merge_fn, ..)`.Inside `merge_fn`, you can then update "
    "the "
    "{0} using `tf.distribute.StrategyExtended.update()`.";

bool is_in_update() {
  const ThreadMode* mode = current_mode();
  return mode != nullptr && mode->kind == ThreadMode::Kind::update;
}

const EagerTensor& tensor_of(const Addend& value) {
  if (const auto* tensor = std::get_if<EagerTensor>(&value)) return *tensor;
  throw device::ValueError("IndexedSlices are given where a tensor is needed");
}

const IndexedSlices& slices_of(const Addend& value, std::string_view change) {
  if (const auto* slices = std::get_if<IndexedSlices>(&value)) return *slices;
  throw device::ValueError(fmt::format("{} takes IndexedSlices, and a tensor is given", change));
}

void require_assignable(const std::string& name, const TensorSpec& held, const Tensor& value, Change change) {
  const TensorSpec& given = value.spec();
  if (held.type != given.type)
    throw device::ValueError(
        fmt::format("Tensor conversion requested dtype {0} for Tensor with dtype {1}: <tf.Tensor: shape={2}, "
                    "dtype={1}, numpy={3}>",
                    wt::name(held.type), wt::name(given.type), print_tuple(given.shape), repr_numpy(value)));
  if (held.shape == given.shape) return;
  if (change == Change::assign)
    throw device::ValueError(fmt::format(
        "Cannot assign value to variable '{}': Shape mismatch.The variable shape {}, and the assigned "
        "value shape {} are incompatible.",
        name, print_tuple(held.shape), print_tuple(given.shape)));
  throw InvalidArgumentError(
      fmt::format("Cannot update variable with shape {} using a Tensor with shape {}, shapes "
                  "must be equal.",
                  print(held.shape), print(given.shape)));
}

// Indices as int64, without an operation of their own.
Tensor whole_numbers(const Tensor& indices) {
  if (indices.type() != Type::int32) return cast({indices}, Type::int64).numbers;
  const auto narrow = indices.values<std::int32_t>();
  return Tensor::of(indices.shape(), std::vector<std::int64_t>(narrow.begin(), narrow.end()));
}

// Indices of elements of a vector, which TensorFlow wants as a matrix with one column.
EagerTensor flat(const EagerTensor& indices) {
  return {indices.numbers.reshaped({indices.numbers.shape().elements()}), indices.device};
}

}  // namespace

Tensor scattered(Change change, const Tensor& value, const IndexedSlices& slices) {
  Tensor changed = value.copy();
  const Tensor indices = whole_numbers(slices.indices.numbers);
  const std::int64_t rows = value.shape()[0];
  const auto at = indices.values<std::int64_t>();
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (at[i] < 0 || at[i] >= rows)
      throw InvalidArgumentError(fmt::format("indices[{}] = {} is not in [0, {})", i, at[i], rows));
    const Tensor old = changed.rows(at[i], at[i] + 1);
    const auto place = static_cast<std::int64_t>(i);
    const Tensor given = slices.values.numbers.rows(place, place + 1);
    const std::string_view kernel = row(change).kernel;
    const std::array inputs{EagerTensor{old}, EagerTensor{given}};
    const Tensor now = kernel.empty() ? given : current_eager().compute_part(kernel, inputs);
    std::ranges::copy(now.bytes(), old.bytes().begin());
  }
  return changed;
}

Operand::Operand(const Variable& value) : Operand(value.value()) {}

// The type of the variable is not known yet.
Operand::Operand(double value) : each_{constant(value)}, is_number_(true) {}

Operand Operand::in(Type type) const {
  Operand number = *this;
  number.each_ = {cast(tensor_of(each_.front()), type)};
  return number;
}

// ---- Properties

const std::string& Variable::name() const { return is_sharded() ? state_->name : own().name; }
Type Variable::dtype() const { return own().value.numbers.type(); }
const Shape& Variable::shape() const { return is_sharded() ? state_->shape : own().value.numbers.shape(); }
bool Variable::trainable() const { return state_->settings.trainable.value(); }
Synchronization Variable::synchronization() const { return state_->settings.synchronization; }
Aggregation Variable::aggregation() const { return state_->settings.aggregation; }
device::Name Variable::device() const { return state_->copies.at(copy_here()).value.device; }
const Strategy* Variable::distribute_strategy() const { return state_->strategy; }
bool Variable::is_mirrored() const { return kind() == Kind::mirrored; }
bool Variable::has_copies() const { return is_mirrored() || kind() == Kind::sync_on_read; }

bool Variable::is_on_servers() const {
  return state_->strategy != nullptr && state_->strategy->traits().variables == VariablePlacement::on_servers;
}

bool Variable::is_shared() const {
  const bool is_central = state_->strategy != nullptr &&
                          state_->strategy->traits().variables == VariablePlacement::on_parameter_device;
  return is_central || is_on_servers();
}

VariableDeclaration Variable::declaration() const {
  return {state_->number, common_name(), {dtype(), shape()}, trainable(), synchronization()};
}

std::vector<Variable> Variable::copies() const {
  if (copy_ || (state_->kind == Kind::plain && !is_sharded())) return {*this};
  std::vector<Variable> copies;
  for (std::size_t i = 0; i < state_->copies.size(); ++i) copies.push_back(Variable(state_, i));
  return copies;
}

// The copy of this replica or of this update, that on the current device, or the first one.
std::size_t Variable::copy_here() const {
  if (copy_) return *copy_;
  if (state_->copies.size() == 1 || is_sharded()) return 0;
  const ThreadMode* mode = current_mode();
  if (mode != nullptr && mode->kind != ThreadMode::Kind::cross_replica) return mode->replica;
  const device::Name& here = current_eager().scope_device();
  for (std::size_t i = 0; i < state_->copies.size(); ++i)
    if (state_->copies[i].value.device == here) return i;
  return 0;
}

// ---- Reading

Variable Variable::copy_that_is_read() const {
  return copy_ || is_sharded() || state_->kind == Kind::plain ? *this : Variable(state_, copy_here());
}

EagerTensor Variable::value() const {
  if (is_sharded()) return read_shards();
  if (!has_copies()) return read_copy();
  const EnteredOrAsserted entered(*state_->strategy);
  const bool is_across = in_cross_replica_context() && !is_in_update();
  return kind() == Kind::sync_on_read && is_across ? read_across_replicas() : read_copy();
}

EagerTensor Variable::read_copy() const {
  const Variable copy = copy_that_is_read();
  if (!copy.is_shard()) StepRecorder::read(copy, copy.stored());
  current_eager().variable_operation("ReadVariableOp", dtype(), copy.stored().device);
  GradientTape::record_read(copy, copy.stored());
  return copy.stored();
}

// The rows of all shards, put together where this thread is.
EagerTensor Variable::read_shards() const {
  std::vector<EagerTensor> parts;
  Tensor rows = Tensor::zeros({dtype(), shape()});
  auto end = rows.bytes().begin();
  for (const Copy& shard : state_->copies) {
    current_eager().variable_operation("ReadVariableOp", dtype(), shard.value.device);
    parts.push_back(shard.value);
    end = std::ranges::copy(shard.value.numbers.bytes(), end).out;
  }
  const EagerTensor value{rows, current_eager().variable_operation("ConcatV2", dtype(), {}, parts)};
  StepRecorder::read(*this, value);
  GradientTape::record_read(*this, value);
  return value;
}

EagerTensor Variable::read_value() const { return identity(value()); }

EagerTensor Variable::read_across_replicas() const {
  if (is_sharded()) return read_shards();
  if (kind() != Kind::sync_on_read || aggregation() == Aggregation::only_first_replica)
    return state_->copies.front().value;
  const ReduceOp op = reduce_op_of(aggregation());
  std::vector<EagerTensor> values;
  for (const Copy& copy : state_->copies) values.push_back(copy.value);
  return state_->strategy->reduce(op, DistributedValues(std::move(values)));
}

// TensorFlow offers these for plain variables only.
void Variable::require_no_copies() const {
  if (has_copies()) throw NotImplementedError("");
}

EagerTensor Variable::sparse_read(const EagerTensor& indices) const {
  require_no_copies();
  if (!is_sharded() || indices.numbers.shape().elements() == 0) return gather(*this, indices);
  std::vector<EagerTensor> rows;  // in the order of the shards, as in TensorFlow
  const std::vector<IndexedSlices> parts = by_shard({indices, indices});
  for (std::size_t shard = 0; shard < parts.size(); ++shard)
    if (parts[shard].indices.numbers.shape().elements() > 0)
      rows.push_back(gather(copies()[shard], parts[shard].indices));
  return concat(rows, 0);
}

EagerTensor Variable::gather_nd(const EagerTensor& indices) const {
  require_no_copies();
  return gather(value(), flat(indices));
}

EagerTensor gather(const Variable& variable, const EagerTensor& indices) {
  // The process that has the variable's device, which that of a thread outside of all scopes may not.
  const Strategy* strategy = variable.distribute_strategy();
  Eager& eager = strategy != nullptr ? strategy->eager_on(variable.device()) : current_eager();
  ThreadMode mode =
      current_mode() != nullptr ? *current_mode() : ThreadMode{&get_strategy(), ThreadMode::Kind::replica};
  mode.eager = &eager;
  const Entered there(mode);
  const Eager::Scope beside = eager.device(device::print(variable.device()));
  return gather(variable.value(), indices);
}

// ---- Changing

void Variable::change_copy(Change change, const Addend& given) {
  Copy& copy = own();
  if (is_scatter(change)) {
    const IndexedSlices& slices = slices_of(given, row(change).name);
    const std::array inputs{slices.indices, slices.values};
    current_eager().variable_operation(row(change).operation, dtype(), copy.value.device, inputs);
    copy.value.numbers = scattered(change, copy.value.numbers, slices);
    if (!is_shard()) StepRecorder::scattered(*this, slices);
    return;
  }
  const EagerTensor& value = tensor_of(given);
  require_assignable(copy.name, copy.value.numbers.spec(), value.numbers, change);
  current_eager().variable_operation(row(change).operation, dtype(), copy.value.device, {&value, 1});
  const std::string_view kernel = row(change).kernel;
  const std::array inputs{copy.value, value};
  copy.value.numbers = kernel.empty() ? value.numbers.copy() : current_eager().compute_part(kernel, inputs);
  if (!is_shard()) StepRecorder::assigned(*this, kernel, value);
}

void Variable::change(Change change, const Operand& given) {
  const Operand value = given.is_number() ? given.in(dtype()) : given;
  switch (kind()) {
    case Kind::plain:
      require_one_value(value);
      return change_one(change, value.of(0));
    case Kind::mirrored:
      return change_mirrored(change, value);
    case Kind::sync_on_read:
      return change_on_read(change, value);
    case Kind::aggregating:
      return change_aggregating(change, value);
  }
}

// Under central storage a variable of one replica is plain, and the values of its one replica are still distributed.
void Variable::require_one_value(const Operand& value) const {
  const bool is_plain_of_several =
      state_->strategy != nullptr && !state_->strategy->runs_in_one_thread() && !copy_;
  if (value.is_distributed() && is_plain_of_several)
    throw device::ValueError(fmt::format(
        "\"{}\" has no copies, and a different value for each replica can't be assigned to it", name()));
}

void Variable::change_one(Change change, const Addend& value) {
  return is_sharded() ? change_shards(change, value) : change_copy(change, value);
}

// Each shard is changed by its rows, one after the other, so that a value with too few rows has changed the shards before
// its end when it is refused (tensorflow/python/distribute/sharded_variable.py).
void Variable::change_shards(Change change, const Addend& value) {
  const auto change_each = [&](const auto& part_of) {
    const StepRecorder::Here paused = StepRecorder::paused();  // it is one variable in a step
    std::size_t number = 0;
    for (Variable shard : copies()) shard.change_copy(change, part_of(number++));
  };
  if (is_scatter(change)) {
    const std::vector<IndexedSlices> parts = by_shard(slices_of(value, row(change).name));
    change_each([&](std::size_t number) { return parts[number]; });
    return StepRecorder::scattered(*this, slices_of(value, row(change).name));
  }
  const EagerTensor& all = tensor_of(value);
  std::int64_t first = 0;
  if (all.numbers.shape().rank() != shape().rank())
    require_assignable(name(), {dtype(), shape()}, all.numbers, change);
  change_each([&](std::size_t number) {
    const std::int64_t rows = state_->copies[number].value.numbers.shape()[0];
    const std::int64_t left = all.numbers.shape()[0] - first;
    if (rows > left)
      throw InvalidArgumentError(fmt::format("Expected size[0] in [0, {}], but got {}", left, rows));
    first += rows;
    return EagerTensor{all.numbers.rows(first - rows, first).copy(), all.device};
  });
  StepRecorder::assigned(*this, row(change).kernel, all);
}

// The shard of each row. The first ones have a row more where rows don't divide evenly, and from there TensorFlow computes
// the shard, which it then refuses.
std::vector<std::size_t> Variable::shards_of(const EagerTensor& indices) const {
  const Tensor rows = whole_numbers(indices.numbers);
  const auto count = static_cast<std::int64_t>(state_->copies.size());
  const std::int64_t least = shape()[0] / count, more = shape()[0] % count;
  std::vector<std::size_t> shards;
  for (const std::int64_t row : rows.values<std::int64_t>()) {
    const std::int64_t shard =
        row < 0 ? -1 : std::max(row / (least + 1), row < more ? 0 : (row - more) / least);
    if (shard < 0 || shard >= count)
      throw InvalidArgumentError(
          fmt::format("partitions[{}] = {} is not in [0, {})", shards.size(), shard, count));
    shards.push_back(static_cast<std::size_t>(shard));
  }
  return shards;
}

// By shard, with the numbers that rows have in it.
std::vector<IndexedSlices> Variable::by_shard(const IndexedSlices& slices) const {
  const std::vector<std::size_t> shards = shards_of(slices.indices);
  const Tensor rows = whole_numbers(slices.indices.numbers);
  std::vector<IndexedSlices> parts;
  std::int64_t first = 0;
  for (std::size_t shard = 0; shard < state_->copies.size(); ++shard) {
    std::vector<std::int64_t> own;
    for (std::size_t i = 0; i < shards.size(); ++i)
      if (shards[i] == shard) own.push_back(static_cast<std::int64_t>(i));
    TensorSpec spec = slices.values.numbers.spec();
    spec.shape[0] = std::ssize(own);
    Tensor values = Tensor::zeros(spec), indices = Tensor::zeros({Type::int64, {std::ssize(own)}});
    for (std::size_t i = 0; i < own.size(); ++i) {
      const auto to = static_cast<std::int64_t>(i);
      std::ranges::copy(slices.values.numbers.rows(own[i], own[i] + 1).bytes(),
                        values.rows(to, to + 1).bytes().begin());
      indices.values<std::int64_t>()[i] =
          rows.values<std::int64_t>()[static_cast<std::size_t>(own[i])] - first;
    }
    parts.push_back({{values, slices.values.device}, {indices, slices.indices.device}, {}});
    first += state_->copies[shard].value.numbers.shape()[0];
  }
  return parts;
}

// Every copy is given its part of the value.
void Variable::change_all(Change change, const Operand& value) {
  if (!has_copies()) return change_one(change, value.of(0));
  const std::vector<Variable> all = copies();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const StepRecorder::Here own = StepRecorder::of(i);
    Variable copy = all[i];
    copy.change_copy(change, value.of(i));
  }
}

// A Python number is the same object on all replicas. TensorFlow refuses to add it up, because the program may mean the
// sum or the part of each replica.
void Variable::require_zero(const EagerTensor& number) const {
  const Tensor real = cast(number, Type::float64).numbers;
  if (state_->strategy->num_replicas_in_sync() > 1 && real.values<double>()[0] != 0)
    throw device::ValueError(fmt::format(
        "A non-DistributedValues value {} cannot be reduced with the given reduce op ReduceOp.SUM.",
        print_numpy(real)));
}

// What the replicas give is reduced first, and the result changes all copies.
void Variable::aggregate_and_change(Change change, const Operand& value) {
  if (value.is_number() && aggregation() == Aggregation::sum) require_zero(tensor_of(value.of(0)));
  const auto merge = [&](const Strategy&, const DistributedValues<Addend>& all) {
    if (aggregation() == Aggregation::only_first_replica) {
      StepRecorder::broadcast(all.values());
      return change_all(change, all[0]);
    }
    if (has_copies() && aggregation() == Aggregation::mean && !is_floating(dtype()))
      refuse_mean_of_integers();
    const Addend sum = reduced_to_one_device(reduce_op_of(aggregation()), all.values());
    StepRecorder::reduced(reduce_op_of(aggregation()), all.values(), {&sum, 1});
    change_all(change, sum);
  };
  get_replica_context()->merge_call(merge, value.of(get_replica_context()->replica_id_in_sync_group()));
}

void Variable::batch_scatter_update(const Operand& slices) {
  require_no_copies();
  scatter_update(slices);
}

void Variable::scatter_nd_add(const EagerTensor& indices, const EagerTensor& updates) {
  require_no_copies();
  scatter_add(IndexedSlices{updates, flat(indices)});
}

void Variable::scatter_nd_update(const EagerTensor& indices, const EagerTensor& updates) {
  require_no_copies();
  scatter_update(IndexedSlices{updates, flat(indices)});
}

void Variable::assign_rows(std::int64_t begin, std::int64_t end, const EagerTensor& rows) {
  const bool is_in_replica = has_strategy() && !in_cross_replica_context();
  if (kind() == Kind::sync_on_read && !is_in_replica) {
    value();  // as TensorFlow does, which refuses Aggregation::none here
    throw device::ValueError(
        fmt::format("rows of \"{}\" can be assigned in replica context only, because its value in "
                    "cross-replica context is computed "
                    "from the copies",
                    name()));
  }
  Copy& copy = copies().at(copy_here()).own();
  const bool is_inside = begin >= 0 && begin <= end && end <= shape()[0];
  if (!is_inside || rows.numbers.spec() != copy.value.numbers.rows(begin, end).spec())
    throw InvalidArgumentError(fmt::format("Expected value of {} rows [{}, {}) of {}, and it is {}", name(),
                                           begin, end, print(shape()), wt::print(rows.numbers.spec())));
  for (const Variable& each : copies()) {
    if (is_in_replica && each.copy_ != copy_here() && has_copies()) continue;
    Tensor changed = each.own().value.numbers.copy();
    std::ranges::copy(rows.numbers.bytes(), changed.rows(begin, end).bytes().begin());
    each.own().value.numbers = changed;
    const Tensor indices = Tensor::zeros({Type::int64, {end - begin}});
    std::iota(indices.values<std::int64_t>().begin(), indices.values<std::int64_t>().end(), begin);
    const StepRecorder::Here own = StepRecorder::of(each.copy_.value_or(0));
    StepRecorder::scattered(each, {rows, {indices, rows.device}, {}});
  }
}

void Variable::change_mirrored(Change change, const Operand& value) {
  const bool reduces = aggregation() == Aggregation::sum || aggregation() == Aggregation::mean;
  if (needs_equal_replicas(change) && reduces && !is_in_update())
    throw NotImplementedError(
        fmt::format("{} is only supported for mirrored variable (variable created within certain "
                    "`tf.distribute.Strategy` scope) with NONE or `ONLY_FIRST_REPLICA` aggregation, got: {}.",
                    row(change).name, python_name(aggregation())));
  const EnteredOrAsserted entered(*state_->strategy);
  if (is_in_update()) return copies().at(copy_here()).change_copy(change, value.of(copy_here()));
  if (in_cross_replica_context()) return change_all(change, value);
  if (aggregation() == Aggregation::none)
    return copies().at(copy_here()).change_copy(change, value.of(copy_here()));
  aggregate_and_change(change, value);
}

void Variable::change_on_read(Change change, const Operand& value) {
  if (is_scatter(change))
    throw NotImplementedError(
        fmt::format("Variables with `synchronization=ON_READ` doesn't support `{}`", row(change).name));
  const EnteredOrAsserted entered(*state_->strategy);
  if (!in_cross_replica_context() || is_in_update())
    return copies().at(copy_here()).change_copy(change, value.of(copy_here()));
  const bool is_sum = aggregation() == Aggregation::sum;
  if (is_sum && change != Change::assign)
    throw device::ValueError(fmt::format(
        "SyncOnReadVariable does not support `{}` in cross-replica context when aggregation is set to "
        "`tf.VariableAggregation.SUM`.",
        row(change).name));
  if (value.is_distributed())
    throw device::ValueError(
        fmt::format("\"{}\" has ON_READ synchronization, and a different value for each replica can't be "
                    "assigned to it in "
                    "cross-replica context",
                    name()));
  change_all(change, is_sum ? Operand(shared_out(tensor_of(value.of(0)))) : value);
  read_value();  // as TensorFlow does, which refuses Aggregation::none here, after it has changed the copies
}

// The part of a sum that each copy is given.
EagerTensor Variable::shared_out(const EagerTensor& sum) const {
  return cast(sum / static_cast<double>(state_->copies.size()), dtype());
}

void Variable::change_aggregating(Change change, const Operand& value) {
  if (is_scatter(change)) return change_one(change, value.of(0));
  const EnteredOrAsserted entered(*state_->strategy);
  if (in_cross_replica_context()) return change_one(change, value.of(0));
  if (aggregation() == Aggregation::none)
    throw device::ValueError(fmt::format(fmt::runtime(aggregation_is_missing), "AggregatingVariable"));
  aggregate_and_change(change, value);
}

void Variable::restore(const Tensor& value) {
  const bool is_sum = kind() == Kind::sync_on_read && aggregation() == Aggregation::sum;
  const EagerTensor each = is_sum ? shared_out({value}) : EagerTensor{value};
  if (is_sharded()) return change_shards(Change::assign, each);
  for (Variable copy : copies()) copy.change_copy(Change::assign, each);
}

}  // namespace wt::train
