#pragma once
// The formulas of the elementwise kernels for a single element. The CPU's loops and the GPU's threads share
// them. The unnamed namespace gives every instruction set its own copy: of one inline function that was
// compiled for several instruction sets, the linker would keep any one.

#include <type_traits>

#include "kernel/element/exponential.h"

namespace wt::element {
namespace {

template <class T>
constexpr T sqrt_half = static_cast<T>(0.70710678118654752440);
template <class T>
constexpr T inverse_sqrt_2_pi = static_cast<T>(0.39894228040143267794);

// The type in which T is added. Integers wrap around as TensorFlow's do, so they are added without sign;
// signed overflow would be undefined.
template <class T, bool = std::is_integral_v<T>>
struct Wrapping {
  using Type = std::make_unsigned_t<T>;
};
template <class T>
struct Wrapping<T, false> {
  using Type = T;
};
template <class T>
using WrappingType = typename Wrapping<T>::Type;

// One struct per operation. Its function `of` computes an element. In unary and arithmetic operations, a NaN
// gives NaN.

struct Negate {
  template <class T>
  WT_HOST_DEVICE static T of(T x) {
    return -x;
  }
};
struct Exp {
  template <class T>
  WT_HOST_DEVICE static T of(T x) {
    return exponential(x);
  }
};
struct Log {
  template <class T>
  WT_HOST_DEVICE static T of(T x) {
    return logarithm(x);
  }
};
struct Sqrt {
  template <class T>
  WT_HOST_DEVICE static T of(T x) {
    return square_root(x);
  }
};
struct Square {
  template <class T>
  WT_HOST_DEVICE static T of(T x) {
    return x * x;
  }
};
struct Abs {
  template <class T>
  WT_HOST_DEVICE static T of(T x) {
    return x < 0 ? -x : x + T{0};
  }  // + 0 turns -0 into 0
};
struct Sign {
  template <class T>
  WT_HOST_DEVICE static T of(T x) {
    return x > 0 ? T{1} : x < 0 ? T{-1} : x;
  }
};
struct Relu {
  template <class T>
  WT_HOST_DEVICE static T of(T x) {
    return x < 0 ? T{0} : x;
  }
};
// Krizhevsky, 2010.
struct Relu6 {
  template <class T>
  WT_HOST_DEVICE static T of(T x) {
    return x < 0 ? T{0} : x > 6 ? T{6} : x;
  }
};
struct Sigmoid {
  template <class T>
  WT_HOST_DEVICE static T of(T x) {
    return 1 / (1 + exponential(-x));
  }
};
struct Tanh {
  template <class T>
  WT_HOST_DEVICE static T of(T x) {
    return hyperbolic_tangent(x);
  }
};
// Gaussian error linear unit (Hendrycks and Gimpel, 2016), in the exact form with erf.
struct Gelu {
  template <class T>
  WT_HOST_DEVICE static T of(T x) {
    return T(0.5) * x * (1 + error_function(x * sqrt_half<T>));
  }
};

struct Add {
  template <class T>
  WT_HOST_DEVICE static T of(T a, T b) {
    using W = WrappingType<T>;
    return static_cast<T>(static_cast<W>(a) + static_cast<W>(b));
  }
};
struct Subtract {
  template <class T>
  WT_HOST_DEVICE static T of(T a, T b) {
    using W = WrappingType<T>;
    return static_cast<T>(static_cast<W>(a) - static_cast<W>(b));
  }
};
struct Multiply {
  template <class T>
  WT_HOST_DEVICE static T of(T a, T b) {
    using W = WrappingType<T>;
    return static_cast<T>(static_cast<W>(a) * static_cast<W>(b));
  }
};
// Quotients of integers are rounded towards zero, and the smallest integer divided by -1 wraps around.
// Requires: an integer b is not 0.
struct Divide {
  template <class T>
  WT_HOST_DEVICE static T of(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return b == -1 ? Subtract::of(T{0}, a) : a / b;
    } else {
      return a / b;
    }
  }
};
struct Maximum {
  template <class T>
  WT_HOST_DEVICE static T of(T a, T b) {
    return a > b || a != a ? a : b;
  }
};
struct Minimum {
  template <class T>
  WT_HOST_DEVICE static T of(T a, T b) {
    return a < b || a != a ? a : b;
  }
};
struct ReluGradient {
  template <class T>
  WT_HOST_DEVICE static T of(T dy, T y) {
    return y > 0 ? dy : T{0};
  }
};
// A product, as in TensorFlow: an infinite gradient becomes NaN where the slope is 0.
struct Relu6Gradient {
  template <class T>
  WT_HOST_DEVICE static T of(T dy, T y) {
    return dy * (y > 0 && y < 6 ? T{1} : T{0});
  }
};
struct SigmoidGradient {
  template <class T>
  WT_HOST_DEVICE static T of(T dy, T y) {
    return dy * y * (1 - y);
  }
};
struct TanhGradient {
  template <class T>
  WT_HOST_DEVICE static T of(T dy, T y) {
    return dy * (1 - y * y);
  }
};
// The derivative of x Phi(x) is Phi(x) + x phi(x), where Phi and phi are the cumulative distribution and the
// density of the normal distribution.
struct GeluGradient {
  template <class T>
  WT_HOST_DEVICE static T of(T dy, T x) {
    const T cumulated = T(0.5) * (1 + error_function(x * sqrt_half<T>));
    const T density = inverse_sqrt_2_pi<T> * exponential(T(-0.5) * x * x);
    return dy * (cumulated + x * density);
  }
};

// Two operations on one element, one after the other. The intermediate value is not stored in memory, and the
// result has the bits of the two separate kernels.
template <class Second, class First>
struct Then {
  template <class T>
  WT_HOST_DEVICE static T of(T a, T b) {
    return Second::of(First::of(a, b));
  }
};

struct Equal {
  template <class T>
  WT_HOST_DEVICE static bool of(T a, T b) {
    return a == b;
  }
};
struct Less {
  template <class T>
  WT_HOST_DEVICE static bool of(T a, T b) {
    return a < b;
  }
};
struct Greater {
  template <class T>
  WT_HOST_DEVICE static bool of(T a, T b) {
    return a > b;
  }
};

}  // namespace
}  // namespace wt::element
