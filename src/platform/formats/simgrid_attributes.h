#pragma once
// Attributes of SimGrid's elements, as quantities and enumerations. A missing or malformed attribute is a
// problem; the returned value then only allows the reader to continue and find more problems.

#include <optional>
#include <string_view>

#include "platform/fabric.h"
#include "platform/formats/xml.h"

namespace wt::platform::simgrid {

// How flows share a link: both directions together (SHARED), each direction separately (SPLITDUPLEX), or not
// at all (FATPIPE: every flow gets the whole bandwidth).
enum class Sharing : std::uint8_t { shared, split, fat, unknown };

BytesPerSecond read_bandwidth(xml::Element& element, std::string_view attribute);
Seconds read_latency(xml::Element& element, std::string_view attribute, bool is_required);
Link read_link(xml::Element& element, std::string_view bandwidth, std::string_view latency,
               bool needs_latency);
Sharing read_sharing(xml::Element& element, std::string_view attribute, std::string_view otherwise);

// The speed of a host: that of its power state in the list "speed", times its number of cores.
FlopsPerSecond read_speed(xml::Element& element);

// Reports an attribute that names a file of changes over time (a profile), which is not supported.
void refuse_profile(xml::Element& element, std::string_view attribute);

}  // namespace wt::platform::simgrid
