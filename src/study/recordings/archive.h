#pragma once
// Archives of recordings: tar files in the ustar format (POSIX.1-1988), compressed by gzip. They hold small files and
// folders and nothing else.

#include <filesystem>

namespace wt::recordings {

bool is_archive(const std::filesystem::path& file);  // "*.tar.gz"

// Writes the archive's files below the folder, which is created. Throws InputError, before that file is written, for
// a damaged archive, for a name that leads out of the folder, and for what is neither a file nor a folder.
void unpack(const std::filesystem::path& archive, const std::filesystem::path& into);

}  // namespace wt::recordings
