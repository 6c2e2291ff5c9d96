#include "scenario/input_files.h"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <filesystem>

#include "base/file_kind.h"

namespace wt::scenario {
namespace {

bool is_pattern(const std::string& path) { return path.find_first_of("*?[") != std::string::npos; }

// Sorted by the bytes of their names, whatever the locale.
std::vector<std::string> matching(const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> paths;
  if (glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found) == 0)
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  std::ranges::sort(paths);
  return paths;
}

}  // namespace

const std::string& existing(const InputPath& file, const Place& place) {
  if (!is_there(file.path)) {
    throw InputError(
        Problem{place, fmt::format("there is no {}", file.path),
                "a file is looked for from the scenario's folder, and one of --set from where the "
                "program was started"});
  }
  if (is_folder(file.path)) {
    throw InputError(Problem{place, fmt::format("{} is a folder", file.path), "name a file in it"});
  }
  return file.path;
}

std::vector<data::NamedFile> existing(const InputFiles& files, const Place& place) {
  Problems problems;
  std::vector<data::NamedFile> all;
  for (const std::string& pattern : files.patterns) {
    std::vector<std::string> paths{pattern};
    if (is_pattern(pattern) && !is_there(pattern)) paths = matching(pattern);
    if (paths.empty())
      problems.add(
          place, fmt::format("no file matches {}", pattern),
          "a file is looked for from the scenario's folder, and one of --set from where the program was "
          "started");
    for (const std::string& path : paths) try {
        all.push_back({existing(InputPath{path}, place), place});
      } catch (const InputError& error) {
        problems.add(error.problems().front());
      }
  }
  problems.throw_if_any();
  return all;
}

std::optional<Bytes> bytes_of_files(const Dataset& dataset) {
  const InputFiles* files = nullptr;
  if (const auto* text = std::get_if<CsvData>(&dataset.source)) files = &text->file;
  if (const auto* records = std::get_if<TfRecordData>(&dataset.source)) files = &records->file;
  if (files == nullptr) return std::nullopt;
  std::int64_t bytes = 0;
  for (const data::NamedFile& file : existing(*files, {})) {
    std::error_code error;
    bytes += static_cast<std::int64_t>(std::filesystem::file_size(file.path, error));
    if (error) return std::nullopt;
  }
  return Bytes(bytes);
}

}  // namespace wt::scenario
