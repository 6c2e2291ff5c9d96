// Claims: no step of Keras' examples under fit, on two V100 in one machine, is predicted more than two times too fast
// or too slow. Their scenarios are in tests/measurements/programs, their published throughput in
// tests/measurements/tf2_strategies.csv. The constants were not fitted to these rows, but for the IRNN's
// (platforms/software.json).

#include "study/evidence/program_prediction.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "support/folder.h"

namespace wt::evidence {
namespace {

const std::string published = std::string(WT_TEST_DATA) + "/measurements";

TEST(KerasExamples, TakeAtMostTwiceAndAtLeastHalfOfWhatWasPublished) {
  const std::vector<Measurement> rows = read_measurements(published);
  const std::vector<ProgramPrediction> made = predict_programs(published, rows);
  EXPECT_EQ(made.size(), 8u);
  for (const ProgramPrediction& each : made) {
    EXPECT_GT(each.predicted / each.row->value, 0.5) << each.program;
    EXPECT_LT(each.predicted / each.row->value, 2.0) << each.program;
    EXPECT_EQ(each.row->devices, 2) << each.program;
  }
}

TEST(KerasExamples, NeedARow) {
  const std::vector<Measurement> none;
  EXPECT_THROW(predict_programs(published, none), InputError);
  const test::TestFolder empty;
  EXPECT_TRUE(predict_programs((empty / "").string(), none).empty());
}

}  // namespace
}  // namespace wt::evidence
