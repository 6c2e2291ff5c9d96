// Claim: no name, path, XML or schedule makes the program print a control character, or a line of its own.
// Each round draws text from a seed and puts it wherever a user's file may hold text; FOREIGN_TEXT_ROUNDS=1000
// runs more rounds than the short one here.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdlib>
#include <random>

#include "base/json_writer.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "support/folder.h"

namespace wt {
namespace {

using Random = std::mt19937_64;
using Words = std::vector<std::string>;

// A screen is cleared, a title set, a line overwritten, writing turned around. The last one forges a line.
constexpr std::array<std::string_view, 13> pieces{
    "\x1b[2J", "\x1b]0;title\x07", "\u009b31m", "\u0085", "\b\b\b", "\r",         "\x7f",
    "\u202e",  "\u2028",           "\u0090q",   "\v\f",   "\x0e",   "\nFORGED: x"};

std::string drawn(Random& random) {
  std::string text = "a";
  for (int i = 0; i < 3; ++i) text += fmt::format("{}b", pieces[random() % pieces.size()]);
  return text;
}

// As the value of an XML attribute, where control characters may be written as references.
std::string as_attribute(const std::string& text) {
  std::string written;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    written += byte < 0x20 ? fmt::format("&#{};", byte) : std::string(1, letter);
  }
  return written;
}

class ForeignText : public testing::Test {
 protected:
  // What a terminal would obey, and lines that the program did not write.
  static void expect_plain(const Words& words, const std::string& text) {
    EXPECT_EQ(printable_lines(text), text) << fmt::format("{}", fmt::join(words, " "));
    EXPECT_FALSE(text.starts_with("FORGED") || text.find("\nFORGED") != std::string::npos)
        << fmt::format("{}", fmt::join(words, " ")) << "\n"
        << text;
  }
  static void expect_plain(const Words& words) {
    const test::Said said = test::call(words);
    expect_plain(words, said.results);
    expect_plain(words, said.messages);
    EXPECT_NE(said.exit, cli::Exit::our_fault) << said.messages;
  }

  // Commands that print what a scenario says.
  void expect_plain_scenario(const std::string& text) const {
    const std::string file = folder_.write("scenario.json", text).string();
    const std::string out = (folder_ / "out").string();
    for (const Words& words : {Words{"validate", "--memory", "--placement", file}, Words{"devices", file},
                               Words{"run", file, "--plan"}, Words{"run", file, "--verbose", "--out", out},
                               Words{"run", file, "--json", "--out", out}, Words{"explain", file}})
      expect_plain(words);
  }

  const test::TestFolder folder_;
};

// A scenario with a layer. `with` replaces parts of it.
std::string scenario(const std::map<std::string, std::string>& with) {
  std::string text = R"({"name": "NAME", "description": "ABOUT", "platform": PLATFORM, "numerics": "none",
    "model": {"name": "MODEL", "layers": [
      {"class_name": "Dense", "config": {"name": "LAYER", "units": 1, "batch_input_shape": [null, 1]}}]},
    "dataset": {"type": "constant", "x": [1.0], "y": [1.0], "rows": 4},
    "training": {"loss": "LOSS", "optimizer": "sgd", "global_batch": 2}})";
  std::map<std::string, std::string> parts{
      {"NAME", "x"},  {"ABOUT", "x"}, {"PLATFORM", "\"workstation_2x4090\""},
      {"MODEL", "m"}, {"LAYER", "d"}, {"LOSS", "mse"}};
  for (const auto& [part, content] : with) parts[part] = content;
  for (const auto& [part, content] : parts) text.replace(text.find(part), part.size(), content);
  return text;
}

std::string inside_quotes(const std::string& text) {
  const std::string quoted = json::quote(text);
  return quoted.substr(1, quoted.size() - 2);
}

std::string platform_file(const std::string& about, const std::string& type) {
  return R"({"description": ")" + about + R"(", "machine": {"devices": {"type": ")" + type +
         R"(", "count": 2}, "hosts": {"type": "desktop_cpu"}, "pcie": {"bandwidth": "26 GB/s"}}})";
}

int rounds() {
  const char* asked = std::getenv("FOREIGN_TEXT_ROUNDS");
  return asked == nullptr ? 8 : std::atoi(asked);
}

TEST_F(ForeignText, OfScenariosIsPrintedPlainly) {
  for (int seed = 0; seed < rounds(); ++seed) {
    Random random(seed);
    const std::string escaped = inside_quotes(drawn(random)), raw = drawn(random);
    for (const std::string part : {"NAME", "ABOUT", "MODEL", "LAYER", "LOSS"}) {
      expect_plain_scenario(scenario({{part, escaped}}));
      expect_plain_scenario(scenario({{part, raw}}));  // which is not JSON, and shown in the error
    }
    expect_plain_scenario(scenario({{"PLATFORM", "\"" + escaped + "\""}}));
    expect_plain({"run", folder_.write("s.json", scenario({})).string(), "--plan", "--set", "name=" + raw});
    expect_plain({"run", folder_.write("s.json", scenario({})).string(), "--plan", "--set", raw + "=1"});
  }
}

TEST_F(ForeignText, OfPlatformsIsPrintedPlainly) {
  for (int seed = 0; seed < rounds(); ++seed) {
    Random random(seed);
    const std::string text = drawn(random), escaped = inside_quotes(text);
    expect_plain_scenario(scenario({{"PLATFORM", platform_file(escaped, "rtx4090")}}));
    expect_plain_scenario(scenario({{"PLATFORM", platform_file("x", escaped)}}));
    const std::string file = folder_.write(text + ".json", platform_file(escaped, "rtx4090")).string();
    for (const Words& words :
         {Words{"collective", "--platform", file, "-b", "1K", "-e", "1K", "--links"},
          Words{"export", file, "--as", "dot"}, Words{"export", file, "--as", "simgrid"},
          Words{"run", folder_.write("s.json", scenario({{"PLATFORM", json::quote(file)}})).string(),
                "--plan"}})
      expect_plain(words);
  }
}

TEST_F(ForeignText, OfXmlIsPrintedPlainly) {
  for (int seed = 0; seed < rounds(); ++seed) {
    Random random(seed);
    const std::string id = as_attribute(drawn(random));
    const std::string simgrid = fmt::format(
        R"(<?xml version='1.0'?><platform version="4.1"><zone id="{0}" routing="Full">
<host id="{0}1" speed="1Gf"/><host id="{0}2" speed="1Gf"/><link id="{0}3" bandwidth="1GBps" latency="1us"/>
<link id="{0}4" bandwidth="1GBps" latency="1us"/>
<route src="{0}1" dst="{0}2"><link_ctn id="{0}3"/></route></zone></platform>)",
        id);
    const std::string unknown =
        fmt::format(R"(<platform version="4.1"><zone id="z" routing="{0}"/></platform>)", id);
    const std::string nccl = fmt::format(R"(<system version="1"><cpu numaid="0" host_hash="{0}" arch="{0}"
vendor="{0}"><pci busid="{0}" class="0x030000" link_speed="{0}"><gpu dev="0" sm="80" rank="0"/></pci></cpu></system>)",
                                         id);
    for (const std::string& text : {simgrid, unknown, nccl}) {
      const std::string file = folder_.write("p.xml", text).string();
      for (const Words& words : {Words{"import", file}, Words{"export", file, "--as", "dot"},
                                 Words{"collective", "--platform", file, "-b", "1K", "-e", "1K", "--links"}})
        expect_plain(words);
    }
  }
}

TEST_F(ForeignText, OfSchedulesIsPrintedPlainly) {
  for (int seed = 0; seed < rounds(); ++seed) {
    Random random(seed);
    const std::string text = drawn(random);
    const std::string plain = fmt::format(
        "schedule {}\noperation all_reduce\nranks 2\ncut 4 elements into 1 chunks\n0 reduce 0 to 1 {}\n",
        text, text);
    const std::string msccl = fmt::format(
        R"(<algo name="{0}" proto="{0}" nchannels="1" nchunksperloop="1" ngpus="2" coll="{0}" inplace="1"></algo>)",
        as_attribute(text));
    for (const auto& [name, content] : {std::pair("s.txt", plain), std::pair("s.xml", msccl)}) {
      const std::string file = folder_.write(name, content).string();
      expect_plain({"verify", "collectives", file});
      expect_plain({"collective", "--platform", "dgx_a100", "--algorithm", file, "-b", "1K", "-e", "1K"});
      expect_plain({"collective", "--platform", "dgx_a100", "--algorithm", file, "--print-schedule"});
    }
    expect_plain({text});
    expect_plain({"run", text});
    expect_plain({"list", text});
    expect_plain({"collective", "--platform", text});
  }
}

}  // namespace
}  // namespace wt
