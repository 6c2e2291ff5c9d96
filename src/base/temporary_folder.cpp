#include "base/temporary_folder.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>

#include "base/error.h"

namespace wt {

namespace {
namespace fs = std::filesystem;
}

TemporaryFolder::TemporaryFolder() {
  std::error_code error;
  fs::path place = fs::temp_directory_path(error);
  if (error) place = "/tmp";
  std::string name = (place / "windtunnel-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    throw MachineError("write", fmt::format("no folder in {}: {}", place.string(), std::strerror(errno)));
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace wt
