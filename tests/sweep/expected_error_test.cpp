// Claims: rows of a sweep state the same expected error as a recommendation for the same platform and size, and a
// device without published rows is told apart.

#include <gtest/gtest.h>

#include "support/folder.h"
#include "sweep/carry_out.h"
#include "sweep/read.h"
#include "sweep/row.h"

namespace wt::sweep {
namespace {

class ExpectedError : public ::testing::Test {
 protected:
  ExpectedError() {
    Further further{.axes = {"platform=dgx_a100,dgx_b200", "machines=1"}, .overrides = {}};
    const Sweep sweep = read(std::string(WT_SOURCE_DIR) + "/scenarios/resnet50.json", further);
    ending_ = carry_out(sweep, {.folder = folder_.path() / "sweep", .processes = 1, .version = "test"});
  }
  const report::Field& at(std::int64_t point, std::string_view column) const {
    const auto found = std::ranges::find(ending_.header.columns, column);
    return ending_.rows.at(point).at(static_cast<std::size_t>(found - ending_.header.columns.begin()));
  }
  double number(std::int64_t point, std::string_view column) const {
    return std::get<double>(at(point, column));
  }

  test::TestFolder folder_{};
  Ending ending_{};
};

TEST_F(ExpectedError, StandsInEveryRow) {
  EXPECT_EQ(at(0, "known_from"), report::Field("published"));
  EXPECT_EQ(at(1, "known_from"), report::Field("data sheet alone"));
  for (const std::int64_t point : {0, 1}) {
    EXPECT_LT(number(point, "predicted_over_true_low"), number(point, "predicted_over_true_median"));
    EXPECT_LT(number(point, "predicted_over_true_median"), number(point, "predicted_over_true_high"));
  }
  const auto width = [&](std::int64_t point) {
    return number(point, "predicted_over_true_high") / number(point, "predicted_over_true_low");
  };
  EXPECT_GT(width(1), width(0));
  // As `recommend` says it of the same devices (errors of published rows, platforms/evidence.json).
  EXPECT_NEAR(number(0, "predicted_over_true_low"), 0.953642, 1e-5);
  EXPECT_NEAR(number(0, "predicted_over_true_high"), 1.236864, 1e-5);
  EXPECT_NEAR(number(1, "predicted_over_true_high"), 1.479863, 1e-5);
}

}  // namespace
}  // namespace wt::sweep
