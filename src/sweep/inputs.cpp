#include "sweep/inputs.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "base/file.h"
#include "base/installation.h"
#include "base/json.h"

namespace wt::sweep {

namespace {

namespace fs = std::filesystem;

// FNV-1a of 64 bits (Fowler, Noll and Vo, 1991). It finds changes; it is no protection against forgery.
class Digest {
 public:
  void add(std::string_view text) {
    for (const char letter : text) {
      state_ ^= static_cast<unsigned char>(letter);
      state_ *= 0x100000001b3;
    }
  }
  std::string text() const { return fmt::format("{:016x}", state_); }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325;
};

// Larger files are data or weights, on which no time of a step depends.
constexpr std::uintmax_t most_bytes = 64 << 20;

class Search {
 public:
  void add_file(const fs::path& path) {
    std::error_code error;
    const bool is_file = fs::is_regular_file(path, error);
    if (!is_file || fs::file_size(path, error) > most_bytes || found_.contains(path.string())) return;
    const std::string text = read_text(path);
    Digest digest;
    digest.add(text);
    found_[path.string()] = digest.text();
    if (path.extension() == ".json") add_names(text, path);
  }

  // Every text in the value that is the path of a file, seen from the folder.
  void add_names(const json::Value& value, const fs::path& folder) {
    if (value.kind() == json::Kind::string && !value.string().empty()) add_file(folder / value.string());
    if (value.kind() == json::Kind::array)
      for (const json::Value& element : value.elements()) add_names(element, folder);
    if (value.kind() == json::Kind::object)
      for (const json::Member& member : value.members()) add_names(member.value, folder);
  }

  std::map<std::string, std::string> found() && { return std::move(found_); }
  void add(const std::string& name, const std::string& digest) { found_[name] = digest; }

 private:
  void add_names(const std::string& text, const fs::path& path) {
    try {
      add_names(json::parse(text, path.string()), path.parent_path());
    } catch (const InputError&) {  // Whoever reads the file says what is wrong with it.
    }
  }

  std::map<std::string, std::string> found_{};  // digests, by path
};

std::string digest_of_platforms() {
  std::set<fs::path> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(data_folder("platforms")))
    if (entry.path().extension() == ".json") paths.insert(entry.path());
  Digest digest;
  for (const fs::path& path : paths) {
    digest.add(path.filename().string());
    digest.add(read_text(path));
  }
  return digest.text();
}

}  // namespace

std::map<std::string, std::string> digests(const Sweep& sweep) {
  Search search;
  search.add_file(sweep.scenario);
  for (const Axis& axis : sweep.axes)
    for (const std::vector<Setting>& settings : axis.settings)
      for (const Setting& setting : settings) search.add_names(setting.value, {});
  search.add("the platforms of this program", digest_of_platforms());
  return std::move(search).found();
}

}  // namespace wt::sweep
