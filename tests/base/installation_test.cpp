// Claims: data and programs are found beside this program, or where the environment says; what is missing is
// named with the places that were tried and a remedy.

#include "base/installation.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/error.h"
#include "support/folder.h"

namespace wt {
namespace {

namespace fs = std::filesystem;

class Variable {
 public:
  Variable(const char* name, const fs::path& value) : name_(name) { ::setenv(name, value.c_str(), 1); }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

TEST(Installation, DataLieBesideTheProgramOrWhereTheEnvironmentSays) {
  EXPECT_TRUE(fs::exists(data_folder("platforms") / "devices.json"));
  const test::TestFolder folder;
  fs::create_directories(folder / "platforms");
  const Variable data("WINDTUNNEL_DATA", folder.path());
  EXPECT_EQ(data_folder("platforms"), fs::canonical(folder / "platforms"));
}

TEST(Installation, AFolderInTheEnvironmentWithoutTheDataIsAnInputError) {
  const test::TestFolder folder;
  const Variable data("WINDTUNNEL_DATA", folder.path());
  EXPECT_EQ(folder.error_of<InputError>([] { data_folder("platforms"); }),
            "WINDTUNNEL_DATA is \"FOLDER\", and this folder contains no platforms/\n"
            "set it to the folder share/windtunnel of an installation, or unset it");
}

TEST(Installation, WhatIsMissingIsAMachineErrorWithThePlacesThatWereTried) {
  const test::TestFolder folder;
  const fs::path prefix = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
  EXPECT_EQ(folder.error_of<MachineError>([] { data_folder("wind"); }),
            "[find] there is no " + (prefix / "share/windtunnel/wind").string() + " and no " +
                (prefix.parent_path() / "share/windtunnel/wind").string() +
                "; install all of Windtunnel, or set WINDTUNNEL_DATA to a folder that contains wind/");
  EXPECT_EQ(folder.error_of<MachineError>([] { helper_program("wind", "WINDTUNNEL_WIND"); }),
            "[find] there is no " + (prefix / "libexec/windtunnel/wind").string() + " and no " +
                (prefix.parent_path() / "libexec/windtunnel/wind").string() +
                "; install all of Windtunnel, or set WINDTUNNEL_WIND to the path of the program");
  const Variable wind("WINDTUNNEL_WIND", "/bin/wind");
  EXPECT_EQ(helper_program("wind", "WINDTUNNEL_WIND"), "/bin/wind");
}

}  // namespace
}  // namespace wt
