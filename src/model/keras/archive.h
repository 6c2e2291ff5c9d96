#pragma once
// Reads and writes the zip archives that .keras files are. A build without the zip library refuses them, with the
// package to install.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace wt::model::keras {

inline bool is_zip(std::string_view first_bytes) { return first_bytes.starts_with("PK\x03\x04"); }

// The content of one entry of the archive; none if there is no entry of this name. The size that the archive states is
// compared with `most` and with the free memory before anything is unpacked. Throws InputError for archives that
// can't be read or are not correct.
std::optional<std::string> read_entry(const std::filesystem::path& archive, const std::string& entry,
                                      std::uint64_t most, const Place& named_at = {});

// Writes an archive with these entries, which are not compressed. The same entries always give the same bytes.
void write_archive(const std::filesystem::path& path, const std::map<std::string, std::string>& entries);

}  // namespace wt::model::keras
