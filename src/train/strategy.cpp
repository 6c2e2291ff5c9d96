#include "train/strategy.h"

#include <fmt/format.h>

#include <algorithm>

#include "device/error.h"
#include "train/distributed/extended.h"
#include "train/distributed/step_recorder.h"
#include "train/distributed/variable.h"
#include "train/errors.h"
#include "train/tensor_operations.h"

namespace wt::train {

namespace {

std::vector<device::LogicalDevice> cpus(std::int64_t count) {
  std::vector<device::LogicalDevice> devices;
  for (std::int64_t i = 0; i < count; ++i)
    devices.push_back({.name = device::canonical({.kind = device::Kind::cpu, .index = static_cast<int>(i)})});
  return devices;
}

const Strategy& default_strategy() {
  static const Strategy strategy({.name = "_DefaultDistributionStrategy",
                                  .devices = cpus(1),
                                  .variables = VariablePlacement::where_it_is_made});
  return strategy;
}

device::Name task_of(device::Name name) {
  name.kind.reset();
  name.index.reset();
  return name;
}

// The devices that the process of a task sees: its host, and those of the replicas that it runs.
std::vector<device::LogicalDevice> seen_by(const device::Name& task,
                                           const std::vector<device::LogicalDevice>& all) {
  std::vector<device::LogicalDevice> seen{{.name = device::canonical({}, task)}};
  for (const device::LogicalDevice& device : all)
    if (task_of(device.name) == task && device.name != seen.front().name) seen.push_back(device);
  return seen;
}

// ---- Values

// Collectives gather along axes from 0 on. TensorFlow permutes the axes first, and the text is that of its tf.range, which
// refuses other ones.
void require_collective_axis(int axis, const Shape& shape, Gathering gathering) {
  if (gathering != Gathering::by_collectives || (axis >= 0 && axis < shape.rank())) return;
  throw device::ValueError(
      fmt::format("Requires start <= limit when delta > 0: {}/{}", axis < 0 ? 0 : axis + 1, axis));
}

// The shapes that a collective has where each replica's part is padded to the longest.
std::vector<Shape> gathered_shapes(std::span<const EagerTensor> values, int axis) {
  std::int64_t longest = 0;
  for (const EagerTensor& value : values)
    if (axis < value.numbers.shape().rank()) longest = std::max(longest, value.numbers.shape()[axis]);
  std::vector<Shape> shapes;
  for (const EagerTensor& value : values) {
    std::vector<std::int64_t> extents;
    for (int i = 0; i < value.numbers.shape().rank(); ++i)
      extents.push_back(i == axis ? longest * std::ssize(values) : value.numbers.shape()[i]);
    shapes.emplace_back(extents);
  }
  return shapes;
}

std::vector<EagerTensor> on_host(const Values& values) {
  std::vector<EagerTensor> placed;
  for (const Tensor& value : values) placed.push_back({value, device::host_of(device::canonical({}))});
  return placed;
}

}  // namespace

// The processes whose devices execute single operations: one for each replica, so that a replica that pauses keeps its
// place, and one for the strategy's scopes.
struct Strategy::Eagers {
  struct One {
    One(std::vector<device::LogicalDevice> devices, const device::Name& task)
        : context(std::move(devices), task), eager(context) {}
    device::Context context;
    Eager eager;
  };
  std::vector<std::unique_ptr<One>> all{};  // the last one is that of the scopes; made at their first use
  bool logs_placement = false;
  Eager::Sink sink{};
  int collectives = 0;    // so far
  std::string aborted{};  // why no further collective can run

  void configure(Eager& eager) const {
    eager.set_log_device_placement(logs_placement);
    if (sink) eager.set_sink(sink);
  }
};

Strategy::Strategy(Traits traits) : traits_(std::move(traits)), eagers_(std::make_unique<Eagers>()) {
  WT_EXPECT(!traits_.devices.empty(), "{} has no devices", traits_.name);
  eagers_->all.resize(traits_.devices.size() + 1);
}

Strategy::Strategy(std::string name, std::int64_t num_replicas_in_sync, std::string refusal,
                   Gathering gathering)
    : Strategy({.name = std::move(name),
                .devices = cpus(num_replicas_in_sync),
                .gathering = gathering,
                .refusal = std::move(refusal)}) {}

Strategy::~Strategy() = default;

StrategyExtended Strategy::extended() const { return StrategyExtended(*this); }

void Strategy::require_usable() const {
  if (!traits_.refusal.empty()) throw NotImplementedError(traits_.refusal);
}

const std::vector<device::LogicalDevice>& Strategy::existing_devices() const {
  return traits_.existing ? *traits_.existing : traits_.devices;
}

device::Name Strategy::placed(const device::Name& device) const {
  const auto is_it = [&](const device::LogicalDevice& each) { return each.name == device; };
  return std::ranges::any_of(existing_devices(), is_it) ? device : device::host_of(device);
}

Eager& Strategy::eager(std::optional<std::size_t> replica) const {
  std::unique_ptr<Eagers::One>& one = eagers_->all.at(replica.value_or(traits_.devices.size()));
  if (!one) {
    const device::Name task = task_of(traits_.devices.at(replica.value_or(0)).name);
    std::vector<device::LogicalDevice> seen = seen_by(task, existing_devices());
    for (const device::Name& server : traits_.servers) seen.push_back({.name = server});
    one = std::make_unique<Eagers::One>(std::move(seen), task);
    eagers_->configure(one->eager);
  }
  return one->eager;
}

Eager& Strategy::eager_on(const device::Name& device) const {
  for (std::size_t i = 0; i < traits_.devices.size(); ++i)
    if (traits_.devices[i].name == device) return eager(i);
  return eager();
}

void Strategy::set_log_device_placement(bool enabled, const Eager::Sink& sink) const {
  eagers_->logs_placement = enabled;
  eagers_->sink = sink;
  for (const std::unique_ptr<Eagers::One>& one : eagers_->all)
    if (one) eagers_->configure(one->eager);
}

Strategy::Device::Device(const Strategy& strategy, std::size_t replica)
    : scope_(strategy.eager(replica).device(device::print(strategy.traits().devices.at(replica).name))) {}

// ---- Collectives

bool Strategy::uses_collectives() const {
  using strategy::CrossDeviceOps;
  return traits_.cross_device_ops == CrossDeviceOps::collective_ring ||
         traits_.cross_device_ops == CrossDeviceOps::collective_nccl;
}

// TensorFlow numbers the instances from 100 on.
void Strategy::enter_collective(std::span<const Shape> shapes) const {
  ++eagers_->collectives;
  for (const Shape& shape : shapes)
    if (eagers_->aborted.empty() && shape != shapes.front())
      eagers_->aborted = fmt::format(
          "Collective ops is aborted by: Shape mismatch in the collective instance {}. Op at device {} "
          "expected shape {} "
          "but another member in the group expected shape {}. This is likely due to different input shapes "
          "at different "
          "members of the collective op.\nThe error could be from a previous operation. Restart your program "
          "to reset.",
          99 + eagers_->collectives, device::print(traits_.devices.front().name), wt::print(shapes.front()),
          wt::print(shape));
  if (!eagers_->aborted.empty()) throw InvalidArgumentError(eagers_->aborted);
}

// ---- Scopes

// Accepts the cross-replica context of this strategy, and being outside of all scopes. The default strategy is always in
// replica context, in its scopes and its runs, and counts as outside.
void Strategy::require_cross_replica_context() const {
  const ThreadMode* mode = current_mode();
  const bool is_outside = mode == nullptr || mode->strategy == &default_strategy();
  if (is_outside || (mode->strategy == this && mode->kind != ThreadMode::Kind::replica)) return;
  if (mode->strategy != this)
    throw device::RuntimeError(fmt::format("Mixing different tf.distribute.Strategy objects: {} is not {}",
                                           mode->strategy->name(), name()));
  throw device::RuntimeError(
      "Method requires being in cross-replica context, use get_replica_context().merge_call()");
}

Strategy::Scope::Scope(const Strategy& strategy) {
  strategy.require_usable();
  if (&strategy == &default_strategy() && has_strategy())
    throw device::RuntimeError("Must not nest tf.distribute.Strategy scopes.");
  strategy.require_cross_replica_context();
  const auto kind =
      &strategy == &default_strategy() ? ThreadMode::Kind::replica : ThreadMode::Kind::cross_replica;
  entered_.emplace(ThreadMode{&strategy, kind, 0, nullptr, &strategy.eager()});
}

const Strategy& get_strategy() {
  const ThreadMode* mode = current_mode();
  return mode == nullptr ? default_strategy() : *mode->strategy;
}
bool has_strategy() { return &get_strategy() != &default_strategy(); }
bool in_cross_replica_context() {
  const ThreadMode* mode = current_mode();
  return mode != nullptr && mode->kind != ThreadMode::Kind::replica;
}

std::optional<ReplicaContext> get_replica_context() {
  if (in_cross_replica_context()) return std::nullopt;
  const ThreadMode* mode = current_mode();
  if (mode != nullptr) return ReplicaContext(*mode);
  return ReplicaContext(
      {&default_strategy(), ThreadMode::Kind::replica, 0, nullptr, nullptr, functions_here()});
}

void experimental_set_strategy(const Strategy* strategy) {
  thread_local std::unique_ptr<Strategy::Scope> lasting;
  const bool is_inside = number_of_modes() > (lasting ? 1u : 0u);
  if (is_inside) throw device::RuntimeError("Must not be called inside a `tf.distribute.Strategy` scope.");
  lasting.reset();
  if (strategy != nullptr) lasting = std::make_unique<Strategy::Scope>(*strategy);
}

// ---- Run

bool Strategy::runs_in_one_thread() const {
  return traits_.variables == VariablePlacement::where_it_is_made ||
         traits_.variables == VariablePlacement::on_its_device;
}

// The default strategy has no device of its own.
void Strategy::run_replicas(const ReplicaThreads::Body& body) const {
  require_usable();
  if (!traits_.eager_refusal.empty() && functions_here() == 0)
    throw NotImplementedError(traits_.eager_refusal);
  require_cross_replica_context();
  switch (traits_.variables) {
    case VariablePlacement::where_it_is_made: {
      const Entered replica({this, ThreadMode::Kind::replica, 0, nullptr, &eager(0), functions_here()});
      return body(0);
    }
    case VariablePlacement::on_its_device: {
      const Device device(*this, 0);
      const Entered replica({this, ThreadMode::Kind::replica, 0, nullptr, &eager(0), functions_here()});
      return body(0);
    }
    default:
      return ReplicaThreads::run(*this, body);
  }
}

PerReplica Strategy::run(Function& function, const PerReplica& arguments) const {
  require_usable();
  require_cross_replica_context();
  require_one_each(arguments.size());
  const Entered replica({this, ThreadMode::Kind::replica});
  return function.run(arguments);
}

// ---- Reductions

void Strategy::require_one_each(std::size_t values) const {
  if (static_cast<std::int64_t>(values) == num_replicas_in_sync()) return;
  throw InputError(
      fmt::format("{} values are given for the {} replicas of {}", values, num_replicas_in_sync(), name()),
      "give one for each replica");
}

EagerTensor Strategy::reduce(ReduceOp op, const DistributedValues<EagerTensor>& value,
                             std::optional<int> axis) const {
  require_cross_replica_context();
  require_one_each(value.size());
  if (runs_in_one_thread() && !axis) return value[0];
  const Entered across({this, ThreadMode::Kind::cross_replica, 0, nullptr, &eager()});
  const Eager::Scope host = eager().device("/CPU:0");
  std::vector<EagerTensor> own;
  std::int64_t count = axis ? 0 : num_replicas_in_sync();
  for (std::size_t i = 0; i < value.size(); ++i) {
    const EagerTensor& each = value[i];
    const StepRecorder::Here of_replica = StepRecorder::of(i);
    own.push_back(axis ? reduce_sum(each, *axis) : each);
    if (axis) count += each.numbers.shape()[*axis < 0 ? *axis + each.numbers.shape().rank() : *axis];
  }
  const auto reduced = [&] {
    const StepRecorder::Here paused = StepRecorder::paused();
    const EagerTensor sum = identity(add_n(own));
    if (op == ReduceOp::sum) return sum;
    // Python's division of integers has the type float64, as tf.truediv.
    const EagerTensor real = is_floating(sum.numbers.type()) ? sum : cast(sum, Type::float64);
    return real / cast(constant(count), real.numbers.type());
  };
  const Addend result = reduced();
  StepRecorder::reduced(op, Leaves(own.begin(), own.end()), {&result, 1});
  return std::get<EagerTensor>(result);
}

Tensor Strategy::reduce(ReduceOp op, const Values& value, std::optional<int> axis) const {
  return reduce(op, DistributedValues(on_host(value)), axis).numbers;
}

Tensor Strategy::reduce(ReduceOp op, const PerReplica& returned, std::size_t result) const {
  return reduce(op, experimental_local_results(returned, result));
}

// Each copy counts. A variable without copies is a value that is the same on all replicas.
EagerTensor Strategy::reduce(ReduceOp op, const Variable& value, std::optional<int> axis) const {
  if (!value.has_copies() && num_replicas_in_sync() > 1)
    return {reduce(op, value.value().numbers), value.device()};
  if (value.is_sharded()) return reduce(op, DistributedValues<EagerTensor>({value.value()}), axis);
  std::vector<EagerTensor> copies;
  for (const Variable& copy : value.copies()) copies.push_back(copy.value());
  return reduce(op, DistributedValues(std::move(copies)), axis);
}

// A value that is the same on all replicas is its own mean, and zeros are their own sum. TensorFlow refuses
// the sum of other values (reduce_non_distributed_value in cross_device_ops.py), since it could be the value
// or a multiple of it.
Tensor Strategy::reduce(ReduceOp op, const Tensor& value) const {
  require_cross_replica_context();
  const std::span<const std::byte> bytes = value.bytes();
  const bool is_zero =
      std::all_of(bytes.begin(), bytes.end(), [](std::byte byte) { return byte == std::byte{}; });
  if (is_zero || op == ReduceOp::mean || num_replicas_in_sync() == 1) return value;
  throw device::ValueError(
      fmt::format("A non-DistributedValues value {} cannot be reduced with the given reduce op ReduceOp.SUM.",
                  wt::print(value.spec())));
}

EagerTensor Strategy::gather(const DistributedValues<EagerTensor>& value, int axis) const {
  const ThreadMode* mode = current_mode();
  if (mode != nullptr && mode->kind == ThreadMode::Kind::replica && has_strategy())
    throw device::RuntimeError(
        "tf.distribute.Strategy.gather method requires cross-replica context, use "
        "get_replica_context().all_gather() instead");
  require_cross_replica_context();
  if (value.size() == 1) return value[0];
  const Entered across({this, ThreadMode::Kind::cross_replica, 0, nullptr, &eager()});
  const Eager::Scope host = eager().device("/CPU:0");
  const StepRecorder::Here paused = StepRecorder::paused();
  const Shape& shape = value[0].numbers.shape();
  if (shape.rank() > 0)
    require_collective_axis(axis, shape, traits_.gathering);  // scalars are refused by concat
  if (traits_.gathering == Gathering::by_collectives) {
    enter_collective({});  // of the lengths
    enter_collective(gathered_shapes(value.values(), axis));
  }
  return concat(value.values(), axis);
}

Tensor Strategy::gather(const Values& value, int axis) const {
  return gather(DistributedValues(on_host(value)), axis).numbers;
}

std::vector<Leaves> all_gathered(const Strategy& strategy, const std::vector<Leaves>& values, int axis) {
  std::vector<Leaves> results(values.size());
  for (std::size_t leaf = 0; leaf < values.front().size(); ++leaf) {
    std::vector<EagerTensor> parts;
    for (const Leaves& own : values) {
      if (std::holds_alternative<IndexedSlices>(own.at(leaf)))
        throw NotImplementedError("all_gather does not support IndexedSlices");
      parts.push_back(std::get<EagerTensor>(own[leaf]));
    }
    if (strategy.runs_in_one_thread()) return values;
    require_collective_axis(axis, parts[0].numbers.shape(), strategy.traits().gathering);
    const EagerTensor all = strategy.gather(DistributedValues(parts), axis);
    for (std::size_t i = 0; i < values.size(); ++i)
      results[i].push_back(EagerTensor{all.numbers, strategy.traits().devices[i].name});
  }
  return results;
}

DistributedValues<EagerTensor> component(const PerReplica& elements, std::size_t number) {
  return DistributedValues(on_host(experimental_local_results(elements, number)));
}

Values experimental_local_results(const PerReplica& returned, std::size_t result) {
  Values values;
  for (const std::vector<Tensor>& own : returned) values.push_back(own.at(result));
  return values;
}

}  // namespace wt::train
