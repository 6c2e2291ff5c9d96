// Claim: `export tensorflow` writes each shipped scenario, or refuses it with a reason at a key of the file, and `export
// PLATFORM --as` stands beside it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "cli/command.h"
#include "support/folder.h"

namespace wt {
namespace {

// What is refused, with a part of the reason.
const std::map<std::string, std::string>& refusals() {
  static const std::map<std::string, std::string> all{
      {"bert_large", "this class is only written from Keras' JSON"},
      {"evaluator_beside_3_k80", "Keras 3's fit ends in ValueError with several workers"},
      {"goodput_1024_h100", "a program that saves within an epoch isn't written"},
      {"workers_fail_and_restart", "a program that saves before it is preempted isn't written"},
      {"multi_worker_32_dgx_a100", "this class is only written from Keras' JSON"},
      {"parameter_server_v1_8_k80", "TensorFlow 1's"},
      {"predict_resnet50", "a program that only predicts isn't written"},
      {"tpu_v3_model_parallel", "layers are on several cores of a replica"},
  };
  return all;
}

std::vector<std::string> shipped() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(WT_SOURCE_DIR) + "/scenarios"))
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

class ExportTensorflow : public testing::TestWithParam<std::string> {};

TEST_P(ExportTensorflow, WritesTheScenarioOrSaysWhyNot) {
  const test::TestFolder folder;
  const std::filesystem::path out = folder / "program";
  const test::Said said =
      test::call({"export", "tensorflow", test::scenario_file(GetParam()), "--out", out.string()});
  const auto refused = refusals().find(GetParam());
  if (refused == refusals().end()) {
    EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
    EXPECT_TRUE(std::filesystem::exists(out / "program.py"));
  } else {
    EXPECT_EQ(said.exit, cli::Exit::input_wrong);
    EXPECT_NE(said.messages.find(refused->second), std::string::npos) << said.messages;
    EXPECT_NE(said.messages.find(test::scenario_file(GetParam()) + ":"), std::string::npos) << said.messages;
    EXPECT_FALSE(std::filesystem::exists(out));
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, ExportTensorflow, testing::ValuesIn(shipped()),
                         [](const auto& given) { return given.param; });

TEST(Export, NamesBothOfItsForms) {
  const test::Said help = test::call({"export", "--help"});
  EXPECT_EQ(help.exit, cli::Exit::done);
  EXPECT_NE(help.results.find("PLATFORM"), std::string::npos) << help.results;
  EXPECT_NE(help.results.find("tensorflow"), std::string::npos) << help.results;
  const test::Said nothing = test::call({"export"});
  EXPECT_EQ(nothing.exit, cli::Exit::input_wrong);
  EXPECT_EQ(nothing.messages,
            "PLATFORM is required\nexport PLATFORM --as simgrid, or export tensorflow SCENARIO\n");
}

// The folder is replaced whole, and one with other files is not.
TEST(Export, ReplacesOnlyItsOwnFolder) {
  const test::TestFolder folder;
  const std::string file = test::scenario_file("linear_fit"), out = (folder / "program").string();
  EXPECT_EQ(test::call({"export", "tensorflow", file, "--out", out}).exit, cli::Exit::done);
  EXPECT_EQ(test::call({"export", "tensorflow", file, "--out", out}).exit, cli::Exit::done);
  folder.write("program/mine.txt", "x");
  const test::Said refused = test::call({"export", "tensorflow", file, "--out", out});
  EXPECT_EQ(refused.exit, cli::Exit::input_wrong);
  EXPECT_NE(refused.messages.find("mine.txt"), std::string::npos) << refused.messages;
}

}  // namespace
}  // namespace wt
