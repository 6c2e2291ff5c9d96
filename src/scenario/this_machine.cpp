#include "scenario/this_machine.h"

#include "base/json_writer.h"
#include "device/cpu/host.h"

namespace wt::scenario {

namespace {

using Path = std::vector<std::string>;

bool is_name(const json::Value& value) {
  return value.kind() == json::Kind::string && value.string() == plan::this_machine;
}

// "type", or "machine.devices.type" in a `set`.
bool names_a_type(std::string_view key) { return key == "type" || key.ends_with(".type"); }

// The places at which the name stands as the type of devices or hosts.
void find_names(const json::Value& value, const Path& at, std::vector<Path>& found) {
  if (value.kind() != json::Kind::object) return;
  for (const json::Member& member : value.members()) {
    Path inside = at;
    inside.push_back(member.key);
    if (names_a_type(member.key) && is_name(member.value)) found.push_back(inside);
    find_names(member.value, inside, found);
  }
}

std::vector<Path> names_in(const json::Value& written) {
  std::vector<Path> found;
  find_names(written, {}, found);
  return found;
}

// As platforms/devices.json has it. Until somebody measures them, rates are round numbers: nothing is timed
// with them.
json::Value description(const Scenario& scenario) {
  const bool is_gpu = scenario.numerics == Numerics::cuda;
  const device::DeviceType type = scenario.platform.this_machine.value_or(
      plan::type_of({.type = std::string(plan::this_machine),
                     .product = is_gpu ? "GPU" : device::host_product(),
                     .kind = is_gpu ? device::Kind::gpu : device::Kind::cpu,
                     .rates = {{FlopsPerSecond(1e11), BytesPerSecond(1e10)}}},
                    device::host_memory()));
  const device::Efficiency& efficiency = type.efficiency.at(device::Precision::float32);
  json::Writer out(json::Layout::one_line);
  out.begin_object()
      .member("id", type.id)
      .member("product", type.product)
      .member("kind", name(type.kind))
      .key("peak")
      .begin_object()
      .member("float32", print(type.peak.at(device::Precision::float32)))
      .end_object()
      .member("memory", print(type.memory))
      .member("memory_bandwidth", print(type.memory_bandwidth))
      .member("launch_gap", print(type.launch_gap))
      .key("efficiency")
      .begin_object()
      .key("float32")
      .begin_object()
      .member("convolution", efficiency.convolution)
      .member("product", efficiency.product)
      .member("memory", efficiency.memory)
      .member("source", efficiency.source)
      .end_object()
      .end_object();
  return json::parse(out.end_object().text(), std::string(plan::this_machine));
}

// A platform of a single such device.
json::Value alone() {
  return json::parse(R"({"virtual": {"devices": 1, "type": "this_machine"}})",
                     std::string(plan::this_machine));
}

}  // namespace

bool uses_this_machine(const Scenario& scenario) {
  if (!scenario.platform.written) return !scenario.time.compute.is_roofline();
  return !names_in(*scenario.platform.written).empty();
}

std::optional<json::Value> platform_of(const Scenario& scenario) {
  const PlatformChoice& choice = scenario.platform;
  if (!choice.written && !uses_this_machine(scenario)) return std::nullopt;
  json::Value platform = choice.written ? *choice.written : alone();
  const std::vector<Path> names = names_in(platform);
  if (!names.empty() && scenario.time.compute.is_roofline())
    throw InputError(Problem{choice.written->place(),
                             "of this_machine no data sheet is known: its time must be measured",
                             R"(add "time": {"compute": "measured"})"});
  for (const Path& path : names) platform = replaced(platform, path, description(scenario));
  return platform;
}

std::optional<plan::Profile> profile_of(const Scenario& scenario) {
  const auto* choice = std::get_if<ProfileChoice>(&scenario.time.compute.form);
  if (choice == nullptr) return std::nullopt;
  return plan::read_profile(json::parse_file(choice->profile.path, scenario.place("time.compute.profile")));
}

}  // namespace wt::scenario
