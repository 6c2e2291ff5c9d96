#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "program/step_placement.h"

namespace wt {

namespace {

// The devices of the job "localhost", the only task of a program without a cluster, are printed without the
// task.
std::string print_short(device::Name name) {
  if (name.job == "localhost") name = {.kind = name.kind, .index = name.index};
  const std::string text = device::print(name);
  return text.empty() ? "-" : text;
}

}  // namespace

std::vector<std::string> log_lines(const StepPlacement& placement) {
  std::vector<std::string> lines;
  for (const PlacedNode& node : placement.nodes)
    lines.push_back(fmt::format("{}: ({}): {}", node.name, node.operation, device::print(node.given)));
  return lines;
}

std::string print(const StepPlacement& placement) {
  using Row = std::array<std::string, 5>;
  std::vector<Row> rows{{"node", "operation", "requested", "given", "why"}};
  for (const PlacedNode& node : placement.nodes)
    rows.push_back(
        {node.name, node.operation, print_short(node.requested), print_short(node.given), node.why});
  std::array<std::size_t, 4> widths{};
  for (const Row& row : rows)
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < widths.size(); ++i) text += fmt::format("{:<{}}  ", row[i], widths[i]);
    text += row.back() + "\n";
  }
  if (placement.copies.empty()) return text;
  text += "copies\n";
  for (const DeviceCopy& copy : placement.copies)
    text += fmt::format("  {} {}: {} -> {}\n", copy.name, print(copy.spec), print_short(copy.from),
                        print_short(copy.to));
  return text;
}

}  // namespace wt
