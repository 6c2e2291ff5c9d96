#include "kernel/cuda/table.h"

#include <algorithm>

#include "kernel/cuda/kernels.h"
#include "kernel/cuda/matrix.h"
#include "kernel/halves.h"

namespace wt::cuda {

namespace {

using Pass = ConvolutionGeometry::Pass;

template <Unary operation>
void unary(const Numbers& numbers, device::CudaQueue& queue) {
  apply_unary(operation, numbers, queue);
}
template <Binary operation>
void binary(const Numbers& numbers, device::CudaQueue& queue) {
  apply_binary(operation, numbers, queue);
}
template <Comparison operation>
void comparison(const Numbers& numbers, device::CudaQueue& queue) {
  apply_comparison(operation, numbers, queue);
}

using element::Cell;

// Sorted by kernel, since find_row searches by bisection.
constexpr Row table[] = {
    {"abs", unary<Unary::abs>},
    {"adam_update", apply_adam_update},
    {"add", binary<Binary::add>},
    {"argmax", apply_argmax, argmax_workspace},
    {"average_pool", average_pool},
    {"average_pool_gradient", average_pool_gradient},
    {"batch_norm", batch_norm, normalization_workspace},
    {"batch_norm_gradient", batch_norm_gradient, normalization_workspace},
    {"batch_norm_inference", batch_norm_inference, normalization_workspace},
    {"bias_add", binary<Binary::add>},
    {"bias_add_gelu", binary<Binary::add_gelu>},
    {"bias_add_relu", binary<Binary::add_relu>},
    {"bias_add_sigmoid", binary<Binary::add_sigmoid>},
    {"bias_add_tanh", binary<Binary::add_tanh>},
    {"binary_cross_entropy", binary_cross_entropy, row_loss_workspace},
    {"binary_cross_entropy_gradient", binary_cross_entropy_gradient},
    {"broadcast_to", apply_broadcast_to},
    {"cast", apply_cast},
    {"concat", apply_concat},
    {"conv2d", convolution<Pass::forward>, convolution_workspace<Pass::forward>},
    {"conv2d_filter_gradient", convolution<Pass::filter_gradient>,
     convolution_workspace<Pass::filter_gradient>},
    {"conv2d_input_gradient", convolution<Pass::input_gradient>, convolution_workspace<Pass::input_gradient>},
    {"divide", binary<Binary::divide>},
    {"dropout", dropout},
    {"dropout_gradient", dropout_gradient},
    {"embedding", embedding},
    {"embedding_gradient", embedding_gradient},
    {"equal", comparison<Comparison::equal>},
    {"exp", unary<Unary::exp>},
    {"fill", apply_fill},
    {"gelu", unary<Unary::gelu>},
    {"gelu_gradient", binary<Binary::gelu_gradient>},
    {"greater", comparison<Comparison::greater>},
    {"gru", recurrent<Cell::gru>, recurrent_workspace<Cell::gru>},
    {"gru_gradient", recurrent_gradient<Cell::gru>, recurrent_gradient_workspace<Cell::gru>},
    {"hash_bucket", hash_bucket},
    {"known_index", known_index},
    {"layer_norm", layer_norm},
    {"layer_norm_gradient", layer_norm_gradient, normalization_workspace},
    {"less", comparison<Comparison::less>},
    {"log", unary<Unary::log>},
    {"lstm", recurrent<Cell::lstm>, recurrent_workspace<Cell::lstm>},
    {"lstm_gradient", recurrent_gradient<Cell::lstm>, recurrent_gradient_workspace<Cell::lstm>},
    {"matmul", matmul},
    {"max_pool", max_pool},
    {"max_pool_gradient", max_pool_gradient},
    {"maximum", binary<Binary::maximum>},
    {"mean_squared_error", mean_squared_error, row_loss_workspace},
    {"mean_squared_error_gradient", mean_squared_error_gradient},
    {"minimum", binary<Binary::minimum>},
    {"multiply", binary<Binary::multiply>},
    {"negate", unary<Unary::negate>},
    {"range", apply_range},
    {"reduce_max", apply_reduce_max, reduction_workspace},
    {"reduce_mean", apply_reduce_mean, reduction_workspace},
    {"reduce_sum", apply_reduce_sum, reduction_workspace},
    {"relu", unary<Unary::relu>},
    {"relu6", unary<Unary::relu6>},
    {"relu6_gradient", binary<Binary::relu6_gradient>},
    {"relu_gradient", binary<Binary::relu_gradient>},
    {"resize_shares", resize_shares},
    {"rmsprop_update", apply_rmsprop_update},
    {"select", apply_select},
    {"sgd_update", apply_sgd_update},
    {"sgd_update_rows", apply_sgd_update_rows},
    {"sigmoid", unary<Unary::sigmoid>},
    {"sigmoid_gradient", binary<Binary::sigmoid_gradient>},
    {"sign", unary<Unary::sign>},
    {"simple_rnn", recurrent<Cell::simple_rnn>, recurrent_workspace<Cell::simple_rnn>},
    {"simple_rnn_gradient", recurrent_gradient<Cell::simple_rnn>,
     recurrent_gradient_workspace<Cell::simple_rnn>},
    {"softmax", softmax},
    {"softmax_cross_entropy", softmax_cross_entropy},
    {"softmax_gradient", softmax_gradient},
    {"sparse_softmax_cross_entropy", sparse_softmax_cross_entropy},
    {"split", apply_split},
    {"sqrt", unary<Unary::sqrt>},
    {"square", unary<Unary::square>},
    {"subtract", binary<Binary::subtract>},
    {"tanh", unary<Unary::tanh>},
    {"tanh_gradient", binary<Binary::tanh_gradient>},
    {"transpose", apply_transpose},
    {"uniform", uniform},
};

}  // namespace

std::span<const Row> rows() { return table; }

const Row* find_row(std::string_view kernel) {
  const Row* row =
      std::lower_bound(std::begin(table), std::end(table), kernel,
                       [](const Row& each, std::string_view name) { return each.kernel < name; });
  return row != std::end(table) && row->kernel == kernel ? row : nullptr;
}

Bytes workspace_bytes(std::string_view kernel, const Call& call) {
  const Row* row = find_row(kernel);
  if (row == nullptr || row->workspace == nullptr) return Bytes(0);
  if (!halves::needs_copies(kernel_named(kernel), call)) return row->workspace(call);
  const std::vector<TensorSpec> inputs = halves::widened(call.inputs),
                                outputs = halves::widened(call.outputs);
  return row->workspace({inputs, outputs, call.attributes});
}

}  // namespace wt::cuda
