#include "plan/library_call.h"

#include <fmt/format.h>

namespace wt::plan {

std::string print(const LibraryCall& call) {
  std::string text(call.algorithm->name);
  if (!call.protocol.empty()) text += fmt::format(" with {}", call.protocol);
  return call.basis.empty() ? text : fmt::format("{} ({})", text, call.basis);
}

}  // namespace wt::plan
