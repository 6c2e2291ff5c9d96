#pragma once
// A platform as nodes with positions and wires between them, laid out so that a reader recognises it: a torus by its
// grid, a cube mesh by its two rows of GPUs, NVSwitches below their GPUs, and a tree of switches above the NICs of
// its machines. Reports draw it. Graphviz, which does its own layout, has formats/export_dot.h.

#include <optional>
#include <string>
#include <vector>

#include "platform/platform.h"

namespace wt::platform {

struct DrawnNode {
  std::string name{};   // "machine 0/gpu 3"
  std::string label{};  // "gpu 3"
  std::string kind{};   // "device", "host", "nvswitch", ...
  std::int32_t machine = -1;
  int level = 0;                            // 0: devices; higher is nearer to the root
  double x = 0;                             // one is the distance of neighbours
  double y = 0;                             // downwards
  std::vector<std::int32_t> coordinates{};  // in a torus; empty: in none
};

// Both directions of a connection.
struct DrawnWire {
  std::size_t from = 0, to = 0;  // nodes
  std::string name{};            // of the link from `from` to `to`
  std::string back_name{};       // of the other; empty: there is none
  LinkKind kind{};
  BytesPerSecond bandwidth{};
  bool wraps = false;  // closes a ring of a torus
};

// The frame around a machine.
struct DrawnMachine {
  std::string name{};
  double left = 0, top = 0, right = 0, bottom = 0;
};

struct Drawing {
  std::string layout{};  // "torus", "mesh", "ring"; else that of the network, or of the only machine
  std::string inside{};  // "nvswitch", "full_mesh", "cube_mesh", "pcie"; empty: a torus
  std::string caption{};
  std::string left_out{};  // "30 more machines like these"; empty: nothing
  std::vector<std::int32_t> extents{};
  std::vector<bool> wraps{};
  bool twisted = false;
  std::vector<DrawnNode> nodes{};
  std::vector<DrawnMachine> machines{};
  std::vector<DrawnWire> wires{};
};

Drawing drawing_of(const Platform& platform);

}  // namespace wt::platform
