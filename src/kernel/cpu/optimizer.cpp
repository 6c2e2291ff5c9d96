#include "kernel/cpu/kernels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "device/cpu/workers.h"
#include "kernel/cpu/ids.h"
#include "kernel/cpu/isa.h"
#include "kernel/cpu/loops/optimizer.h"
#include "kernel/cpu/nest.h"
#include "kernel/cpu/tiles.h"
#include "kernel/cpu/types.h"
#include "kernel/optimizer.h"

namespace wt::cpu {

namespace {

template <class T>
const loops::OptimizerOf<T>& optimizer_loops() {
  const loops::Optimizer& loops = WT_LOOPS(loops::optimizer);
  if constexpr (std::is_same_v<T, float>) {
    return loops.float32;
  } else {
    return loops.float64;
  }
}

// The loops have up to three slots, and a layout may lack some of them. Slot i of the layout is slot
// places[i] of the loops.
using SlotPlaces = std::array<std::size_t, 3>;

template <class T>
loops::OptimizerRun<T> run_of(const Numbers& numbers, const OptimizerLayout& layout, const SlotPlaces& places,
                              std::size_t parameter, std::int64_t begin) {
  const std::size_t parameters = layout.parameters(numbers.inputs.size());
  loops::OptimizerRun<T> run{};
  run.w = numbers.inputs[parameter].as<T>() + begin;
  run.new_w = numbers.outputs[parameter].as<T>() + begin;
  for (std::size_t slot = 0; slot < layout.slots; ++slot) {
    const std::size_t operand = parameters * (1 + slot) + parameter;
    run.slots[places[slot]] = numbers.inputs[operand].as<T>() + begin;
    run.new_slots[places[slot]] = numbers.outputs[operand].as<T>() + begin;
  }
  run.g = numbers.inputs[layout.gradients_at(parameters) + parameter].as<T>() + begin;
  if (layout.has_squares)
    run.g_squared = numbers.inputs[layout.squares_at(parameters) + parameter].as<T>() + begin;
  run.count = std::min(tile_elements, numbers.inputs[parameter].spec.elements() - begin);
  return run;
}

// Calls f(run) for every tile of every parameter. All parameters share one parallel loop, so that many small
// ones occupy the threads as well as a large one does.
template <class T, class F>
void run_over_parameters(const Numbers& numbers, const OptimizerLayout& layout, const SlotPlaces& places,
                         device::Workers& workers, F&& f) {
  const std::span<const View> weights = numbers.inputs.first(layout.parameters(numbers.inputs.size()));
  const auto tiles_of = [](const View& w) { return ceiling(w.spec.elements(), tile_elements); };
  std::int64_t tiles = 0;
  for (const View& w : weights) tiles += tiles_of(w);
  workers.run(tiles, [&](std::int64_t tile, std::span<std::byte>) {
    std::size_t parameter = 0;
    for (; tile >= tiles_of(weights[parameter]); ++parameter) tile -= tiles_of(weights[parameter]);
    f(run_of<T>(numbers, layout, places, parameter, tile * tile_elements));
  });
}

// Every id's rows of dy are added in their order, and then its row of the table is updated once. The ids are
// sorted, so that equal ones follow each other; the first of them stands for all.
template <class T, class Id>
class RowUpdate {
 public:
  explicit RowUpdate(const Numbers& numbers)
      : ids_(numbers.inputs[1].values<Id>()),
        dy_(numbers.inputs[2].as<T>()),
        rows_(numbers.outputs[0].as<T>()),
        width_(numbers.inputs[0].spec.shape[1]),
        order_(reinterpret_cast<std::int64_t*>(numbers.workspace.data()), ids_.size()),
        step_{*numbers.inputs[3].as<T>(), {}, {}, false, false} {
    std::iota(order_.begin(), order_.end(), 0);
    std::ranges::sort(order_, {}, [&](std::int64_t at) { return std::pair(id_at(at), at); });
  }

  std::int64_t count() const { return std::ssize(order_); }
  bool is_first(std::int64_t i) const { return i == 0 || id(i) != id(i - 1); }

  void update(std::int64_t first) const {
    constexpr std::int64_t block = 64;
    std::array<T, block> sum{};
    T* row = rows_ + static_cast<std::int64_t>(id(first)) * width_;
    for (std::int64_t begin = 0; begin < width_; begin += block) {
      const std::int64_t size = std::min(block, width_ - begin);
      sum.fill(T{});
      for (std::int64_t i = first; i < count() && id(i) == id(first); ++i)
        for (std::int64_t c = 0; c < size; ++c)
          sum[static_cast<std::size_t>(c)] += dy_[position(i) * width_ + begin + c];
      loops::OptimizerRun<T> run{};
      run.w = run.new_w = row + begin;
      run.g = sum.data();
      run.count = size;
      optimizer_loops<T>().sgd(run, step_);
    }
  }

 private:
  std::int64_t position(std::int64_t i) const { return order_[static_cast<std::size_t>(i)]; }
  Id id_at(std::int64_t at) const { return ids_[static_cast<std::size_t>(at)]; }
  Id id(std::int64_t i) const { return id_at(position(i)); }

  std::span<const Id> ids_;
  const T* dy_;
  T* rows_;
  std::int64_t width_;
  std::span<std::int64_t> order_;  // positions of the ids, sorted by id
  loops::SgdStep<T> step_;
};

template <class T, class Id>
void update_rows(const Numbers& numbers, device::Workers& workers) {
  const TensorSpec& table = numbers.inputs[0].spec;
  require_ids<Id>("sgd_update_rows", numbers.inputs[1].values<Id>(), table.shape[0]);
  const T* old = numbers.inputs[0].as<T>();
  T* updated = numbers.outputs[0].as<T>();
  if (updated != old)
    run_rows(workers, table.shape[0], table.shape[1], [&](std::int64_t begin, std::int64_t rows) {
      std::copy_n(old + begin * table.shape[1], rows * table.shape[1], updated + begin * table.shape[1]);
    });
  const RowUpdate<T, Id> update(numbers);
  run_rows(workers, update.count(), table.shape[1], [&](std::int64_t begin, std::int64_t size) {
    for (std::int64_t i = begin; i < begin + size; ++i)
      if (update.is_first(i)) update.update(i);
  });
}

}  // namespace

void apply_sgd_update(const Numbers& numbers, device::Workers& workers) {
  const auto& attributes = attributes_as<SgdAttributes>(numbers.attributes);
  with_floating(numbers.inputs[0].spec.type, [&](auto zero) {
    using T = decltype(zero);
    const loops::SgdStep<T> step{.learning_rate = *numbers.inputs.back().as<T>(),
                                 .momentum = static_cast<T>(attributes.momentum),
                                 .weight_decay = static_cast<T>(attributes.weight_decay),
                                 .has_momentum = attributes.momentum != 0,
                                 .is_nesterov = attributes.nesterov};
    run_over_parameters<T>(numbers, layout_of(attributes), {0}, workers,
                           [&](const loops::OptimizerRun<T>& run) { optimizer_loops<T>().sgd(run, step); });
  });
}

void apply_sgd_update_rows(const Numbers& numbers, device::Workers& workers) {
  with_floating(numbers.outputs[0].spec.type, [&](auto zero) {
    with_index(numbers.inputs[1].spec.type,
               [&](auto id) { update_rows<decltype(zero), decltype(id)>(numbers, workers); });
  });
}

void apply_adam_update(const Numbers& numbers, device::Workers& workers) {
  const auto& attributes = attributes_as<AdamAttributes>(numbers.attributes);
  const OptimizerLayout layout = layout_of(attributes);
  const std::size_t count_at = layout.count_at(layout.parameters(numbers.inputs.size()));
  const std::int64_t t = *numbers.inputs[count_at].as<std::int64_t>() + 1;
  with_floating(numbers.inputs[0].spec.type, [&](auto zero) {
    using T = decltype(zero);
    // Keras casts beta before it computes the power, and casts 1 - beta after the subtraction.
    const T rate = *numbers.inputs.back().as<T>();
    const T power_1 = std::pow(static_cast<T>(attributes.beta_1), static_cast<T>(t));
    const T power_2 = std::pow(static_cast<T>(attributes.beta_2), static_cast<T>(t));
    const loops::AdamStep<T> step{.learning_rate = rate,
                                  .alpha = rate * std::sqrt(1 - power_2) / (1 - power_1),
                                  .one_minus_beta_1 = static_cast<T>(1 - attributes.beta_1),
                                  .one_minus_beta_2 = static_cast<T>(1 - attributes.beta_2),
                                  .epsilon = static_cast<T>(attributes.epsilon),
                                  .weight_decay = static_cast<T>(attributes.weight_decay)};
    run_over_parameters<T>(numbers, layout, {0, 1}, workers,
                           [&](const loops::OptimizerRun<T>& run) { optimizer_loops<T>().adam(run, step); });
  });
  *numbers.outputs[count_at].as<std::int64_t>() = t;
}

void apply_rmsprop_update(const Numbers& numbers, device::Workers& workers) {
  const auto& attributes = attributes_as<RmsPropAttributes>(numbers.attributes);
  const bool has_momentum = attributes.momentum != 0;
  const SlotPlaces places = has_momentum ? SlotPlaces{0, 1, 2} : SlotPlaces{0, 2};
  with_floating(numbers.inputs[0].spec.type, [&](auto zero) {
    using T = decltype(zero);
    const loops::RmsPropStep<T> step{.learning_rate = *numbers.inputs.back().as<T>(),
                                     .rho = static_cast<T>(attributes.rho),
                                     .one_minus_rho = static_cast<T>(1 - attributes.rho),
                                     .momentum = static_cast<T>(attributes.momentum),
                                     .epsilon = static_cast<T>(attributes.epsilon),
                                     .has_momentum = has_momentum,
                                     .is_centered = attributes.centered};
    run_over_parameters<T>(
        numbers, layout_of(attributes), places, workers,
        [&](const loops::OptimizerRun<T>& run) { optimizer_loops<T>().rms_prop(run, step); });
  });
}

}  // namespace wt::cpu
