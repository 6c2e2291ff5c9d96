#pragma once
// TensorFlow's device types are words, and its device scopes take words that no device has: "XLA_CPU", "FOO". Such a
// type is a Kind, too, so that placement can look for the device, and say that there is none.

#include <string_view>

#include "device/name.h"

namespace wt::device {

// The kind of this type, which is neither CPU nor GPU nor TPU; the same one for the same word. Throws InputError if a
// process uses more different words than a Kind can tell apart.
Kind other_kind(std::string_view type);

std::string_view name_of_other_kind(Kind kind);

}  // namespace wt::device
