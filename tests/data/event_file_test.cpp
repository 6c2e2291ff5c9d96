// Claim: an event file has the bytes that tf.summary.scalar writes for the same tags, steps, values and times. The frames
// here were written by TensorFlow 2.15.1 for the TensorBoard callback.
#include "data/event_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/temporary_folder.h"
#include "data/record_file.h"

namespace wt::data {
namespace {

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

constexpr float loss = 0.6353163F;

TEST(EventFile, HasTheBytesOfTensorFlow) {
  EXPECT_EQ(
      hex(framed_record(first_event(1795730326.0))),
      "3e00000000000000d9d240e709000080e52ac2da411a0d627261696e2e4576656e743a3252240a2274656e736f72666c6f772e"
      "636f72652e7574696c2e6576656e74735f777269746572e56d9608");
  EXPECT_EQ(
      hex(framed_record(scalar_event("evaluation_loss_vs_iterations", 3, loss, 1795730326.532442))),
      "4700000000000000bac3fb9b098813a2e52ac2da4110032a3a0a380a1d6576616c756174696f6e5f6c6f73735f76735f697465"
      "726174696f6e73420a08011200220417a4223f4a0b0a090a077363616c617273ff27996b");
  EXPECT_EQ(
      hex(framed_record(scalar_event("epoch_loss", 0, loss, 1795730326.538203))),
      "3200000000000000241956ec09eb71a2e52ac2da412a270a250a0a65706f63685f6c6f7373420a08011200220417a4223f4a0b"
      "0a090a077363616c617273660d778d");
}

TEST(EventFile, HoldsOneRecordForEachScalar) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "events.out.tfevents.test";
  EventFile file(path);
  for (int step = 0; step < 300; ++step) file.write_scalar("epoch_loss", step, 0.5F, 0.25 * step);
  const RecordFile read(path, {});
  ASSERT_EQ(read.records().size(), 301U);
  EXPECT_EQ(read.records()[0].data, first_event(0));
  for (int step = 0; step < 300; ++step) {
    const Record& record = read.records()[static_cast<std::size_t>(step) + 1];
    EXPECT_TRUE(record.is_intact);
    EXPECT_EQ(record.data, scalar_event("epoch_loss", step, 0.5F, 0.25 * step));
  }
}

TEST(EventFile, SaysWhereItCannotBeWritten) {
  try {
    const EventFile file("/no/such/folder/events");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("/no/such/folder/events cannot be written"), std::string::npos);
  }
}

}  // namespace
}  // namespace wt::data
