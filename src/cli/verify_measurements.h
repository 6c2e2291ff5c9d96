#pragma once

#include <string>

#include "cli/commands.h"

namespace wt::cli {

struct VerifyMeasurementsOptions {
  std::string folder{};
  bool csv = false;
};

// Predicts what one device's published training throughput is: from shapes and generic constants alone, with
// one measured row, with the device type's own constants; and fits those constants anew.
Exit verify_measurements(const VerifyMeasurementsOptions& options, const Streams& streams);

}  // namespace wt::cli
