// Claim: `list` tells what the tables hold, every row with a line of its own.

#include <gtest/gtest.h>

#include "cli/command.h"
#include "kernel/kernel.h"
#include "model/zoo.h"

namespace wt {
namespace {

using test::call;

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

TEST(List, SuggestsTheKindThatWasMeant) {
  const test::Said said = call({"list", "model"});
  EXPECT_EQ(said.exit, cli::Exit::input_wrong);
  EXPECT_TRUE(
      said.messages.starts_with("\"model\" is nothing that can be listed\ndid you mean \"models\"? known: "))
      << said.messages;
}

}  // namespace
}  // namespace wt
