// Claims: `verify tensorflow` counts verdicts by version and kind, names each reason once, prints the same as JSON, and its
// exit code is that of a failed job if a recording failed or is empty.

#include <algorithm>
#include <array>

#include "cli/command.h"
#include "support/folder.h"

namespace wt::test {
namespace {

const std::string archive = std::string(WT_TEST_DATA) + "/recordings/layers.tar.gz";

Said verified(std::vector<std::string> further) {
  std::vector<std::string> words{"verify", "tensorflow"};
  words.insert(words.end(), further.begin(), further.end());
  return call(words);
}

TEST(VerifyTensorflow, PrintsATableByVersionAndKind) {
  const Said said = verified({archive, "--only", "layers_dense_"});
  EXPECT_EQ(said.exit, cli::Exit::done) << said.results;
  EXPECT_NE(said.results.find("version  kind    passed  refused  not applicable  failed  empty\n"),
            std::string::npos);
  EXPECT_NE(said.results.find("\nkeras2   layers  9       0"), std::string::npos) << said.results;
  EXPECT_NE(said.results.find("\nkeras3   layers  9       0"), std::string::npos) << said.results;
}

TEST(VerifyTensorflow, NamesAReasonOnce) {
  const Said said = verified({archive, "--only", "layers_noise_dropout"});
  EXPECT_EQ(said.exit, cli::Exit::done);
  const std::string reason = "L.Dropout: the numbers that TensorFlow draws for a seed are not reproduced\n";
  const std::size_t at = said.results.find(reason);
  ASSERT_NE(at, std::string::npos) << said.results;
  EXPECT_EQ(said.results.find(reason, at + 1), std::string::npos);
  EXPECT_NE(
      said.results.find("keras2/layers_noise_dropout, keras2/layers_noise_dropout_noise_shape, and 2 more"),
      std::string::npos);
}

TEST(VerifyTensorflow, PrintsJson) {
  const Said said = verified({archive, "--only", "layers_lstm_", "--json"});
  EXPECT_EQ(said.exit, cli::Exit::done);
  const json::Value tree = json::parse(said.results, "results");
  const json::Value::Elements& kinds = tree.find("kinds")->elements();
  ASSERT_EQ(kinds.size(), 2U);
  std::int64_t counted = 0;
  for (const auto* key : {"passed", "refused", "not_applicable", "failed", "empty"})
    for (const json::Value& kind : kinds) counted += kind.find(key)->integer();
  const json::Value::Elements& cases = tree.find("cases")->elements();
  EXPECT_EQ(counted, std::ssize(cases));
  for (const json::Value& each : cases) {
    const bool is_stateful = each.find("id")->string() == "layers_lstm_stateful";
    EXPECT_EQ(each.find("verdict")->string(), is_stateful ? "refused" : "passed");
    EXPECT_EQ(each.find("why")->string().empty(), !is_stateful);
    EXPECT_TRUE(each.find("version")->string().starts_with("keras"));
  }
}

TEST(VerifyTensorflow, FailsIfARecordingIsEmpty) {
  const TestFolder folder;
  std::filesystem::create_directories(folder / "keras3/layers/layers_x");
  folder.write("keras3/layers/layers_x/case.json", R"({"id": "layers_x", "values": {}})");
  const Said said = verified({folder.path().string()});
  EXPECT_EQ(said.exit, cli::Exit::job_failed);
  EXPECT_NE(said.results.find("\nkeras3   layers  0       0        0               0       1"),
            std::string::npos)
      << said.results;
}

TEST(VerifyTensorflow, RefusesWhatIsNoRecording) {
  const TestFolder folder;
  for (const std::string& place : {folder.path().string(), (folder / "nowhere").string()}) {
    const Said said = verified({place});
    EXPECT_EQ(said.exit, cli::Exit::input_wrong) << place;
    EXPECT_TRUE(said.results.empty());
  }
  const Said said = verified({archive, "--only", "no_such_recording"});
  EXPECT_EQ(said.exit, cli::Exit::input_wrong);
  EXPECT_NE(said.messages.find("no_such_recording"), std::string::npos);
}

TEST(VerifyTensorflow, NamesAnArchiveThatIsDamaged) {
  const TestFolder folder;
  const std::filesystem::path file = folder.write("bad.tar.gz", "these are no compressed bytes");
  const Said said = verified({file.string()});
  EXPECT_EQ(said.exit, cli::Exit::input_wrong);
  EXPECT_NE(said.messages.find("bad.tar.gz"), std::string::npos) << said.messages;
}

}  // namespace
}  // namespace wt::test
