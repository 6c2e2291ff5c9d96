#pragma once

#include "kernel/kernel.h"

namespace wt::cpu {

// The `apply` and `workspace` functions of kernel/normalization.cpp.
void softmax(const Numbers& numbers, device::Workers& workers);
void softmax_gradient(const Numbers& numbers, device::Workers& workers);
void batch_norm(const Numbers& numbers, device::Workers& workers);
void batch_norm_gradient(const Numbers& numbers, device::Workers& workers);
void batch_norm_inference(const Numbers& numbers, device::Workers& workers);
void layer_norm(const Numbers& numbers, device::Workers& workers);
void layer_norm_gradient(const Numbers& numbers, device::Workers& workers);

Bytes batch_norm_workspace(const Call& call);
Bytes batch_norm_gradient_workspace(const Call& call);
Bytes batch_norm_inference_workspace(const Call& call);
Bytes layer_norm_gradient_workspace(const Call& call);

// Whether the moving average takes the unbiased variance, with Bessel's correction n / (n - 1). TensorFlow
// computes batch_norm of images (rank 4) by its fused kernel, which does so. Other ranks take the biased one.
inline bool corrects_variance(const Shape& x) { return x.rank() == 4; }

}  // namespace wt::cpu
