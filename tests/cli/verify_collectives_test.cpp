// `verify collectives`: the catalog is proved, files are proved or refuted.
#include <gtest/gtest.h>

#include "base/file.h"
#include "cli/command.h"
#include "support/folder.h"

namespace wt {
namespace {

using test::call;

TEST(VerifyCollectives, ProvesTheCatalogForARangeOfRanks) {
  const test::Said said = call({"verify", "collectives", "--ranks", "2-6"});
  EXPECT_EQ(said.exit, cli::Exit::done) << said.results;
  EXPECT_EQ(said.results.find("FAILS"), std::string::npos);
  EXPECT_NE(said.results.find("all_to_all"), std::string::npos);
}

TEST(VerifyCollectives, TellsHowMuchItProvedAndWhatIsLeftOut) {
  EXPECT_EQ(call({"verify", "collectives", "--algorithm", "hierarchical_copy", "--ranks", "2-5"}).results,
            "operation   algorithm          schedules  moves  dependencies  verdict\n"
            "all_reduce  hierarchical_copy          4     18            14  proved; leaves out the last rank "
            "of 2 odd "
            "counts, as TensorFlow does\n");
  EXPECT_EQ(call({"verify", "collectives", "--algorithm", "swing", "--ranks", "8", "--deletions"}).results,
            "operation   algorithm  schedules  moves  dependencies  deletions  verdict\n"
            "all_reduce  swing              1     48            80        128  proved\n");
}

TEST(VerifyCollectives, SuggestsTheAlgorithmThatWasMeant) {
  const test::Said said = call({"verify", "collectives", "--algorithm", "rign"});
  EXPECT_EQ(said.exit, cli::Exit::input_wrong);
  EXPECT_TRUE(said.messages.starts_with("\"rign\" is not an algorithm\ndid you mean \"ring\"? known: ring, "))
      << said.messages;
}

TEST(VerifyCollectives, SuggestsTheOptionThatWasMeant) {
  EXPECT_EQ(call({"verify", "collectives", "--rnaks", "3"}).messages,
            "\"--rnaks\" is not an option\ndid you mean \"--ranks\"? known: --help, --ranks, --algorithm, "
            "--deletions\n");
  EXPECT_EQ(call({"verify", "collectives", "--ranks"}).messages,
            "--ranks: 1 required TEXT missing\nsee windtunnel verify collectives --help\n");
}

TEST(VerifyCollectives, RefusesWhatIsNoRange) {
  for (const char* range : {"", "a", "0-3", "5-2", "2-", "2-1000", "-3"})
    EXPECT_EQ(call({"verify", "collectives", std::string("--ranks=") + range}).exit, cli::Exit::input_wrong)
        << range;
  EXPECT_EQ(call({"verify", "collectives", "--ranks", "5-2"}).messages,
            "\"5-2\" is not a range of ranks\ngive a number or a range up to 256, as in 2-24\n");
}

TEST(VerifyCollectives, RefutesAFileInPlainWords) {
  const test::TestFolder folder;
  const std::string file = (folder / "half.txt").string();
  write_text(file,
             "schedule half\noperation all_reduce\nranks 2\ncut 4 elements into 1 chunks\n0 reduce 0 to 1 "
             "chunks 0\n");
  const test::Said said = call({"verify", "collectives", file});
  EXPECT_EQ(said.exit, cli::Exit::input_wrong);
  EXPECT_EQ(said.results,
            file + ": all_reduce half of 2 ranks, 1 moves: wrong\n  rank 0 misses rank 1's chunk 0\n");
}

}  // namespace
}  // namespace wt
