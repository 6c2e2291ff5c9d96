// Claims: rows of text and records take the cores of their host the time that TensorFlow's readers take, unless the
// scenario says what decodes, or that nothing does; arrays, generated rows and IDX files need no decoding.

#include "session/rows_pipeline.h"

#include <gtest/gtest.h>

#include "scenario/parse.h"
#include "timing/software.h"

namespace wt::session {
namespace {

std::optional<timing::InputPipeline> pipeline(const std::string& name,
                                              const std::vector<std::string>& set = {}) {
  const scenario::Scenario scenario =
      scenario::parse_file(std::string(WT_SOURCE_DIR) + "/scenarios/" + name + ".json", set);
  return rows_pipeline(scenario, scenario::build(scenario));
}

double rate(const std::optional<timing::InputPipeline>& found) { return std::get<double>(*found->decoding); }

TEST(RowsPipeline, OfTextHasTheCoresOfTheHost) {
  const auto two_sockets = pipeline("houses_csv", {"platform=dgx_a100"});
  ASSERT_TRUE(two_sockets);
  // Lines of the file have 15 to 40 characters.
  EXPECT_GT(two_sockets->stored_row, Bytes(10));
  EXPECT_LT(two_sockets->stored_row, Bytes(100));
  const timing::RowDecoder& decoder = timing::software_constants().decoders.at("csv");
  EXPECT_DOUBLE_EQ(rate(two_sockets), 128 / decoder.of(two_sockets->stored_row).count());
  const auto desktop = pipeline("houses_csv", {"platform=workstation_2x4090"});
  EXPECT_DOUBLE_EQ(rate(desktop), rate(two_sockets) / 8);
}

TEST(RowsPipeline, IsWhatTheScenarioSays) {
  const auto described = pipeline("houses_csv", {R"(input={"decode": "1500 samples/s"})"});
  EXPECT_DOUBLE_EQ(rate(described), 1500);
  EXPECT_TRUE(described->decoders.empty());
  EXPECT_FALSE(pipeline("houses_csv", {R"(input={"on_device": true})"}));
  EXPECT_FALSE(pipeline("houses_csv", {"time.software=false"}));
  const auto stored = pipeline("houses_csv", {R"(input={"storage": "1 MB/s", "sample": "100 B"})"});
  EXPECT_EQ(stored->stored_row, Bytes(100));
  EXPECT_TRUE(stored->decoding && stored->storage);
}

TEST(RowsPipeline, OfArraysDecodesNothing) {
  for (const char* name : {"quickstart", "resnet50", "mirrored_dgx_a100", "fashion_cnn_custom_loop"})
    EXPECT_FALSE(pipeline(name)) << name;
}

}  // namespace
}  // namespace wt::session
