#pragma once
// Networks of switches in levels: one switch, leaves and spines, fat trees of any height (the extended
// generalised fat trees of Öhring and others, "On generalized fat trees", 1995), and rails, on which NIC i of
// every machine is attached to leaf switch i.
//
// A fat tree is described by two lists, from the leaves up. With children {4, 2} and parents {3} each leaf
// has 4 ports and 3 uplinks, one to each of 3 spines, and a spine has 2 leaves below it: 8 ports in all. A
// route ascends only as far as it must: ports 0 and 3 meet at leaf 0, ports 0 and 4 meet at one of the
// spines, which the rule `choice` selects.
//
// Each connection is two links: the link up has an even number, and the link down the next odd number.

#include "platform/description.h"
#include "platform/fabric.h"

namespace wt::platform {

// The switches of a level are divided into groups. Those of one group have the same ports below them: in
// the example each leaf is a group of its own, and the 3 spines are one group.
class SwitchFabric : public Fabric {
 public:
  // Ports that follow each other, and the link between each of them and its leaf.
  struct PortLinks {
    std::int32_t ports = 0;
    Link link{};
  };
  struct Levels {
    std::vector<std::int32_t> children{};  // ports or switches below one switch, for each level
    std::vector<std::int32_t> parents{};   // uplinks of one switch, for each level but the top one
    std::vector<PortLinks> ports{};        // all ports, in stretches of equal ones
    std::vector<Link> uplinks{};           // for each level in `parents`
    // The number of rails, which is the number of ports of a machine: port i of every machine is on rail i,
    // and each rail has leaves of its own. 0: no rails, the ports of a machine are neighbours.
    std::int32_t rails = 0;
    std::string noun = "switch";  // names the switches of a tree of one level
    Choice choice = Choice::destination;
    std::int32_t seed = 0;
  };

  SwitchFabric(std::int32_t ports, Levels levels);

  std::int32_t links() const override { return first_uplink_.back(); }
  const Link& link(std::int32_t link) const override;
  std::string name(std::int32_t link, const PortName& port) const override;
  void route(std::int32_t from, std::int32_t to, LinkId first, Trail& trail) const override;
  bool joins(std::int32_t from, std::int32_t to) const override;
  bool keeps_rails() const override { return levels_.rails > 0; }
  bool is_uniform() const override { return height() == 1 || !uses_uplinks(); }

  // The switches of a tree of one or two levels, which may add (in-network reduction). Higher trees report
  // none.
  std::int32_t leaves() const { return height() <= 2 ? groups_[0] : 0; }
  std::int32_t spines() const { return height() == 2 && uses_uplinks() ? width_[1] : 0; }
  std::int32_t leaf_of(std::int32_t port) const { return position(port) / levels_.children[0]; }
  std::string leaf_name(std::int32_t leaf) const { return switch_name(0, leaf, 0); }
  std::string spine_name(std::int32_t spine) const { return switch_name(1, 0, spine); }
  // The link up. The link down has the next number.
  std::int32_t up_from_port(std::int32_t port) const { return 2 * port; }
  std::int32_t up_from_leaf(std::int32_t leaf, std::int32_t spine) const { return uplink(0, leaf, 0, spine); }

  // Whether any route takes an uplink: there are several groups of leaves.
  bool uses_uplinks() const { return groups_[0] > 1; }

 private:
  const Link& port(std::int32_t port) const;
  std::size_t height() const { return levels_.children.size(); }
  std::int32_t position(std::int32_t port) const;
  std::int32_t uplink(std::size_t level, std::int32_t group, std::int32_t index, std::int32_t parent) const;
  std::int32_t choose(std::size_t level, std::int32_t from, std::int32_t to) const;
  std::string switch_name(std::size_t level, std::int32_t group, std::int32_t index) const;

  std::int32_t ports_;
  Levels levels_;
  std::int32_t rail_length_ = 0;              // positions of one rail, a multiple of the ports of a leaf
  std::vector<std::int32_t> groups_{};        // the number of groups of switches, for each level
  std::vector<std::int32_t> width_{};         // the number of switches in one group, for each level
  std::vector<std::int32_t> first_uplink_{};  // of each level; the last entry is the number of links
};

}  // namespace wt::platform
