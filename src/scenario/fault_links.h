#pragma once
// The links of a described machine that faults name: the network of a machine, a link by its name, and the machines that
// a link joins with others.

#include <string>
#include <string_view>
#include <vector>

#include "platform/platform.h"

namespace wt::scenario {

// The links by which a machine reaches others: on the ways from and to its hosts and devices, its NICs' own ones, and
// those between machines that lie next to it.
std::vector<platform::LinkId> network_of(const platform::Platform& platform, std::int32_t machine);

// Several links may have one name, as lanes between the same switches.
std::vector<platform::LinkId> links_named(const platform::Platform& platform, std::string_view name);

// The names of the first links, for suggestions.
std::vector<std::string> names_of_links(const platform::Platform& platform, std::size_t most);

// Of these machines, those that can't be reached without such links: the machine that has them, or to whose network they
// belong; of links deeper in a network, the fewer of the machines that send and of those that receive by them. Nothing is
// sent another way around. A slice of TPUs whose chips are not joined ends as a whole.
std::vector<std::int32_t> machines_behind(const std::vector<platform::LinkId>& links,
                                          const platform::Platform& platform,
                                          const std::vector<std::int32_t>& machines);

}  // namespace wt::scenario
