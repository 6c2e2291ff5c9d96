#pragma once
// What the operating system says of a place to write to, before a run takes hours to fill that place.

#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/error.h"

namespace wt::output {

// The absolute path, with links followed and without a slash at the end, so that a rename moves the folder and
// not a link to it.
std::filesystem::path whole(const std::filesystem::path& wanted);

// Throws InputError if the user can correct the error by naming another place: no permission, a read-only file
// system, a file where a folder should be, a name that is too long. Throws MachineError otherwise.
[[noreturn]] void refuse_place(const std::filesystem::path& path, const std::error_code& error,
                               std::string_view remedy = "choose another folder with --out");

[[noreturn]] void fail_to_write(const std::filesystem::path& path, const std::error_code& error);

// The error that writing a file at this path would meet. The file itself is not touched.
std::error_code error_of_writing(const std::filesystem::path& file);

// Throws InputError, which names `option`, unless a file can be written at this path. A command calls this
// function before it measures or simulates what the file will contain.
void require_writable(const std::filesystem::path& file, std::string_view option);

// Throws InputError if the folder is where a file system is mounted: such a folder cannot be exchanged.
void refuse_mount_point(const std::filesystem::path& folder);

// Flushes the names in a folder to the disk, so that they survive a loss of power. Errors are ignored because
// some file systems don't support it.
void sync_folder(const std::filesystem::path& folder);

}  // namespace wt::output
