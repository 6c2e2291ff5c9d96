#include "kernel/fused.h"

#include <algorithm>
#include <iterator>

namespace wt {

namespace {

// `both` computes `second` of the output of `first`.
struct Fusion {
  std::string_view first{};
  std::string_view second{};
  std::string_view both{};
};

constexpr Fusion fusions[] = {
    {"bias_add", "gelu", "bias_add_gelu"},
    {"bias_add", "relu", "bias_add_relu"},
    {"bias_add", "sigmoid", "bias_add_sigmoid"},
    {"bias_add", "tanh", "bias_add_tanh"},
};

}  // namespace

const Kernel* fused(const Kernel& first, const Kernel& second) {
  const Fusion* row = std::ranges::find_if(
      fusions, [&](const Fusion& each) { return each.first == first.name && each.second == second.name; });
  return row == std::end(fusions) ? nullptr : &kernel_named(row->both);
}

}  // namespace wt
