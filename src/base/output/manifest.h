#pragma once
// The manifest of a folder of results: the names and sizes of the files that this program wrote there. What the
// manifest doesn't name belongs to the user, and is neither replaced nor removed.
//
//   { "format": "windtunnel manifest", "format_version": 1,
//     "files": [ { "name": "checkpoints/ckpt-1.safetensors", "bytes": 4096 }, { "name": "results.json", ... } ] }
//
// An entry without "bytes" is a file that is still being written, and may have any size.

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/quantity.h"

namespace wt::output {

inline constexpr std::string_view manifest_name = "manifest.json";

// The record of the run that writes a folder (base/output/record.h). A finished folder has none.
inline constexpr std::string_view record_name = ".run";

struct Manifest {
  std::map<std::string, std::optional<Bytes>> files{};  // by path within the folder
};

// False for a name that leads out of the folder. A manifest with such a name is not one of this program.
bool is_inside(const std::filesystem::path& name);

// What the folder's manifest names. A folder of results from before there were manifests has the names that
// its run is known to have written. Returns nothing for any other folder, an empty one included.
std::optional<Manifest> manifest_of(const std::filesystem::path& folder);

// All files in the folder, apart from the manifest and the record.
Manifest list_files(const std::filesystem::path& folder);

void write_manifest(const std::filesystem::path& folder, const Manifest& manifest);

// The first entry of the folder, in the order of names, that the manifest doesn't name.
struct Foreign {
  std::string name{};
  bool is_changed = false;  // the manifest names it with another size
};
std::optional<Foreign> first_foreign(const std::filesystem::path& folder, const Manifest& manifest);

// Removes what the manifest names, and then the folder. Returns false, and leaves the rest, if the folder holds
// anything else. A removal that was killed can be repeated.
bool remove_listed(const std::filesystem::path& folder, const Manifest& manifest);

// Removes files that a killed process was writing beside those of the manifest.
void remove_temporary_files(const std::filesystem::path& folder, const Manifest& manifest);

// Removes folders that contain no file.
void remove_empty_folders(const std::filesystem::path& folder);

// True for the name that an OutputFile gives to a file that is not complete yet.
bool is_temporary(const std::string& name);

}  // namespace wt::output
