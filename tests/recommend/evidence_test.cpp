// Claim: the shipped file of errors is that of the present constants. The rows of one and two devices are predicted
// again here. After a change of the constants, renew it:
//   windtunnel verify evidence tests/measurements --as platforms/evidence.json

#include <gtest/gtest.h>

#include "platform/constants_version.h"
#include "study/evidence/records.h"

namespace wt::evidence {
namespace {

std::vector<Record> small_ones(std::vector<Record> records) {
  std::erase_if(records, [](const Record& record) { return record.devices > 2; });
  return records;
}

std::vector<Measurement> small_ones(std::vector<Measurement> rows) {
  std::erase_if(rows, [](const Measurement& row) { return row.devices > 2; });
  return rows;
}

TEST(TheFileOfErrors, IsThatOfThePresentConstants) {
  ASSERT_EQ(known_records().constants_version, platform::constants_version);
  const std::vector<Record> known = small_ones(known_records().rows);
  const std::vector<Measurement> rows =
      small_ones(read_measurements(std::string(WT_TEST_DATA) + "/measurements"));
  ASSERT_GT(known.size(), 30U);
  EXPECT_EQ(print_records(known), print_records(make_records(rows)));
}

TEST(TheFileOfErrors, HasRowsOfManyDevices) {
  int most_gpus = 0, most = 0;
  for (const Record& record : known_records().rows) {
    most = std::max(most, record.devices);
    if (!record.device.starts_with("tpu")) most_gpus = std::max(most_gpus, record.devices);
  }
  EXPECT_GE(most_gpus, 16);
  EXPECT_GE(most, 512);
}

}  // namespace
}  // namespace wt::evidence
