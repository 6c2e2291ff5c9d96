#pragma once
// What strategies for the devices of one machine have in common.

#include "strategy/devices.h"
#include "strategy/strategy.h"

namespace wt::strategy {

using DeviceNames = std::optional<std::vector<std::string>>;  // absent: the strategy chooses

// Reports a platform of several machines.
void require_one_machine(std::string_view strategy, const platform::Platform& platform, const Report& report);

// A replica on each of the devices, which the key `option` names.
void add_replicas_on(Site& site, Kind kind, const DeviceNames& devices, std::string_view option);

// The first devices of the machine, as many as are wanted, written to the key `option`.
Overrides resized_on_one_machine(std::string_view strategy, const Resizing& resizing,
                                 const DeviceNames& devices, std::string_view option);

// Another number of devices for a platform that is one machine of no certain size.
Overrides resized_virtual_machine(const Resizing& resizing);

// The full names of the replicas' devices.
std::vector<device::Name> device_names(const cluster::Machine& machine);

// A line of TensorFlow's log, and names of devices as Python prints a list or a tuple of them.
std::string info(const std::string& text);
std::vector<std::string> texts_of(const std::vector<device::Name>& names);
std::string python_list(const std::vector<std::string>& names);  // 'a', 'b'
std::string python_tuple(const std::vector<std::string>& names);

}  // namespace wt::strategy
