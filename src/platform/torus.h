#pragma once
// Grids of ports whose axes may close to rings: rings, meshes and tori. In the torus 4x4 port 0 is at (0, 0)
// and port 13 at (3, 1). Its route to port 13 is two links: one step back along the first axis, over the
// closing link to (3, 0), and one step along the second axis.
//
// A route follows the axes in order and takes the shorter way around a ring; if both ways are equally long,
// it goes in the positive direction. In a twisted torus, a step over the end of a short axis also moves
// half-way along the long axes. With that, n x 2n, n x n x 2n and n x 2n x 2n look the same along every axis
// from every port (Camara and others, "Twisted torus topologies for enhanced interconnection networks", 2010;
// Jouppi and others, "TPU v4", 2023). A route in a twisted torus is a shortest one.

#include "platform/fabric.h"

namespace wt::platform {

struct Grid {
  Shape shape{};
  std::vector<bool> wraps{};  // for each axis whether it closes to a ring
  bool twisted = false;
  // The ports of one machine. Ports are numbered machine by machine, and both the machines and the ports of a
  // machine are numbered with the last axis fastest. 1 on every axis: the ports are numbered as the places of
  // the shape.
  Shape block{};
};

// Whether the shape is n x 2n, n x n x 2n or n x 2n x 2n, in any order of the axes.
bool can_be_twisted(const Shape& shape);

class TorusFabric : public Fabric {
 public:
  // All links are equal. Requires: a twisted grid can be twisted.
  TorusFabric(Grid grid, const Link& link);

  std::int32_t links() const override { return first_link_.back(); }
  const Link& link(std::int32_t) const override { return link_; }
  std::string name(std::int32_t link, const PortName& port) const override;
  void route(std::int32_t from, std::int32_t to, LinkId first, Trail& trail) const override;
  std::int32_t links_of_port() const override;

  const Grid& grid() const { return grid_; }
  Coordinates coordinates(std::int32_t port) const;
  std::int32_t port_at(const Coordinates& coordinates) const;
  // The number of steps along each axis of the route; negative steps go in the negative direction.
  Coordinates steps(std::int32_t from, std::int32_t to) const;

 private:
  std::int32_t edges(std::size_t axis) const;  // the connections of one line along the axis
  void step(Coordinates& place, std::size_t axis, std::int32_t direction) const;
  std::int32_t line_of(const Coordinates& place, std::size_t axis) const;
  // In a twisted torus: the shortest of the step counts that end in the same place as `plain`.
  Coordinates shortest(const Coordinates& plain) const;
  std::int32_t around(std::int32_t distance, std::size_t axis) const;
  bool is_short(std::size_t axis) const { return grid_.twisted && grid_.shape[axis] == shortest_; }

  Grid grid_;
  Link link_;
  Shape blocks_{};                          // machines along each axis
  std::int32_t shortest_ = 0;               // the shortest extent
  std::vector<std::int32_t> first_link_{};  // of each axis; the last entry is the number of links
};

}  // namespace wt::platform
