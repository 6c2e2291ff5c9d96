#include "kernel/cpu/kernels.h"
#include "kernel/families.h"
#include "kernel/signature.h"

namespace wt {
namespace {

std::vector<TensorSpec> resize_outputs(Specs inputs, const Attributes& attributes) {
  require_count("resize_shares", inputs, 0);
  const auto& resize = attributes_as<ResizeAttributes>(attributes);
  if (resize.given < 1 || resize.rows < 1)
    refuse("resize_shares", fmt::format("{} rows become {}", resize.given, resize.rows),
           "both must be at least 1");
  return {{Type::float32, {resize.rows, resize.given}}};
}

std::vector<Example> resize_examples() {
  std::vector<Example> examples;
  for (const ResizeMethod method :
       {ResizeMethod::nearest, ResizeMethod::bilinear, ResizeMethod::area, ResizeMethod::bicubic,
        ResizeMethod::gaussian, ResizeMethod::lanczos3, ResizeMethod::lanczos5, ResizeMethod::mitchellcubic})
    for (const bool antialias : {false, true}) {
      examples.push_back({{}, ResizeAttributes{method, 5, 13, antialias}});
      examples.push_back({{}, ResizeAttributes{method, 7, 3, antialias}});
    }
  return examples;
}

// A share takes the distance, its weight and its part of the sum.
constexpr Kernel rows_of_resize_kernels[] = {
    {.name = "resize_shares",
     .summary = "y[rows, given] = the share of each given row in each new row of a resized image",
     .outputs = resize_outputs,
     .work = [](const Call& call) { return work_per_output(call, 3); },
     .examples = resize_examples,
     .apply = cpu::resize_shares},
};

}  // namespace

std::span<const Kernel> resize_kernels() { return rows_of_resize_kernels; }

}  // namespace wt
