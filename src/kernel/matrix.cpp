#include "kernel/cpu/kernels.h"

#include "kernel/families.h"
#include "kernel/matrix.h"
#include "kernel/signature.h"

namespace wt {
namespace {

constexpr std::string_view kernel = "matmul";

std::string print_operands(const TensorSpec& a, const TensorSpec& b) {
  return fmt::format("a is {}, b is {}", print(a), print(b));
}

std::string_view rule(const ProductAttributes& attributes) {
  if (attributes.transpose_a && attributes.transpose_b)
    return "with both transposed, the last but one extent of a must equal the last of b";
  if (attributes.transpose_a) return "with a transposed, the last but one extents of both must be equal";
  if (attributes.transpose_b) return "with b transposed, the last extents of both must be equal";
  return "the last extent of a must equal the last but one of b";
}

// Whether b is one matrix, with which every matrix of a is multiplied.
bool shares_b(const Shape& a, const Shape& b) { return a.rank() > 2 && b.rank() == 2; }

void require_batches(const TensorSpec& a, const TensorSpec& b, const ProductAttributes& attributes) {
  if (shares_b(a.shape, b.shape)) {
    if (attributes.transpose_a)
      refuse(kernel,
             fmt::format("a cannot be transposed where b has no leading axes: {}", print_operands(a, b)),
             "apply transpose to a first");
    return;
  }
  const int rank = a.shape.rank();
  if (rank != b.shape.rank() || !std::equal(a.shape.begin(), a.shape.end() - 2, b.shape.begin()))
    refuse(kernel, fmt::format("the leading axes differ: {}", print_operands(a, b)),
           "they must be equal, or b must be a matrix");
}

std::vector<TensorSpec> matmul_outputs(Specs inputs, const Attributes& attributes) {
  const auto& product = attributes_as<ProductAttributes>(attributes);
  require_count(kernel, inputs, 2);
  const TensorSpec &a = inputs[0], &b = inputs[1];
  require_floating(kernel, "a", a);
  require_same_type(kernel, "a", a, "b", b);
  require_rank_at_least(kernel, "a", a, 2);
  require_rank_at_least(kernel, "b", b, 2);
  require_batches(a, b, product);
  const int a_last = a.shape.rank() - 1, b_last = b.shape.rank() - 1;
  if (a.shape[a_last - product.transpose_a] != b.shape[b_last - !product.transpose_b])
    refuse(kernel, fmt::format("the inner extents differ: {}", print_operands(a, b)), rule(product));
  TensorSpec c = a;
  c.shape[a_last - 1] = a.shape[a_last - !product.transpose_a];
  c.shape[a_last] = b.shape[b_last - product.transpose_b];
  return {c};
}

Work matmul_work(const Call& call) {
  const ProductGeometry g = product_geometry(call.inputs[0].shape, call.inputs[1].shape, call.attributes);
  const double flops = 2.0 * static_cast<double>(g.batch) * static_cast<double>(g.m) *
                       static_cast<double>(g.n) * static_cast<double>(g.k);
  return {Flops(flops), operand_bytes(call), g};
}

std::vector<Example> matmul_examples() {
  const auto example = [](const Shape& a, const Shape& b, bool transpose_a, bool transpose_b) {
    return Example{{{{Type::float32, a}}, {{Type::float32, b}}}, ProductAttributes{transpose_a, transpose_b}};
  };
  return {example({4, 5}, {5, 3}, false, false),
          example({5, 4}, {5, 3}, true, false),
          example({4, 5}, {3, 5}, false, true),
          example({5, 4}, {3, 5}, true, true),
          example({2, 3, 4}, {4, 5}, false, false),
          example({2, 3, 4}, {2, 5, 4}, false, true),
          example({2, 2, 3, 1}, {2, 2, 3, 2}, true, false)};
}

constexpr Kernel rows_of_matrix_kernels[] = {
    {.name = "matmul",
     .summary =
         "a[.., m, k], b[.., k, n] -> c[.., m, n]: a or b may be stored transposed; a single matrix b is "
         "multiplied with every matrix of a",
     .outputs = matmul_outputs,
     .work = matmul_work,
     .examples = matmul_examples,
     .apply = cpu::matmul,
     .workspace = cpu::matmul_workspace},
};

}  // namespace

ProductGeometry product_geometry(const Shape& a, const Shape& b, const Attributes& attributes) {
  const auto& product = attributes_as<ProductAttributes>(attributes);
  const int a_last = a.rank() - 1, b_last = b.rank() - 1;
  ProductGeometry g{a.elements(0, a_last - 1), a[a_last - !product.transpose_a],
                    b[b_last - product.transpose_b], a[a_last - product.transpose_a]};
  if (shares_b(a, b)) {
    g.m *= g.batch;
    g.batch = 1;
  }
  return g;
}

std::span<const Kernel> matrix_kernels() { return rows_of_matrix_kernels; }

}  // namespace wt
