// Claim: more memory than this machine has free is refused before it is taken, with both figures.

#include "base/free_memory.h"

#include <gtest/gtest.h>

#include "base/quantity_literals.h"

namespace wt {
namespace {

TEST(FreeMemory, IsSomeOfThisMachines) {
  EXPECT_GT(free_memory(), 1_MB);
  EXPECT_LT(free_memory(), Bytes(std::int64_t{1} << 50));
}

TEST(FreeMemory, RefusesMoreWithFiguresPlaceAndRemedy) {
  EXPECT_NO_THROW(require_memory(1_MB, "a tensor", "take less"));
  try {
    require_memory(Bytes(std::int64_t{1} << 52), "a tensor", "take less", {.file = "x.json"});
    FAIL();
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_TRUE(text.starts_with("x.json: a tensor needs 4.0 PiB of memory, and this machine has ")) << text;
    EXPECT_TRUE(text.ends_with(" free\ntake less")) << text;
  }
}

TEST(FreeMemory, MayBeGiven) {
  EXPECT_NO_THROW(require_memory(1000_MB, 1000_MB, "a training", "take less"));
  EXPECT_THROW(require_memory(Bytes(1), Bytes(0), "a training", "take less"), InputError);
}

}  // namespace
}  // namespace wt
