#include "platform/device_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "base/installation.h"
#include "base/json_reader.h"
#include "base/suggest.h"
#include "base/utf8.h"

namespace wt::platform {

namespace {

using device::ComputeCapability;
using device::DeviceType;
using device::Efficiency;
using device::Kind;
using device::Precision;
using device::Reserve;

constexpr std::array<json::Named<Kind>, 3> kinds{
    {{"CPU", Kind::cpu}, {"GPU", Kind::gpu}, {"TPU", Kind::tpu}}};
constexpr std::array<json::Named<Precision>, 4> precisions{{{"float32", Precision::float32},
                                                            {"tf32", Precision::tf32},
                                                            {"float16", Precision::float16},
                                                            {"bfloat16", Precision::bfloat16}}};

const json::Range<double> share{.above = 0, .at_most = 1};

// ---- The keys that a device and its generation have in common

// The constants of a generation. A device that names the generation starts from a copy of them.
struct Common {
  std::string generation{};
  int matrix_unit = 0;
  std::optional<Seconds> launch_gap{};
  std::map<Precision, Efficiency> efficiency{};
  Reserve reserve{};
};

// With `base`, keys that are absent have its values.
Efficiency read_efficiency(json::Reader reader, const std::optional<Efficiency>& base) {
  const auto read = [&](std::string_view key, double Efficiency::*member) {
    return base ? reader.optional<double>(key, (*base).*member, share) : reader.required<double>(key, share);
  };
  const double winograd = base.value_or(Efficiency{}).winograd;
  const Efficiency efficiency{.convolution = read("convolution", &Efficiency::convolution),
                              .product = read("product", &Efficiency::product),
                              .memory = read("memory", &Efficiency::memory),
                              .winograd = reader.optional<double>("winograd", winograd, share),
                              .fitted_to = reader.optional<std::string>("fitted_to", ""),
                              .source = reader.required<std::string>("source"),
                              .note = reader.optional<std::string>("note", "")};
  reader.finish();
  return efficiency;
}

device::PublishedPower read_power(json::Reader reader) {
  const device::PublishedPower power{.power = reader.required<Watts>("value", {.above = Watts(0)}),
                                     .source = reader.required<std::string>("source")};
  reader.finish();
  return power;
}

Reserve read_reserve(json::Reader reader) {
  const json::Range<Bytes> not_negative{.at_least = Bytes(0)};
  const Reserve reserve{.context = reader.required<Bytes>("context", not_negative),
                        .libraries = reader.required<Bytes>("libraries", not_negative),
                        .communication = reader.required<Bytes>("communication", not_negative),
                        .source = reader.required<std::string>("source")};
  reader.finish();
  return reserve;
}

using Efficiencies = std::map<Precision, Efficiency>;

// What has been read: generations, and the constants of devices.
struct Known {
  std::map<std::string, Common, std::less<>> generations{};
  std::map<std::string, Efficiencies, std::less<>> devices{};
};

// The constants that "like" names: those of another precision, or of another generation or device in the same one.
// Unset if there are none, which is reported.
std::optional<Efficiency> efficiency_like(const std::string& name, Precision precision, json::Reader& reader,
                                          const Efficiencies& own, const Known& known) {
  std::map<std::string_view, Efficiency> candidates;
  const auto add = [&](std::string_view id, const Efficiencies& of, Precision wanted) {
    if (const auto found = of.find(wanted); found != of.end()) candidates[id] = found->second;
  };
  for (const auto& [id, generation] : known.generations) add(id, generation.efficiency, precision);
  for (const auto& [id, efficiency] : known.devices) add(id, efficiency, precision);
  for (const auto& [id, other] : precisions) add(id, own, other);
  if (const auto found = candidates.find(name); found != candidates.end()) return found->second;
  std::vector<std::string_view> names;
  for (const auto& [id, efficiency] : candidates) names.push_back(id);
  reader.problem("like", fmt::format("\"{}\" has no constants before these", printable(name)),
                 did_you_mean(name, names));
  return std::nullopt;
}

// Constants that are like others come last, since they may be like those of another precision.
void read_efficiencies(json::Reader& reader, Efficiencies& own, const Known& known) {
  std::vector<std::pair<Precision, json::Reader>> alike;
  for (const auto& [name, precision] : precisions)
    if (std::optional<json::Reader> found = reader.optional_object(name)) {
      if (found->has("like"))
        alike.emplace_back(precision, std::move(*found));
      else
        own[precision] = read_efficiency(std::move(*found), std::nullopt);
    }
  for (auto& [precision, found] : alike) {
    const auto name = found.required<std::string>("like");
    if (const auto base = efficiency_like(name, precision, found, own, known))
      own[precision] = read_efficiency(std::move(found), base);
  }
}

// Reads the keys of a device or a generation over the values in `common`.
Common read_common(json::Reader& reader, Common common, const Known& known) {
  common.matrix_unit = reader.optional<int>("matrix_unit", common.matrix_unit, {.at_least = 1});
  if (const auto gap = reader.maybe<Seconds>("launch_gap", {.at_least = Seconds(0)})) common.launch_gap = gap;
  if (auto efficiency = reader.optional_object("efficiency")) {
    read_efficiencies(*efficiency, common.efficiency, known);
    efficiency->finish();
  }
  if (auto reserve = reader.optional_object("reserve")) common.reserve = read_reserve(*reserve);
  return common;
}

Known read_generations(const json::Value& catalogue, Problems& problems) {
  Known known;
  const json::Value* found = catalogue.kind() == json::Kind::object ? catalogue.find("generations") : nullptr;
  if (found == nullptr || found->kind() != json::Kind::object) return known;
  for (const json::Member& member : found->members()) {
    json::Reader reader(member.value, problems);
    known.generations[member.key] = read_common(reader, {}, known);
    reader.required<std::string>("source");
    reader.finish();
  }
  return known;
}

// ---- A device

std::map<Precision, FlopsPerSecond> read_peak(json::Reader reader) {
  const json::Range<FlopsPerSecond> positive{.above = FlopsPerSecond(0)};
  std::map<Precision, FlopsPerSecond> peak;
  for (const auto& [name, precision] : precisions)
    if (precision == Precision::float32)
      peak[precision] = reader.required<FlopsPerSecond>(name, positive);
    else if (const auto found = reader.maybe<FlopsPerSecond>(name, positive))
      peak[precision] = *found;
  reader.finish();
  return peak;
}

// From "8.0" to {8, 0}.
std::optional<ComputeCapability> parse_capability(std::string_view text) {
  ComputeCapability capability;
  const char* const end = text.data() + text.size();
  const auto major = std::from_chars(text.data(), end, capability.major);
  if (major.ec != std::errc{} || major.ptr == end || *major.ptr != '.') return std::nullopt;
  const auto minor = std::from_chars(major.ptr + 1, end, capability.minor);
  const bool is_whole = minor.ec == std::errc{} && minor.ptr == end;
  if (!is_whole || capability.major < 1 || capability.minor < 0) return std::nullopt;
  return capability;
}

std::optional<ComputeCapability> read_capability(json::Reader& reader) {
  const auto text = reader.maybe<std::string>("compute_capability");
  if (!text) return std::nullopt;
  const auto capability = parse_capability(*text);
  if (!capability)
    reader.problem("compute_capability", fmt::format("\"{}\" is not a compute capability", printable(*text)),
                   "write it as in \"8.0\"");
  return capability;
}

// The constants of the generation that a device names; initial values if it names none.
Common generation_of(json::Reader& reader, const Known& known) {
  const auto name = reader.maybe<std::string>("generation");
  if (!name) return {};
  if (const auto found = known.generations.find(*name); found != known.generations.end()) {
    Common common = found->second;
    common.generation = *name;
    return common;
  }
  std::vector<std::string_view> names;
  for (const auto& [id, common] : known.generations) names.push_back(id);
  reader.problem("generation", fmt::format("unknown generation \"{}\"", printable(*name)),
                 did_you_mean(*name, names));
  return {};
}

DeviceType read_object(const json::Value& value, const Known& known, Problems& problems) {
  json::Reader reader(value, problems);
  Common common = read_common(reader, generation_of(reader, known), known);
  DeviceType type{
      .id = reader.required<std::string>("id"),
      .aliases = reader.optional<std::vector<std::string>>("aliases", {}),
      .kind = reader.one_of("kind", kinds),
      .peak = read_peak(reader.object("peak")),
      .memory = reader.required<Bytes>("memory", {.above = Bytes(0)}),
      .memory_bandwidth = reader.required<BytesPerSecond>("memory_bandwidth", {.above = BytesPerSecond(0)}),
      .compute_capability = read_capability(reader),
      .processors = reader.optional<int>("processors", 0, {.at_least = 1}),
      .matrix_unit = common.matrix_unit,
      .launch_gap = common.launch_gap.value_or(device::generic_launch_gap),
      .efficiency = std::move(common.efficiency),
      .reserve = std::move(common.reserve)};
  type.product = reader.optional<std::string>("product", type.id);
  type.generation = std::move(common.generation);
  if (auto power = reader.optional_object("power")) type.power = read_power(std::move(*power));
  type.source = reader.optional<std::string>("source", {});
  type.note = reader.optional<std::string>("note", {});
  reader.finish();
  return type;
}

// ---- The catalogue

std::string label(const DeviceType& type) { return fmt::format("\"{}\"", type.id); }

// Reports every id or alias that names more than one device.
void require_distinct_names(const json::Value& catalogue, const std::vector<DeviceType>& types,
                            Problems& problems) {
  const json::Value::Elements& devices = catalogue.find("devices")->elements();
  std::map<std::string, std::size_t, std::less<>> named;
  for (std::size_t i = 0; i < types.size(); ++i) {
    std::vector<std::string> names = types[i].aliases;
    names.insert(names.begin(), types[i].id);
    for (const std::string& each : names) {
      const auto [first, is_new] = named.emplace(each, i);
      if (!is_new)
        problems.add(devices[i].place(),
                     fmt::format("\"{}\" already names {}", each, label(types[first->second])));
    }
  }
}

std::vector<DeviceType> read_devices(const json::Value& catalogue, Known& known, Problems& problems) {
  json::Reader reader(catalogue, problems);
  std::vector<DeviceType> types;
  for (const json::Value& device : reader.array("devices")) {
    types.push_back(read_object(device, known, problems));
    known.devices[types.back().id] = types.back().efficiency;
  }
  reader.value("generations");
  reader.finish();
  if (reader.has("devices") && catalogue.find("devices")->kind() == json::Kind::array)
    require_distinct_names(catalogue, types, problems);
  std::sort(types.begin(), types.end(), [](const DeviceType& a, const DeviceType& b) { return a.id < b.id; });
  return types;
}

struct Catalogue {
  Known known{};
  std::vector<DeviceType> types{};
};

// platforms/devices.json, read at the first call.
const Catalogue& catalogue() {
  static const Catalogue read = [] {
    Problems problems;
    const json::Value file = json::parse_file(data_folder("platforms") / "devices.json");
    Catalogue made;
    made.known = read_generations(file, problems);
    made.types = read_devices(file, made.known, problems);
    problems.throw_if_any();
    return made;
  }();
  return read;
}

std::vector<std::string_view> names() {
  std::vector<std::string_view> result;
  for (const DeviceType& type : device_types()) {
    result.push_back(type.id);
    result.insert(result.end(), type.aliases.begin(), type.aliases.end());
  }
  return result;
}

std::string unknown(std::string_view id) { return fmt::format("unknown device type \"{}\"", printable(id)); }

}  // namespace

std::span<const DeviceType> device_types() { return catalogue().types; }

const DeviceType* find_device_type(std::string_view id) {
  for (const DeviceType& type : device_types())
    if (type.id == id || std::find(type.aliases.begin(), type.aliases.end(), id) != type.aliases.end())
      return &type;
  return nullptr;
}

const DeviceType& device_type_named(std::string_view id) {
  const DeviceType* const found = find_device_type(id);
  if (found == nullptr) throw InputError(unknown(id), did_you_mean(id, names()));
  return *found;
}

std::optional<DeviceType> read_device_type(const json::Value& value, Problems& problems) {
  if (value.kind() == json::Kind::string) {
    if (const DeviceType* found = find_device_type(value.string())) return *found;
    problems.add(value.place(), unknown(value.string()), did_you_mean(value.string(), names()));
    return std::nullopt;
  }
  if (value.kind() != json::Kind::object) {
    problems.add(value.place(), fmt::format("expected a device type, found {}", describe(value.kind())),
                 R"(name one, as in "v100", or write an object with "id", "kind", "peak", "memory" ...)");
    return std::nullopt;
  }
  Problems own;
  DeviceType type = read_object(value, catalogue().known, own);
  for (const Problem& problem : own.found()) problems.add(problem);
  if (own.any()) return std::nullopt;
  return type;
}

std::vector<DeviceType> read_device_types(const json::Value& value, Problems& problems) {
  Known known = read_generations(value, problems);
  return read_devices(value, known, problems);
}

}  // namespace wt::platform
