// Claims: settings of NCCL bar what its own variables would, in its own syntax, and wrong ones are refused with the
// words that there are.
#include "collective/library_settings.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"

namespace wt::collective {
namespace {

// Two H200 nodes with eight cards each: NCCL may choose rings, trees and NVLSTree there.
const Fabric two_nodes{.nodes = 2,
                       .ranks_per_node = 8,
                       .capability = 90,
                       .inside = Inside::nvswitch,
                       .nvlinks = 18,
                       .nics = 8,
                       .nic_rate = BytesPerSecond(50e9),
                       .adds_in_switch = true,
                       .gpu_direct = true};

std::vector<std::string> allowed(const LibrarySettings& settings,
                                 Operation operation = Operation::all_reduce) {
  std::vector<std::string> names;
  for (const Choice& choice : ranked(operation, two_nodes, 16, Bytes(1 << 20)))
    if (allows(settings, choice))
      names.push_back(std::string(nccl_name(choice.algorithm)) + "/" + std::string(name(choice.protocol)));
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> by_algorithms(const std::string& value,
                                       Operation operation = Operation::all_reduce) {
  LibrarySettings settings;
  set_algorithms(settings, operation, value);
  return allowed(settings, operation);
}

std::vector<std::string> by_version(const std::string& value) {
  LibrarySettings settings;
  set_version(settings, value);
  return allowed(settings);
}

using Names = std::vector<std::string>;

TEST(LibrarySettings, FollowTheSyntaxOfNcclsVariables) {
  const Names rings{"Ring/ll", "Ring/ll128", "Ring/simple"};
  EXPECT_EQ(allowed({}).size(), 7);
  EXPECT_EQ(by_algorithms("Ring"), rings);
  EXPECT_EQ(by_algorithms("ring"), rings);
  EXPECT_EQ(by_algorithms("^Tree,NVLSTree"), rings);
  EXPECT_EQ(by_algorithms("tree;allreduce:ring"), rings);
  EXPECT_EQ(by_algorithms("ring;broadcast:tree"), rings);
  EXPECT_EQ(by_algorithms("^NVLS").size(), 7) << "NVLSTree is another algorithm";
  EXPECT_EQ(by_algorithms("").size(), 7);
  LibrarySettings simple;
  set_protocols(simple, Operation::all_reduce, "Simple");
  EXPECT_EQ(allowed(simple), (Names{"NVLSTree/simple", "Ring/simple", "Tree/simple"}));
}

TEST(LibrarySettings, OlderVersionsLackWhatCameLater) {
  EXPECT_EQ(by_version("2.27.7").size(), 7);
  EXPECT_EQ(by_version("2.17").size(), 6) << "without NVLSTree";
  EXPECT_EQ(by_version("2.4"), (Names{"Ring/ll", "Ring/simple", "Tree/ll", "Tree/simple"}));
  EXPECT_EQ(by_version("2.3"), (Names{"Ring/ll", "Ring/simple"}));
}

std::string refused(void (*set)(LibrarySettings&, Operation, const std::string&), const std::string& value) {
  LibrarySettings settings;
  try {
    set(settings, Operation::all_reduce, value);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(LibrarySettings, WrongOnesAreRefusedWithTheKnownWords) {
  EXPECT_TRUE(refused(set_algorithms, "Rnig")
                  .starts_with("\"Rnig\" is not a word of NCCL_ALGO\ndid you mean \"Ring\"?"));
  EXPECT_TRUE(refused(set_protocols, "LL129").starts_with("\"LL129\" is not a word of NCCL_PROTO\n"));
  EXPECT_TRUE(
      refused(set_protocols, "^LL,LL128,Simple").starts_with("NCCL_PROTO=^LL,LL128,Simple leaves nothing\n"));
  EXPECT_TRUE(
      refused(set_algorithms, "alreduce:ring").starts_with("\"alreduce\" is not a word of NCCL_ALGO\n"));
  for (const char* const version : {"2", "x", "2.x", "1.9", "2.27.7.1", "", "2..7"}) {
    LibrarySettings settings;
    EXPECT_THROW(set_version(settings, version), InputError) << version;
  }
}

}  // namespace
}  // namespace wt::collective
