#include "model/orthonormal.h"

#include <Eigen/Core>
#include <Eigen/QR>

namespace wt::model {

std::vector<float> orthonormal_columns(std::span<const float> matrix, std::size_t rows, std::size_t columns) {
  using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto height = static_cast<Eigen::Index>(rows), width = static_cast<Eigen::Index>(columns);
  const Eigen::MatrixXd a = Eigen::Map<const Rows>(matrix.data(), height, width).cast<double>();
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(a);
  Eigen::MatrixXd q = qr.householderQ() * Eigen::MatrixXd::Identity(height, width);
  for (Eigen::Index i = 0; i < width; ++i)
    if (qr.matrixQR()(i, i) < 0) q.col(i) = -q.col(i);
  std::vector<float> result(rows * columns);
  Eigen::Map<Rows>(result.data(), height, width) = q.cast<float>();
  return result;
}

}  // namespace wt::model
