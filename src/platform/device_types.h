#pragma once
// Device types by name: platforms/devices.json, and types that a platform's file writes out itself.

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "device/type.h"

namespace wt::platform {

// The catalogue, sorted by id. Read at the first call; throws InputError where the file is wrong.
std::span<const device::DeviceType> device_types();

// By id or alias; null: there is none.
const device::DeviceType* find_device_type(std::string_view id);

// Throws InputError with a suggestion.
const device::DeviceType& device_type_named(std::string_view id);

// A name, or an object with a device's keys; "generation" gives what the object leaves out. Nothing where there
// is a problem.
std::optional<device::DeviceType> read_device_type(const json::Value& value, Problems& problems);

// {"generations": {..}, "devices": [..]}, as in platforms/devices.json.
std::vector<device::DeviceType> read_device_types(const json::Value& catalogue, Problems& problems);

}  // namespace wt::platform
