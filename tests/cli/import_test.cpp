// Claim: `import` writes the platform file of an NCCL topology, and tells what a SimGrid platform holds;
// `export` writes platforms for other programs; what they refuse they refuse by name.

#include <gtest/gtest.h>

#include "cli/command.h"
#include "support/folder.h"

namespace wt {
namespace {

using test::call;
using test::Said;

std::string data(const std::string& name) { return std::string(WT_TEST_DATA) + "/platform/data/" + name; }

TEST(Import, WritesThePlatformFileOfAnNcclTopology) {
  const test::TestFolder folder;
  const std::string file = (folder / "mine.json").string();
  const Said said = call(
      {"import", data("dgx1_v100_nccl.xml"), "--as", file, "--type", "v100", "--host", "xeon_e5_2698_v4"});
  EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
  EXPECT_EQ(said.results, "");
  EXPECT_EQ(folder.without_path(said.messages),
            data("dgx1_v100_nccl.xml") + ": 8 devices, 2 hosts, 70 links\n" +
                "wrote mine.json; \"platform\": \"mine.json\" in a scenario uses it\n");
  const Said printed = call({"import", data("dgx1_v100_nccl.xml")});
  EXPECT_EQ(printed.results, test::bytes_of(file));
  EXPECT_NE(printed.messages.find("warning: "), std::string::npos);
  EXPECT_EQ(call({"export", file, "--as", "dot"}).exit, cli::Exit::done);
}

TEST(Import, TellsWhatASimgridPlatformHolds) {
  const Said said = call({"import", data("office.xml")});
  EXPECT_EQ(said.exit, cli::Exit::done);
  EXPECT_EQ(said.results, "\"platform\": \"" + data("office.xml") + "\" in a scenario uses it as it is\n");
  const Said refused = call({"import", data("office.xml"), "--as", "x"});
  EXPECT_EQ(refused.exit, cli::Exit::input_wrong);
  EXPECT_EQ(refused.messages,
            data("office.xml") +
                " states routes one by one, which a platform file can't\nuse it as it is: \"platform\": \"" +
                data("office.xml") + "\"\n");
}

TEST(Export, WritesWhatItIsAskedFor) {
  const test::TestFolder folder;
  const std::string file = (folder / "two.xml").string();
  EXPECT_EQ(call({"export", "dgx1", "--as", "simgrid", "--set", "machines=2", "--out", file}).exit,
            cli::Exit::done);
  EXPECT_NE(call({"import", file}).messages.find(": 20 devices, 20 hosts,"), std::string::npos);
  const Said refused = call({"export", "dgx1", "--as", "dog"});
  EXPECT_EQ(refused.exit, cli::Exit::input_wrong);
  EXPECT_EQ(refused.messages,
            "\"dog\" is not a platform format\ndid you mean \"dot\"? known: simgrid, dot\n");
}

}  // namespace
}  // namespace wt
