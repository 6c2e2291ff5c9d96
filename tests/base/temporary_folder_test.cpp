// Claims: a temporary folder is new, and it is gone with its content at the end.

#include "base/temporary_folder.h"

#include <gtest/gtest.h>

namespace wt {
namespace {

TEST(TemporaryFolder, IsRemovedWithItsContent) {
  std::filesystem::path path;
  {
    const TemporaryFolder folder;
    path = folder.path();
    std::filesystem::create_directories(path / "a/b");
    EXPECT_NE(TemporaryFolder().path(), path);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace wt
