#include <gtest/gtest.h>

#include "kernel/attributes.h"
#include "kernel/cpu/isa.h"
#include "kernel/kernel.h"

namespace wt {
namespace {

TEST(KernelTable, IsSortedAndFindsEveryRow) {
  const std::span<const Kernel> rows = kernels();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(find_kernel(rows[i].name), &rows[i]);
    EXPECT_TRUE(i == 0 || rows[i - 1].name < rows[i].name);
  }
  EXPECT_EQ(find_kernel("exq"), nullptr);
  EXPECT_EQ(find_kernel(""), nullptr);
  EXPECT_THROW(kernel_named("exq"), InternalError);
}

TEST(KernelTable, HasEveryFaceInEveryRow) {
  for (const Kernel& kernel : kernels()) {
    SCOPED_TRACE(kernel.name);
    EXPECT_FALSE(kernel.summary.empty());
    EXPECT_TRUE(kernel.outputs && kernel.work && kernel.examples && kernel.apply);
    EXPECT_FALSE(kernel.examples().empty());
  }
}

// For operands of any number and kind, `outputs` returns specs or throws InputError.
TEST(KernelTable, OutputsRefusesAWrongNumberOfOperands) {
  const TensorSpec odd{Type::uint8, {1, 1, 1, 1, 1, 1, 1, 1}};
  for (const Kernel& kernel : kernels())
    for (const Example& example : kernel.examples()) {
      const std::vector<TensorSpec> too_many(example.inputs.size() + 1, odd);
      EXPECT_THROW(kernel.outputs(too_many, example.attributes), InputError) << kernel.name;
      if (example.inputs.empty()) continue;
      EXPECT_THROW(kernel.outputs({}, example.attributes), InputError) << kernel.name;
    }
}

TEST(Attributes, PrintWhatDiffersFromTheDefaults) {
  EXPECT_EQ(print(Attributes{}), "");
  EXPECT_EQ(print(WindowAttributes{}), "");
  EXPECT_EQ(print(WindowAttributes{.strides = {2, 2}, .padding = Padding::same}),
            "strides=[2,2] padding=same");
  EXPECT_EQ(print(WindowAttributes{.size = {3, 3}, .dilation = {2, 1}, .groups = 4, .input = {1, 5, 5, 8}}),
            "size=[3,3] dilation=[2,1] groups=4 input=[1,5,5,8]");
  EXPECT_EQ(print(ProductAttributes{.transpose_b = true}), "transpose_b=true");
  EXPECT_EQ(print(AxesAttributes{{0, 2}, true}), "axes=[0,2] keep_dims=true");
  EXPECT_EQ(print(AxesAttributes{}), "axes=[]");
  EXPECT_EQ(print(PartsAttributes{1, {2, 3}}), "axis=1 sizes=[2,3]");
  EXPECT_EQ(print(ShapeAttributes{{4, 5}}), "shape=[4,5]");
  EXPECT_EQ(print(NormalizationAttributes{.momentum = 0.9}), "momentum=0.9");
  EXPECT_EQ(print(DropoutAttributes{}), "rate=0.5");
  EXPECT_EQ(print(CastAttributes{Type::int64}), "type=int64");
  EXPECT_EQ(print(FillAttributes{{Type::float32, {2}}, 0.25}), "spec=float32[2] value=0.25");
  EXPECT_EQ(print(HashAttributes{.buckets = 5}), "buckets=5");
  EXPECT_EQ(print(HashAttributes{5, true, {1, 2}}), "buckets=5 is_salted=true salt=[1,2]");
  EXPECT_EQ(print(ResizeAttributes{ResizeMethod::lanczos3, 4, 8}), "method=lanczos3 given=4 rows=8");
  EXPECT_EQ(print(ResizeAttributes{.antialias = true}), "method=bilinear given=1 rows=1 antialias=true");
  EXPECT_EQ(print(SgdAttributes{.momentum = 0.9, .nesterov = true}), "momentum=0.9 nesterov=true");
  EXPECT_EQ(print(AdamAttributes{.beta_2 = 0.99, .epsilon = 1e-8}), "beta_2=0.99 epsilon=1e-08");
  EXPECT_EQ(print(RmsPropAttributes{.rho = 0.95, .centered = true}), "rho=0.95 centered=true");
}

TEST(Isa, HasANameForEachAndCanBePinned) {
  for (const cpu::Isa isa : {cpu::Isa::baseline, cpu::Isa::avx2, cpu::Isa::avx512})
    EXPECT_EQ(cpu::isa_named(name(isa)), isa);
  EXPECT_EQ(cpu::isa_named("sse9"), std::nullopt);
  EXPECT_EQ(cpu::current_isa(), cpu::best_isa());
  cpu::pin_isa(cpu::Isa::baseline);
  EXPECT_EQ(cpu::current_isa(), cpu::Isa::baseline);
  cpu::pin_isa(cpu::best_isa());
}

}  // namespace
}  // namespace wt
