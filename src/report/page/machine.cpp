#include "report/page/machine.h"

#include <algorithm>
#include <map>

#include "report/page/columns.h"

namespace wt::report {

namespace {

using platform::DrawnMachine, platform::DrawnNode, platform::DrawnWire, platform::Drawing;

void write_nodes(json::Writer& out, const std::vector<DrawnNode>& nodes) {
  out.key("nodes").begin_object();
  write_column(out, "name", nodes, [](auto& to, const DrawnNode& node) { to.value(node.name); });
  write_column(out, "label", nodes, [](auto& to, const DrawnNode& node) { to.value(node.label); });
  write_column(out, "kind", nodes, [](auto& to, const DrawnNode& node) { to.value(node.kind); });
  write_column(out, "machine", nodes, [](auto& to, const DrawnNode& node) { to.value(node.machine); });
  write_column(out, "level", nodes, [](auto& to, const DrawnNode& node) { to.value(node.level); });
  write_column(out, "x", nodes, [](auto& to, const DrawnNode& node) { to.value(node.x); });
  write_column(out, "y", nodes, [](auto& to, const DrawnNode& node) { to.value(node.y); });
  write_column(out, "coordinates", nodes, [](auto& to, const DrawnNode& node) {
    if (node.coordinates.empty()) {
      to.null();
      return;
    }
    to.begin_array();
    for (const std::int32_t at : node.coordinates) to.value(at);
    to.end_array();
  });
  out.end_object();
}

void write_frames(json::Writer& out, const std::vector<DrawnMachine>& machines) {
  out.key("machines").begin_object();
  write_column(out, "name", machines, [](auto& to, const DrawnMachine& frame) { to.value(frame.name); });
  write_column(out, "x0", machines, [](auto& to, const DrawnMachine& frame) { to.value(frame.left); });
  write_column(out, "y0", machines, [](auto& to, const DrawnMachine& frame) { to.value(frame.top); });
  write_column(out, "x1", machines, [](auto& to, const DrawnMachine& frame) { to.value(frame.right); });
  write_column(out, "y1", machines, [](auto& to, const DrawnMachine& frame) { to.value(frame.bottom); });
  out.end_object();
}

class Loads {
 public:
  Loads(std::span<const plan::LinkUse> links, Seconds time) : time_(time) {
    for (const plan::LinkUse& link : links) by_name_[link.name] = &link;
  }

  std::int64_t carried(const std::string& name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? 0 : found->second->carried.count();
  }
  double busy(const std::string& name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? 0 : found->second->busy.count();
  }
  double share(const DrawnWire& wire) const {
    const auto most = static_cast<double>(std::max(carried(wire.name), carried(wire.back_name)));
    return time_ > Seconds(0) ? most / wire.bandwidth.count() / time_.count() : 0;
  }

 private:
  std::map<std::string, const plan::LinkUse*> by_name_{};
  Seconds time_;
};

void write_wires(json::Writer& out, const std::vector<DrawnWire>& wires, const Loads& loads) {
  out.key("links").begin_object();
  const auto column = [&](std::string_view key, auto write) { write_column(out, key, wires, write); };
  column("name", [](auto& to, const DrawnWire& wire) { to.value(wire.name); });
  column("back_name", [](auto& to, const DrawnWire& wire) {
    if (wire.back_name.empty())
      to.null();
    else
      to.value(wire.back_name);
  });
  column("from", [](auto& to, const DrawnWire& wire) { to.value(wire.from); });
  column("to", [](auto& to, const DrawnWire& wire) { to.value(wire.to); });
  column("kind", [](auto& to, const DrawnWire& wire) { to.value(name(wire.kind)); });
  column("bytes_per_second", [](auto& to, const DrawnWire& wire) { to.value(wire.bandwidth.count()); });
  column("carried_bytes", [&](auto& to, const DrawnWire& wire) { to.value(loads.carried(wire.name)); });
  column("back_carried_bytes",
         [&](auto& to, const DrawnWire& wire) { to.value(loads.carried(wire.back_name)); });
  column("busy_s", [&](auto& to, const DrawnWire& wire) { to.value(loads.busy(wire.name)); });
  column("back_busy_s", [&](auto& to, const DrawnWire& wire) { to.value(loads.busy(wire.back_name)); });
  column("load_share", [&](auto& to, const DrawnWire& wire) { to.value(loads.share(wire)); });
  column("wraps", [](auto& to, const DrawnWire& wire) { to.value(wire.wraps ? 1 : 0); });
  out.end_object();
}

}  // namespace

void write_machine(json::Writer& out, const Drawing& drawing, std::span<const plan::LinkUse> links,
                   Seconds time) {
  out.key("machine").begin_object().member("layout", drawing.layout);
  if (!drawing.inside.empty()) out.member("inside", drawing.inside);
  out.member("caption", drawing.caption);
  if (!drawing.left_out.empty()) out.member("left_out", drawing.left_out);
  if (!drawing.extents.empty()) {
    write_column(out, "extents", drawing.extents, [](auto& to, std::int32_t extent) { to.value(extent); });
    write_column(out, "wraps", drawing.wraps, [](auto& to, bool wraps) { to.value(wraps); });
    out.member("twisted", drawing.twisted);
  }
  write_nodes(out, drawing.nodes);
  write_frames(out, drawing.machines);
  write_wires(out, drawing.wires, Loads(links, time));
  out.end_object();
}

}  // namespace wt::report
