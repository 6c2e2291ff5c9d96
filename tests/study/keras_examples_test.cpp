// Claims: no step of Keras' examples under fit, on two V100 in one machine, is predicted more than two times too fast
// or too slow. The scenarios beside this file are the examples' networks and batches; their published throughput is in
// tests/measurements/tf2_strategies.csv. The constants were not fitted to these rows, but for the IRNN's
// (platforms/software.json).

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "scenario/build.h"
#include "scenario/parse.h"
#include "session/training.h"
#include "study/evidence/measurements.h"

namespace wt::evidence {
namespace {

TEST(KerasExamples, TakeAtMostTwiceAndAtLeastHalfOfWhatWasPublished) {
  const std::string tests(WT_TEST_DATA);
  const std::vector<Measurement> rows = read_measurements(tests + "/measurements");
  int compared = 0;
  for (const auto& file : std::filesystem::directory_iterator(tests + "/study/keras_examples")) {
    const scenario::Scenario scenario = scenario::parse_file(file.path());
    const auto row = std::ranges::find_if(rows, [&](const Measurement& each) {
      return each.model == scenario.name + " (keras example)" && each.devices == 2 &&
             each.metric == "throughput";
    });
    ASSERT_NE(row, rows.end()) << scenario.name;
    session::Training training(scenario, scenario::build(scenario), {});
    const double ratio = training.clock().step().summary.samples_per_second / row->value;
    EXPECT_GT(ratio, 0.5) << scenario.name;
    EXPECT_LT(ratio, 2.0) << scenario.name;
    ++compared;
  }
  EXPECT_EQ(compared, 8);
}

}  // namespace
}  // namespace wt::evidence
