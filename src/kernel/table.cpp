#include <algorithm>

#include "base/error.h"
#include "kernel/families.h"
#include "kernel/halves.h"
#include "kernel/kernel.h"

namespace wt {

namespace {

std::vector<Kernel> all_families() {
  std::vector<Kernel> rows;
  for (const auto& family : {
           elementwise_kernels(),
           shaping_kernels(),
           reduction_kernels(),
           matrix_kernels(),
           convolution_kernels(),
           pooling_kernels(),
           normalization_kernels(),
           random_kernels(),
           embedding_kernels(),
           recurrent_kernels(),
           resize_kernels(),
           hash_kernels(),
           loss_kernels(),
           optimizer_kernels(),
       })
    rows.insert(rows.end(), family.begin(), family.end());

  std::sort(rows.begin(), rows.end(), [](const Kernel& a, const Kernel& b) { return a.name < b.name; });
  const auto twin = std::adjacent_find(rows.begin(), rows.end(),
                                       [](const Kernel& a, const Kernel& b) { return a.name == b.name; });
  WT_EXPECT(twin == rows.end(), "two kernels have the name {}", twin->name);
  return rows;
}

}  // namespace

std::span<const Kernel> kernels() {
  static const std::vector<Kernel> rows = all_families();
  return rows;
}

const Kernel* find_kernel(std::string_view name) {
  const std::span<const Kernel> rows = kernels();
  const auto row =
      std::lower_bound(rows.begin(), rows.end(), name,
                       [](const Kernel& kernel, std::string_view key) { return kernel.name < key; });
  return row != rows.end() && row->name == name ? &*row : nullptr;
}

const Kernel& kernel_named(std::string_view name) {
  const Kernel* kernel = find_kernel(name);
  WT_EXPECT(kernel != nullptr, "no kernel has the name {}", name);
  return *kernel;
}

Bytes workspace_bytes(const Kernel& kernel, const Call& call) {
  if (kernel.workspace == nullptr) return Bytes(0);
  if (!halves::needs_copies(kernel, call)) return kernel.workspace(call);
  const std::vector<TensorSpec> inputs = halves::widened(call.inputs),
                                outputs = halves::widened(call.outputs);
  return kernel.workspace({inputs, outputs, call.attributes});
}

}  // namespace wt
