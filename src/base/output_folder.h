#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"

namespace wt {

// The member "format" of results.json, by which an earlier run's folder is recognised.
inline constexpr std::string_view results_format = "windtunnel results";

// The folder of a run's results. It is replaced whole or not at all: everything is written beside it first,
// into a folder named `<name>.unfinished-<process>`, which commit() puts in its place. What was not committed
// is removed, unless it should be kept.
class OutputFolder {
 public:
  // Throws InputError when something lies there that is not an earlier run's results.
  explicit OutputFolder(const std::filesystem::path& wanted);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }              // where it will be
  const std::filesystem::path& unfinished() const { return unfinished_; }  // where it is until then

  // Where to write a file or folder that the user has named, made up to its own folder. As
  // check_output_name.
  std::filesystem::path inside(const std::filesystem::path& name, const Place& named_at = {});

  void write(const std::string& name, std::string_view text);
  void keep() { is_kept_ = true; }  // without commit, too: it holds checkpoints
  bool is_kept() const { return is_kept_; }
  void commit();

 private:
  void make();

  std::filesystem::path path_;
  std::filesystem::path unfinished_;
  bool is_made_ = false;
  bool is_kept_ = false;
};

// Throws InputError at `named_at` for a name that leads out of the folder of the results, or is one of our own
// files there.
void check_output_name(const std::filesystem::path& name, const Place& named_at);

}  // namespace wt
