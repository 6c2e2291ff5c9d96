#include "recommend/ladder.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json_writer.h"
#include "base/rough.h"
#include "platform/load.h"
#include "platform/slice.h"

namespace wt::recommend {

namespace {

using platform::Loaded;

std::string platform_text(const std::string& name, std::string_view set) {
  return fmt::format(R"({{"file": {}, "set": {{{}}}}})", json::quote(name), set);
}

// The rule "auto" chooses the strategy. Between machines, TensorFlow's own choice of what adds gradients may be its
// ring, where NCCL is to be asked for.
std::vector<std::string> strategies(std::int64_t machines, const device::DeviceType& device) {
  std::vector<std::string> all{R"({"type": "auto"})"};
  if (machines > 1 && device.kind == device::Kind::gpu)
    all.emplace_back(R"({"type": "auto", "communication": "nccl"})");
  return all;
}

Loaded with(const std::string& name, std::string_view key, std::int64_t count) {
  return platform::load(name, {platform::parse_parameter(fmt::format("{}={}", key, count))});
}

// ---- TPUs

Size slice_of(const std::string& name, const platform::Ici& ici, const platform::Shape& shape) {
  const std::int64_t chips = shape.count();
  const std::int64_t of_chip = ici.device == platform::Unit::core ? ici.cores : 1;
  return {.text = fmt::format("slice {}", print(shape)),
          .platform = platform_text(name, fmt::format(R"("slice": "{}")", print(shape))),
          .count = chips,
          .machines = std::max<std::int64_t>(1, chips / std::max<std::int64_t>(1, ici.host.count())),
          .replicas = chips * of_chip};
}

// One slice for each number of chips: the one that TensorFlow's number of replicas means.
void add_slices(Ladder& ladder, const platform::Ici& ici, std::int64_t most_devices) {
  std::int64_t chips = 0;
  for (const platform::Shape& shape : platform::shapes_of(ici)) {
    if (shape.count() == chips) continue;
    chips = shape.count();
    const std::int64_t replicas = chips * (ici.device == platform::Unit::core ? ici.cores : 1);
    const auto usual = platform::slice_of_replicas(ici, replicas).shape;
    Size size = slice_of(ladder.platform, ici, usual.value_or(shape));
    if (size.replicas > most_devices && !ladder.sizes.empty()) {
      ladder.end =
          fmt::format("larger slices than {} devices are not considered (--max-devices)", most_devices);
      return;
    }
    ladder.sizes.push_back(std::move(size));
  }
  ladder.end = "the pod is not larger; several slices are not considered";
}

// ---- Machines

Size machines_of(const std::string& name, std::int64_t machines, std::int64_t each) {
  return {.text = counted(machines, "machine"),
          .platform = platform_text(name, fmt::format(R"("machines": {})", machines)),
          .count = machines,
          .machines = machines,
          .replicas = machines * each};
}

Size ranks_of(const std::string& name, std::int64_t ranks) {
  return {.text = counted(ranks, "device"),
          .platform = platform_text(name, fmt::format(R"("ranks": {}, "machines": 1)", ranks)),
          .count = ranks,
          .replicas = ranks};
}

std::string first_fact(const InputError& error) { return error.problems().front().fact; }

// The platform as its file has it, where its number of machines is no key: one of another program.
void add_as_it_is(Ladder& ladder, const Loaded& loaded, std::string why) {
  const std::int64_t machines = loaded.platform.machines(), devices = loaded.platform.devices();
  ladder.sizes.push_back({.text = counted(machines, "machine"),
                          .platform = platform_text(ladder.platform, ""),
                          .count = machines,
                          .machines = machines,
                          .replicas = devices});
  ladder.end = std::move(why);
}

void add_machines(Ladder& ladder, const Loaded& loaded, std::int64_t most_devices) {
  std::int64_t each = 0;
  try {
    each = with(ladder.platform, "machines", 1).platform.devices();
  } catch (const InputError& error) {
    return add_as_it_is(ladder, loaded, first_fact(error));
  }
  std::int64_t most = std::max<std::int64_t>(1, most_devices / each);
  ladder.end = fmt::format("more than {} devices are not considered (--max-devices)", most_devices);
  try {
    const bool is_ranks = with(ladder.platform, "machines", 2).platform.devices() == each && each > 1;
    if (is_ranks) ladder.unit = "device";
  } catch (const InputError& error) {
    most = 1;
    ladder.end = first_fact(error);
  }
  if (ladder.unit == "device") most = most_devices;
  for (std::int64_t count = 1; count <= most; ++count)
    ladder.sizes.push_back(ladder.unit == "device" ? ranks_of(ladder.platform, count)
                                                   : machines_of(ladder.platform, count, each));
}

const device::DeviceType& device_of(const Loaded& loaded) {
  const platform::Platform& platform = loaded.platform;
  const device::DeviceType& first = platform.type(platform.device(0));
  for (std::int32_t i = 1; i < platform.devices(); ++i)
    if (platform.type(platform.device(i)).id != first.id)
      throw InputError(fmt::format("{} has devices of several types", platform.name()),
                       "recommend compares platforms of equal devices");
  return first;
}

}  // namespace

Ladder ladder_of(const std::string& name, std::int64_t most_devices) {
  const Loaded loaded = platform::load(name);
  Ladder ladder{.platform = name, .unit = loaded.ici ? "chip" : "machine", .device = device_of(loaded)};
  if (const platform::Calibration* own = loaded.platform.calibration()) ladder.calibrated = own->kernels;
  if (loaded.ici)
    add_slices(ladder, *loaded.ici, most_devices);
  else
    add_machines(ladder, loaded, most_devices);
  for (Size& size : ladder.sizes) size.strategies = strategies(loaded.ici ? 1 : size.machines, ladder.device);
  return ladder;
}

}  // namespace wt::recommend
