#include "session/compute_times.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>

#include "base/rough.h"
#include "device/cpu/host.h"
#include "platform/device_types.h"
#include "program/operations.h"
#include "scenario/this_machine.h"
#include "strategy/default.h"

namespace wt::session {

namespace {

using device::DeviceType;
using plan::Profile;
using plan::ProfiledDevice;

constexpr std::string_view key = "time.compute";

Seconds time_of(const Step& step, device::Queue& queue, const ComputeOptions& options) {
  const plan::Plan plan = strategy::lower_default(step, {.name = "host"});
  execute::MeasureOptions measure = options.measure;
  measure.long_enough = measure.long_enough / 4;
  measure.fastest = true;
  return execute::measure(plan, plan::DeviceId{}, {}, queue, measure).kernels.begin()->second;
}

// Sizes of the two measured kernels: a matrix product as large as that of a large layer, and an elementwise
// pass over a vector that is larger than the caches.
struct Probe {
  std::int64_t side = 0, passed = 0;
};
Probe probe_of(device::Backend backend) {
  switch (backend) {
    case device::Backend::cpu:
      return {512, std::int64_t{1} << 24};
    case device::Backend::cuda:
      break;
  }
  return {4096, std::int64_t{1} << 26};
}

ProfiledDevice described(const DeviceType& type) {
  return {.type = type.id, .product = type.product, .kind = type.kind};
}

// The type of the device that the profile was measured on.
DeviceType source_type(const Profile& profile, const Place& place) {
  if (profile.device.rates) return plan::type_of(profile.device, device::host_memory());
  if (const DeviceType* type = platform::find_device_type(profile.device.type)) return *type;
  throw InputError(Problem{
      place,
      fmt::format("the profile has no rates of {}, and no device type has its name", name(profile.device)),
      "calibrate again, or name a \"type\" of platforms/devices.json"});
}

}  // namespace

std::string today() {
  std::time_t now = std::time(nullptr);
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(now));
}

ProfiledDevice with_rates(ProfiledDevice device, device::Queue& queue, const ComputeOptions& options) {
  const Probe probe = probe_of(queue.backend());
  const TensorSpec matrix{Type::float32, {probe.side, probe.side}};
  const TensorSpec vector{Type::float32, {probe.passed}};
  const double flops = 2.0 * static_cast<double>(probe.side * probe.side * probe.side);
  const Seconds product = time_of(trace("product",
                                        [&](Trace& trace) {
                                          const Symbol a = trace.input("a", matrix);
                                          trace.result("c", matmul(a, trace.input("b", matrix)));
                                        }),
                                  queue, options);
  const Seconds pass =
      time_of(trace("pass", [&](Trace& trace) { trace.result("y", relu(trace.input("x", vector))); }), queue,
              options);
  device.rates = {.product = FlopsPerSecond(flops / product.count()),
                  .memory = BytesPerSecond(2.0 * static_cast<double>(vector.bytes().count()) / pass.count())};
  return device;
}

ComputeTimes::ComputeTimes(scenario::Scenario& scenario, ComputeOptions options)
    : scenario_(scenario),
      options_(std::move(options)),
      workers_(options_.threads),
      given_(profile_of(scenario)) {
  if (!scenario.time.compute.is_roofline() && uses_this_machine(scenario)) describe_this_machine();
}

device::Queue& ComputeTimes::queue() {
  if (queue_ == nullptr) queue_ = host_device_queue(scenario_, workers_);
  return *queue_;
}

// A profile of this machine contains its rates. They are not measured again, so that runs with the same file
// give the same results.
void ComputeTimes::describe_this_machine() {
  const HostDevice host = host_device(scenario_, options_.threads);
  host_ = host.profiled;
  if (given_ && is_same(given_->device, *host_) && given_->device.rates) {
    host_ = given_->device;
  } else {
    if (options_.note) options_.note("measuring this machine's rates");
    host_ = with_rates(*host_, queue(), options_);
  }
  scenario_.platform.this_machine = plan::type_of(*host_, host.memory);
}

bool ComputeTimes::is_measured() const { return !given_ && !scenario_.time.compute.is_roofline(); }

// Decides which profile holds the times of this device type: the scenario's, one transferred from it, or an
// empty one to measure into.
void ComputeTimes::choose_profile(const DeviceType& type) {
  const bool is_host = type.id == plan::this_machine;
  WT_EXPECT(!is_host || host_, "this machine has not been described");
  const ProfiledDevice wanted = is_host ? *host_ : described(type);
  if (is_measured() && !is_host)
    throw InputError(Problem{
        scenario_.place(key),
        fmt::format("kernels are measured on this machine, and the platform's devices are {}", name(wanted)),
        R"(use the device type "this_machine"; or calibrate, and use {"profile": FILE, "transfer": true})"});
  if (given_ && is_same(given_->device, wanted)) {
    profile_ = given_;
  } else if (given_) {
    const auto& choice = std::get<scenario::ProfileChoice>(scenario_.time.compute.form);
    if (!choice.transfer)
      throw InputError(
          Problem{scenario_.place(key),
                  fmt::format("the profile was measured on {}, and the platform's devices are {}",
                              name(given_->device), name(wanted)),
                  R"(calibrate there, or add "transfer": true for an estimate)"});
    is_transferred_ = true;
    profile_ = Profile{.device = wanted,
                       .date = given_->date,
                       .version = given_->version,
                       .measured_on = given_->measured_on.value_or(name(given_->device))};
  } else {
    profile_ = Profile{.device = wanted, .date = options_.today, .version = options_.version};
  }
}

const Profile* ComputeTimes::of(const plan::Plan& plan, std::span<const DeviceType* const> types,
                                const plan::RooflineOptions& roofline) {
  if (scenario_.time.compute.is_roofline()) return nullptr;
  if (!profile_) choose_profile(*types.front());
  if (is_measured()) measure(plan, types);
  if (is_transferred_)
    transfer(*given_, source_type(*given_, scenario_.place(key)), plan, types, roofline, *profile_);
  return &*profile_;
}

void ComputeTimes::require_memory(const plan::Plan& plan, const plan::Device& device) {
  const Bytes available = queue().memory().available();
  if (!plan.out_of_memory && device.arena <= available) return;
  const std::string fact = plan.out_of_memory
                               ? fmt::format("a step doesn't fit into the memory of {}", device.name)
                               : fmt::format("a step of {} needs {}, and this machine has {}", device.name,
                                             rough(device.arena), rough(available));
  throw InputError(Problem{scenario_.place(key), fact, "measure a smaller batch"});
}

// Medians hide occasional interruptions of a kernel, so the user is warned if whole rounds take much longer
// than the medians predict.
void ComputeTimes::note_rounds(const execute::Measured& found) {
  constexpr double disturbed = 1.25;
  rounds_ = {found.rounds, found.round, found.expected};
  if (options_.note && found.round > found.expected * disturbed)
    options_.note(fmt::format(
        "warning: a round of all kernels takes {} by their medians, and {} as measured; other programs "
        "may be using this machine",
        rough(found.expected), rough(found.round)));
}

void ComputeTimes::measure(const plan::Plan& plan, std::span<const DeviceType* const> types) {
  if (!host_) host_ = with_rates(host_device(scenario_, options_.threads).profiled, queue(), options_);
  if (!profile_) profile_ = Profile{.device = *host_, .date = options_.today, .version = options_.version};
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (types[i]->id != types.front()->id) continue;
    require_memory(plan, plan.devices[i]);
    execute::Measured found =
        execute::measure(plan, static_cast<plan::DeviceId>(i), profile_->kernels, queue(), options_.measure);
    if (rounds_.count == 0) note_rounds(found);
    profile_->kernels.merge(found.kernels);
  }
}

}  // namespace wt::session
