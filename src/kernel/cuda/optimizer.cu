#include "kernel/cuda/kernels.h"

#include "kernel/cuda/launch.cuh"
#include "kernel/cuda/parameters.h"
#include "kernel/element/optimizer.h"
#include "kernel/types.h"

namespace wt::cuda {
namespace {

// An optimizer is a struct with two functions. `prepare` computes the scalars of a step, once per block; it
// reads from the device's memory, since the learning rate changes from step to step. `update` updates one
// element.

// All threads of a block work on one parameter, so all of them take the same branch.
template <class Parameter>
__device__ auto squared_gradient(const Parameter& p, Index i) {
  return p.g_squared != nullptr ? p.g_squared[i] : p.g[i] * p.g[i];
}

template <class T, class Optimizer>
__global__ void __launch_bounds__(threads)
    update(const __grid_constant__ ParameterGroup<T> group, const __grid_constant__ Optimizer optimizer) {
  using Step = typename Optimizer::Step;
  __shared__ Step step;
  if (threadIdx.x == 0) step = optimizer.prepare();
  __syncthreads();
  const auto& parameter = group.parameters[group.at(blockIdx.x)];
  const Index first = (Index{blockIdx.x} - parameter.first_block) * group.per_block + threadIdx.x;
#pragma unroll
  for (int k = 0; k < per_thread; ++k) {
    const Index i = first + k * threads;
    if (i < parameter.elements) optimizer.update(parameter, i, step);
  }
}

template <class T, class Optimizer>
void update_all(const Numbers& numbers, const OptimizerLayout& layout, const SlotPlaces& places,
                const Optimizer& optimizer, device::CudaQueue& queue) {
  for_each_group<T>(numbers, layout, places, [&](const ParameterGroup<T>& group) {
    launch(queue, "launch an optimizer's update", group.blocks, threads, update<T, Optimizer>, group,
           optimizer);
  });
}

template <class T, bool decays, bool has_momentum, bool is_nesterov>
struct Sgd {
  using Step = element::SgdStep<T>;
  Step step;
  const T* learning_rate;

  __device__ Step prepare() const {
    Step result = step;
    result.learning_rate = *learning_rate;
    return result;
  }
  template <class Parameter>
  __device__ void update(const Parameter& p, Index i, const Step& s) const {
    T w = p.w[i];
    if constexpr (has_momentum) {
      T m = p.slots[0][i];
      element::sgd_momentum<decays, is_nesterov>(w, m, p.g[i], s);
      p.new_slots[0][i] = m;
    } else {
      element::sgd<decays>(w, p.g[i], s);
    }
    p.new_w[i] = w;
  }
};

template <class T, bool decays>
struct Adam {
  using Step = element::AdamStep<T>;
  Step step;
  T beta_1, beta_2;
  const T* learning_rate;
  const std::int64_t* iterations;

  // Keras casts beta before it computes the power. The power is computed in double and rounded once, as the
  // CPU's C library does for floats.
  __device__ Step prepare() const {
    const auto t = static_cast<double>(static_cast<T>(*iterations + 1));
    const T power_1 = static_cast<T>(pow(static_cast<double>(beta_1), t));
    const T power_2 = static_cast<T>(pow(static_cast<double>(beta_2), t));
    Step result = step;
    result.learning_rate = *learning_rate;
    result.alpha = *learning_rate * element::square_root(1 - power_2) / (1 - power_1);
    return result;
  }
  template <class Parameter>
  __device__ void update(const Parameter& p, Index i, const Step& s) const {
    T w = p.w[i], m = p.slots[0][i], v = p.slots[1][i];
    element::adam<decays>(w, m, v, p.g[i], squared_gradient(p, i), s);
    p.new_w[i] = w;
    p.new_slots[0][i] = m;
    p.new_slots[1][i] = v;
  }
};

template <class T, bool has_momentum, bool is_centered>
struct RmsProp {
  using Step = element::RmsPropStep<T>;
  Step step;
  const T* learning_rate;

  __device__ Step prepare() const {
    Step result = step;
    result.learning_rate = *learning_rate;
    return result;
  }
  template <class Parameter>
  __device__ void update(const Parameter& p, Index i, const Step& s) const {
    T w = p.w[i], square = p.slots[0][i], velocity{}, mean{};
    if constexpr (has_momentum) velocity = p.slots[1][i];
    if constexpr (is_centered) mean = p.slots[2][i];
    element::rms_prop<has_momentum, is_centered>(w, square, velocity, mean, p.g[i], squared_gradient(p, i),
                                                 s);
    p.new_w[i] = w;
    p.new_slots[0][i] = square;
    if constexpr (has_momentum) p.new_slots[1][i] = velocity;
    if constexpr (is_centered) p.new_slots[2][i] = mean;
  }
};

// Turns a flag that is known at run time into one that is known at compile time: calls f(std::bool_constant).
template <class F>
void with_flag(bool flag, F&& f) {
  flag ? f(std::true_type{}) : f(std::false_type{});
}

// Increments the count of steps. It is launched on its own, after all kernels that read the old count.
__global__ void count_on(const std::int64_t* before, std::int64_t* after) { *after = *before + 1; }

}  // namespace

void apply_sgd_update(const Numbers& numbers, device::CudaQueue& queue) {
  const auto& attributes = attributes_as<SgdAttributes>(numbers.attributes);
  const bool has_momentum = attributes.momentum != 0;
  with_floating(numbers.inputs[0].spec.type, [&](auto zero) {
    using T = decltype(zero);
    const element::SgdStep<T> step{.learning_rate = T{},
                                   .momentum = static_cast<T>(attributes.momentum),
                                   .weight_decay = static_cast<T>(attributes.weight_decay),
                                   .has_momentum = has_momentum,
                                   .is_nesterov = attributes.nesterov};
    with_flag(attributes.weight_decay != 0, [&](auto decays) {
      with_flag(has_momentum, [&](auto momentum) {
        with_flag(has_momentum && attributes.nesterov, [&](auto nesterov) {
          using Optimizer =
              Sgd<T, decltype(decays)::value, decltype(momentum)::value, decltype(nesterov)::value>;
          update_all<T>(numbers, layout_of(attributes), {0}, Optimizer{step, numbers.inputs.back().as<T>()},
                        queue);
        });
      });
    });
  });
}

void apply_adam_update(const Numbers& numbers, device::CudaQueue& queue) {
  const auto& attributes = attributes_as<AdamAttributes>(numbers.attributes);
  const OptimizerLayout layout = layout_of(attributes);
  const std::size_t count_at = layout.count_at(layout.parameters(numbers.inputs.size()));
  const auto* iterations = numbers.inputs[count_at].as<std::int64_t>();
  with_floating(numbers.inputs[0].spec.type, [&](auto zero) {
    using T = decltype(zero);
    // Keras casts 1 - beta after the subtraction.
    const element::AdamStep<T> step{.learning_rate = T{},
                                    .alpha = T{},
                                    .one_minus_beta_1 = static_cast<T>(1 - attributes.beta_1),
                                    .one_minus_beta_2 = static_cast<T>(1 - attributes.beta_2),
                                    .epsilon = static_cast<T>(attributes.epsilon),
                                    .weight_decay = static_cast<T>(attributes.weight_decay)};
    with_flag(attributes.weight_decay != 0, [&](auto decays) {
      using Optimizer = Adam<T, decltype(decays)::value>;
      update_all<T>(numbers, layout, {0, 1},
                    Optimizer{step, static_cast<T>(attributes.beta_1), static_cast<T>(attributes.beta_2),
                              numbers.inputs.back().as<T>(), iterations},
                    queue);
    });
  });
  launch(queue, "count an optimizer's step", 1, 1, count_on, iterations,
         numbers.outputs[count_at].as<std::int64_t>());
}

void apply_rmsprop_update(const Numbers& numbers, device::CudaQueue& queue) {
  const auto& attributes = attributes_as<RmsPropAttributes>(numbers.attributes);
  const bool has_momentum = attributes.momentum != 0;
  const SlotPlaces places = has_momentum ? SlotPlaces{0, 1, 2} : SlotPlaces{0, 2};
  with_floating(numbers.inputs[0].spec.type, [&](auto zero) {
    using T = decltype(zero);
    const element::RmsPropStep<T> step{.learning_rate = T{},
                                       .rho = static_cast<T>(attributes.rho),
                                       .one_minus_rho = static_cast<T>(1 - attributes.rho),
                                       .momentum = static_cast<T>(attributes.momentum),
                                       .epsilon = static_cast<T>(attributes.epsilon),
                                       .has_momentum = has_momentum,
                                       .is_centered = attributes.centered};
    with_flag(has_momentum, [&](auto momentum) {
      with_flag(attributes.centered, [&](auto centered) {
        using Optimizer = RmsProp<T, decltype(momentum)::value, decltype(centered)::value>;
        update_all<T>(numbers, layout_of(attributes), places, Optimizer{step, numbers.inputs.back().as<T>()},
                      queue);
      });
    });
  });
}

}  // namespace wt::cuda
