#include "base/output/old_results.h"

#include "base/json.h"
#include "base/output_folder.h"

namespace wt::output {
namespace {

namespace fs = std::filesystem;

std::optional<json::Value> read(const fs::path& file) {
  try {
    return json::parse_file(file);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

const json::Value* member(const json::Value* object, std::string_view key) {
  return object != nullptr && object->kind() == json::Kind::object ? object->find(key) : nullptr;
}

std::string text_of(const json::Value* value) {
  return value != nullptr && value->kind() == json::Kind::string ? value->string() : "";
}

// "ckpt-12.safetensors"
bool is_checkpoint(const std::string& name) {
  constexpr std::string_view prefix = "ckpt-", suffix = ".safetensors";
  if (name == "checkpoint") return true;
  if (!name.starts_with(prefix) || !name.ends_with(suffix)) return false;
  const std::string number = name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
  return !number.empty() && number.find_first_not_of("0123456789") == std::string::npos;
}

void add_checkpoints(const fs::path& folder, const std::string& inside, Manifest& manifest) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder / inside, error)) {
    const std::string name = entry.path().filename().string();
    if (is_checkpoint(name)) manifest.files[(fs::path(inside) / name).lexically_normal().generic_string()];
  }
}

// The files that the user named in the scenario.
void add_named_files(const fs::path& folder, Manifest& manifest) {
  const auto scenario = read(folder / "scenario.resolved.json");
  if (!scenario) return;
  const json::Value* training = member(&*scenario, "training");
  if (const std::string weights = text_of(member(training, "save_weights")); is_inside(weights))
    manifest.files[fs::path(weights).lexically_normal().generic_string()];
  const std::string inside = text_of(member(member(training, "checkpointing"), "folder"));
  if (is_inside(inside)) add_checkpoints(folder, inside, manifest);
}

}  // namespace

std::optional<Manifest> names_of_old_results(const fs::path& folder) {
  const auto results = read(folder / "results.json");
  if (!results || text_of(member(&*results, "format")) != results_format) return std::nullopt;
  Manifest manifest;
  for (const std::string_view name : files_of_a_run) manifest.files[std::string(name)];
  add_named_files(folder, manifest);
  return manifest;
}

}  // namespace wt::output
