#include <fmt/format.h>

#include <ostream>

#include "base/json_writer.h"
#include "base/rough.h"
#include "base/table.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "device/cpu/host.h"
#include "device/cpu/workers.h"
#include "device/cuda_device.h"
#include "kernel/cpu/isa.h"
#include "scenario/machine.h"
#include "scenario/parse.h"

namespace wt::cli {

namespace {

using device::LogicalDevice;
using device::PhysicalDevice;

std::string details(const device::CudaDevice& gpu) {
  return fmt::format("{}, {}, compute capability {}.{}, {}, {}", gpu.product, rough(gpu.memory),
                     gpu.compute_capability.major, gpu.compute_capability.minor,
                     counted(gpu.processors, "multiprocessor"), gpu.pci_bus_id);
}

// The devices that compute numbers, also those of described devices.
void print_host(std::ostream& out) {
  out << fmt::format("this machine: CPU, {} threads, {}, {} of memory\n", device::hardware_threads(),
                     cpu::name(cpu::best_isa()), rough(device::host_memory()));
  const device::CudaDevices gpus = device::find_cuda_devices();
  for (const device::CudaDevice& gpu : gpus.found)
    out << fmt::format("this machine: GPU {}, {}\n", gpu.ordinal, details(gpu));
  if (gpus.found.empty()) out << fmt::format("no GPU to compute on: {}; {}\n", gpus.reason, gpus.remedy);
}

std::string details(const PhysicalDevice& device) {
  std::string text = fmt::format("{}", device.type->product);
  if (device.type->memory.count() > 0) text += fmt::format(", {}", device.type->memory);
  if (const auto& capability = device.type->compute_capability)
    text += fmt::format(", compute capability {}.{}", capability->major, capability->minor);
  return text;
}

std::string memory(const LogicalDevice& device) {
  if (!device.memory) return "no limit";
  return fmt::format("{} by {}{}", device.memory->limit, device.memory->allocator,
                     device.memory->growth ? ", growing" : "");
}

void print_described(cluster::Machine& machine, std::ostream& out) {
  std::vector<TableRow> physical, logical;
  for (const PhysicalDevice& device : machine.context.list_physical_devices())
    physical.push_back({device::name(device), details(device)});
  for (const LogicalDevice& device : machine.context.list_logical_devices())
    logical.push_back({device::short_name(device), memory(device), device::name(device.physical)});
  out << "physical\n" << print_table(physical, "l", "  ") << "logical\n" << print_table(logical, "l", "  ");
  out << fmt::format(
      "{}, {}\n",
      counted(std::ssize(machine.context.list_physical_devices(device::Kind::gpu)), "Physical GPU"),
      counted(std::ssize(machine.context.list_logical_devices(device::Kind::gpu)), "Logical GPU"));
}

std::string described_json(cluster::Machine& machine) {
  json::Writer out;
  out.begin_object().key("physical").begin_array();
  for (const PhysicalDevice& device : machine.context.list_physical_devices())
    out.begin_object(json::Layout::one_line)
        .member("name", device::name(device))
        .member("device_type", device::name(device.kind))
        .member("product", device.type->product)
        .member("memory_bytes", device.type->memory.count())
        .end_object();
  out.end_array().key("logical").begin_array();
  for (const LogicalDevice& device : machine.context.list_logical_devices()) {
    out.begin_object(json::Layout::one_line)
        .member("name", print(device.name))
        .member("device_type", device::name(device.physical.kind))
        .member("physical", device::name(device.physical));
    if (device.memory) out.member("memory_limit_bytes", device.memory->limit.count());
    out.end_object();
  }
  return out.end_array().end_object().text();
}

}  // namespace

Exit devices(const DevicesOptions& options, const Streams& streams) {
  if (options.file.empty()) {
    print_host(streams.results);
    return Exit::done;
  }
  cluster::Machine machine = scenario::build_machine(scenario::parse_file(options.file, options.overrides));
  print_warnings(machine, streams.messages);
  if (options.json)
    streams.results << described_json(machine);
  else
    print_described(machine, streams.results);
  return Exit::done;
}

Command devices_command(CLI::App& program) {
  return declare(program, "devices", "Prints this machine's devices, or those that a scenario describes",
                 devices, [](CLI::App& command, DevicesOptions& options) {
                   command.add_option("FILE", options.file, "The scenario; default: this machine");
                   add_overrides(command, options.overrides);
                   command.add_flag("--json", options.json, "Prints them as JSON");
                 });
}

}  // namespace wt::cli
