// A temporary folder for a test, which is removed at its end.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace wt::test {

class TestFolder {
 public:
  TestFolder() {
    std::string name = testing::TempDir() + "windtunnel_XXXXXX";
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    path_ = name;
  }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  std::filesystem::path write(const std::string& name, const std::string& bytes) const;

  // `text` without the path of this folder: files in it are named without their path, and the folder itself
  // is FOLDER.
  std::string without_path(std::string text) const {
    replace(text, path_.string() + "/", "");
    replace(text, path_.string(), "FOLDER");
    return text;
  }

  // The text of the Error that `action` throws, without the path of this folder.
  template <class Error, class Action>
  std::string error_of(Action action) const {
    try {
      action();
    } catch (const Error& error) {
      return without_path(error.what());
    }
    return "no error";
  }

 private:
  static void replace(std::string& text, const std::string& what, const std::string& with) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
      text.replace(at, what.size(), with);
  }

  std::filesystem::path path_{};
};

inline std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Writes a file without fsync, because some tests write thousands of files. An existing file is removed
// first, because ext4 flushes a file that is truncated and written again.
inline void write_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::filesystem::remove(path);
  std::ofstream(path, std::ios::binary) << bytes;
}

inline std::filesystem::path TestFolder::write(const std::string& name, const std::string& bytes) const {
  write_bytes(path_ / name, bytes);
  return path_ / name;
}

}  // namespace wt::test
