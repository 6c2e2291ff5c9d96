#include "base/output/addition.h"

#include <fmt/format.h>

#include "base/crash_point.h"
#include "base/file.h"
#include "base/output/manifest.h"
#include "base/output/place.h"
#include "base/output/settle.h"
#include "base/output_folder.h"

namespace wt::output {
namespace {

namespace fs = std::filesystem;

Manifest manifest_of_results(const fs::path& folder) {
  if (auto manifest = manifest_of(folder)) return *manifest;
  throw InputError(fmt::format("\"{}\" is not a folder of results", folder.string()),
                   "name a folder that a run has written");
}

void refuse_what_is_not_ours(const fs::path& folder, const std::string& name, const Manifest& manifest) {
  std::error_code error;
  if (manifest.files.contains(name) || !fs::exists(fs::symlink_status(folder / name, error))) return;
  throw InputError(fmt::format("\"{}\" contains \"{}\", which no run has written, and would be replaced",
                               folder.string(), name),
                   "move it elsewhere");
}

}  // namespace

void add_file(const fs::path& folder, const std::string& name, std::string_view text) {
  check_output_name(name, {});
  const fs::path path = whole(folder);
  if (!fs::is_directory(path)) manifest_of_results(path);  // which refuses it
  const Lock lock(path);
  settle(path, lock);
  Manifest manifest = manifest_of_results(path);
  refuse_what_is_not_ours(path, name, manifest);
  // The manifest names the file before it is there. A file that is not in the manifest would be the user's.
  manifest.files[name] = std::nullopt;
  write_manifest(path, manifest);
  crash_point("the manifest names the file to add");
  write_text(path / name, text);
  crash_point("the added file is there");
  manifest.files[name] = Bytes(static_cast<std::int64_t>(text.size()));
  write_manifest(path, manifest);
}

}  // namespace wt::output
