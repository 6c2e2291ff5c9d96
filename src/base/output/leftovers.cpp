#include "base/output/leftovers.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "base/crash_point.h"
#include "base/output/manifest.h"
#include "base/output/record.h"

namespace wt::output {
namespace {

namespace fs = std::filesystem;

constexpr auto age_of_the_abandoned = std::chrono::hours(24);

std::vector<fs::path> unfinished_folders(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder.parent_path(), error)) {
    const bool is_folder = entry.symlink_status(error).type() == fs::file_type::directory;
    if (is_folder && is_unfinished_name(entry.path().filename().string(), folder.filename().string()))
      found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool is_of_this_user(const fs::path& folder) {
  struct stat status {};
  return ::lstat(folder.c_str(), &status) == 0 && status.st_uid == ::geteuid();
}

// Whether the newest change to anything in the folder was long ago.
bool is_old(const fs::path& folder) {
  std::error_code error;
  auto newest = fs::last_write_time(folder, error);
  for (const auto& entry : fs::recursive_directory_iterator(folder, error)) {
    const auto time = entry.last_write_time(error);
    if (!error) newest = std::max(newest, time);
  }
  return fs::file_time_type::clock::now() - newest > age_of_the_abandoned;
}

bool has_ended(const fs::path& folder, const std::optional<Record>& record, const Lock& lock) {
  if (!is_of_this_user(folder)) return false;
  const bool is_of_this_boot = record && !record->boot.empty() && record->boot == boot_of_this_machine();
  return (is_of_this_boot && lock.is_exclusive()) || is_old(folder);
}

bool contains_a_complete_file(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(folder, error))
    if (entry.is_regular_file(error) && !is_temporary(entry.path().filename().string())) return true;
  return false;
}

// Checkpoints, or whole results that were not put in place. A folder without a record is that of an older
// program, which recorded nothing: it may contain checkpoints anywhere.
fs::path what_is_of_use(const fs::path& folder, const std::optional<Record>& record) {
  std::error_code error;
  if (!record) return contains_a_complete_file(folder) ? folder : fs::path();
  if (!record->kept.empty() && contains_a_complete_file(folder / record->kept)) return folder / record->kept;
  return fs::exists(folder / manifest_name, error) ? folder : fs::path();
}

}  // namespace

void remove_unfinished(const fs::path& folder) {
  // The record goes last, since it says that the rest may be removed.
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().filename() != record_name) fs::remove_all(entry.path(), ignored);
  crash_point("an unfinished folder is emptied");
  fs::remove_all(folder, ignored);
}

bool is_unfinished_name(const std::string& name, const std::string& of) {
  const std::string prefix = of + ".unfinished-";
  return name.starts_with(prefix) && name.size() > prefix.size() &&
         name.find_first_not_of("0123456789", prefix.size()) == std::string::npos;
}

std::vector<Leftover> settle_leftovers(const fs::path& folder, const Lock& lock) {
  std::vector<Leftover> useful;
  for (const fs::path& path : unfinished_folders(folder)) {
    const std::optional<Record> record = record_of(path);
    const fs::path kept = what_is_of_use(path, record);
    const bool is_over = has_ended(path, record, lock);
    // Between making a folder and writing its record, a run leaves nothing of use.
    const bool is_blank = !record && lock.is_exclusive() && is_of_this_user(path);
    if (!kept.empty())
      useful.push_back({path, kept, record ? record->run : "", is_over});
    else if (is_over || is_blank)
      remove_unfinished(path);
  }
  return useful;
}

void remove_superseded(const std::vector<Leftover>& leftovers, const std::string& run) {
  for (const Leftover& leftover : leftovers)
    if (leftover.has_ended && !run.empty() && leftover.run == run) remove_unfinished(leftover.folder);
}

}  // namespace wt::output
