#pragma once
// Attributes of SimGrid's elements, as quantities and words. One that is missing or makes no sense is a
// problem; what comes back then only lets the reading go on.

#include <optional>
#include <string_view>

#include "platform/fabric.h"
#include "platform/formats/xml.h"

namespace wt::platform::simgrid {

// How the two directions of a link share it: as one, each for itself, or not at all (every flow has it
// whole).
enum class Sharing : std::uint8_t { shared, split, fat, unknown };

BytesPerSecond read_bandwidth(xml::Element& element, std::string_view attribute);
Seconds read_latency(xml::Element& element, std::string_view attribute, bool is_required);
Link read_link(xml::Element& element, std::string_view bandwidth, std::string_view latency,
               bool needs_latency);
Sharing read_sharing(xml::Element& element, std::string_view attribute, std::string_view otherwise);

// Of a host's "speed" the one of its power state, times its cores.
FlopsPerSecond read_speed(xml::Element& element);

// Files of what changes over time.
void refuse_profile(xml::Element& element, std::string_view attribute);

}  // namespace wt::platform::simgrid
