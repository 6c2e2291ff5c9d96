#pragma once
// The part of `calibrate` that takes what a user measured elsewhere, and measures nothing on this machine.

#include "cli/commands.h"

namespace wt::cli {

bool takes_measurements(const CalibrateOptions& options);
Exit calibrate_platform(const CalibrateOptions& options, const Streams& streams);

}  // namespace wt::cli
