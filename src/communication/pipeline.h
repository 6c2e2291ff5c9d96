#pragma once
// Of a long pipeline the beginning is played: once it is full, each further piece takes as long as the one
// before.

#include "communication/timing.h"

namespace wt::communication {

// None for what is no pipeline, for one too short to gain anything, and where its beginning doesn't show that
// it goes on like this: three looks, each some pieces longer than the one before and all several times as
// long as a piece's way, must grow equally; and so must the dates at which each pair exchanges its last piece, none of them faster
// than the end, else it would be the end one day.
std::optional<Timing> time_of_pipeline(const Call& call, const Group& group, Type type);

// The same vector in fewer pieces, as many as can be played in a few seconds; none where all of them can. Of two
// DGX A100's tree, 32 pieces of 2 MiB end 3 % sooner than its 256, and 16 pieces 2 %.
std::optional<Call> in_larger_pieces(const Call& call);

}  // namespace wt::communication
