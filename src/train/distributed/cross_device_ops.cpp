#include "train/distributed/cross_device_ops.h"

#include "device/error.h"
#include "train/distributed/step_recorder.h"
#include "train/tensor_operations.h"

namespace wt::train {

namespace {

template <class T>
std::vector<T> all_of(std::span<const Addend> values) {
  std::vector<T> each;
  for (const Addend& value : values) each.push_back(std::get<T>(value));
  return each;
}

bool are_slices(std::span<const Addend> values) {
  return std::holds_alternative<IndexedSlices>(values.front());
}

Addend added(std::span<const Addend> values) {
  if (!are_slices(values)) return add_n(all_of<EagerTensor>(values));
  std::vector<EagerTensor> rows, indices;
  for (const IndexedSlices& slices : all_of<IndexedSlices>(values)) {
    rows.push_back(slices.values);
    indices.push_back(slices.indices);
  }
  return IndexedSlices{concat(rows, 0), concat(indices, 0),
                       std::get<IndexedSlices>(values.front()).dense_shape};
}

Addend divided(const Addend& sum, std::size_t count) {
  const auto by_count = [count](const EagerTensor& value) { return value / static_cast<double>(count); };
  if (const auto* tensor = std::get_if<EagerTensor>(&sum)) return by_count(*tensor);
  IndexedSlices mean = std::get<IndexedSlices>(sum);
  mean.values = by_count(mean.values);
  return mean;
}

Addend on(const Addend& value, const device::Name& device) {
  if (const auto* tensor = std::get_if<EagerTensor>(&value)) return EagerTensor{tensor->numbers, device};
  const IndexedSlices& slices = std::get<IndexedSlices>(value);
  return IndexedSlices{{slices.values.numbers, device}, {slices.indices.numbers, device}, slices.dense_shape};
}

bool is_added_on_host(const Addend& value) {
  const auto* tensor = std::get_if<EagerTensor>(&value);
  return tensor != nullptr && tensor->numbers.type() == Type::int32;
}

void require_equal_shapes(const Strategy& strategy, const std::vector<Leaves>& values) {
  for (std::size_t leaf = 0; leaf < values.front().size(); ++leaf) {
    std::vector<Shape> shapes;
    for (const Leaves& own : values)
      if (const auto* tensor = std::get_if<EagerTensor>(&own.at(leaf)))
        shapes.push_back(tensor->numbers.shape());
    strategy.enter_collective(shapes);
  }
}

}  // namespace

void require_one_place(const Strategy& strategy, std::span<const Addend> values) {
  if (strategy.traits().variables != VariablePlacement::mirrored) return;
  for (const Addend& value : values)
    if (is_added_on_host(value) != is_added_on_host(values.front()))
      throw device::ValueError(
          "Inputs to batch_reduce_to must be either all on the host or all on the compute devices.");
}

Addend reduced_to_one_device(ReduceOp op, std::span<const Addend> values) {
  const StepRecorder::Here paused = StepRecorder::paused();
  const Addend sum = added(values);
  return op == ReduceOp::mean ? divided(sum, values.size()) : sum;
}

Addend reduced_hierarchically(ReduceOp op, std::span<const Addend> values) {
  if (are_slices(values) || values.size() < 2) return reduced_to_one_device(op, values);
  const StepRecorder::Here paused = StepRecorder::paused();
  const std::size_t half = values.size() / 2;
  const std::array halves{added(values.first(half)), added(values.subspan(half, half))};
  const Addend sum = added(halves);
  return op == ReduceOp::mean ? divided(sum, values.size()) : sum;
}

std::vector<Leaves> all_reduced(const Strategy& strategy, ReduceOp op, const std::vector<Leaves>& values) {
  require_one_place(strategy, values.front());
  if (strategy.runs_in_one_thread()) return values;
  if (strategy.uses_collectives()) require_equal_shapes(strategy, values);
  const bool is_hierarchical =
      strategy.traits().cross_device_ops == strategy::CrossDeviceOps::hierarchical_copy;
  std::vector<Leaves> results(values.size());
  for (std::size_t leaf = 0; leaf < values.front().size(); ++leaf) {
    std::vector<Addend> each;
    for (const Leaves& own : values) each.push_back(own.at(leaf));
    const Addend reduced = is_hierarchical && !is_added_on_host(each.front())
                               ? reduced_hierarchically(op, each)
                               : reduced_to_one_device(op, each);
    for (std::size_t i = 0; i < values.size(); ++i)
      results[i].push_back(on(reduced, strategy.traits().devices[i].name));
  }
  return results;
}

}  // namespace wt::train
