#pragma once
// The points of a sweep, which are numbered from 0 in the order of its axes.

#include <cstdint>
#include <string>
#include <vector>

#include "scenario/scenario.h"
#include "sweep/sweep.h"

namespace wt::sweep {

struct Point {
  std::int64_t number = 0;
  std::vector<const Setting*> settings{};  // by Sweep::columns()
};

class Points {
 public:
  // Throws InputError if there are too many points, or if the conditions leave none. Requires: the sweep
  // outlives this object.
  explicit Points(const Sweep& sweep);

  std::int64_t size() const { return static_cast<std::int64_t>(kept_.size()); }
  Point at(std::int64_t number) const;

  // The scenario of a point. Throws InputError with everything that is wrong with it.
  scenario::Scenario scenario(const Point& point) const;

  // Throws InputError if an axis has a value with which no scenario can be read, such as a misspelt name. What
  // can be read and not be carried out, such as more devices than there are, is no error: its rows say so.
  void require_usable_values() const;

 private:
  std::vector<std::size_t> steps_of(std::int64_t grid) const;
  bool is_left_out(std::int64_t grid) const;
  std::vector<std::string> overrides(const Point& point, const Setting** replicas) const;
  void require_readable(const Point& point) const;

  const Sweep& sweep_;
  std::vector<std::int64_t> kept_{};  // positions in the whole grid, by number
};

}  // namespace wt::sweep
