#include "train/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <sstream>

#include "base/file.h"
#include "base/json_writer.h"
#include "tensor/safetensors.h"

namespace wt::train {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view suffix = ".safetensors";
constexpr std::string_view format = "windtunnel checkpoint";
constexpr std::string_view version = "1";
constexpr std::string_view newest_key = "model_checkpoint_path";
constexpr std::string_view listed_key = "all_model_checkpoint_paths";

[[noreturn]] void refuse(const fs::path& file, std::string fact, std::string remedy) {
  Place place;
  place.file = file.string();
  throw InputError(Problem{std::move(place), std::move(fact), std::move(remedy)});
}

// ---- The content

// The hash FNV-1a of Fowler, Noll and Vo, on words of 8 bytes. For a given word the new hash is a bijection
// of the old one, and for a given hash of the word, so a change of a single word always changes the result.
class Fingerprint {
 public:
  void add(std::span<const std::byte> bytes) {
    add_word(bytes.size());
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + at, std::min(sizeof word, bytes.size() - at));
      add_word(word);
    }
  }
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
  std::string text() const { return fmt::format("{:016x}", hash_); }

 private:
  void add_word(std::uint64_t word) { hash_ = (hash_ ^ word) * 0x100000001b3; }

  std::uint64_t hash_ = 0xcbf29ce484222325;
};

std::string fingerprint(const TensorFile& content) {
  Fingerprint hash;
  for (const auto& [name, tensor] : content.tensors) {
    hash.add(name);
    hash.add(print(tensor.spec()));
    hash.add(tensor.bytes());
  }
  for (const auto& [key, text] : content.metadata) {
    if (key == "fingerprint") continue;
    hash.add(key);
    hash.add(text);
  }
  return hash.text();
}

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc{} && end == text.data() + text.size() && number >= 0;
  return is_number ? std::optional(number) : std::nullopt;
}

std::string field(const TensorFile& content, const char* key) {
  const auto found = content.metadata.find(key);
  return found == content.metadata.end() ? "" : found->second;
}

struct Stored {
  std::map<std::string, Tensor> tensors{};
  Progress progress{};
  std::string problem{};  // the reason why the checkpoint cannot be used; empty if it can
};

Stored read(const fs::path& file) {
  try {
    TensorFile content = read_safetensors(file);
    if (field(content, "format") != format)
      return {.problem = "this file is not a checkpoint: its metadata does not state the format of one"};
    if (field(content, "version") != version)
      return {.problem = fmt::format("the checkpoint has version \"{}\", and this program reads version {}",
                                     field(content, "version"), version)};
    if (field(content, "fingerprint") != fingerprint(content))
      return {.problem = "the checkpoint was altered: its content does not match its fingerprint"};
    const auto epochs = number_of(field(content, "epochs"));
    const auto steps = number_of(field(content, "steps"));
    if (!epochs || !steps)
      return {.problem = "the checkpoint does not state the numbers of completed epochs and steps"};
    const std::int64_t of_epoch = number_of(field(content, "steps_of_epoch")).value_or(0);
    return {.tensors = std::move(content.tensors), .progress = {*epochs, *steps, of_epoch}};
  } catch (const InputError& error) {
    return {.problem = error.problems().front().fact};
  }
}

// ---- The folder

// "ckpt-12" is number 12 of the prefix "ckpt".
struct Numbered {
  std::string prefix{};
  std::int64_t number = 0;
  std::string name() const { return fmt::format("{}-{}", prefix, number); }
};

std::optional<Numbered> numbered(std::string_view name) {
  const auto dash = name.rfind('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto number = number_of(name.substr(dash + 1));
  if (!number) return std::nullopt;
  return Numbered{std::string(name.substr(0, dash)), *number};
}

fs::path file_of(const fs::path& checkpoint) {
  return checkpoint.extension() == suffix ? checkpoint : fs::path(checkpoint.string() + std::string(suffix));
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// The checkpoints in the folder with this prefix, the newest first. Some may be unreadable.
std::vector<Numbered> found_in(const fs::path& folder, const std::string& prefix) {
  std::vector<Numbered> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder.empty() ? fs::path(".") : folder, error)) {
    if (entry.path().extension() != suffix || !is_file(entry.path())) continue;
    const auto checkpoint = numbered(entry.path().stem().string());
    if (checkpoint && checkpoint->prefix == prefix) found.push_back(*checkpoint);
  }
  std::sort(found.begin(), found.end(),
            [](const Numbered& a, const Numbered& b) { return a.number > b.number; });
  return found;
}

// Suggests the newest other checkpoint that is intact, or returns `otherwise`. This reads whole files, so it
// is used for error messages only.
std::string suggestion(const fs::path& broken, const std::string& otherwise) {
  const fs::path folder = broken.parent_path();
  const auto self = numbered(broken.stem().string());
  if (!self) return otherwise;
  for (const Numbered& other : found_in(folder, self->prefix)) {
    const fs::path path = folder / other.name();
    if (other.number != self->number && read(file_of(path)).problem.empty())
      return fmt::format("restore \"{}\", which is intact", path.string());
  }
  return otherwise;
}

// ---- The index

struct Index {
  std::string newest{};
  std::vector<std::string> all{};  // oldest first
};

// Reads `key: "value"`, the text format of protocol buffers. Returns false if the line has another form.
bool read_line(const std::string& line, Index& index) {
  const auto colon = line.find(": ");
  if (colon == std::string::npos) return false;
  const std::string key = line.substr(0, colon);
  if (key == "all_model_checkpoint_timestamps" || key == "last_preserved_timestamp") return true;
  try {
    const json::Value value = json::parse(line.substr(colon + 2), "checkpoint");
    if (value.kind() != json::Kind::string) return false;
    if (key == newest_key) index.newest = value.string();
    if (key == listed_key) index.all.push_back(value.string());
    return key == newest_key || key == listed_key;
  } catch (const InputError&) {
    return false;
  }
}

std::optional<Index> read_index(const fs::path& folder) {
  const fs::path file = folder / "checkpoint";
  std::error_code error;
  if (!fs::exists(file, error)) return std::nullopt;
  Index index;
  std::istringstream lines(read_text(file));
  bool is_index = true;
  for (std::string line; std::getline(lines, line);) is_index = is_index && read_line(line, index);
  if (!is_index || index.newest.empty())
    refuse(file, "this file is not an index of checkpoints: it has no line model_checkpoint_path: \"...\"",
           "name the checkpoint itself, or choose another folder");
  return index;
}

void write_index(const fs::path& folder, const Index& index) {
  std::string text = fmt::format("{}: {}\n", newest_key, json::quote(index.newest));
  for (const std::string& name : index.all) text += fmt::format("{}: {}\n", listed_key, json::quote(name));
  write_text(folder / "checkpoint", text);
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  if (!folder.empty()) fs::create_directories(folder, error);
  if (error) throw MachineError("write", fmt::format("{}: {}", folder.string(), error.message()));
}

}  // namespace

Checkpoint::Checkpoint(State& state, std::optional<std::int64_t> keep)
    : variables_{.specs =
                     [&state] {
                       std::vector<std::pair<std::string, TensorSpec>> specs;
                       for (const model::Weight& weight : state.weights())
                         specs.emplace_back(weight.name, weight.spec);
                       return specs;
                     },
                 .read = [&state](const std::string& name) { return state.read(name); },
                 .restore = [&state](const std::map<std::string, Tensor>& stored) { state.preset(stored); }},
      keep_(keep) {}

namespace {

// The variables of a program by their names. A value that is restored goes to all copies of a variable.
template <class Variables, class Named>
Variables of_program(const std::map<std::string, Named>& variables, auto spec, auto read, auto write) {
  Variables made;
  made.specs = [variables, spec] {
    std::vector<std::pair<std::string, TensorSpec>> specs;
    for (const auto& [name, variable] : variables) specs.emplace_back(name, spec(variable));
    return specs;
  };
  made.read = [variables, read](const std::string& name) { return read(variables.at(name)); };
  made.restore = [own = variables, write](const std::map<std::string, Tensor>& stored) mutable {
    for (auto& [name, variable] : own) write(variable, stored.at(name));
  };
  return made;
}

}  // namespace

Checkpoint::Checkpoint(const std::map<std::string, ServerVariable>& variables,
                       std::optional<std::int64_t> keep)
    : variables_(of_program<Variables>(
          variables, [](const ServerVariable& variable) { return variable.spec(); },
          [](const ServerVariable& variable) { return variable.value(); },
          [](ServerVariable& variable, const Tensor& value) { variable.assign(value); })),
      keep_(keep) {}

Checkpoint::Checkpoint(const std::map<std::string, Variable>& variables, std::optional<std::int64_t> keep)
    : variables_(of_program<Variables>(
          variables,
          [](const Variable& variable) {
            return TensorSpec{variable.dtype(), variable.shape()};
          },
          [](const Variable& variable) { return variable.read_across_replicas().numbers; },
          [](Variable& variable, const Tensor& value) { variable.restore(value); })),
      keep_(keep) {}

fs::path Checkpoint::save(const fs::path& prefix, const Progress& progress) {
  const std::vector<Numbered> before = found_in(prefix.parent_path(), prefix.filename().string());
  return save_as(prefix, before.empty() ? 1 : before.front().number + 1, progress);
}

fs::path Checkpoint::save_as(const fs::path& prefix, std::int64_t number, const Progress& progress) {
  const fs::path folder = prefix.parent_path();
  make_folder(folder);
  Index index = read_index(folder).value_or(Index{});
  const Numbered now{prefix.filename().string(), number};

  TensorFile content;
  for (const auto& [name, spec] : variables_.specs()) content.tensors[name] = variables_.read(name);
  content.metadata = {{"format", std::string(format)},
                      {"version", std::string(version)},
                      {"epochs", std::to_string(progress.epochs)},
                      {"steps", std::to_string(progress.steps)}};
  if (progress.steps_of_epoch > 0)
    content.metadata["steps_of_epoch"] = std::to_string(progress.steps_of_epoch);
  content.metadata["fingerprint"] = fingerprint(content);
  write_safetensors(file_of(folder / now.name()), content);

  index.newest = now.name();
  std::erase(index.all, index.newest);
  index.all.push_back(index.newest);
  std::vector<std::string> dropped;
  while (keep_ && static_cast<std::int64_t>(index.all.size()) > *keep_) {
    dropped.push_back(index.all.front());
    index.all.erase(index.all.begin());
  }
  write_index(folder, index);
  std::error_code ignored;
  for (const std::string& name : dropped) fs::remove(file_of(folder / name), ignored);
  return folder / now.name();
}

Progress Checkpoint::restore(const fs::path& path) {
  const fs::path file = file_of(path);
  const Stored stored = read(file);
  if (!stored.problem.empty()) {
    const bool is_tensorflows = is_file(path.string() + ".index");
    refuse(file, stored.problem,
           suggestion(
               file,
               is_tensorflows
                   ? "this checkpoint has TensorFlow's format: save the weights as safetensors in TensorFlow"
                   : "no other checkpoint in its folder is intact"));
  }
  Problems problems;
  Place place;
  place.file = file.string();
  for (const auto& [name, spec] : variables_.specs()) {
    const auto found = stored.tensors.find(name);
    const std::string wanted =
        fmt::format("the model has {}: restore a checkpoint of the same model", print(spec));
    if (found == stored.tensors.end())
      problems.add(place, fmt::format("the checkpoint has no variable \"{}\"", name), wanted);
    else if (found->second.spec() != spec)
      problems.add(place,
                   fmt::format("variable \"{}\" is {} in the checkpoint", name, print(found->second.spec())),
                   wanted);
  }
  problems.throw_if_any();
  variables_.restore(stored.tensors);
  return stored.progress;
}

std::optional<fs::path> latest_checkpoint(const fs::path& folder) {
  const std::optional<Index> index = read_index(folder);
  if (!index) return std::nullopt;
  const fs::path newest = folder / index->newest;
  if (is_file(file_of(newest))) return newest;
  refuse(folder / "checkpoint",
         fmt::format("the newest checkpoint is \"{}\", and its file is missing", index->newest),
         suggestion(file_of(newest), "no other checkpoint in its folder is intact"));
}

}  // namespace wt::train
