#include "timing/software.h"

#include <algorithm>
#include <utility>

#include "base/installation.h"
#include "base/json_reader.h"
#include "plan/recurrence.h"
#include "plan/traffic.h"

namespace wt::timing {

namespace {

using json::Reader;

const json::Range<Seconds> time{.at_least = Seconds(0)};

PerReplicas per_replicas(Reader& reader) {
  return {.alone = reader.required<Seconds>("alone", time),
          .first = reader.required<Seconds>("first", time),
          .further = reader.required<Seconds>("further", time)};
}

void finish(Reader& reader) {
  reader.required<std::string>("source");
  reader.finish();
}

// What the host does for the operations of one replica, which the plan's first device runs.
struct Operations {
  double launches = 0;
  Seconds loops{};  // of recurrent layers
};

Operations operations_of(const plan::Plan& plan, const device::DeviceType& type,
                         const plan::RooflineOptions& roofline, const SoftwareConstants& constants) {
  const bool is_gpu = type.kind == device::Kind::gpu;
  const Seconds loop_step = is_gpu ? constants.loop_step_of_gpu : constants.loop_step_of_cpu;
  const std::vector<plan::Traffic> traffic = plan::traffic_of(plan, roofline.fusion, roofline.precision);
  Operations operations;
  for (std::size_t id = 0; id < plan.nodes.size(); ++id) {
    const auto* run = std::get_if<plan::Run>(&plan.nodes[id].action);
    if (run == nullptr || run->device != plan::DeviceId{}) continue;
    const std::optional<plan::Recurrence> recurrence = plan::recurrence_of(*run);
    if (!recurrence)
      operations.launches += traffic[id].launches;
    else if (recurrence->is_in_library && is_gpu)
      operations.launches += 1;
    else
      operations.loops += loop_step * (recurrence->launches() / plan::launches_of_loop_step);
  }
  return operations;
}

Software of_loop(const Operations& operations, bool is_one_program, const SoftwareOptions& options,
                 const SoftwareConstants& constants) {
  const Seconds compiled =
      is_one_program ? Seconds(0) : constants.operation * operations.launches + operations.loops;
  const auto replicas = static_cast<double>(options.replicas);
  switch (options.loop) {
    case HostLoop::eager:
      return {.launching = constants.eager.of(options) + options.agreement +
                           (constants.eager_operation * operations.launches + operations.loops) * replicas};
    case HostLoop::fit: {
      const Seconds between =
          constants.fit.at(options.version).of(options) / static_cast<double>(options.at_once);
      if (options.at_once == 1) return {.between = between + options.agreement, .launching = compiled};
      return {.between = between, .launching = compiled + constants.function.of(options) + options.agreement};
    }
    case HostLoop::function:
      break;
  }
  return {.launching = compiled + constants.function.of(options) + options.agreement};
}

// What replicas add to a step of one replica that was measured.
Software beyond(const Software& one, Seconds measured, Software software) {
  software.between = std::max(Seconds(0), software.between - one.between);
  if (one.launching > measured) software.launching = software.launching * (measured / one.launching);
  return software;
}

}  // namespace

SoftwareConstants read_software_constants(const std::filesystem::path& file) {
  Problems problems;
  const json::Value text = json::parse_file(file);
  Reader reader(text, problems);
  SoftwareConstants constants;
  Reader function = reader.object("function"), fit = reader.object("fit"), eager = reader.object("eager");
  constants.function = per_replicas(function);
  finish(function);
  for (const std::string version : {"keras2", "keras3"}) {
    Reader row = fit.object(version);
    constants.fit[version] = per_replicas(row);
    row.finish();
  }
  finish(fit);
  constants.eager = per_replicas(eager);
  constants.eager_operation = eager.required<Seconds>("operation", time);
  finish(eager);
  Reader operation = reader.object("operation"), loop = reader.object("loop_step");
  constants.operation = operation.required<Seconds>("time", time);
  finish(operation);
  constants.loop_step_of_gpu = loop.required<Seconds>("gpu", time);
  constants.loop_step_of_cpu = loop.required<Seconds>("cpu", time);
  finish(loop);
  Reader tracing = reader.object("tracing");
  for (const std::string version : {"keras2", "keras3"}) {
    Reader row = tracing.object(version);
    constants.tracing[version] = {.replica = row.required<Seconds>("replica", time),
                                  .operation = row.required<Seconds>("operation", time)};
    row.finish();
  }
  finish(tracing);
  Reader decoding = reader.object("decoding");
  for (const std::string format : {"csv", "tfrecord"}) {
    Reader row = decoding.object(format);
    constants.decoders[format] = {.row = row.required<Seconds>("row", time),
                                  .rate = row.required<BytesPerSecond>("rate", {.above = BytesPerSecond(0)})};
    row.finish();
  }
  finish(decoding);
  reader.finish();
  problems.throw_if_any();
  return constants;
}

const SoftwareConstants& software_constants() {
  static const SoftwareConstants all = read_software_constants(data_folder("platforms") / "software.json");
  return all;
}

// Fit reads the loss of each execution before it asks the workers for the next rows, so that they agree between steps.
// XLA's program is a single operation for the host. Several steps in one execution come back to Python once; inside
// it, each is a step of a compiled loop.
Software software_of(const plan::Plan& plan, const device::DeviceType& type,
                     const plan::RooflineOptions& roofline, const SoftwareOptions& options,
                     const SoftwareConstants& constants) {
  const Operations operations = operations_of(plan, type, roofline, constants);
  const bool is_one_program = roofline.fusion != plan::Fusion::none;
  Software software = of_loop(operations, is_one_program, options, constants);
  if (options.measured) {
    SoftwareOptions of_one = options;
    of_one.replicas = 1;
    of_one.agreement = Seconds(0);
    software = beyond(of_loop(operations, is_one_program, of_one, constants), *options.measured, software);
  }
  // The executor that launches operations also runs those of a CPU.
  if (type.kind == device::Kind::cpu) software.between += std::exchange(software.launching, Seconds(0));
  return software;
}

Seconds tracing_of(const plan::Plan& plan, const device::DeviceType& type, const SoftwareOptions& options,
                   const SoftwareConstants& constants) {
  if (options.loop == HostLoop::eager) return {};
  const Tracing& tracing = constants.tracing.at(options.version);
  const Operations operations = operations_of(plan, type, {}, constants);
  return (tracing.replica + tracing.operation * operations.launches) * static_cast<double>(options.replicas);
}

}  // namespace wt::timing
