// Claims: the tables have the same bytes for any number of processes and shards, a journal continues where a
// killed sweep left it, and a folder takes rows of one sweep only. tests/faults kills the command itself.

#include "sweep/carry_out.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/file.h"
#include "support/folder.h"
#include "sweep/crew.h"
#include "sweep/read.h"

namespace wt::sweep {
namespace {

namespace fs = std::filesystem;
using test::bytes_of;
using test::TestFolder;

constexpr const char* base = R"({
  "name": "base", "platform": "dgx_a100", "strategy": {"type": "mirrored"}, "model": "mlp",
  "dataset": {"type": "synthetic", "rows": 1024},
  "training": {"loss": "sparse_categorical_crossentropy", "optimizer": "sgd", "per_replica_batch": 32},
  "numerics": "none"
})";

class Folder : public TestFolder {
 public:
  Folder() {
    write_text(*this / "base.json", base);
    write_text(*this / "sweep.json", R"({"name": "s", "scenario": "base.json",
      "axes": [{"platform": ["dgx_a100", "dgx1_p100"]}, {"devices": [1, 2, 3, 8, 9]}, {"batch": [8, 16]}]})");
  }
  Ending carry_out(const std::string& out, Options options = {}) const {
    options.folder = *this / out;
    options.version = "1.2.3";
    return sweep::carry_out(read(*this / "sweep.json", {}), options);
  }
  std::string tables(const std::string& out) const {
    return bytes_of(*this / (out + "/sweep.csv")) + bytes_of(*this / (out + "/sweep.json"));
  }
};

TEST(ASweep, HasTheSameBytesForAnyNumberOfProcessesAndShards) {
  const Folder folder;
  const Ending serial = folder.carry_out("serial");
  EXPECT_EQ(serial.rows.size(), 20U);
  for (const int processes : {2, 3, 40}) {
    const std::string out = "processes" + std::to_string(processes);
    folder.carry_out(out, {.processes = processes});
    EXPECT_EQ(folder.tables(out), folder.tables("serial")) << processes;
  }
  std::vector<fs::path> shards;
  for (int number = 1; number <= 3; ++number) {
    const std::string out = "shard" + std::to_string(number);
    folder.carry_out(out, {.shard = {number, 3}});
    shards.push_back(folder / out);
  }
  merge({shards[2], shards[0], shards[1]}, folder / "merged", false);
  EXPECT_EQ(folder.tables("merged"), folder.tables("serial"));
  EXPECT_NE(folder.error_of<InputError>([&] {
                    merge({shards[0], shards[2]}, folder / "less", false);
                  })
                .find("7 of 20 points have no row: 1, 4, 7"),
            std::string::npos);
}

TEST(ASweep, HasARowForAPointThatCannotBeTimed) {
  const Folder folder;
  const Ending ending = folder.carry_out("out");
  const auto column = [&](std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find(ending.header.columns, name) -
                                    ending.header.columns.begin());
  };
  const Row& nine_devices = ending.rows.at(8);  // of a machine that has eight
  EXPECT_EQ(nine_devices[column("devices")], report::Field(std::int64_t{9}));
  EXPECT_EQ(nine_devices[column("outcome")], report::Field("refused"));
  EXPECT_NE(std::get<std::string>(nine_devices[column("reason")]).find("9 replicas"), std::string::npos);
  EXPECT_EQ(ending.rows.at(6)[column("outcome")], report::Field("done"));
}

TEST(ASweep, ContinuesWithTheRowsThatAreThere) {
  const Folder folder;
  const Ending whole = folder.carry_out("whole");
  int looks = 0;
  Options options;
  options.is_stopped = [&] { return ++looks > 1; };
  const Ending part = folder.carry_out("out", options);
  EXPECT_FALSE(part.is_complete());
  EXPECT_FALSE(fs::exists(folder / "out/sweep.csv"));
  {  // what a killed process leaves
    std::ofstream journal(folder / "out/journal.jsonl", std::ios::app);
    journal << "[19, \"half of a li";
  }
  const Ending rest = folder.carry_out("out");
  EXPECT_EQ(rest.found, static_cast<std::int64_t>(part.rows.size()));
  EXPECT_EQ(folder.tables("out"), folder.tables("whole"));
  EXPECT_EQ(folder.carry_out("out").found, 20);  // Nothing is left to do.
}

TEST(ASweep, RefusesTheRowsOfAnotherOne) {
  const Folder folder;
  folder.carry_out("out");
  const auto error = [&](Options options = {}) {
    return folder.error_of<InputError>([&] { folder.carry_out("out", options); });
  };
  EXPECT_EQ(error(), "no error");
  EXPECT_NE(error({.shard = {1, 2}}).find("the shard"), std::string::npos);
  write_text(folder / "base.json", std::string(base) + " ");
  EXPECT_NE(error().find("base.json"), std::string::npos);
  EXPECT_NE(error().find("--restart"), std::string::npos);
  EXPECT_EQ(error({.anew = true}), "no error");
  EXPECT_EQ(error(), "no error");
}

TEST(AHeader, NamesWhatDiffers) {
  const Header one{.version = "1", .constants = 1, .sweep = "a", .inputs = {{"x.json", "1"}}};
  Header other = one;
  EXPECT_TRUE(differences(one, other).empty());
  EXPECT_EQ(parse_header(print(one)), one);
  other = {.version = "2", .constants = 2, .sweep = "b", .inputs = {{"y.json", "1"}}};
  EXPECT_EQ(differences(one, other),
            (std::vector<std::string>{"the version of windtunnel (1, now 2)",
                                      "the version of the model's constants (1, now 2)",
                                      "the axes or their values", "x.json", "y.json"}));
}

TEST(ACrew, TriesAPointTwiceWhoseProcessEndsAndThenSaysWhy) {
  std::vector<std::string> lines;
  Work work;
  for (std::int64_t number = 0; number < 50; ++number) work.numbers.push_back(number);
  work.line_of = [](std::int64_t number) {
    if (number % 10 == 7) ::_exit(3);
    return "line " + std::to_string(number);
  };
  work.lost_line = [](std::int64_t number, const std::string& why) {
    return std::to_string(number) + ": " + why;
  };
  work.deliver = [&](std::span<const std::string> some) {
    lines.insert(lines.end(), some.begin(), some.end());
  };
  work.is_stopped = [] { return false; };
  share(work, 3);
  std::ranges::sort(lines);
  EXPECT_EQ(lines.size(), 50U);
  EXPECT_EQ(std::ranges::count(lines, "17: the process that planned this point ended with code 3"), 1);
  EXPECT_EQ(std::ranges::count_if(lines, [](const auto& line) { return line.starts_with("line "); }), 45);
  EXPECT_EQ(std::ranges::adjacent_find(lines), lines.end());
}

}  // namespace
}  // namespace wt::sweep
