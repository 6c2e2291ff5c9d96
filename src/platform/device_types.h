#pragma once
// Device types by name. The catalogue is platforms/devices.json: generations with the constants that their
// products share, and products with their data sheets.
//
//   {"id": "rtx4090", "kind": "GPU", "generation": "ada", "peak": {"float32": "82.58 TFLOP/s", ...}, ...}
//
// A platform file names a product of the catalogue, or contains such an object itself.

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "device/type.h"

namespace wt::platform {

// All types of the catalogue, sorted by id. The first call reads the file and throws InputError if the file
// is wrong.
std::span<const device::DeviceType> device_types();

// The type with this id or alias; null if the catalogue has none.
const device::DeviceType* find_device_type(std::string_view id);

// As find_device_type. Throws InputError with the nearest names if the catalogue has none.
const device::DeviceType& device_type_named(std::string_view id);

// The type that a JSON value describes: an id or alias of the catalogue, or an object with the keys of a
// product. If the object has "generation", that generation of the catalogue gives the constants that the
// object omits. None if there was a problem.
std::optional<device::DeviceType> read_device_type(const json::Value& value, Problems& problems);

// The types of a whole catalogue, {"generations": {...}, "devices": [...]}, sorted by id.
std::vector<device::DeviceType> read_device_types(const json::Value& catalogue, Problems& problems);

}  // namespace wt::platform
