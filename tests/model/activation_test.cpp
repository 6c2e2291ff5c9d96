// Claim: at their kinks activations have the values and slopes that TensorFlow's have. The numbers are those of the
// recordings activation_* (tests/recordings/losses_metrics.tar.gz), the gradient divided by what it was multiplied with.
#include "model/activation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <span>

#include "model/numbers.h"
#include "program/trace.h"

namespace wt::model {
namespace {

using Numbers = std::vector<double>;

const Tensor grid = test::floats({7}, {-6, -1e-20F, 0, 1e-20F, 5.9F, 6, 6.1F});

Numbers values_of(std::string_view activation) {
  return test::compute({grid}, [=](const std::vector<Symbol>& x) { return activate(x[0], activation); });
}
Numbers slopes_of(std::string_view activation) {
  return test::compute({grid}, [=](const std::vector<Symbol>& x) {
    return x[0].trace->gradient(reduce_sum(activate(x[0], activation)), std::span(x)).front();
  });
}

TEST(Activations, HaveTensorFlowsSlopesAtTheirKinks) {
  test::expect_near(slopes_of("relu"), {0, 0, 0, 1, 1, 1, 1});
  test::expect_near(slopes_of("relu6"), {0, 0, 0, 1, 1, 0, 0});
  test::expect_near(slopes_of("leaky_relu"), {0.2, 0.2, 0.2, 1, 1, 1, 1});
  test::expect_near(slopes_of("elu"), {std::exp(-6.0), 1, 1, 1, 1, 1, 1});
  const auto logistic = [](double x) { return 1 / (1 + std::exp(-x)); };
  test::expect_near(slopes_of("softplus"),
                    {logistic(-6), 0.5, 0.5, 0.5, logistic(5.9), logistic(6), logistic(6.1)});
}

TEST(Activations, HaveTheirValuesAtTheKinks) {
  test::expect_near(values_of("relu6"), {0, 0, 0, 0, 5.9, 6, 6});
  test::expect_near(values_of("leaky_relu"), {-1.2, 0, 0, 0, 5.9, 6, 6.1});
  test::expect_near(
      values_of("softplus"),
      {std::log1p(std::exp(-6.0)), std::log(2.0), std::log(2.0), std::log(2.0),
       5.9 + std::log1p(std::exp(-5.9)), 6 + std::log1p(std::exp(-6.0)), 6.1 + std::log1p(std::exp(-6.1))});
}

}  // namespace
}  // namespace wt::model
