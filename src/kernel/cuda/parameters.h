#pragma once

#include <array>

#include "base/host_device.h"
#include "kernel/cuda/grid.h"
#include "kernel/kernel.h"
#include "kernel/optimizer.h"

namespace wt::cuda {

// Several parameters of a model that one launch updates. Many small ones then occupy a GPU as well as a large
// one does. The group is passed as an argument of the CUDA kernel, which may have at most 4 KiB.
template <class T>
struct ParameterGroup {
  static constexpr int most = 40;
  struct Parameter {
    const T *w, *g, *g_squared;  // g_squared is null where it is g * g
    T* new_w;
    const T* slots[3];
    T* new_slots[3];
    Index elements;
    Index first_block;
  };
  Parameter parameters[most] = {};
  int count = 0;
  Index blocks = 0;

  static constexpr Index per_block = threads * per_thread;

  // The number of the parameter that a block works on.
  WT_HOST_DEVICE int at(Index block) const {
    int low = 0, high = count;
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      (parameters[middle].first_block <= block ? low : high) = middle;
    }
    return low;
  }
};

static_assert(sizeof(ParameterGroup<double>) <= 4000);

// The CUDA kernels have up to three slots, and a layout may lack some of them. Slot i of the layout is slot
// places[i] of the kernels.
using SlotPlaces = std::array<std::size_t, 3>;

template <class T>
typename ParameterGroup<T>::Parameter parameter_of(const Numbers& numbers, const OptimizerLayout& layout,
                                                   const SlotPlaces& places, std::size_t i) {
  const std::size_t parameters = layout.parameters(numbers.inputs.size());
  typename ParameterGroup<T>::Parameter result{};
  result.w = numbers.inputs[i].as<T>();
  result.new_w = numbers.outputs[i].as<T>();
  result.g = numbers.inputs[layout.gradients_at(parameters) + i].as<T>();
  if (layout.has_squares) result.g_squared = numbers.inputs[layout.squares_at(parameters) + i].as<T>();
  for (std::size_t slot = 0; slot < layout.slots; ++slot) {
    const std::size_t operand = parameters * (1 + slot) + i;
    result.slots[places[slot]] = numbers.inputs[operand].as<T>();
    result.new_slots[places[slot]] = numbers.outputs[operand].as<T>();
  }
  result.elements = numbers.inputs[i].spec.elements();
  return result;
}

// Calls f(group) until all parameters have been in a group. Parameters without elements are left out.
template <class T, class F>
void for_each_group(const Numbers& numbers, const OptimizerLayout& layout, const SlotPlaces& places, F&& f) {
  const std::size_t parameters = layout.parameters(numbers.inputs.size());
  ParameterGroup<T> group;
  for (std::size_t i = 0; i < parameters; ++i) {
    auto& next = group.parameters[group.count];
    next = parameter_of<T>(numbers, layout, places, i);
    if (next.elements > 0) {
      next.first_block = group.blocks;
      group.blocks += ceiling(next.elements, group.per_block);
      ++group.count;
    }
    const bool is_full = group.count == group.most || i + 1 == parameters;
    if (!is_full || group.count == 0) continue;
    f(group);
    group = {};
  }
}

}  // namespace wt::cuda
