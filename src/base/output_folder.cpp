#include "base/output_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/file.h"
#include "base/json.h"

namespace wt {

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 5> own_files{"results.json", "scenario.resolved.json", "steps.csv",
                                                    "trace.json", "profile.json"};

[[noreturn]] void fail(const fs::path& path, const std::error_code& error) {
  throw MachineError("write", fmt::format("{}: {}", path.string(), error.message()));
}

// An earlier run's: our results lie in it.
bool is_ours(const fs::path& folder) {
  try {
    const json::Value results = json::parse_file(folder / "results.json");
    if (results.kind() != json::Kind::object) return false;
    const json::Value* format = results.find("format");
    return format != nullptr && format->kind() == json::Kind::string && format->string() == results_format;
  } catch (const InputError&) {
    return false;
  }
}

void refuse_what_is_not_ours(const fs::path& folder) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (!fs::exists(status)) return;
  if (fs::is_directory(status) && (fs::is_empty(folder, error) || is_ours(folder))) return;
  if (error) fail(folder, error);
  const std::string_view what =
      fs::is_directory(status) ? "a folder without results of an earlier run" : "a file";
  throw InputError(fmt::format("\"{}\" is {}, and would be replaced", folder.string(), what),
                   "choose another folder with --out, or remove it yourself");
}

// Absolute, links followed, without a slash at the end: what is renamed is the folder and no link to it.
fs::path whole(const fs::path& wanted) {
  std::error_code error;
  fs::path path = fs::weakly_canonical(fs::absolute(wanted), error);
  if (error) fail(wanted, error);
  return path.has_filename() ? path : path.parent_path();
}

}  // namespace

OutputFolder::OutputFolder(const fs::path& wanted)
    : path_(whole(wanted)), unfinished_(fmt::format("{}.unfinished-{}", path_.string(), ::getpid())) {
  refuse_what_is_not_ours(path_);
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  if (is_made_ && !is_kept_) fs::remove_all(unfinished_, ignored);
}

void OutputFolder::make() {
  if (is_made_) return;
  std::error_code error;
  fs::remove_all(unfinished_, error);  // of a process long gone
  fs::create_directories(unfinished_, error);
  if (error) fail(unfinished_, error);
  is_made_ = true;
}

void check_output_name(const fs::path& name, const Place& named_at) {
  const fs::path normal = name.lexically_normal();
  if (normal.empty() || normal.is_absolute() || *normal.begin() == ".." || normal == ".")
    throw InputError(Problem{named_at,
                             fmt::format("\"{}\" leads out of the folder of the results", name.string()),
                             "give a name inside it; the folder itself is chosen with --out"});
  const std::string first = normal.begin()->string();
  if (std::find(own_files.begin(), own_files.end(), first) != own_files.end())
    throw InputError(Problem{named_at, fmt::format("\"{}\" is where the results are written", name.string()),
                             "choose another name"});
}

fs::path OutputFolder::inside(const fs::path& name, const Place& named_at) {
  check_output_name(name, named_at);
  make();
  const fs::path path = unfinished_ / name.lexically_normal();
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) fail(path.parent_path(), error);
  return path;
}

void OutputFolder::write(const std::string& name, std::string_view text) {
  make();
  write_text(unfinished_ / name, text);
}

void OutputFolder::commit() {
  WT_EXPECT(is_made_, "nothing was written to {}", path_.string());
  refuse_what_is_not_ours(path_);  // it may have come meanwhile
  const fs::path replaced = fmt::format("{}.replaced-{}", path_.string(), ::getpid());
  std::error_code error;
  const bool is_there = fs::exists(path_, error);
  if (is_there) fs::rename(path_, replaced, error);
  if (error) fail(path_, error);
  fs::rename(unfinished_, path_, error);
  if (error) {
    std::error_code ignored;
    if (is_there) fs::rename(replaced, path_, ignored);
    fail(path_, error);
  }
  is_made_ = false;
  if (is_there) fs::remove_all(replaced, error);
}

}  // namespace wt
