#include "report/planned.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/rough.h"

namespace wt::report {

namespace {

using json::Layout;

void write_kinds(json::Writer& out, std::string_view key, const plan::Holdings& held) {
  out.key(key).begin_object();
  for (const auto& [kind, bytes] : held.by_kind) out.member(plan::name(kind), bytes.count());
  out.end_object();
}

void write_memory(json::Writer& out, const plan::MemoryReport& memory) {
  out.key("memory").begin_array();
  for (const plan::DeviceMemory& device : memory.devices) {
    out.begin_object().member("device", device.device).member("verdict", plan::name(device.verdict));
    if (device.limit) out.member("limit_bytes", device.limit->count());
    out.member("arena_bytes", device.arena.count());
    if (device.on_this_machine != device.arena)
      out.member("bytes_on_this_machine", device.on_this_machine.count());
    out.member("fragmentation_bytes", device.fragmentation.count());
    write_kinds(out, "bytes_at_peak", device.at_peak);
    out.end_object();
  }
  out.end_array();
}

void write_shortage(json::Writer& out, const plan::Shortage& shortage) {
  out.key("shortage")
      .begin_object()
      .member("message", shortage.message)
      .member("device", shortage.device)
      .member("tensor", shortage.buffer.name)
      .member("kind", plan::name(shortage.buffer.kind))
      .member("bytes", shortage.buffer.bytes.count())
      .member("kernel", shortage.kernel)
      .member("layer", shortage.scope)
      .member("free_bytes", shortage.free.count())
      .member("largest_free_bytes", shortage.largest_free.count());
  write_kinds(out, "held_bytes", shortage.held);
  out.key("largest").begin_array();
  for (const plan::HeldBuffer& buffer : shortage.held.largest)
    out.begin_object(Layout::one_line)
        .member("tensor", buffer.name)
        .member("kind", plan::name(buffer.kind))
        .member("bytes", buffer.bytes.count())
        .end_object();
  out.end_array().end_object();
}

void write_reduction(json::Writer& out, const strategy::ReductionChoice& reduction) {
  out.key("reduction").begin_object().member("name", reduction.name).member("algorithm", reduction.algorithm);
  if (!reduction.protocol.empty()) out.member("protocol", reduction.protocol);
  out.member("why", reduction.why);
  if (!reduction.otherwise.empty()) out.member("otherwise", reduction.otherwise);
  out.end_object();
}

// Devices with the same limit and contents share one line.
bool hold_the_same(const plan::DeviceMemory& a, const plan::DeviceMemory& b) {
  return a.limit == b.limit && a.arena == b.arena && a.at_peak.by_kind == b.at_peak.by_kind;
}

std::string device_text(const plan::DeviceMemory& device, std::size_t others) {
  std::string text = fmt::format("memory of {}", device.device);
  if (others > 0) text += fmt::format(" and {} like it", others);
  text += fmt::format(": {} planned", rough(device.arena));
  if (device.limit) text += fmt::format(" of {}", rough(*device.limit));
  std::string_view separator = "; at the peak ";
  for (const auto& [kind, bytes] : device.at_peak.by_kind) {
    if (bytes == Bytes(0)) continue;
    text += fmt::format("{}{} {}", separator, plan::name(kind), rough(bytes));
    separator = ", ";
  }
  return text + "\n";
}

std::string reduction_text(const session::Planned& planned) {
  if (planned.replicas == 1 && planned.devices_of_each == 1) return "";
  if (!planned.reduction) return replicas_text(planned) + "\n";
  const strategy::ReductionChoice& reduction = *planned.reduction;
  const std::string text = fmt::format("{}; gradients: {}, {} ({})\n", replicas_text(planned), reduction.name,
                                       print(reduction), reduction.why);
  return reduction.otherwise.empty() ? text : text + "  " + reduction.otherwise + "\n";
}

}  // namespace

std::string replicas_text(const session::Planned& planned) {
  std::string text = counted(planned.replicas, "replica");
  if (planned.devices_of_each > 1)
    text += fmt::format(" on {} each", counted(planned.devices_of_each, "core"));
  if (planned.workers > 1) text += fmt::format(" of {}", counted(planned.workers, "worker"));
  const auto [least, most] = std::ranges::minmax(planned.replica_rows);
  return text + (least == most ? fmt::format(", {} each", counted(most, "row"))
                               : fmt::format(", {} to {} each", least, counted(most, "row")));
}

void write_planned(json::Writer& out, const session::Planned& planned) {
  out.key("model")
      .begin_object()
      .member("name", planned.model)
      .member("parameters", planned.trainable_parameters + planned.other_parameters)
      .member("trainable_parameters", planned.trainable_parameters)
      .end_object();
  out.key("planned")
      .begin_object()
      .member("replicas", planned.replicas)
      .member("workers", planned.workers)
      .key("replica_rows")
      .begin_array(Layout::one_line);
  for (const std::int64_t rows : planned.replica_rows) out.value(rows);
  out.end_array();
  if (planned.reduction) write_reduction(out, *planned.reduction);
  out.member("global_batch", planned.global_batch)
      .member("epochs", planned.epochs)
      .member("steps", planned.steps);
  write_memory(out, planned.memory);
  if (planned.memory.shortage) write_shortage(out, *planned.memory.shortage);
  out.end_object();
}

std::string planned_text(const session::Planned& planned) {
  std::string text =
      fmt::format("model {}: {} parameters, {} of them trainable\n", planned.model,
                  planned.trainable_parameters + planned.other_parameters, planned.trainable_parameters);
  text += reduction_text(planned);
  const std::vector<plan::DeviceMemory>& devices = planned.memory.devices;
  for (std::size_t i = 0; i < devices.size();) {
    std::size_t end = i + 1;
    while (end < devices.size() && hold_the_same(devices[i], devices[end])) ++end;
    text += device_text(devices[i], end - i - 1);
    i = end;
  }
  return text + fmt::format("{} of {} in {}\n", counted(planned.steps, "step"),
                            counted(planned.global_batch, "row"), counted(planned.epochs, "epoch"));
}

}  // namespace wt::report
