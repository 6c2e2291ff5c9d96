#include "train/strategy.h"

#include <fmt/format.h>

#include <algorithm>

#include "device/error.h"
#include "train/eager.h"
#include "train/errors.h"

namespace wt::train {

namespace {

// TensorFlow keeps a stack of modes per thread. Its lowest entry, the default strategy in replica context, is
// implicit here and applies if the stack is empty.
struct Mode {
  const Strategy* strategy = nullptr;
  bool is_cross_replica = true;
};
thread_local std::vector<Mode> modes;

class Entered {
 public:
  explicit Entered(Mode mode) { modes.push_back(mode); }
  ~Entered() { modes.pop_back(); }
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;
};

const Strategy& default_strategy() {
  static const Strategy strategy("_DefaultDistributionStrategy", 1);
  return strategy;
}

// ---- Values

// The axis along which values of this shape are concatenated. Collectives permute the axes before, and what their
// tf.range refuses is what the user reads; they take no axis from the end.
int gathered_axis(int axis, const Shape& shape, Gathering gathering) {
  const int rank = shape.rank();
  if (rank == 0) throw InvalidArgumentError("ConcatOp : Can't concatenate scalars (use tf.stack instead)");
  const bool is_collective = gathering == Gathering::by_collectives;
  if (is_collective && (axis < 0 || axis >= rank))
    throw device::ValueError(
        fmt::format("Requires start <= limit when delta > 0: {}/{}", axis < 0 ? 0 : axis + 1, axis));
  if (axis < -rank || axis >= rank)
    throw InvalidArgumentError(fmt::format(
        "ConcatOp : Expected concatenating dimensions in the range [{}, {}), but got {}", -rank, rank, axis));
  return axis < 0 ? axis + rank : axis;
}

int reduced_axis(int axis, const Tensor& value) {
  const int rank = value.shape().rank();
  if (axis < -rank || axis >= rank)
    throw device::ValueError(
        fmt::format("Invalid reduction dimension {} for input with {} dimensions.", axis, rank));
  return axis < 0 ? axis + rank : axis;
}

// Runs single operations on the CPU of the host.
class Host {
 public:
  EagerTensor place(const Tensor& value) { return tf_.constant(value); }
  EagerTensor apply(std::string_view kernel, const Attributes& attributes,
                    std::initializer_list<EagerTensor> inputs) {
    return tf_.apply(kernel, attributes, inputs).front();
  }

  // Adds from left to right, as TensorFlow's AddN does.
  EagerTensor sum(const std::vector<EagerTensor>& values) {
    EagerTensor total = values.front();
    for (std::size_t i = 1; i < values.size(); ++i)
      if (values[i].numbers.shape() != total.numbers.shape())
        throw InvalidArgumentError(
            fmt::format("Inputs to operation AddN of type AddN must have the same size and shape.  Input 0: "
                        "{} != input {}: {}",
                        wt::print(total.numbers.shape()), i, wt::print(values[i].numbers.shape())));
    for (std::size_t i = 1; i < values.size(); ++i) total = apply("add", NoAttributes{}, {total, values[i]});
    return total;
  }

  // Python's division of integers has the type float64, as tf.truediv.
  Tensor divided(const EagerTensor& value, std::int64_t count) {
    const Type type = is_floating(value.numbers.type()) ? value.numbers.type() : Type::float64;
    const EagerTensor divisor =
        apply("cast", CastAttributes{type}, {place(Tensor::of<std::int64_t>({}, {count}))});
    return apply("divide", NoAttributes{}, {apply("cast", CastAttributes{type}, {value}), divisor}).numbers;
  }

 private:
  device::Context context_{};
  Eager tf_{context_};
};

}  // namespace

Strategy::Strategy(std::string name, std::int64_t num_replicas_in_sync, std::string refusal,
                   Gathering gathering)
    : name_(std::move(name)),
      replicas_(num_replicas_in_sync),
      refusal_(std::move(refusal)),
      gathering_(gathering) {
  WT_EXPECT(replicas_ > 0, "{} has {} replicas", name_, replicas_);
}

void Strategy::require_usable() const {
  if (!refusal_.empty()) throw NotImplementedError(refusal_);
}

// ---- Scopes

// Accepts the cross-replica context of this strategy, and being outside of all scopes, which scopes and runs of the
// default strategy are, too.
void Strategy::require_cross_replica_context() const {
  const bool is_outside = modes.empty() || modes.back().strategy == &default_strategy();
  if (is_outside || (modes.back().strategy == this && modes.back().is_cross_replica)) return;
  if (modes.back().strategy != this)
    throw device::RuntimeError(fmt::format("Mixing different tf.distribute.Strategy objects: {} is not {}",
                                           modes.back().strategy->name(), name_));
  throw device::RuntimeError(
      "Method requires being in cross-replica context, use get_replica_context().merge_call()");
}

Strategy::Scope::Scope(const Strategy& strategy) {
  strategy.require_usable();
  if (&strategy == &default_strategy() && has_strategy())
    throw device::RuntimeError("Must not nest tf.distribute.Strategy scopes.");
  strategy.require_cross_replica_context();
  modes.push_back({&strategy, true});
}

Strategy::Scope::~Scope() { modes.pop_back(); }

const Strategy& get_strategy() { return modes.empty() ? default_strategy() : *modes.back().strategy; }
bool has_strategy() { return &get_strategy() != &default_strategy(); }
bool in_cross_replica_context() { return !modes.empty() && modes.back().is_cross_replica; }

std::optional<ReplicaContext> get_replica_context() {
  if (in_cross_replica_context()) return std::nullopt;
  return ReplicaContext{get_strategy().num_replicas_in_sync()};
}

// ---- Values

PerReplica Strategy::run(Function& function, const PerReplica& arguments) const {
  require_usable();
  require_cross_replica_context();
  WT_EXPECT(std::ssize(arguments) == replicas_, "arguments are given for {} replicas, and there are {}",
            arguments.size(), replicas_);
  const Entered replica({this, false});
  return function.run(arguments);
}

Tensor Strategy::reduce(ReduceOp op, const Values& value, std::optional<int> axis) const {
  require_cross_replica_context();
  WT_EXPECT(std::ssize(value) == replicas_, "{} values are given for {} replicas", value.size(), replicas_);
  Host host;
  std::vector<EagerTensor> own;
  std::int64_t count = axis ? 0 : replicas_;
  for (const Tensor& each : value) {
    own.push_back(host.place(each));
    if (!axis) continue;
    const int checked = reduced_axis(*axis, each);
    own.back() = host.apply("reduce_sum", AxesAttributes{{checked}}, {own.back()});
    count += each.shape()[checked];
  }
  const EagerTensor sum = host.sum(own);
  return op == ReduceOp::sum ? sum.numbers : host.divided(sum, count);
}

// A value that is the same on all replicas is its own mean, and zeros are their own sum. TensorFlow refuses
// the sum of other values (reduce_non_distributed_value in cross_device_ops.py), since it could be the value
// or a multiple of it.
Tensor Strategy::reduce(ReduceOp op, const Tensor& value) const {
  require_cross_replica_context();
  const std::span<const std::byte> bytes = value.bytes();
  const bool is_zero =
      std::all_of(bytes.begin(), bytes.end(), [](std::byte byte) { return byte == std::byte{}; });
  if (is_zero || op == ReduceOp::mean || replicas_ == 1) return value;
  throw device::ValueError(
      fmt::format("A non-DistributedValues value {} cannot be reduced with the given reduce op ReduceOp.SUM.",
                  print(value.spec())));
}

Tensor Strategy::gather(const Values& value, int axis) const {
  if (!modes.empty() && !modes.back().is_cross_replica)
    throw device::RuntimeError(
        "tf.distribute.Strategy.gather method requires cross-replica context, use "
        "get_replica_context().all_gather() instead");
  require_cross_replica_context();
  if (value.size() == 1) return value.front();
  Host host;
  EagerTensor all = host.place(value.at(0));
  const int checked = gathered_axis(axis, value[0].shape(), gathering_);
  for (std::size_t i = 1; i < value.size(); ++i)
    all = host.apply("concat",
                     PartsAttributes{checked, {all.numbers.shape()[checked], value[i].shape()[checked]}},
                     {all, host.place(value[i])});
  return all.numbers;
}

Values experimental_local_results(const PerReplica& returned, std::size_t result) {
  Values values;
  for (const std::vector<Tensor>& own : returned) values.push_back(own.at(result));
  return values;
}

}  // namespace wt::train
