#include "base/output/settle.h"

#include <fmt/format.h>

#include "base/output/exchange.h"
#include "base/output/leftovers.h"
#include "base/output/manifest.h"
#include "base/output/place.h"
#include "base/output/record.h"

namespace wt::output {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view other_folder = "choose another folder with --out, or remove it yourself";

// The folder that a run was filling under this name, and that contains what it replaced since then. Empty if
// the record names no such folder.
fs::path replaced_by(const Record& record, const fs::path& folder) {
  const std::string name = folder.filename().string(), replaced = name + "." + record.ending;
  return is_unfinished_name(replaced, name) ? folder.parent_path() / replaced : fs::path();
}

void remove_replaced(const fs::path& replaced) {
  std::error_code error;
  if (replaced.empty() || !fs::is_directory(fs::symlink_status(replaced, error))) return;
  if (fs::exists(replaced / record_name, error)) return;  // a newer run has taken the name
  remove_listed(replaced, manifest_of(replaced).value_or(Manifest{}));
}

}  // namespace

fs::path spare_name(const fs::path& folder) {
  return folder.parent_path() / fmt::format(".{}.exchanged", folder.filename().string());
}

void settle(const fs::path& folder, const Lock& lock) {
  const auto replaced = [&] {
    const std::optional<Record> record = record_of(folder);
    return record ? replaced_by(*record, folder) : fs::path();
  };
  settle_exchange(folder, replaced(), spare_name(folder));
  if (record_of(folder)) {
    remove_replaced(replaced());
    std::error_code ignored;
    fs::remove(folder / record_name, ignored);
  }
  std::error_code error;
  if (!lock.is_exclusive() || !fs::is_directory(folder, error)) return;
  if (const auto manifest = manifest_of(folder)) remove_temporary_files(folder, *manifest);
}

void refuse_foreign(const fs::path& folder) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (!fs::exists(status)) {
    if (fs::is_symlink(fs::symlink_status(folder, error)))
      throw InputError(fmt::format("\"{}\" is a link to nothing", folder.string()),
                       std::string(other_folder));
    return;
  }
  if (!fs::is_directory(status))
    throw InputError(fmt::format("\"{}\" is a file, and would be replaced", folder.string()),
                     std::string(other_folder));
  if (fs::is_empty(folder, error)) return;
  if (error) refuse_place(folder, error);
  const std::optional<Manifest> manifest = manifest_of(folder);
  if (!manifest)
    throw InputError(
        fmt::format("\"{}\" is a folder without results of an earlier run, and would be replaced",
                    folder.string()),
        std::string(other_folder));
  const std::optional<Foreign> foreign = first_foreign(folder, *manifest);
  if (!foreign) return;
  const std::string_view fact =
      foreign->is_changed ? "which was changed since its run" : "which no run has written";
  throw InputError(
      fmt::format("\"{}\" contains \"{}\", {}, and would be replaced", folder.string(), foreign->name, fact),
      "choose another folder with --out, or move the file elsewhere");
}

}  // namespace wt::output
