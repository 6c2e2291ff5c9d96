#include "kernel/cpu/kernels.h"

#include <Eigen/Core>

#include "kernel/cpu/contraction.h"
#include "kernel/cpu/isa.h"
#include "kernel/cpu/tiles.h"
#include "kernel/matrix.h"

namespace wt::cpu {
namespace {

loops::MatrixProduct problem_of(const TensorSpec& a, const TensorSpec& b, const Attributes& attributes) {
  const ProductGeometry g = product_geometry(a.shape, b.shape, attributes);
  const auto& product = attributes_as<ProductAttributes>(attributes);
  return {g.batch, g.m, g.n, g.k, product.transpose_a, product.transpose_b};
}

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstMap = Eigen::Map<const Matrix>;

// float64 is meant for checks, so a lazy product is good enough. Eigen's fast product would allocate
// memory in the middle of a step.
void multiply(const loops::MatrixProduct& p, std::int64_t batch, std::int64_t begin, std::int64_t count,
              const double* a_data, const double* b_data, double* c_data) {
  const ConstMap a(a_data + batch * p.m * p.k, p.transpose_a ? p.k : p.m, p.transpose_a ? p.m : p.k);
  const ConstMap b(b_data + batch * p.k * p.n, p.transpose_b ? p.n : p.k, p.transpose_b ? p.k : p.n);
  auto c = Eigen::Map<Matrix>(c_data + batch * p.m * p.n, p.m, p.n).middleRows(begin, count);
  if (p.transpose_a && p.transpose_b)
    c = a.transpose().middleRows(begin, count).lazyProduct(b.transpose());
  else if (p.transpose_a)
    c = a.transpose().middleRows(begin, count).lazyProduct(b);
  else if (p.transpose_b)
    c = a.middleRows(begin, count).lazyProduct(b.transpose());
  else
    c = a.middleRows(begin, count).lazyProduct(b);
}

void matmul_float64(const loops::MatrixProduct& p, const Numbers& numbers, device::Workers& workers) {
  const std::int64_t rows = rows_per_tile(p.n);
  const std::int64_t bands = ceiling(p.m, rows);
  workers.run(p.batch * bands, [&](std::int64_t tile, std::span<std::byte>) {
    const std::int64_t begin = tile % bands * rows;
    multiply(p, tile / bands, begin, std::min(rows, p.m - begin), numbers.inputs[0].as<double>(),
             numbers.inputs[1].as<double>(), numbers.outputs[0].as<double>());
  });
}

}  // namespace

void matmul(const Numbers& numbers, device::Workers& workers) {
  const loops::MatrixProduct problem =
      problem_of(numbers.inputs[0].spec, numbers.inputs[1].spec, numbers.attributes);
  if (numbers.outputs[0].spec.type == Type::float64) return matmul_float64(problem, numbers, workers);
  const loops::Contraction& contraction = WT_LOOPS(loops::contraction);
  const loops::Operands operands{numbers.inputs[0].as<float>(), numbers.inputs[1].as<float>(),
                                 numbers.outputs[0].as<float>()};
  run_phases(workers, contraction.product_work(problem), [&](int phase, std::int64_t tile, void* scratch) {
    contraction.product_tile(problem, phase, tile, operands, numbers.workspace.data(), scratch);
  });
}

Bytes matmul_workspace(const Call& call) {
  if (call.outputs[0].type == Type::float64) return Bytes(0);
  const loops::MatrixProduct problem = problem_of(call.inputs[0], call.inputs[1], call.attributes);
  return Bytes(WT_LOOPS(loops::contraction).product_work(problem).workspace_bytes);
}

}  // namespace wt::cpu
