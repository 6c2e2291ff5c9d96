// Claims: `new` writes a scenario that validates and runs as it is, for models with one or several inputs and outputs, of
// both versions of Keras, from .keras, .h5 and JSON; its loss, optimizer and metrics are those that the model was
// compiled with where the file says so, and fit its outputs otherwise; it replaces no file without --force.
#include <gtest/gtest.h>

#include "../cli/command.h"
#include "base/file.h"
#include "base/temporary_folder.h"
#include "study/recordings/archive.h"

namespace wt {
namespace {

namespace fs = std::filesystem;
using test::Said;

struct Asked {
  std::string model{};  // in the archive
  std::string text{};   // that the scenario has
};

class New : public testing::TestWithParam<Asked> {};

std::string in(const TemporaryFolder& folder, const std::string& name) {
  return (folder.path() / name).string();
}

TEST_P(New, ScenariosRunAtOnce) {
  const TemporaryFolder folder;
  recordings::unpack(fs::path(WT_TEST_DATA) / "keras_files/files.tar.gz", folder.path());
  const std::string scenario = in(folder, "first.json"), model = in(folder, GetParam().model);
  const Said written = test::call({"new", model, "--out", scenario});
  ASSERT_EQ(written.exit, cli::Exit::done) << written.messages;
  EXPECT_EQ(written.results, "wrote " + scenario + "; next: windtunnel run " + scenario + "\n");
  const std::string text = read_text(scenario);
  EXPECT_NE(text.find(GetParam().text), std::string::npos) << text;

  const Said valid = test::call({"validate", scenario});
  EXPECT_EQ(valid.exit, cli::Exit::done) << valid.messages << text;
  const Said ran = test::call({"run", scenario, "--out", in(folder, "out")});
  EXPECT_EQ(ran.exit, cli::Exit::done) << ran.messages << text;

  const Said again = test::call({"new", model, "--out", scenario});
  EXPECT_EQ(again.exit, cli::Exit::input_wrong);
  EXPECT_EQ(again.messages, scenario + " exists\nname another file with --out, or add --force\n");
  write_text(scenario, "mine");
  EXPECT_EQ(test::call({"new", model, "--out", scenario, "--force"}).exit, cli::Exit::done);
  EXPECT_EQ(read_text(scenario), text);
}

INSTANTIATE_TEST_SUITE_P(
    OfKeras, New,
    testing::Values(Asked{"keras2/dense.keras", R"("loss": "mse")"},
                    Asked{"keras3/dense.h5", R"("loss": "mse")"},
                    Asked{"keras3/conv.keras", R"("class_name": "SGD")"},
                    Asked{"keras2/conv.json", R"("loss": "sparse_categorical_crossentropy")"},
                    Asked{"keras3/conv.json", R"("metrics": ["accuracy"])"},
                    Asked{"keras3/sequence.keras", R"("loss": "mse")"},
                    Asked{"keras2/sequence.json", R"("loss": "mean_squared_error")"},
                    Asked{"keras2/two.h5", R"("loss": ["mse", "mse"])"},
                    Asked{"keras3/two.json", R"("loss": ["mean_squared_error", "mean_squared_error"])"}));

TEST(NewFiles, RefusesWhatIsNoModel) {
  const TemporaryFolder folder;
  EXPECT_EQ(test::call({"new", in(folder, "none.keras"), "--out", in(folder, "a.json")}).exit,
            cli::Exit::input_wrong);
  write_text(folder.path() / "b.json", "{}");
  const Said said = test::call({"new", in(folder, "b.json"), "--out", in(folder, "a.json")});
  EXPECT_EQ(said.exit, cli::Exit::input_wrong);
  EXPECT_NE(said.messages.find("class_name"), std::string::npos) << said.messages;
  EXPECT_FALSE(fs::exists(folder.path() / "a.json"));
}

}  // namespace
}  // namespace wt
