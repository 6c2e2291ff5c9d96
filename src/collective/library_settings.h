#pragma once
// What users set for NCCL or RCCL: the library's version, and NCCL_ALGO and NCCL_PROTO in the library's own syntax.

#include <string>
#include <string_view>
#include <vector>

#include "collective/operation.h"
#include "collective/select.h"

namespace wt::collective {

struct LibrarySettings {
  // The names of NCCL's algorithms ("NVLSTree") and its protocols which may not be chosen.
  std::vector<std::string_view> barred{};
  std::vector<Protocol> barred_protocols{};
};

// NCCL's name for the algorithm of a choice: "Ring" for multi_rail. Empty: it has none.
std::string_view nccl_name(std::string_view algorithm);

bool is_nccl_name(std::string_view word);  // of an algorithm

bool allows(const LibrarySettings& settings, const Choice& choice);

// Each takes a value as the user would set the variable: "Ring,Tree", "^NVLS", "allreduce:tree;broadcast:ring". What it
// doesn't allow for the operation is barred. Throws InputError for an unknown word, or if nothing would be left.
void set_algorithms(LibrarySettings& settings, Operation operation, const std::string& value);
void set_protocols(LibrarySettings& settings, Operation operation, const std::string& value);

// Bars what came after this version of NCCL: "2.4", "2.27.7". Throws InputError if it is no version.
void set_version(LibrarySettings& settings, const std::string& value);

}  // namespace wt::collective
