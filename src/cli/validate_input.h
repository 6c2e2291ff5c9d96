#pragma once
// `validate --input`: which rows and files each worker and each replica gets.

#include <ostream>

#include "scenario/build.h"

namespace wt::cli {

// The rows of the first steps of an epoch and of its last one, for each replica, with the policy by which workers share the
// data and the rule by which batches are split.
void print_input(const scenario::Scenario& scenario, const scenario::Job& job, std::ostream& results);

}  // namespace wt::cli
