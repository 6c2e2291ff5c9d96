#include "scenario/expenses.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/utf8.h"
#include "cluster/roles.h"
#include "platform/load.h"
#include "platform/slice.h"

namespace wt::scenario {

namespace {

// The name of a platform that the scenario contains as an object (platform::from_json).
constexpr std::string_view inline_platform = "platform";

void check_price_alone(const Scenario& scenario, const std::string& path, const cost::Price& price,
                       Problems& problems) {
  const auto report = [&](std::string_view key, std::string fact, std::string remedy) {
    problems.add(scenario.place(fmt::format("{}.{}", path, key)), std::move(fact), std::move(remedy));
  };
  const auto of_purchase = [&](std::string_view key, bool is_given) {
    if (is_given && price.rent)
      report(key, fmt::format("\"{}\" belongs to a \"purchase\", and the price is a rent", key),
             "leave it out");
  };
  of_purchase("per", price.per.has_value());
  of_purchase("lifetime", price.lifetime.has_value());
  of_purchase("utilization", price.utilization.has_value());
  of_purchase("pue", price.overhead.has_value());
  of_purchase("electricity", price.energy.has_value());
  of_purchase("power", price.power.has_value());
  if (price.purchase && price.terms)
    report("terms", "\"terms\" belong to a \"rent\", and the price is a purchase", "leave them out");
  if (price.purchase && !price.lifetime)
    report("purchase", "a purchase is spread over a lifetime, and this one has none",
           R"(add "lifetime", as in "4 years")");
  if (price.utilization && *price.utilization <= 0)
    report("utilization", "a machine that is never used has no price of an hour", "write a share above 0");
  if (price.purchase && price.energy && price.purchase->currency() != price.energy->kilowatt_hour.currency())
    report("electricity",
           fmt::format("{} and {} are never added", price.purchase->currency(),
                       price.energy->kilowatt_hour.currency()),
           "give both in one currency");
  if (price.date && !cost::is_date(*price.date))
    report("date", fmt::format("\"{}\" is not a date", printable(*price.date)),
           R"(write it as in "2026-11-23")");
}

// The devices on which the replicas of all workers compute. Logical devices may share a physical one.
std::set<platform::Endpoint> devices_of(const cluster::Machine& machine) {
  std::set<platform::Endpoint> devices;
  const auto add = [&](const std::vector<cluster::Replica>& replicas) {
    for (const cluster::Replica& replica : replicas)
      for (const device::LogicalDevice& device : replica.devices())
        devices.insert(machine.endpoint(print(device.name)));
  };
  add(machine.replicas);
  if (machine.pool)
    for (const std::vector<cluster::Replica>& worker : machine.pool->workers) add(worker);
  return devices;
}

// The machines of all tasks: those on which replicas compute, and those of servers, a coordinator and evaluators.
struct Occupied {
  std::set<std::int32_t> all{};
  std::set<std::int32_t> services{};  // those of `all` without a replica
};
Occupied occupied_by(const cluster::Machine& machine) {
  Occupied occupied;
  for (const platform::Endpoint device : devices_of(machine))
    occupied.all.insert(machine.platform->machine_of(device));
  if (!machine.cluster) return occupied;
  for (const cluster::Task& task : machine.cluster->tasks)
    if (occupied.all.insert(task.machine).second) occupied.services.insert(task.machine);
  return occupied;
}

// Adds the published power of machines like this one: of their devices, and of the sockets of their hosts.
void add_power(const platform::Platform& platform, std::int32_t machine, std::int64_t machines,
               cost::Rented& rented) {
  const std::vector<platform::Endpoint> devices = platform.devices_of(machine);
  const std::vector<platform::Endpoint> hosts = platform.hosts_of(machine);
  const device::DeviceType& device = platform.type(devices.front());
  const device::DeviceType& host = platform.type(hosts.front());
  if (!rented.why_no_power.empty()) return;
  for (const device::DeviceType* type : {&device, &host})
    if (!type->power) {
      rented.power.reset();
      rented.why_no_power = fmt::format("{} has no published power here", type->product);
      return;
    }
  // A device that is a CPU is one of the sockets.
  const std::int64_t sockets =
      std::ssize(hosts) -
      (device.kind == device::Kind::cpu ? std::min(std::ssize(devices), std::ssize(hosts)) : 0);
  const Watts power = (device.power->power * std::ssize(devices) + host.power->power * sockets) * machines;
  rented.power = rented.power ? *rented.power + power : power;
}

}  // namespace

void check_expenses(const Scenario& scenario, Problems& problems) {
  if (!scenario.cost) return;
  std::map<std::string, std::string> priced;  // by name of the platform, the text that means it
  for (const auto& [text, price] : scenario.cost->prices) {
    const std::string path = "cost.prices." + text;
    check_price_alone(scenario, path, price, problems);
    const platform::Meant meant = platform::platform_meant(text, inline_platform);
    if (!meant.name) {
      problems.add(scenario.place(path), meant.fact, meant.remedy);
      continue;
    }
    const auto [other, is_new] = priced.emplace(*meant.name, text);
    if (!is_new)
      problems.add(
          scenario.place(path),
          fmt::format("\"{}\" and \"{}\" are prices of the same platform", other->second, printable(text)),
          "keep one of them");
  }
}

const cost::Price* price_of(const Scenario& scenario, std::string_view platform) {
  if (!scenario.cost) return nullptr;
  for (const auto& [text, price] : scenario.cost->prices)
    if (platform::platform_meant(text, inline_platform).name == platform) return &price;
  return nullptr;
}

std::int64_t machines_in_use(const cluster::Machine& machine) {
  if (machine.platform->slice() != nullptr) return machine.platform->machines();
  return std::ssize(occupied_by(machine).all);
}

cost::Rented rented_by(const Scenario& scenario, const cluster::Machine& machine) {
  const platform::Platform& platform = *machine.platform;
  const std::int64_t spares = scenario.cost ? scenario.cost->spares : 0;
  cost::Rented rented{.spares = spares};
  if (const platform::Slice* slice = platform.slice()) {
    rented.slices = platform.machines() / slice->hosts + spares;
    rented.machines = rented.slices * slice->hosts;
    rented.chips = rented.slices * slice->chips;
    add_power(platform, 0, rented.machines, rented);
  } else {
    const auto [all, services] = occupied_by(machine);
    const auto devices = [&](std::int32_t number) { return std::ssize(platform.devices_of(number)); };
    rented.services = std::ssize(services);
    rented.machines = std::ssize(all) + spares;
    rented.chips =
        std::ssize(devices_of(machine)) + spares * devices(*all.begin());  // spares are like the first
    for (const std::int32_t service : services) rented.chips += devices(service);
    for (const std::int32_t number : all) add_power(platform, number, 1, rented);
    if (spares > 0) add_power(platform, *all.begin(), spares, rented);
  }
  if (scenario.cost && scenario.cost->hosts) {
    rented.hosts = scenario.cost->hosts->count;
    rented.host_price = scenario.cost->hosts->price;
  }
  return rented;
}

void check_price(const Scenario& scenario, const cluster::Machine& machine, Problems& problems) {
  const cost::Price* price = price_of(scenario, machine.platform->name());
  if (price == nullptr) return;
  std::set<std::int32_t> groups;
  for (const std::int32_t number : occupied_by(machine).all)
    groups.insert(machine.platform->group_of(number));
  if (groups.size() > 1) {
    problems.add(
        scenario.place("cost.prices"),
        fmt::format("the price is that of one kind of machine, and the job takes machines of {} kinds",
                    groups.size()),
        "leave the price out: machines of several kinds have no price yet");
    return;
  }
  const Parsed<cost::Cost> bill =
      cost::bill(*price, rented_by(scenario, machine), {.job = Seconds(1), .samples = 1});
  if (!bill.value) problems.add(scenario.place("cost.prices"), bill.fact, bill.remedy);
}

}  // namespace wt::scenario
