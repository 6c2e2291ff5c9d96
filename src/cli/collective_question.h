#pragma once

#include "cli/collective.h"
#include "communication/collective_question.h"

namespace wt::cli {

// Parses the options of `windtunnel collective`. Throws InputError for every mistake that can be found
// without a machine.
communication::CollectiveQuestion question_of(const CollectiveOptions& options);

}  // namespace wt::cli
