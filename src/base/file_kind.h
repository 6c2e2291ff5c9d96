#pragma once
// What lies at a path that a user has given. A name that is too long, or in a folder that may not be read, is that of no
// file; std::filesystem would throw its own error.

#include <filesystem>
#include <system_error>

namespace wt {

inline bool is_there(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

inline bool is_folder(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

}  // namespace wt
