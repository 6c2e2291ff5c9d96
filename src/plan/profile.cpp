#include "plan/profile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json_reader.h"
#include "base/json_writer.h"

namespace wt::plan {

namespace {

constexpr std::string_view format_name = "windtunnel profile";
constexpr int format_version = 1;

std::string list_specs(const std::vector<Operand>& operands) {
  std::vector<std::string> specs;
  for (const Operand& operand : operands) specs.push_back(print(operand.spec));
  return fmt::format("{}", fmt::join(specs, ", "));
}

std::string call_of_run(const Run& run) {
  std::string text =
      fmt::format("{}({}) -> {}", run.kernel->name, list_specs(run.inputs), list_specs(run.outputs));
  if (const std::string attributes = print(*run.attributes); !attributes.empty()) text += " " + attributes;
  return text;
}

// The text of a copy within a device. Only its bytes and the number of its pieces matter.
std::string call_of_move(const Plan& plan, const Move& move) {
  if (plan.buffer(move.source.buffer).device != plan.buffer(move.target.buffer).device) return {};
  std::string text = fmt::format("copy({} bytes", payload(move).count());
  if (!move.more.empty()) text += fmt::format(" in {} pieces", move.more.size() + 1);
  return text + ")";
}

std::string call_of_sum(const Node& node, const Sum& sum) {
  if (node.stream == Stream::none) return {};
  return fmt::format("sum({} of {})", sum.slots.size(), print(sum.output.spec));
}

constexpr json::Named<device::Kind> kinds[] = {
    {"CPU", device::Kind::cpu}, {"GPU", device::Kind::gpu}, {"TPU", device::Kind::tpu}};

ProfiledDevice read_device(json::Reader reader) {
  ProfiledDevice device{.type = reader.required<std::string>("type"),
                        .product = reader.required<std::string>("product"),
                        .kind = reader.one_of("kind", kinds, device::Kind::cpu),
                        .setup = reader.optional<std::string>("setup", "")};
  const json::Range<FlopsPerSecond> positive_flops{.above = FlopsPerSecond(0)};
  const json::Range<BytesPerSecond> positive_bytes{.above = BytesPerSecond(0)};
  if (auto rates = reader.optional_object("rates")) {
    device.rates = {.product = rates->required<FlopsPerSecond>("product", positive_flops),
                    .memory = rates->required<BytesPerSecond>("memory", positive_bytes)};
    rates->finish();
  }
  reader.finish();
  return device;
}

void read_kernel(json::Reader& reader, Profile& profile) {
  const auto call = reader.required<std::string>("call");
  const auto seconds = reader.required<double>("seconds", {.at_least = 0.0, .at_most = 1e9});
  reader.finish();
  if (!profile.kernels.emplace(call, Seconds(seconds)).second)
    reader.problem("call", fmt::format("the call \"{}\" is listed twice", call), "keep one of the two");
}

ProfiledCopy read_copy(json::Reader& reader) {
  ProfiledCopy copy{
      .from = reader.required<std::string>("from"),
      .to = reader.required<std::string>("to"),
      .bytes = reader.required<Bytes>("bytes"),
      .seconds = Seconds(reader.required<double>("seconds", {.at_least = 0.0, .at_most = 1e9}))};
  reader.finish();
  return copy;
}

void require_format(json::Reader& reader) {
  const auto format = reader.optional<std::string>("format", "");
  const auto number = reader.optional<int>("format_version", 0);
  if (format != format_name)
    reader.problem("format", "the file is not a profile",
                   "`windtunnel calibrate SCENARIO --as FILE` writes one");
  else if (number != format_version)
    reader.problem("format_version", fmt::format("format_version {} is not supported", number),
                   "run `windtunnel calibrate` again with this version of the program");
}

void print_copies(const std::vector<ProfiledCopy>& copies, json::Writer& out) {
  if (copies.empty()) return;
  out.key("copies").begin_array();
  for (const ProfiledCopy& copy : copies)
    out.begin_object(json::Layout::one_line)
        .member("from", copy.from)
        .member("to", copy.to)
        .member("bytes", print(copy.bytes))
        .member("seconds", copy.seconds.count())
        .end_object();
  out.end_array();
}

}  // namespace

bool is_same(const ProfiledDevice& one, const ProfiledDevice& other) {
  return one.type == other.type && one.product == other.product && one.setup == other.setup;
}

std::string name(const ProfiledDevice& device) {
  return device.setup.empty() ? device.product : fmt::format("{}, {}", device.product, device.setup);
}

device::DeviceType type_of(const ProfiledDevice& device, Bytes memory) {
  WT_EXPECT(device.rates.has_value(), "the rates of {} have not been measured", device.product);
  using device::Precision;
  return {.id = device.type,
          .product = device.product,
          .kind = device.kind,
          .peak = {{Precision::float32, device.rates->product}},
          .memory = memory,
          .memory_bandwidth = device.rates->memory,
          .launch_gap = Seconds(0),
          .efficiency = {{Precision::float32,
                          {.convolution = 1, .product = 1, .memory = 1, .source = "measured rates"}}}};
}

std::string call_of(const Plan& plan, const Node& node) {
  if (const auto* run = std::get_if<Run>(&node.action)) return call_of_run(*run);
  if (const auto* move = std::get_if<Move>(&node.action)) return call_of_move(plan, *move);
  if (const auto* sum = std::get_if<Sum>(&node.action)) return call_of_sum(node, *sum);
  return {};
}

Profile read_profile(const json::Value& file) {
  Problems problems;
  json::Reader reader(file, problems);
  require_format(reader);
  problems.throw_if_any();  // further problems of a file in another format would be noise
  Profile profile{.device = read_device(reader.object("device")),
                  .date = reader.required<std::string>("date"),
                  .version = reader.required<std::string>("version"),
                  .measured_on = reader.maybe<std::string>("measured_on")};
  for (json::Reader& kernel : reader.objects("kernels")) read_kernel(kernel, profile);
  if (reader.has("copies"))
    for (json::Reader& copy : reader.objects("copies")) profile.copies.push_back(read_copy(copy));
  reader.finish();
  problems.throw_if_any();
  return profile;
}

std::string print(const Profile& profile) {
  json::Writer out;
  out.begin_object()
      .member("format", format_name)
      .member("format_version", format_version)
      .member("version", profile.version)
      .member("date", profile.date)
      .key("device")
      .begin_object()
      .member("type", profile.device.type)
      .member("product", profile.device.product)
      .member("kind", name(profile.device.kind));
  if (!profile.device.setup.empty()) out.member("setup", profile.device.setup);
  if (const auto& rates = profile.device.rates)
    out.key("rates")
        .begin_object(json::Layout::one_line)
        .member("product", print(rates->product))
        .member("memory", print(rates->memory))
        .end_object();
  out.end_object();
  if (profile.measured_on) out.member("measured_on", *profile.measured_on);
  out.key("kernels").begin_array();
  for (const auto& [call, seconds] : profile.kernels)
    out.begin_object(json::Layout::one_line)
        .member("call", call)
        .member("seconds", seconds.count())
        .end_object();
  out.end_array();
  print_copies(profile.copies, out);
  return out.end_object().text();
}

}  // namespace wt::plan
