#include "kernel/cuda/kernels.h"
#include "kernel/cuda/zip.cuh"
#include "kernel/element/elementwise.h"
#include "kernel/types.h"

namespace wt::cuda {
namespace {

// An integer divided by zero gives 0. The CPU throws an error there, but a GPU cannot stop the program.
struct Divide {
  template <class T>
  __device__ static T of(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      if (b == 0) return 0;
    return element::Divide::of(a, b);
  }
};

template <class Activation>
using AddThen = element::Then<Activation, element::Add>;

// In the order of the enumerators. The operations behind minimum are for floating types only.
template <class T>
constexpr Apply zips[binary_count] = {zip<element::Add, T, T>,
                                      zip<element::Subtract, T, T>,
                                      zip<element::Multiply, T, T>,
                                      zip<Divide, T, T>,
                                      zip<element::Maximum, T, T>,
                                      zip<element::Minimum, T, T>,
                                      zip<element::ReluGradient, T, T>,
                                      zip<element::Relu6Gradient, T, T>,
                                      zip<element::SigmoidGradient, T, T>,
                                      zip<element::TanhGradient, T, T>,
                                      zip<element::GeluGradient, T, T>,
                                      zip<AddThen<element::Relu>, T, T>,
                                      zip<AddThen<element::Sigmoid>, T, T>,
                                      zip<AddThen<element::Tanh>, T, T>,
                                      zip<AddThen<element::Gelu>, T, T>};
template <class T>
constexpr Apply integer_zips[] = {zip<element::Add, T, T>,      zip<element::Subtract, T, T>,
                                  zip<element::Multiply, T, T>, zip<Divide, T, T>,
                                  zip<element::Maximum, T, T>,  zip<element::Minimum, T, T>};

}  // namespace

void apply_binary(Binary operation, const Numbers& numbers, device::CudaQueue& queue) {
  const auto at = static_cast<std::size_t>(operation);
  with_number(numbers.outputs[0].spec.type, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>) {
      zips<T>[at](numbers, queue);
    } else {
      WT_EXPECT(at < std::size(integer_zips<T>), "operation {} on {}", at, name(type_of<T>));
      integer_zips<T>[at](numbers, queue);
    }
  });
}

}  // namespace wt::cuda
