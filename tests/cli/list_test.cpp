// Claim: `list` tells what the tables hold, every row with a line of its own.

#include <gtest/gtest.h>

#include "cli/command.h"
#include "kernel/kernel.h"
#include "model/zoo.h"

namespace wt {
namespace {

using test::call;
using test::has;

TEST(List, TellsEveryKindAndEveryRowHasASummary) {
  const json::Value all = json::parse(call({"list", "--json"}).results, "list");
  std::string kinds;
  for (const json::Member& kind : all.members()) {
    kinds += kind.key + " ";
    EXPECT_FALSE(kind.value.elements().empty()) << kind.key;
    for (const json::Value& row : kind.value.elements()) {
      EXPECT_NE(row.find("name")->string(), "") << kind.key;
      EXPECT_NE(row.find("summary")->string(), "") << row.find("name")->string();
    }
  }
  EXPECT_EQ(kinds,
            "activations algorithms axes callbacks datasets device_types initializers kernels layers losses "
            "metrics models "
            "operations optimizers "
            "platforms schedules semantics strategies switches ");
  EXPECT_EQ(all.find("kernels")->elements().size(), kernels().size());
  EXPECT_EQ(all.find("models")->elements().size(), model::zoo().size());
}

TEST(List, TellsOneKindALineEach) {
  EXPECT_EQ(
      call({"list", "strategies"}).results,
      "strategies:\n"
      "  default                one replica, nothing is spread\n"
      "  one_device             everything on one device, which is named\n"
      "  mirrored               copies on the devices of one machine, kept equal by all-reduced gradients\n"
      "  central_storage        variables on one device, the computation on the others of a machine\n"
      "  multi_worker_mirrored  copies on the devices of several machines\n"
      "  tpu                    copies on the cores of a TPU slice\n"
      "  parameter_server       variables on servers, workers that a coordinator feeds\n"
      "  parameter_server_v1    variables on servers, workers with loops of their own\n"
      "  auto                   one_device, mirrored, multi_worker_mirrored or tpu, by the machine\n");
  const std::string all = call({"list"}).results;
  EXPECT_NE(all.find("\n\nstrategies:\n  default"), std::string::npos);
}

TEST(List, TellsTheRatesOfADeviceAndHowItIsKnown) {
  const std::string devices = call({"list", "device_types"}).results;
  const auto line_of = [&](const std::string& id) {
    const std::size_t begin = devices.find("\n  " + id + " ");
    return devices.substr(begin, devices.find('\n', begin + 1) - begin);
  };
  EXPECT_TRUE(has(line_of("h100_sxm"), "tf32 494.5 TFLOP/s, float16 989.4 TFLOP/s"));
  EXPECT_TRUE(has(line_of("h100_sxm"), "; calibrated in tf32, expected error of another network "));
  EXPECT_TRUE(has(line_of("tpu_v3_core"), "; calibrated by one network in bfloat16, expected error "));
  EXPECT_TRUE(has(line_of("b200_sxm"), "; data sheet in tf32, expected error "));
}

TEST(List, SuggestsTheKindThatWasMeant) {
  const test::Said said = call({"list", "model"});
  EXPECT_EQ(said.exit, cli::Exit::input_wrong);
  EXPECT_TRUE(
      said.messages.starts_with("\"model\" is nothing that can be listed\ndid you mean \"models\"? known: "))
      << said.messages;
}

}  // namespace
}  // namespace wt
