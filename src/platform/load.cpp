#include "platform/load.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <set>

#include "base/file.h"
#include "base/file_kind.h"
#include "base/installation.h"
#include "base/json_override.h"
#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "platform/assumptions.h"
#include "platform/build.h"
#include "platform/formats/import.h"
#include "platform/parse.h"

namespace wt::platform {

namespace {

namespace fs = std::filesystem;

// The files of the folder platforms/ that are no platforms.
constexpr std::array<std::string_view, 4> catalogues{"devices", "communication", "evidence", "software"};

bool is_catalogue(std::string_view stem) {
  return std::find(catalogues.begin(), catalogues.end(), stem) != catalogues.end();
}

KnownPlatform read_known(const fs::path& path) {
  const json::Value file = json::parse_file(path);
  KnownPlatform known{.id = path.stem().string()};
  if (file.kind() != json::Kind::object) return known;
  Problems problems;
  json::Reader reader(file, problems);
  known.description = reader.optional<std::string>("description", "");
  known.aliases = reader.optional<std::vector<std::string>>("aliases", {});
  problems.throw_if_any();
  return known;
}

std::vector<KnownPlatform> read_all_known() {
  std::vector<KnownPlatform> all;
  for (const auto& entry : fs::directory_iterator(data_folder("platforms"))) {
    const fs::path& path = entry.path();
    if (path.extension() == ".json" && !is_catalogue(path.stem().string())) all.push_back(read_known(path));
  }
  std::sort(all.begin(), all.end(), [](const auto& left, const auto& right) { return left.id < right.id; });
  return all;
}

std::vector<std::string_view> known_names() {
  std::vector<std::string_view> names;
  for (const KnownPlatform& known : known_platforms()) names.push_back(known.id);
  for (const KnownPlatform& known : known_platforms())
    names.insert(names.end(), known.aliases.begin(), known.aliases.end());
  return names;
}

bool is_path(std::string_view name) { return name.ends_with(".json") || is_xml(name); }

// The file that a name, an alias or a path refers to. Throws InputError if the name is unknown.
fs::path path_of(std::string_view name, const fs::path& folder, const Place& named_at) {
  if (is_path(name)) return folder / name;
  const fs::path platforms = data_folder("platforms");
  const fs::path by_id = platforms / (std::string(name) + ".json");
  if (name.find('/') == std::string_view::npos && !is_catalogue(name) && is_there(by_id)) return by_id;
  for (const KnownPlatform& known : known_platforms()) {
    const bool is_alias = std::find(known.aliases.begin(), known.aliases.end(), name) != known.aliases.end();
    if (known.id == name || is_alias) return platforms / (known.id + ".json");
  }
  const std::vector<std::string_view> names = known_names();
  const std::string_view near = nearest(name, names);
  const std::string guess = near.empty() ? "" : fmt::format("did you mean \"{}\"? ", near);
  throw InputError(Problem{
      named_at, fmt::format("unknown platform \"{}\"", printable(name)),
      guess + "`windtunnel list platforms` lists all of them; the path of a file of your own ends in .json"});
}

// The name in messages of the platform file into which an importer translated `file`.
std::string as_json(const std::string& file) { return file + " as a platform file"; }

// Opens the files that `"machine": "dgx_h100"` and "like" name, and keeps their content until parsing has
// ended. A file may refer to another one in turn, but not to itself, because that would never end.
class Files {
 public:
  NamedFile opener() {
    return [this](const json::Value& name, Problems& problems) { return open(name, problems); };
  }
  const std::vector<Problem>& warnings() const { return warnings_; }

  // The text of the file that names them, followed by their own.
  std::string with_texts(std::string text) const {
    for (const json::Value& file : files_) text += json::compact(file);
    return text;
  }

 private:
  const json::Value* open(const json::Value& name, Problems& problems) {
    try {
      const fs::path path = path_of(name.string(), fs::path(name.place().file).parent_path(), name.place());
      const std::string inner = path.lexically_normal().string();
      const std::string outer = fs::path(name.place().file).lexically_normal().string();
      if (leads_to(inner, outer)) {
        problems.add(name.place(), fmt::format("the machine {} is described by itself", name.text()),
                     "one of the files must contain its machine");
        return nullptr;
      }
      referred_[outer].insert(inner);
      return &files_.emplace_back(is_xml(path.string()) ? translated(path, name.place())
                                                        : json::parse_file(path, name.place()));
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems()) problems.add(problem);
      return nullptr;
    }
  }

  // Whether one file is the other, or refers to it through any number of files.
  bool leads_to(const std::string& from, const std::string& to) const {
    const auto found = referred_.find(from);
    return from == to ||
           (found != referred_.end() &&
            std::ranges::any_of(found->second, [&](const auto& next) { return leads_to(next, to); }));
  }

  json::Value translated(const fs::path& path, const Place& named_at) {
    const xml::Document document = xml::parse(path.string(), read_text(path, named_at));
    if (format_of(document) == Foreign::simgrid)
      throw InputError(
          Problem{named_at, fmt::format("{} is a SimGrid platform and not a single machine", path.string()),
                  "use it as the platform"});
    Translated translated = translate_nccl(document);
    warnings_.insert(warnings_.end(), translated.warnings.begin(), translated.warnings.end());
    return json::parse(std::move(translated.json), as_json(path.string()));
  }

  std::deque<json::Value> files_{};
  std::vector<Problem> warnings_{};
  std::map<std::string, std::set<std::string>> referred_{};  // the files to which each file refers
};

// The file with the values of the parameters in place of its own.
json::Value with_parameters(json::Value file, const Parameters& parameters) {
  Problems problems;
  for (const Parameter& parameter : parameters) {
    try {
      file = json::replaced(file, json::dotted(parameter.key), parameter.value);
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems()) problems.add(problem);
    }
  }
  problems.throw_if_any();
  return file;
}

// Parses and builds the content of a platform file.
Loaded read(const json::Value& file, std::string name) {
  Problems problems;
  Files files;
  const Description description = parse(file, files.opener(), problems);
  problems.throw_if_any();
  Loaded loaded = make(description, std::move(name), files.with_texts(json::compact(file)));
  loaded.warnings.insert(loaded.warnings.begin(), files.warnings().begin(), files.warnings().end());
  return loaded;
}

// A file, and the changes to its content.
struct Reference {
  fs::path path{};
  Parameters parameters{};
  Place named_at{};
};

Loaded load_file(const Reference& file) {
  const std::string path = file.path.string();
  if (is_xml(path)) return from_xml(path, read_text(path, file.named_at), file.parameters);
  return read(with_parameters(json::parse_file(path, file.named_at), file.parameters),
              printable(file.path.stem().string()));
}

json::Value content_of(const Reference& file) {
  const std::string path = file.path.string();
  if (is_xml(path))
    throw InputError(Problem{file.named_at, fmt::format("{} is XML and no platform file", printable(path)),
                             fmt::format("translate it: windtunnel import {} --as FILE", printable(path))});
  return with_parameters(json::parse_file(path, file.named_at), file.parameters);
}

// {"file": "dgx_h100", "set": {"machines": 4}}
Reference named_file(json::Reader& reader, const fs::path& folder, const Problems& problems) {
  const auto name = reader.required<std::string>("file");
  Parameters parameters;
  if (const json::Value* set = reader.value("set")) {
    if (set->kind() != json::Kind::object)
      reader.problem("set", fmt::format("expected an object, found {}", describe(set->kind())),
                     "write {\"machines\": 4}");
    else
      for (const json::Member& member : set->members()) parameters.push_back({member.key, member.value});
  }
  reader.finish();
  problems.throw_if_any();
  return {path_of(name, folder, reader.place("file")), std::move(parameters), reader.place("file")};
}

// `virtual` is the platform ideal_switch with other values for three of its keys.
Reference virtual_devices(const json::Value& value) {
  constexpr struct {
    std::string_view key;
    std::string_view sets;
  } rows[] = {{"devices", "ranks"}, {"workers", "machines"}, {"type", "machine.devices.type"}};
  Problems problems;
  json::Reader reader(value, problems);
  Parameters parameters;
  for (const auto& row : rows) {
    const json::Value* found = reader.value(row.key);
    if (found != nullptr) parameters.push_back({std::string(row.sets), *found});
  }
  if (!reader.has("devices"))
    reader.problem("devices", "this object has no \"devices\"", "add \"devices\": the number of devices");
  reader.finish();
  problems.throw_if_any();
  return {path_of("ideal_switch", {}, value.place()), std::move(parameters), value.place()};
}

// The file that a scenario's value refers to; unset if the value is itself the content of one.
std::optional<Reference> reference(const json::Value& value, const fs::path& folder) {
  if (value.kind() == json::Kind::string)
    return Reference{path_of(value.string(), folder, value.place()), {}, value.place()};
  Problems problems;
  json::Reader reader(value, problems);
  problems.throw_if_any();
  if (reader.has("file")) return named_file(reader, folder, problems);
  if (!reader.has("virtual")) return std::nullopt;
  const json::Value& content = *reader.value("virtual");
  reader.finish();
  problems.throw_if_any();
  return virtual_devices(content);
}

}  // namespace

Parameter parse_parameter(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw InputError(fmt::format("\"{}\" is not of the form key=value", printable(text)),
                     "write it as in machines=4");
  return {text.substr(0, equals), json::override_value(text, equals + 1)};
}

Loaded from_xml(const std::string& file, std::string text, const Parameters& set) {
  const xml::Document document = xml::parse(file, std::move(text));
  std::string name = printable(fs::path(file).stem().string());
  if (format_of(document) == Foreign::simgrid) return load_simgrid(document, std::move(name), set);
  // The translation needs the products, because the rate of an NVLink depends on the device. So these two
  // keys are read before the others are set.
  Products products;
  for (const Parameter& parameter : set) {
    const bool is_text = parameter.value.kind() == json::Kind::string;
    if (is_text && parameter.key == "machine.devices.type") products.device = parameter.value.string();
    if (is_text && parameter.key == "machine.hosts.type") products.host = parameter.value.string();
  }
  Translated translated = translate_nccl(document, products);
  Loaded loaded =
      read(with_parameters(json::parse(std::move(translated.json), as_json(file)), set), std::move(name));
  loaded.warnings.insert(loaded.warnings.begin(), translated.warnings.begin(), translated.warnings.end());
  return loaded;
}

Loaded make(const Description& description, std::string name, std::string written) {
  Problems problems;
  Built built = build(description, problems);
  problems.throw_if_any();
  Platform platform(std::move(name), std::move(built.topology), std::move(written), description.calibration);
  return {std::move(platform), description.description, std::move(built.warnings), assumptions(description),
          description.ici};
}

Loaded load(std::string_view name_or_path, const Parameters& parameters, const Place& named_at) {
  return load_file({path_of(name_or_path, {}, named_at), parameters, named_at});
}

Loaded from_json(const json::Value& value, const std::filesystem::path& folder) {
  const std::optional<Reference> file = reference(value, folder);
  return file ? load_file(*file) : read(value, "platform");
}

json::Value content(std::string_view name_or_path, const Parameters& parameters) {
  return content_of(Reference{path_of(name_or_path, {}, {}), parameters, {}});
}

json::Value content(const json::Value& value, const std::filesystem::path& folder) {
  const std::optional<Reference> file = reference(value, folder);
  return file ? content_of(*file) : value;
}

Meant platform_meant(std::string_view text, std::string_view also) {
  if (is_path(text)) return {.name = printable(fs::path(text).stem().string())};
  if (!also.empty() && text == also) return {.name = std::string(text)};
  std::vector<std::string_view> begin;  // ids of which a name begins with the text
  for (const KnownPlatform& known : known_platforms()) {
    std::vector<std::string_view> names(known.aliases.begin(), known.aliases.end());
    names.push_back(known.id);
    if (std::ranges::find(names, text) != names.end()) return {.name = known.id};
    if (!text.empty() && std::ranges::any_of(names, [&](auto name) { return name.starts_with(text); }))
      begin.push_back(known.id);
  }
  if (begin.size() == 1) return {.name = std::string(begin.front())};
  std::vector<std::string_view> names = known_names();
  if (!also.empty()) names.insert(names.begin(), also);
  if (begin.size() > 1)
    return {.fact = fmt::format("several platforms begin with \"{}\"", printable(text)),
            .remedy = fmt::format("name one of them: {}", fmt::join(begin, ", "))};
  return {.fact = fmt::format("unknown platform \"{}\"", printable(text)),
          .remedy = did_you_mean(text, names)};
}

std::span<const KnownPlatform> known_platforms() {
  static const std::vector<KnownPlatform> all = read_all_known();
  return all;
}

}  // namespace wt::platform
