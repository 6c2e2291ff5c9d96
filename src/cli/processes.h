#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <thread>

#include "base/error.h"
#include "base/narrow.h"

namespace wt::cli {

// The option --processes; without it, one process for each processor.
inline int processes_of(const std::optional<int>& option) {
  const int cores = std::max(1, narrow<int>(std::thread::hardware_concurrency()));
  if (option && (*option < 1 || *option > 4096))
    throw InputError(fmt::format("--processes must be from 1 to 4096, and it is {}", *option));
  return option.value_or(cores);
}

}  // namespace wt::cli
