#pragma once
// The kernels on the CPU: the `apply` and `workspace` functions of the rows in kernel/*.cpp. Each source of this
// folder defines the functions of one family of rows.

#include "kernel/element/cell.h"
#include "kernel/elementwise.h"
#include "kernel/kernel.h"

namespace wt::cpu {

// The `apply` and `workspace` functions of kernel/matrix.cpp.
void matmul(const Numbers& numbers, device::Workers& workers);
Bytes matmul_workspace(const Call& call);

// The `apply` and `workspace` functions of kernel/convolution.cpp, one pair for each pass.
template <ConvolutionGeometry::Pass pass>
void convolution(const Numbers& numbers, device::Workers& workers);
template <ConvolutionGeometry::Pass pass>
Bytes convolution_workspace(const Call& call);

// The `apply` functions of kernel/elementwise.cpp. apply_binary throws InputError for an integer division by
// 0.
void apply_unary(Unary operation, const Numbers& numbers, device::Workers& workers);
void apply_binary(Binary operation, const Numbers& numbers, device::Workers& workers);
void apply_comparison(Comparison operation, const Numbers& numbers, device::Workers& workers);
void apply_select(const Numbers& numbers, device::Workers& workers);
void apply_cast(const Numbers& numbers, device::Workers& workers);
void apply_fill(const Numbers& numbers, device::Workers& workers);
void apply_range(const Numbers& numbers, device::Workers& workers);

// The `apply` functions of kernel/shaping.cpp.
void apply_transpose(const Numbers& numbers, device::Workers& workers);
void apply_broadcast_to(const Numbers& numbers, device::Workers& workers);
void apply_concat(const Numbers& numbers, device::Workers& workers);
void apply_split(const Numbers& numbers, device::Workers& workers);

// The `apply` and `workspace` functions of kernel/reduction.cpp.
void apply_reduce_sum(const Numbers& numbers, device::Workers& workers);
void apply_reduce_mean(const Numbers& numbers, device::Workers& workers);
void apply_reduce_max(const Numbers& numbers, device::Workers& workers);
void apply_argmax(const Numbers& numbers, device::Workers& workers);

Bytes reduction_workspace(const Call& call);

// The `apply` functions of kernel/pooling.cpp.
void max_pool(const Numbers& numbers, device::Workers& workers);
void max_pool_gradient(const Numbers& numbers, device::Workers& workers);
void average_pool(const Numbers& numbers, device::Workers& workers);
void average_pool_gradient(const Numbers& numbers, device::Workers& workers);

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

// The `apply` functions of kernel/loss.cpp. sparse_softmax_cross_entropy throws InputError for a label that
// is not a class.
void sparse_softmax_cross_entropy(const Numbers& numbers, device::Workers& workers);
void softmax_cross_entropy(const Numbers& numbers, device::Workers& workers);
void mean_squared_error(const Numbers& numbers, device::Workers& workers);
void mean_squared_error_gradient(const Numbers& numbers, device::Workers& workers);
void binary_cross_entropy(const Numbers& numbers, device::Workers& workers);
void binary_cross_entropy_gradient(const Numbers& numbers, device::Workers& workers);

// The `apply` functions of kernel/embedding.cpp. Both throw InputError for an id that is not in the table.
void embedding(const Numbers& numbers, device::Workers& workers);
void embedding_gradient(const Numbers& numbers, device::Workers& workers);

// The `apply` and `workspace` functions of kernel/recurrent.cpp.
template <element::Cell cell>
void recurrent(const Numbers& numbers, device::Workers& workers);
template <element::Cell cell>
void recurrent_gradient(const Numbers& numbers, device::Workers& workers);
template <element::Cell cell>
Bytes recurrent_workspace(const Call& call);
template <element::Cell cell>
Bytes recurrent_gradient_workspace(const Call& call);

// The `apply` functions of kernel/hash.cpp. The latter throws InputError where a token has no index.
void hash_bucket(const Numbers& numbers, device::Workers& workers);
void known_index(const Numbers& numbers, device::Workers& workers);

// The `apply` function of kernel/resize.cpp.
void resize_shares(const Numbers& numbers, device::Workers& workers);

// The `apply` functions of kernel/random.cpp.
void dropout(const Numbers& numbers, device::Workers& workers);
void dropout_gradient(const Numbers& numbers, device::Workers& workers);
void uniform(const Numbers& numbers, device::Workers& workers);

// The `apply` functions of kernel/optimizer.cpp.
void apply_sgd_update(const Numbers& numbers, device::Workers& workers);
void apply_sgd_update_rows(const Numbers& numbers, device::Workers& workers);  // InputError as of embedding
void apply_adam_update(const Numbers& numbers, device::Workers& workers);
void apply_rmsprop_update(const Numbers& numbers, device::Workers& workers);

}  // namespace wt::cpu
