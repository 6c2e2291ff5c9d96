#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "device/cpu/workers.h"
#include "kernel/kernel.h"

namespace wt {

// Runs a kernel as a plan does. The outputs are filled with 0x55 first, so that an unwritten element is
// noticed.
inline std::vector<Tensor> apply(std::string_view name, const std::vector<Tensor>& inputs,
                                 const Attributes& attributes = {}, int threads = 2) {
  const Kernel& kernel = kernel_named(name);
  std::vector<TensorSpec> input_specs;
  std::vector<View> input_views, output_views;
  for (const Tensor& input : inputs) {
    input_specs.push_back(input.spec());
    input_views.push_back(input.view());
  }
  const std::vector<TensorSpec> output_specs = kernel.outputs(input_specs, attributes);
  std::vector<Tensor> outputs;
  for (const TensorSpec& spec : output_specs) {
    outputs.push_back(Tensor::zeros(spec));
    output_views.push_back(outputs.back().view());
    std::fill(outputs.back().bytes().begin(), outputs.back().bytes().end(), std::byte{0x55});
  }
  const Bytes workspace = workspace_bytes(kernel, {input_specs, output_specs, attributes});
  const auto memory = allocate_numbers(workspace);
  device::Workers workers(threads);
  kernel.apply(
      {input_views, output_views, {memory.get(), static_cast<std::size_t>(workspace.count())}, attributes},
      workers);
  return outputs;
}

// The numbers of a tensor as a vector, for comparisons.
template <class T>
std::vector<T> numbers(const Tensor& tensor) {
  return {tensor.values<T>().begin(), tensor.values<T>().end()};
}

inline Tensor floats(const Shape& shape, const std::vector<float>& values) {
  return Tensor::of(shape, values);
}
inline Tensor doubles(const Shape& shape, const std::vector<double>& values) {
  return Tensor::of(shape, values);
}

// The text of the InputError that `outputs` throws for a call, empty if it throws none.
inline std::string refusal(std::string_view name, const std::vector<TensorSpec>& inputs,
                           const Attributes& attributes = {}) {
  try {
    kernel_named(name).outputs(inputs, attributes);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

}  // namespace wt
