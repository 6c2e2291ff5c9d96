#pragma once
// Example calls of kernels, for tests that compare two backends. They are the examples of the kernel table,
// and larger ones that need several blocks of a GPU, split sums into parts, and have sizes that are not
// multiples of a tile.

#include <ostream>
#include <string>

#include "kernel/optimizer.h"
#include "support/numbers.h"

namespace wt::test {

struct KernelCase {
  const Kernel* kernel = nullptr;
  Example example{};
  std::string name{};
};

inline void PrintTo(const KernelCase& c, std::ostream* out) { *out << c.name; }

inline ExampleOperand operand(const Shape& shape, double low = -1, double high = 1,
                              Type type = Type::float32) {
  return {{type, shape}, low, high};
}

inline WindowAttributes window(const Shape& size, const Shape& strides, Padding padding) {
  WindowAttributes attributes;
  attributes.size = size;
  attributes.strides = strides;
  attributes.padding = padding;
  return attributes;
}

// The operands of an optimizer for the given number of parameters, whose sizes increase.
template <class OptimizerAttributes>
Example optimizer_example(int parameters, const OptimizerAttributes& attributes) {
  const OptimizerLayout layout = layout_of(attributes);
  Example example{{}, attributes};
  const auto group = [&](double low, double high) {
    for (int i = 0; i < parameters; ++i) example.inputs.push_back(operand({1 + 37 * i}, low, high));
  };
  group(-1, 1);
  for (std::size_t slot = 0; slot < layout.slots; ++slot)
    group(1, 2);  // a mean of squares is larger than the square of the mean
  if (layout.has_count) example.inputs.push_back(operand({}, 0, 5, Type::int64));
  group(-1, 1);
  example.inputs.push_back(operand({}, 0.01, 0.1));
  return example;
}

struct NamedExample {
  std::string_view kernel{};
  Example example{};
};

inline std::vector<NamedExample> large_sums() {
  const auto axes = [](const Shape& shape) { return AxesAttributes{shape, false}; };
  return {{"reduce_sum", {{operand({300000})}, axes({0})}},
          {"reduce_sum", {{operand({7, 5000, 3})}, axes({1})}},
          {"reduce_sum", {{operand({2000, 70})}, axes({0})}},
          {"reduce_sum", {{operand({70, 2000}, -9, 9, Type::int32)}, axes({1})}},
          {"reduce_mean", {{operand({40, 30, 20})}, axes({0, 2})}},
          {"reduce_mean", {{operand({11, 9})}, axes({})}},
          {"reduce_max", {{operand({3, 4000})}, axes({1})}},
          {"reduce_max", {{operand({4000, 3})}, axes({0})}},
          {"reduce_sum", {{operand({0, 3})}, axes({0})}},
          {"argmax", {{operand({5, 30000})}}},
          {"argmax", {{operand({700, 10})}}},
          {"argmax", {{operand({3, 500}, 0, 3, Type::int32)}}}};
}

inline std::vector<NamedExample> large_rows() {
  const NormalizationAttributes normalization{};
  return {{"softmax", {{operand({5, 2100})}}},
          {"softmax", {{operand({300, 10})}}},
          {"softmax_gradient", {{operand({5, 2100}), operand({5, 2100})}}},
          {"sparse_softmax_cross_entropy", {{operand({3, 1500}), operand({3}, 0, 1500, Type::int64)}}},
          {"sparse_softmax_cross_entropy", {{operand({130, 10}), operand({130}, 0, 10, Type::int32)}}},
          {"softmax_cross_entropy", {{operand({3, 1500}), operand({3, 1500}, 0, 1)}}},
          {"mean_squared_error", {{operand({3, 20000}), operand({3, 20000})}}},
          {"binary_cross_entropy", {{operand({300, 7}), operand({300, 7}, 0, 1)}}},
          {"layer_norm", {{operand({3, 2100}), operand({2100}), operand({2100})}, normalization}},
          {"layer_norm_gradient",
           {{operand({700, 30}), operand({700, 30}), operand({30}), operand({700}), operand({700}, 0.5, 1.5)},
            normalization}},
          {"batch_norm",
           {{operand({6, 9, 9, 37}), operand({37}), operand({37}), operand({37}), operand({37}, 0.5, 1.5)},
            normalization}},
          {"batch_norm",
           {{operand({9000, 1}), operand({1}), operand({1}), operand({1}), operand({1}, 0.5, 1.5)},
            normalization}},
          {"batch_norm_gradient",
           {{operand({5000, 3}), operand({5000, 3}), operand({3}), operand({3}), operand({3}, 0.5, 1.5)},
            normalization}}};
}

inline std::vector<NamedExample> large_images() {
  const WindowAttributes overlapping = window({3, 3}, {2, 2}, Padding::same);
  WindowAttributes average = overlapping, back = window({3, 2}, {2, 1}, Padding::same), grouped = back;
  average.input = {2, 17, 15, 5};
  back.input = {3, 9, 8, 6};
  grouped.groups = 3;
  return {
      {"max_pool", {{operand({2, 17, 15, 5})}, overlapping}},
      {"max_pool_gradient",
       {{operand({2, 17, 15, 5}), operand({2, 9, 8, 5}), operand({2, 9, 8, 5})}, overlapping}},
      {"average_pool", {{operand({2, 17, 15, 5})}, overlapping}},
      {"average_pool_gradient", {{operand({2, 9, 8, 5})}, average}},
      {"conv2d", {{operand({3, 9, 8, 6}), operand({3, 2, 6, 9})}, back}},
      {"conv2d", {{operand({3, 9, 8, 6}), operand({3, 2, 2, 9})}, grouped}},
      {"conv2d", {{operand({3, 9, 8, 6}), operand({1, 1, 6, 9})}, window({1, 1}, {1, 1}, Padding::valid)}},
      {"conv2d_input_gradient", {{operand({3, 2, 6, 9}), operand({3, 5, 8, 9})}, back}},
      {"conv2d_filter_gradient", {{operand({3, 9, 8, 6}), operand({3, 5, 8, 9})}, back}}};
}

inline std::vector<NamedExample> large_others() {
  return {
      {"gelu", {{operand({5000}, -4, 4)}}},
      {"add", {{operand({70, 1, 33}), operand({11, 33})}}},
      {"bias_add", {{operand({50, 40, 3}), operand({3})}}},
      {"bias_add_gelu", {{operand({50, 40, 3}), operand({3})}}},
      {"transpose", {{operand({40, 50, 3})}, ShapeAttributes{{2, 1, 0}}}},
      {"concat", {{operand({30, 7, 2}), operand({30, 5, 2})}, PartsAttributes{1, {7, 5}}}},
      {"dropout", {{operand({5001}), operand({2}, 0, 1e6, Type::int64)}, DropoutAttributes{0.3}}},
      {"embedding", {{operand({64, 16}, 0, 100, Type::int64), operand({100, 40})}}},
      {"embedding_gradient",
       {{operand({64, 16}, 0, 100, Type::int32), operand({64, 16, 40})}, ShapeAttributes{{100, 40}}}},
      {"lstm",
       {{operand({17, 9, 4 * 33}), operand({33, 4 * 33}, -0.2, 0.2), operand({17, 33}), operand({17, 33})},
        RecurrentAttributes{}}},
      {"gru",
       {{operand({17, 9, 3 * 33}), operand({33, 3 * 33}, -0.2, 0.2), operand({17, 33})},
        RecurrentAttributes{.reset_after = false}}},
      {"lstm_gradient",
       {{operand({17, 9, 33}), operand({33, 4 * 33}, -0.2, 0.2), operand({17, 33}), operand({17, 33}),
         operand({6, 9, 17, 33}, 0.1, 0.9)},
        RecurrentAttributes{}}},
      {"matmul", {{operand({33, 65}), operand({65, 17})}, ProductAttributes{}}},
      {"matmul", {{operand({3, 20, 33}), operand({3, 17, 33})}, ProductAttributes{false, true}}},
      {"matmul", {{operand({4, 0}), operand({0, 3})}, ProductAttributes{}}},
      {"sgd_update", optimizer_example(45, SgdAttributes{.momentum = 0.9})},
      {"sgd_update_rows",
       {{operand({100, 40}), operand({64, 16}, 0, 100, Type::int64), operand({64, 16, 40}), operand({})}}},
      {"adam_update", optimizer_example(90, AdamAttributes{})},
      {"rmsprop_update", optimizer_example(45, RmsPropAttributes{.centered = true})}};
}

inline std::vector<KernelCase> kernel_cases() {
  std::vector<KernelCase> cases;
  const auto add = [&](const Kernel& kernel, Example example, const std::string& what) {
    cases.push_back({&kernel, std::move(example), std::string(kernel.name) + what});
  };
  for (const Kernel& kernel : kernels()) {
    int number = 0;
    for (Example& example : kernel.examples())
      add(kernel, std::move(example), "_" + std::to_string(number++));
  }
  int number = 0;
  for (const auto& family : {large_sums(), large_rows(), large_images(), large_others()})
    for (const NamedExample& large : family)
      add(kernel_named(large.kernel), large.example, "_large_" + std::to_string(number++));
  return cases;
}

}  // namespace wt::test
