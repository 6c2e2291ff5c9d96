#pragma once

namespace wt::platform {

// The version of the model's constants: the platform files, the device types, what communication costs, and
// the tables of the cost model. It is raised with every change that moves a simulated time, and CHANGELOG.md
// says what moved and by how much. Figures of two versions must not be compared as if only what they describe
// differed. tests/cli/constants_test.cpp fails if figures move and this number doesn't.
inline constexpr int constants_version = 14;

}  // namespace wt::platform
