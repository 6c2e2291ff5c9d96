#include "base/table.h"

#include <gtest/gtest.h>

namespace wt {
namespace {

TEST(Table, PutsCellsWhereTheirColumnSays) {
  EXPECT_EQ(print_table({{"name", "bytes", "share"}, {"ü", "12", "100 %"}, {"longer", "1"}}, "lr", "  "),
            "  name    bytes  share\n"
            "  ü          12  100 %\n"
            "  longer      1\n");
}

TEST(Table, LeavesNoSpacesAtTheEndOfALine) {
  EXPECT_EQ(print_table({{"a", "b"}, {"c", ""}}, "l"), "a  b\nc\n");
}

}  // namespace
}  // namespace wt
