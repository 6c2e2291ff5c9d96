#include "base/output/manifest.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/crash_point.h"
#include "base/file.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/output/old_results.h"
#include "base/output/place.h"

namespace wt::output {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view manifest_format = "windtunnel manifest";

// ---- Reading

const json::Value* member(const json::Value& object, std::string_view key, json::Kind kind) {
  const json::Value* found = object.kind() == json::Kind::object ? object.find(key) : nullptr;
  return found != nullptr && found->kind() == kind ? found : nullptr;
}

std::optional<Manifest> parse_manifest(const json::Value& tree) {
  const json::Value* format = member(tree, "format", json::Kind::string);
  const json::Value* files = member(tree, "files", json::Kind::array);
  if (format == nullptr || format->string() != manifest_format || files == nullptr) return std::nullopt;
  Manifest manifest;
  for (const json::Value& file : files->elements()) {
    const json::Value* name = member(file, "name", json::Kind::string);
    if (name == nullptr || !is_inside(name->string())) return std::nullopt;
    const json::Value* bytes = member(file, "bytes", json::Kind::integer);
    manifest.files[name->string()] = bytes == nullptr ? std::nullopt : std::optional(Bytes(bytes->integer()));
  }
  return manifest;
}

// ---- Walking through a folder

struct Entry {
  std::string name{};  // its path within the folder
  fs::file_type type{};
  Bytes size{};
};

void walk(const fs::path& folder, const fs::path& inside, std::vector<Entry>& entries) {
  std::vector<fs::path> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder / inside, error))
    names.push_back(entry.path().filename());
  if (error) fail_to_write(folder / inside, error);
  std::sort(names.begin(), names.end());
  for (const fs::path& name : names) {
    const fs::path path = folder / inside / name;
    Entry entry{.name = (inside / name).generic_string(), .type = fs::symlink_status(path, error).type()};
    if (entry.type == fs::file_type::regular)
      entry.size = Bytes(static_cast<std::int64_t>(fs::file_size(path, error)));
    entries.push_back(entry);
    if (entry.type == fs::file_type::directory) walk(folder, inside / name, entries);
  }
}

// In the order of names, and a folder before what it contains.
std::vector<Entry> entries_of(const fs::path& folder) {
  std::vector<Entry> entries;
  walk(folder, {}, entries);
  return entries;
}

bool is_own(const Entry& entry) { return entry.name == manifest_name || entry.name == record_name; }

// The path that the file would have had: "a/x.json" for "a/.x.json.123-0.tmp".
std::string target_of_temporary(const std::string& name) {
  const fs::path path(name);
  const std::string file = path.filename().string();
  const std::size_t end = file.rfind('.'), dot = end == std::string::npos ? end : file.rfind('.', end - 1);
  if (!is_temporary(file) || dot == std::string::npos) return "";
  return (path.parent_path() / file.substr(1, dot - 1)).generic_string();
}

bool is_left_of(const Entry& entry, const Manifest& manifest) {
  if (entry.type != fs::file_type::regular) return false;
  const std::string target = target_of_temporary(entry.name);
  return manifest.files.contains(target) || target == manifest_name || target == record_name;
}

bool contains_a_file_in(const Manifest& manifest, const std::string& folder) {
  const auto first = manifest.files.lower_bound(folder + "/");
  return first != manifest.files.end() && first->first.starts_with(folder + "/");
}

void remove_folders_within(const fs::path& folder, const std::vector<Entry>& entries) {
  std::error_code ignored;
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry)  // inner ones first
    if (entry->type == fs::file_type::directory) fs::remove(folder / entry->name, ignored);
}

// The last ones say what the others are, so that a removal that was killed can be repeated.
constexpr std::array<std::string_view, 3> removed_last{"scenario.resolved.json", "results.json",
                                                       manifest_name};

bool is_removed_last(const std::string& name) {
  return std::find(removed_last.begin(), removed_last.end(), name) != removed_last.end();
}

void remove_file(const fs::path& folder, std::string_view name) {
  std::error_code ignored;
  if (fs::symlink_status(folder / name, ignored).type() != fs::file_type::regular) return;
  fs::remove(folder / name, ignored);
  crash_point("a file of the old folder is removed");
}

}  // namespace

bool is_inside(const fs::path& name) {
  return !name.empty() && name.is_relative() && std::find(name.begin(), name.end(), "..") == name.end();
}

std::optional<Manifest> manifest_of(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder / manifest_name, error)) return names_of_old_results(folder);
  try {
    return parse_manifest(json::parse_file(folder / manifest_name));
  } catch (const InputError&) {
    return std::nullopt;
  }
}

Manifest list_files(const fs::path& folder) {
  Manifest manifest;
  for (const Entry& entry : entries_of(folder))
    if (entry.type == fs::file_type::regular && !is_own(entry)) manifest.files[entry.name] = entry.size;
  return manifest;
}

void write_manifest(const fs::path& folder, const Manifest& manifest) {
  json::Writer out;
  out.begin_object().member("format", manifest_format).member("format_version", 1).key("files").begin_array();
  for (const auto& [name, bytes] : manifest.files) {
    out.begin_object(json::Layout::one_line).member("name", name);
    if (bytes) out.member("bytes", bytes->count());
    out.end_object();
  }
  write_text(folder / manifest_name, out.end_array().end_object().text());
}

std::optional<Foreign> first_foreign(const fs::path& folder, const Manifest& manifest) {
  for (const Entry& entry : entries_of(folder)) {
    if (entry.type == fs::file_type::directory) {
      if (!contains_a_file_in(manifest, entry.name)) return Foreign{.name = entry.name};
      continue;
    }
    const auto known = manifest.files.find(entry.name);
    if (known == manifest.files.end()) {
      if (entry.type == fs::file_type::regular && (is_own(entry) || is_left_of(entry, manifest))) continue;
      return Foreign{.name = entry.name};
    }
    if (entry.type != fs::file_type::regular) return Foreign{.name = entry.name};
    if (known->second && *known->second != entry.size) return Foreign{.name = entry.name, .is_changed = true};
  }
  return std::nullopt;
}

void remove_temporary_files(const fs::path& folder, const Manifest& manifest) {
  for (const Entry& entry : entries_of(folder))
    if (is_left_of(entry, manifest)) remove_file(folder, entry.name);
}

void remove_empty_folders(const fs::path& folder) { remove_folders_within(folder, entries_of(folder)); }

bool remove_listed(const fs::path& folder, const Manifest& manifest) {
  remove_temporary_files(folder, manifest);
  for (const auto& [name, bytes] : manifest.files)
    if (!is_removed_last(name)) remove_file(folder, name);
  remove_empty_folders(folder);
  for (const std::string_view name : removed_last)
    if (name == manifest_name || manifest.files.contains(std::string(name))) remove_file(folder, name);
  std::error_code error;
  return fs::remove(folder, error) || !fs::exists(folder);
}

bool is_temporary(const std::string& name) {
  if (!name.starts_with('.') || !name.ends_with(".tmp")) return false;
  const std::size_t end = name.size() - std::string_view(".tmp").size();
  const std::size_t dot = name.rfind('.', end - 1);
  if (dot == std::string::npos || dot == 0) return false;
  const std::string numbers = name.substr(dot + 1, end - dot - 1);  // of the process and of its attempt
  const std::size_t dash = numbers.find('-');
  return dash != std::string::npos && dash != 0 && dash + 1 < numbers.size() &&
         numbers.find_first_not_of("0123456789-") == std::string::npos;
}

}  // namespace wt::output
