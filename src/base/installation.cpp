#include "base/installation.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <cstdlib>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.h"

// Defined by programs that were built with `find_package(windtunnel)`, and by no others.
extern "C" {
[[gnu::weak]] extern const char* const windtunnel_prefix;
}

namespace wt {
namespace {

namespace fs = std::filesystem;

// The file that this code was linked into. The name of the main program in the list of loaded objects is
// empty.
fs::path file_of_this_code() {
  Dl_info info{};
  link_map* object = nullptr;
  std::error_code error;
  if (::dladdr1(reinterpret_cast<const void*>(&data_folder), &info, reinterpret_cast<void**>(&object),
                RTLD_DL_LINKMAP) != 0 &&
      object != nullptr && *object->l_name != '\0')
    return fs::canonical(object->l_name, error);
  return fs::read_symlink("/proc/self/exe", error);
}

// Prefixes that may be the installation, the best first.
std::vector<fs::path> prefixes() {
  std::vector<fs::path> found;
  if (&windtunnel_prefix != nullptr) found.emplace_back(windtunnel_prefix);
  const fs::path folder = file_of_this_code().parent_path();  // bin, lib, or lib/x86_64-linux-gnu
  for (const fs::path& above : {folder.parent_path(), folder.parent_path().parent_path()})
    if (!above.empty()) found.push_back(above);
  return found;
}

std::optional<fs::path> find_below_prefixes(const fs::path& relative) {
  for (const fs::path& prefix : prefixes()) {
    std::error_code error;
    if (fs::exists(prefix / relative, error)) return fs::canonical(prefix / relative);
  }
  return std::nullopt;
}

// Throws MachineError when `relative` exists below no prefix.
fs::path installed(const fs::path& relative, std::string_view remedy) {
  if (const auto found = find_below_prefixes(relative)) return *found;
  std::string tried;
  for (const fs::path& prefix : prefixes())
    tried += fmt::format("{}{}", tried.empty() ? "" : " and no ", (prefix / relative).string());
  throw MachineError("find", fmt::format("there is no {}; install all of Windtunnel, or {}", tried, remedy));
}

}  // namespace

fs::path data_folder(std::string_view name) {
  const char* data = std::getenv("WINDTUNNEL_DATA");
  if (data == nullptr)
    return installed(fs::path("share/windtunnel") / name,
                     fmt::format("set WINDTUNNEL_DATA to a folder that contains {}/", name));
  std::error_code error;
  if (fs::is_directory(fs::path(data) / name, error)) return fs::canonical(fs::path(data) / name);
  throw InputError(fmt::format("WINDTUNNEL_DATA is \"{}\", and this folder contains no {}/", data, name),
                   "set it to the folder share/windtunnel of an installation, or unset it");
}

std::optional<fs::path> optional_data_folder(std::string_view name) {
  const char* data = std::getenv("WINDTUNNEL_DATA");
  if (data == nullptr) return find_below_prefixes(fs::path("share/windtunnel") / name);
  std::error_code error;
  if (!fs::is_directory(fs::path(data) / name, error)) return std::nullopt;
  return fs::canonical(fs::path(data) / name);
}

fs::path helper_program(std::string_view name, const char* variable) {
  if (const char* program = std::getenv(variable)) return program;
  return installed(fs::path("libexec/windtunnel") / name,
                   fmt::format("set {} to the path of the program", variable));
}

}  // namespace wt
