#pragma once
// The kernels on a GPU: the functions of the rows in table.cpp.

#include "kernel/cuda/table.h"
#include "kernel/element/cell.h"
#include "kernel/elementwise.h"
#include "kernel/work.h"

namespace wt::cuda {

// A convolution whose windows are single pixels is one matrix product. Other float32 convolutions go to cuDNN
// where it has a deterministic algorithm (dnn.h). The rest are matrix products over patches (patches.h).
template <ConvolutionGeometry::Pass pass>
void convolution(const Numbers& numbers, device::CudaQueue& queue);
template <ConvolutionGeometry::Pass pass>
Bytes convolution_workspace(const Call& call);

// An integer divided by 0 gives 0, since a GPU cannot stop the program as the CPU does.
void apply_unary(Unary operation, const Numbers& numbers, device::CudaQueue& queue);
void apply_binary(Binary operation, const Numbers& numbers, device::CudaQueue& queue);
void apply_comparison(Comparison operation, const Numbers& numbers, device::CudaQueue& queue);
void apply_select(const Numbers& numbers, device::CudaQueue& queue);
void apply_cast(const Numbers& numbers, device::CudaQueue& queue);
void apply_fill(const Numbers& numbers, device::CudaQueue& queue);
void apply_range(const Numbers& numbers, device::CudaQueue& queue);

void apply_transpose(const Numbers& numbers, device::CudaQueue& queue);
void apply_broadcast_to(const Numbers& numbers, device::CudaQueue& queue);
void apply_concat(const Numbers& numbers, device::CudaQueue& queue);
void apply_split(const Numbers& numbers, device::CudaQueue& queue);

// Floats are summed in double and integers in int64, as on the CPU.
void apply_reduce_sum(const Numbers& numbers, device::CudaQueue& queue);
void apply_reduce_mean(const Numbers& numbers, device::CudaQueue& queue);
void apply_reduce_max(const Numbers& numbers, device::CudaQueue& queue);
void apply_argmax(const Numbers& numbers, device::CudaQueue& queue);
Bytes reduction_workspace(const Call& call);
Bytes argmax_workspace(const Call& call);

// Recurrent layers: cuBLAS multiplies the state of each step, and one kernel computes its units.
template <element::Cell cell>
void recurrent(const Numbers& numbers, device::CudaQueue& queue);
template <element::Cell cell>
void recurrent_gradient(const Numbers& numbers, device::CudaQueue& queue);
template <element::Cell cell>
Bytes recurrent_workspace(const Call& call);
template <element::Cell cell>
Bytes recurrent_gradient_workspace(const Call& call);

void hash_bucket(const Numbers& numbers, device::CudaQueue& queue);
// A token without an index ends the work of the GPU.
void known_index(const Numbers& numbers, device::CudaQueue& queue);
void resize_shares(const Numbers& numbers, device::CudaQueue& queue);

void max_pool(const Numbers& numbers, device::CudaQueue& queue);
void max_pool_gradient(const Numbers& numbers, device::CudaQueue& queue);
void average_pool(const Numbers& numbers, device::CudaQueue& queue);
void average_pool_gradient(const Numbers& numbers, device::CudaQueue& queue);

void batch_norm(const Numbers& numbers, device::CudaQueue& queue);
void batch_norm_gradient(const Numbers& numbers, device::CudaQueue& queue);
void batch_norm_inference(const Numbers& numbers, device::CudaQueue& queue);
void layer_norm(const Numbers& numbers, device::CudaQueue& queue);
void layer_norm_gradient(const Numbers& numbers, device::CudaQueue& queue);

// The workspace of the kernels that need one: vectors per channel, and partial sums over rows (channels.h).
Bytes normalization_workspace(const Call& call);

// A label that is not a class gives NaN in its row, as in TensorFlow on a GPU. The CPU throws InputError.
void softmax(const Numbers& numbers, device::CudaQueue& queue);
void softmax_gradient(const Numbers& numbers, device::CudaQueue& queue);
void sparse_softmax_cross_entropy(const Numbers& numbers, device::CudaQueue& queue);
void softmax_cross_entropy(const Numbers& numbers, device::CudaQueue& queue);

// Losses that are a mean along the last axis, and their gradients. The losses with a softmax are in
// softmax.h.
void mean_squared_error(const Numbers& numbers, device::CudaQueue& queue);
void mean_squared_error_gradient(const Numbers& numbers, device::CudaQueue& queue);
void binary_cross_entropy(const Numbers& numbers, device::CudaQueue& queue);
void binary_cross_entropy_gradient(const Numbers& numbers, device::CudaQueue& queue);
Bytes row_loss_workspace(const Call& call);

// An id that is not in the table gives a row of zeros, as in TensorFlow on a GPU. The CPU throws InputError.
void embedding(const Numbers& numbers, device::CudaQueue& queue);
void embedding_gradient(const Numbers& numbers, device::CudaQueue& queue);

void dropout(const Numbers& numbers, device::CudaQueue& queue);
void dropout_gradient(const Numbers& numbers, device::CudaQueue& queue);
void uniform(const Numbers& numbers, device::CudaQueue& queue);

void apply_sgd_update(const Numbers& numbers, device::CudaQueue& queue);
void apply_sgd_update_rows(const Numbers& numbers, device::CudaQueue& queue);
void apply_adam_update(const Numbers& numbers, device::CudaQueue& queue);
void apply_rmsprop_update(const Numbers& numbers, device::CudaQueue& queue);

}  // namespace wt::cuda
