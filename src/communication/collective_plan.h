#pragma once
// Plans of collectives, put together and clocked.

#include "communication/timing.h"

namespace wt::communication {

// Another one that begins at the same time.
void append(Played& all, Played more);

// The copies that bring a schedule's input to where it wants it cost reading and writing it. Requires: a schedule
// with an input out of place.
void add_input_copies(Played& all, const platform::Platform& platform);

plan::Timeline clocked(const Played& all, const platform::Platform& platform);

}  // namespace wt::communication
