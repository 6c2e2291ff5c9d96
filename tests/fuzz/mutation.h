// Mutants of inputs that are text. Fuzzing by bytes rarely gets through a parser: most of its mutants are no longer
// JSON. These mutants are, and have the values at which programs fail: borders of number types, quantities without
// end, empty texts and lists, keys twice, values of another kind. With a schema (draft 7, as scenarios/schema has it)
// keys are inserted where they belong, with values of the kind that they want, or just outside of it.
#pragma once

#include <random>
#include <string>

#include "fuzz/target.h"

namespace wt::fuzz {

using Random = std::mt19937_64;

// A text that differs from `bytes` in one to four places, as the form of the target says. Inputs of the form `bytes`,
// and text that cannot be parsed, are changed byte by byte.
std::string mutant(const Target& target, const std::string& bytes, Random& random);

// Whether mutant() has more to offer for these bytes than a fuzzer's own changes of bytes.
bool has_structure(const Target& target, const std::string& bytes);

}  // namespace wt::fuzz
