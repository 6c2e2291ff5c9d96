// recommend/ answers a planner's question: which machine, how many of it, and how sure is that?
//
//   const Answer answer = recommend({.file = "resnet50.json",
//                                    .target = {.samples_per_second = 20'000},
//                                    .platforms = {"aws_p4d_24xlarge", "tpu_v4"},
//                                    .most_global_batch = 8192});
//   answer.choices.front().found.smallest->size.text   // "13 machines"
//
// The idea is one search for each platform (recommend/search.h) along the sizes in which it can be had
// (recommend/ladder.h), over forecasts that are made once (recommend/trials.h). How far a forecast may be off is
// known from published rows (study/evidence/expected_error.h); the search is repeated with the target multiplied by that, so
// that the interval is one of machines and not one of milliseconds. An assumption matters if 20 % more or less of
// it makes another platform the first (recommend/assumptions.h).
//
// What must hold: everything that the comparison holds fixed is stated, and what decides must be given by the user
// (the global batch). Only synchronous strategies are compared. A platform on which the scenario can't run is part
// of the answer, with its reason. The order of platforms is that of their numbers of devices; prices belong to
// the user.
//
// Read next: recommend/question.h, recommend/answer.h, recommend/search.h.
#pragma once

#include "recommend/answer.h"
#include "recommend/question.h"

namespace wt::recommend {

// Throws InputError with everything that is wrong with the question. Requires: this process has one thread.
Answer recommend(const Question& question);

}  // namespace wt::recommend
