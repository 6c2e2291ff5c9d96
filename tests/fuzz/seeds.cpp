#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include "base/temporary_folder.h"
#include "fuzz/target.h"
#include "study/recordings/archive.h"

namespace wt::fuzz {

namespace {

namespace fs = std::filesystem;

const fs::path& repository() {
  static const fs::path path = WT_SOURCE_DIR;
  return path;
}

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The unpacked content of an archive.
const fs::path& unpacked(const std::string& archive) {
  static std::map<std::string, std::pair<TemporaryFolder, fs::path>> all;
  const auto [found, is_new] = all.try_emplace(archive);
  auto& [folder, path] = found->second;
  if (is_new) recordings::unpack(repository() / archive, path = folder.path());
  return path;
}

// Whether a name is `pattern`, in which one * stands for any text.
bool matches(const std::string& name, std::string_view pattern) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return name == pattern;
  const std::string_view before = pattern.substr(0, star), behind = pattern.substr(star + 1);
  return name.size() >= before.size() + behind.size() && name.starts_with(before) && name.ends_with(behind);
}

void add_all(const fs::path& folder, std::string_view pattern, std::vector<Seed>& seeds) {
  std::vector<fs::path> paths;
  if (!fs::exists(folder)) return;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && matches(entry.path().filename().string(), pattern))
      paths.push_back(entry.path());
  std::ranges::sort(paths);
  for (const fs::path& path : paths) seeds.push_back({path.filename().string(), bytes_of(path)});
}

void add(std::string_view pattern, std::vector<Seed>& seeds) {
  if (const std::size_t colon = pattern.find(':'); colon != std::string_view::npos)
    return add_all(unpacked(std::string(pattern.substr(0, colon))), pattern.substr(colon + 1), seeds);
  const fs::path path = repository() / pattern;
  add_all(path.parent_path(), path.filename().string(), seeds);
}

constexpr std::string_view base_scenario = R"({"name": "base", "model": "linear",
 "dataset": {"type": "synthetic", "rows": 32}, "strategy": {"type": "mirrored"}, "platform": "workstation_2x4090",
 "training": {"loss": "mse", "optimizer": "sgd", "global_batch": 8}, "numerics": "none"})";

}  // namespace

const fs::path& Input::folder() {
  static const TemporaryFolder folder;
  static const bool is_filled = [] {
    std::ofstream(folder.path() / "base.json") << base_scenario;
    return true;
  }();
  (void)is_filled;
  return folder.path();
}

fs::path Input::file(const std::string& name) const {
  const fs::path path = folder() / name;
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes_;
  return path;
}

std::vector<Seed> seeds_of(const Target& target) {
  std::vector<Seed> seeds;
  for (const std::string_view pattern : target.seeds) add(pattern, seeds);
  for (const char* room : {"seeds", "found"})
    add_all(repository() / "tests/fuzz" / room / target.name, "*", seeds);
  std::erase_if(seeds, [&](const Seed& seed) { return seed.bytes.size() > target.longest; });
  return seeds;
}

}  // namespace wt::fuzz
