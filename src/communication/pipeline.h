#pragma once
// Timing of pipelines from the plan of one piece (simulate/repetition.h). Once a long pipeline is full, each
// further piece takes as long as the piece before, so the rest can be computed.

#include "communication/timing.h"

namespace wt::communication {

// The time by the beginnings (beginnings.h), if they are several times as long as the way of one piece and show
// a steady state; else that of the whole pipeline; and if it is too long, that of the same vector in fewer and
// larger pieces. Unset if the call is no pipeline of equal pieces, or if a few pieces are too much.
std::optional<Timing> time_of_pipeline(const Call& call, const Group& group, Type type);

// The time from two simulations, with so many pieces and with half as many. The way of the first piece takes a time
// in proportion to its size, and so the whole takes c + d / pieces (R. Hockney's n-half, "The communication
// challenge for MPP", 1994, for each stage of a pipeline). Both are solved for, and d becomes that of all pieces.
// With 16 pieces the result differed by up to 11 % from that of all, with 32 by up to 3 %
// (tests/communication/folding_test.cpp).
Timing time_in_larger_pieces(const Call& call, int count, const Group& group, Type type);

}  // namespace wt::communication
