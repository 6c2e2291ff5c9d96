#include "study/recordings/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "study/recordings/archive.h"
#include "tensor/safetensors.h"

namespace wt::recordings {

namespace fs = std::filesystem;

namespace {

const json::Value* member(const json::Value* object, std::string_view key) {
  return object == nullptr || object->kind() != json::Kind::object ? nullptr : object->find(key);
}

Recording read_recording(const fs::path& folder) {
  Recording recording{.folder = folder,
                      .version = folder.parent_path().parent_path().filename().string(),
                      .kind = folder.parent_path().filename().string(),
                      .id = folder.filename().string(),
                      .content = json::parse_file(folder / "case.json")};
  if (recording.version != "keras2" && recording.version != "keras3")
    throw InputError(fmt::format("{} is not in a folder keras2/<kind> or keras3/<kind>", folder.string()),
                     "name the folder in which keras2 and keras3 are, and keep the folders' names");
  return recording;
}

std::vector<fs::path> files_below(const fs::path& place) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(place))
    files.push_back(entry.path());
  return files;
}

}  // namespace

model::Semantics Recording::semantics() const {
  return version == "keras2" ? model::Semantics::keras2 : model::Semantics::keras3;
}

const json::Value* Recording::find(std::string_view section, std::string_view key) const {
  return member(member(&content, section), key);
}

const json::Value* Recording::config(std::string_view key) const { return member(value("config"), key); }

std::map<std::string, Tensor> Recording::tensors() const {
  const fs::path file = folder / "data.safetensors";
  if (!fs::exists(file)) return {};
  return read_safetensors(file).tensors;
}

std::optional<std::string> Recording::error_text(std::string_view key) const {
  const json::Value* found = error(key);
  if (found == nullptr) return std::nullopt;
  const json::Value* type = found->find("type");
  if (type != nullptr && type->kind() == json::Kind::null) return std::nullopt;  // an error was looked for
  const json::Value* text = found->find("sentence");
  if (text == nullptr)
    throw InputError(
        Problem{found->place(), "this error has no \"sentence\"", "record what TensorFlow says"});
  return text->string();
}

std::vector<Recording> read_recordings(std::span<const std::string> places, const fs::path& scratch) {
  std::vector<Recording> found;
  for (const std::string& place : places) {
    if (!fs::exists(place)) throw InputError(fmt::format("there is no folder \"{}\"", place));
    std::vector<fs::path> files{place};
    if (fs::is_directory(place)) files = files_below(fs::absolute(place).lexically_normal());
    for (const fs::path& file : files)
      if (is_archive(file)) {
        const fs::path into = scratch / std::to_string(found.size());
        unpack(file, into);
        for (const fs::path& unpacked : files_below(into))
          if (unpacked.filename() == "case.json") found.push_back(read_recording(unpacked.parent_path()));
      } else if (file.filename() == "case.json") {
        found.push_back(read_recording(file.parent_path()));
      }
  }
  if (found.empty())
    throw InputError("no recordings of TensorFlow are in these folders",
                     "name a folder with <version>/<kind>/<id>/case.json, such as tests/recordings");
  std::ranges::sort(found, {}, [](const Recording& r) { return std::tie(r.version, r.kind, r.id); });
  return found;
}

}  // namespace wt::recordings
