// Claim: the search for the largest batch finds what trying every batch finds, whatever memory grows like, and
// plans few steps where it grows by the same amount for each row.

#include "session/largest_batch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace wt::session {
namespace {

using Memory = std::function<std::int64_t(std::int64_t rows)>;

struct Found {
  std::optional<std::int64_t> rows{};
  int planned = 0;
};

Found found(const Memory& memory, std::int64_t limit, std::int64_t most) {
  Found result;
  result.rows = largest_batch(
      [&](std::int64_t rows) -> std::optional<Bytes> {
        EXPECT_TRUE(1 <= rows && rows <= most) << rows;
        ++result.planned;
        return memory(rows) <= limit ? std::optional(Bytes(memory(rows))) : std::nullopt;
      },
      Bytes(limit), most);
  return result;
}

const std::map<std::string, Memory> shapes{
    {"line", [](std::int64_t n) { return 1000 + 7 * n; }},
    {"line in granules", [](std::int64_t n) { return 256 * ((1000 + 7 * n + 255) / 256); }},
    {"square", [](std::int64_t n) { return 50 + n * n; }},
    {"root", [](std::int64_t n) { return static_cast<std::int64_t>(100 * std::sqrt(n)); }},
    {"jump", [](std::int64_t n) { return n < 100 ? n : 5000 + n; }},
    {"constant", [](std::int64_t) { return 300; }},
};

TEST(LargestBatch, IsWhatTryingEveryBatchFinds) {
  for (const auto& [name, memory] : shapes)
    for (const std::int64_t most : {1, 2, 3, 50, 1000})
      for (std::int64_t limit = 0; limit < 9000; limit += 37) {
        std::optional<std::int64_t> largest;
        for (std::int64_t rows = 1; rows <= most && memory(rows) <= limit; ++rows) largest = rows;
        ASSERT_EQ(found(memory, limit, most).rows, largest) << name << " " << limit << " " << most;
      }
}

TEST(LargestBatch, PlansFewSteps) {
  for (std::int64_t limit = 2000; limit < 10'000'000; limit = limit * 3 / 2) {
    EXPECT_LE(found(shapes.at("line"), limit, 1 << 24).planned, 6) << limit;
    EXPECT_LE(found(shapes.at("line in granules"), limit, 1 << 24).planned, 24) << limit;
  }
  EXPECT_LE(found(shapes.at("square"), 1 << 30, 1 << 24).planned, 30);
}

}  // namespace
}  // namespace wt::session
