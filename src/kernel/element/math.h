#pragma once

#include "base/host_device.h"

// A function of the C library. The CPU's compilers get the builtin, which vectorises and needs no
// declaration. nvcc gets the name that CUDA defines for host and device.
#ifdef __CUDACC__
#define WT_MATH(function) ::function
#else
#define WT_MATH(function) __builtin_##function
#endif

namespace wt::element {
namespace {

[[maybe_unused]] WT_HOST_DEVICE inline float square_root(float x) { return WT_MATH(sqrtf)(x); }
[[maybe_unused]] WT_HOST_DEVICE inline double square_root(double x) { return WT_MATH(sqrt)(x); }
[[maybe_unused]] WT_HOST_DEVICE inline float logarithm(float x) { return WT_MATH(logf)(x); }
[[maybe_unused]] WT_HOST_DEVICE inline double logarithm(double x) { return WT_MATH(log)(x); }
[[maybe_unused]] WT_HOST_DEVICE inline float log_of_1_plus(float x) { return WT_MATH(log1pf)(x); }
[[maybe_unused]] WT_HOST_DEVICE inline double log_of_1_plus(double x) { return WT_MATH(log1p)(x); }
[[maybe_unused]] WT_HOST_DEVICE inline float size_of(float x) { return WT_MATH(fabsf)(x); }
[[maybe_unused]] WT_HOST_DEVICE inline double size_of(double x) { return WT_MATH(fabs)(x); }
[[maybe_unused]] WT_HOST_DEVICE inline float sine(float x) { return WT_MATH(sinf)(x); }
[[maybe_unused]] WT_HOST_DEVICE inline float rounded_down(float x) { return WT_MATH(floorf)(x); }
[[maybe_unused]] WT_HOST_DEVICE inline float rounded_to_even(float x) { return WT_MATH(rintf)(x); }

}  // namespace
}  // namespace wt::element
