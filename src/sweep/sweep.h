#pragma once
// sweep/ asks one question of many scenarios: what a step takes at each point of a grid. A point is a base
// scenario with further values for some of its keys:
//
//   { "name": "resnet50 on two clouds",
//     "scenario": "resnet50.json",
//     "axes": [ { "platform": ["aws_p4d_24xlarge", "aws_p5_48xlarge"] },
//               { "machines": "1..64x2" },
//               { "batch": [64, 128], "training.precision": ["float32", "tf32"] } ],
//     "leave_out": [ { "platform": "aws_p5_48xlarge", "machines": ">16" } ] }
//
// The axes are applied from left to right, and the last one varies fastest. Keys in one object vary together.
// sweep/points.h makes the points, sweep/row.h plans and times one of them, and gives a row of plain text.
// sweep/crew.h has the processes or the MPI ranks that share the points. Rows get into a journal as they are
// finished (sweep/record.h), so that a sweep that was killed continues. Rows depend on nothing but their
// point, so the files that sweep/tables.h writes have the same bytes, whoever computed which point.
//
// Read next: sweep/axis.h, sweep/points.h, sweep/row.h.

#include <string>
#include <vector>

#include "sweep/axis.h"

namespace wt::sweep {

// One requirement on the value of an axis: it is equal to one of the values, or it compares with a number.
struct Test {
  enum class Kind { equal, less, at_most, greater, at_least };
  std::size_t column = 0;  // of Sweep::columns()
  Kind kind = Kind::equal;
  std::vector<std::string> texts{};  // for equal
  double number = 0;                 // for the others
};

// A point with which all tests agree is left out.
using Condition = std::vector<Test>;

struct Sweep {
  std::string name{};
  std::string scenario{};                // the file of the base scenario
  std::vector<std::string> overrides{};  // of all points, before the axes: "training.epochs=3"
  std::vector<Axis> axes{};
  std::vector<Condition> leave_out{};
  std::string identity{};  // a text that is equal for sweeps of the same points

  // The names of all axes, in order; zipped ones have several.
  std::vector<std::string> columns() const;
};

}  // namespace wt::sweep
