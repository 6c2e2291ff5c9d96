#pragma once

#include "cli/collective.h"
#include "communication/collective_question.h"

namespace wt::cli {

// Reads the options of `collective` and checks them as far as that is possible without a machine.
communication::CollectiveQuestion question_of(const CollectiveOptions& options);

}  // namespace wt::cli
