#include "base/output_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>

#include "base/crash_point.h"
#include "base/file.h"
#include "base/output/exchange.h"
#include "base/output/manifest.h"
#include "base/output/place.h"
#include "base/output/settle.h"

namespace wt {

namespace {

namespace fs = std::filesystem;

constexpr int most_unfinished = 10000;

std::optional<std::pair<std::uint64_t, std::uint64_t>> identity_of(const fs::path& folder) {
  struct stat status {};
  if (::lstat(folder.c_str(), &status) != 0) return std::nullopt;
  return std::pair<std::uint64_t, std::uint64_t>(status.st_dev, status.st_ino);
}

// Makes the first folder `<name>.unfinished-<number>` that isn't there yet.
fs::path make_unfinished(const fs::path& folder) {
  for (int number = 1;; ++number) {
    const fs::path path = fmt::format("{}.unfinished-{}", folder.string(), number);
    std::error_code error;
    if (fs::create_directory(path, error)) return path;
    if (error) output::refuse_place(folder, error);
    if (number == most_unfinished)
      throw InputError(fmt::format("{} unfinished folders lie beside \"{}\"", number, folder.string()),
                       "remove them, or choose another folder with --out");
  }
}

void sync_all_folders(const fs::path& folder) {
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator(folder, ignored))
    if (entry.is_directory(ignored)) output::sync_folder(entry.path());
  output::sync_folder(folder);
}

bool is_own_name(const std::string& name) {
  return name == output::manifest_name || name == output::record_name ||
         std::find(files_of_a_run.begin(), files_of_a_run.end(), name) != files_of_a_run.end();
}

}  // namespace

OutputFolder::OutputFolder(const fs::path& wanted) : path_(output::whole(wanted)) {}

OutputFolder::~OutputFolder() {
  if (is_made_ && !is_kept_) output::remove_unfinished(unfinished_);
}

void OutputFolder::begin(std::string_view run) {
  if (is_made_) return;
  std::error_code error;
  fs::create_directories(path_.parent_path(), error);
  if (error) output::refuse_place(path_.parent_path(), error);
  if (!lock_) lock_.emplace(path_);
  output::settle(path_, *lock_);
  output::refuse_foreign(path_);
  output::refuse_mount_point(path_);
  left_ = output::settle_leftovers(path_, *lock_);
  unfinished_ = make_unfinished(path_);
  is_made_ = true;
  crash_point("the unfinished folder is made");
  // The name of the folder may not be UTF-8, and is left out.
  record_ = {.ending = unfinished_.extension().string().substr(1),
             .boot = output::boot_of_this_machine(),
             .run = std::string(run)};
  output::write_record(unfinished_, record_);
  output::sync_folder(path_.parent_path());
  replaced_ = identity_of(path_);
  is_replacing_ = replaced_ && !fs::is_empty(path_, error);
  crash_point("the run begins");
}

void check_output_name(const fs::path& name, const Place& named_at) {
  const fs::path normal = name.lexically_normal();
  if (normal.empty() || normal.is_absolute() || *normal.begin() == ".." || normal == ".")
    throw InputError(Problem{named_at,
                             fmt::format("\"{}\" leads out of the folder of the results", name.string()),
                             "give a name inside it; the folder itself is chosen with --out"});
  if (is_own_name(normal.begin()->string()))
    throw InputError(Problem{named_at, fmt::format("\"{}\" is where the results are written", name.string()),
                             "choose another name"});
}

fs::path OutputFolder::inside(const fs::path& name, const Place& named_at) {
  check_output_name(name, named_at);
  begin();
  const fs::path path = unfinished_ / name.lexically_normal();
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) output::fail_to_write(path.parent_path(), error);
  return path;
}

void OutputFolder::require_folder(const fs::path& name, const Place& named_at) {
  const auto refuse = [&](const std::error_code& error) {
    if (error)
      throw InputError(Problem{named_at,
                               fmt::format("cannot write \"{}\": {}", name.string(), error.message()),
                               "choose another name"});
  };
  check_output_name(name, named_at);
  begin();
  std::error_code error;
  fs::create_directories(unfinished_ / name.lexically_normal(), error);
  refuse(error);
}

void OutputFolder::require_file(const fs::path& name, const Place& named_at) {
  const fs::path normal = name.lexically_normal();
  if (normal.has_parent_path()) require_folder(normal.parent_path(), named_at);
  if (const std::error_code error = output::error_of_writing(inside(name, named_at)))
    throw InputError(Problem{named_at, fmt::format("cannot write \"{}\": {}", name.string(), error.message()),
                             "choose another name"});
}

void OutputFolder::write(const std::string& name, std::string_view text) {
  begin();
  write_text(unfinished_ / name, text);
}

void OutputFolder::keep(const fs::path& kept) {
  begin();
  is_kept_ = true;
  if (record_.kept == kept.generic_string()) return;
  record_.kept = kept.generic_string();
  output::write_record(unfinished_, record_);
  crash_point("the unfinished folder is kept");
}

void OutputFolder::leave() {
  WT_EXPECT(is_made_, "nothing was written to {}", path_.string());
  output::remove_empty_folders(unfinished_);
  output::write_manifest(unfinished_, output::list_files(unfinished_));
  sync_all_folders(unfinished_);
  is_kept_ = true;
  crash_point("the unfinished folder is complete");
}

// The lock keeps other runs away; a user, or a run on a machine that doesn't share the lock, may have been here.
void OutputFolder::refuse_changes() const {
  output::refuse_foreign(path_);
  if (identity_of(path_) == replaced_) return;
  throw InputError(fmt::format("\"{}\" was replaced since this run began", path_.string()),
                   "choose another folder with --out");
}

void OutputFolder::put_in_place() {
  std::error_code error;
  if (replaced_)
    output::exchange(path_, unfinished_, output::spare_name(path_));
  else
    fs::rename(unfinished_, path_, error);
  if (error) output::fail_to_write(path_, error);
  output::sync_folder(path_.parent_path());
  crash_point("the folder is in place");
}

void OutputFolder::commit() {
  commit_incomplete();
  output::remove_superseded(left_, record_.run);
  output::sync_folder(path_.parent_path());
  lock_.reset();
  crash_point("the run is over");
}

void OutputFolder::commit_incomplete() {
  leave();
  try {
    refuse_changes();
  } catch (const InputError& refusal) {
    Problem problem = refusal.problems().front();
    problem.remedy = fmt::format("the results of this run lie in \"{}\", complete", unfinished_.string());
    throw InputError(std::move(problem));
  }
  put_in_place();
  is_made_ = false;
  output::settle(path_, *lock_);
}

}  // namespace wt
