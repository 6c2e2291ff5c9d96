#pragma once
// TensorFlow's device types are words, and its device scopes take words that no device has: "XLA_CPU", "FOO". Such a
// type is a Kind, too, so that placement can look for the device, and say that there is none.

#include <string_view>

#include "device/name.h"

namespace wt::device {

// The Kind of a device type that is neither CPU nor GPU nor TPU. Equal words have equal kinds. Throws InputError where a
// process uses more than 252 different ones, because a Kind has one byte.
Kind other_kind(std::string_view type);

std::string_view name_of_other_kind(Kind kind);

}  // namespace wt::device
