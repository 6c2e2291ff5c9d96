#pragma once
// Finds what is installed together with this library. An installation is a folder, called the prefix, of this
// form:
//
//   bin/windtunnel                              the program
//   lib/, include/windtunnel/                   the library and its headers
//   libexec/windtunnel/windtunnel_simulator     programs that the library starts
//   share/windtunnel/platforms/, scenarios/     data that the library reads
//   share/windtunnel/viz/                       the page of reports, where it has been built
//
// A build folder has the same form (its share/windtunnel/ links to the source tree), so nothing that is
// compiled has to contain the path of a source tree or of a build folder, and an installation can be moved.
// These prefixes are tried in this order: the one that `find_package(windtunnel)` recorded in the program
// (packaging/prefix.cpp.in), then the two folders above the folder of the program or shared library that
// contains this code.

#include <filesystem>
#include <optional>
#include <string_view>

namespace wt {

// The folder share/windtunnel/<name>, with symbolic links resolved. The environment variable WINDTUNNEL_DATA
// names another folder in the place of share/windtunnel. Throws InputError when that one has no such
// subfolder, and MachineError when no prefix has it.
std::filesystem::path data_folder(std::string_view name);

// The same for data that an installation may do without. Unset: it has none.
std::optional<std::filesystem::path> optional_data_folder(std::string_view name);

// The program libexec/windtunnel/<name>. The environment variable `variable` names another program in its
// place, whose existence is left to the caller to find out. Throws MachineError when no prefix has the
// program.
std::filesystem::path helper_program(std::string_view name, const char* variable);

}  // namespace wt
