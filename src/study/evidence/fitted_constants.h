#pragma once
// Writes the constants that are fitted to published rows of single devices into the text of platforms/devices.json. An
// efficiency there that has "fitted_to": "A100 tf32" gets the constants that the rows of this group determine, and a
// source that says how well. Everything else in the text stays as it is.

#include <string>
#include <vector>

#include "study/evidence/measurement_study.h"

namespace wt::evidence {

struct ChangedConstants {
  std::string place{};  // "generations.ampere.efficiency.tf32"
  device::Efficiency before{};
  device::Efficiency after{};
};

struct FittedConstants {
  std::string text{};
  std::vector<ChangedConstants> changed{};  // those that differ after rounding to three digits
};

// `file` is the name of the text in messages. Throws InputError if it names a group without rows.
FittedConstants with_fitted_constants(const std::string& text, const std::string& file,
                                      std::span<const PredictionGroup> groups);

}  // namespace wt::evidence
