#pragma once

#include "device/cpu/workers.h"
#include "support/kernel_examples.h"

namespace wt::test {

// A call of a kernel with random inputs, which are seeded by the name of the case. The outputs are not
// initialised with zeros, so that a kernel that writes only a part of them is detected.
struct KernelCall {
  const Kernel* kernel = nullptr;
  Attributes attributes{};
  std::vector<Tensor> inputs{}, outputs{};

  KernelCall(const KernelCase& c, Type floating) : kernel(c.kernel), attributes(c.example.attributes) {
    std::mt19937_64 random(std::hash<std::string>{}(c.name));
    for (const ExampleOperand& each : c.example.inputs)
      inputs.push_back(random_tensor(each, floating, random));
    if (auto* fill = std::get_if<FillAttributes>(&attributes);
        fill != nullptr && is_floating(fill->spec.type))
      fill->spec.type = floating;
    for (const TensorSpec& spec : kernel->outputs(specs(inputs), attributes)) {
      outputs.push_back(Tensor::zeros(spec));
      std::fill(outputs.back().bytes().begin(), outputs.back().bytes().end(), std::byte{0x55});
    }
  }

  static std::vector<TensorSpec> specs(const std::vector<Tensor>& tensors) {
    std::vector<TensorSpec> all;
    for (const Tensor& tensor : tensors) all.push_back(tensor.spec());
    return all;
  }
  static std::vector<View> views(const std::vector<Tensor>& tensors) {
    std::vector<View> all;
    for (const Tensor& tensor : tensors) all.push_back(tensor.view());
    return all;
  }
};

inline void run_on_cpu(const KernelCall& call) {
  const auto inputs = KernelCall::specs(call.inputs), outputs = KernelCall::specs(call.outputs);
  const Bytes size = workspace_bytes(*call.kernel, {inputs, outputs, call.attributes});
  const auto memory = allocate_numbers(size);
  device::Workers workers(1);
  call.kernel->apply({KernelCall::views(call.inputs),
                      KernelCall::views(call.outputs),
                      {memory.get(), static_cast<std::size_t>(size.count())},
                      call.attributes},
                     workers);
}

// The largest difference between the outputs of two calls. It is relative to the expected number if that is
// larger than 1, and otherwise absolute. Two NaN are equal.
inline double distance(const KernelCall& actual, const KernelCall& expected) {
  double worst = 0;
  for (std::size_t output = 0; output < actual.outputs.size(); ++output)
    for (std::size_t i = 0; i < static_cast<std::size_t>(actual.outputs[output].spec().elements()); ++i) {
      const double value = value_at(actual.outputs[output], i),
                   wanted = value_at(expected.outputs[output], i);
      if (value == wanted || (std::isnan(value) && std::isnan(wanted))) continue;
      const double apart = std::abs(value - wanted) / std::max(1.0, std::abs(wanted));
      worst = std::isnan(apart) ? std::numeric_limits<double>::infinity() : std::max(worst, apart);
    }
  return worst;
}

}  // namespace wt::test
