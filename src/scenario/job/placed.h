#pragma once

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/error.h"

namespace wt::scenario {

// Calls `body`. Problems that have no place get the place of the key that led to them.
template <class Body>
auto placed(const Place& place, Problems& problems, Body body) -> std::optional<decltype(body())> {
  try {
    return body();
  } catch (const InputError& error) {
    for (Problem problem : error.problems()) {
      if (problem.place.file.empty()) problem.place = place;
      if (problem.remedy.empty() && problem.place.file != place.file) {
        problem.remedy = fmt::format("it is named at {}:{}:{}", place.file, place.line, place.column);
      }
      problems.add(std::move(problem));
    }
    return std::nullopt;
  }
}

}  // namespace wt::scenario
