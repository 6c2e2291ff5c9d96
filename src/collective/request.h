#pragma once
// What an algorithm is asked for.

#include <string>
#include <string_view>
#include <vector>

#include "collective/rule.h"

namespace wt::collective {

constexpr std::string_view axis_names = "xyz";  // of a shape

struct Options {
  std::vector<int> shape{};  // ranks per level or axis, the innermost first: {8, 4} is 4 machines of 8
  std::string lines{};       // a torus's axes that don't close to rings, "xz"; x is the shape's first
  int cores = 1;             // of a torus's chip, each a rank; they stand next to each other
  int slices = 1;            // tori of this shape, joined by another network; one behind the other
  int segments = 8;          // pieces of a pipeline; of algorithms with switches in machines, loops
  int lanes = 0;             // of trees across machines: 0 for as many as a machine has ranks
  int servers = 1;           // parameter servers beside the ranks
  int packs = 1;             // of TensorFlow's hierarchical copy
  int subdivisions = 2;      // of TensorFlow's ring: the most per device; -1: none
  bool faithful = true;      // keep the original's bugs
  bool operator==(const Options&) const = default;
};

struct Request {
  int ranks = 1;
  std::int64_t elements = 0;  // of each rank's whole vector; of an all-to-all, of what each rank sends
  int element_bytes = 4;
  int root = 0;
  Options options{};
  std::vector<std::vector<int>> orders{};  // of rings (multi_rail): each names all ranks; empty: its own
};

bool is_line(const Options& options, std::size_t axis);  // of the shape

// `segments=4` into options; InputError where that is no option or no value of it.
void set_option(Options& options, std::string_view key, std::string_view value);
std::vector<std::string_view> option_names();

// Of a torus, or a grid where an axis doesn't wrap: extents in chips and whether they wrap, axis by axis, the
// innermost first. Extents of 1 are no axes.
void set_torus(Options& options, const std::vector<int>& chips, const std::vector<bool>& wraps, int cores);

// The shape asked for, which must hold all ranks; else as many levels as `levels`, as equal as can be.
std::vector<int> shape_of(const Request& request, int levels);
// The factors above 1 of a number, as equal as can be, the largest first; empty where there aren't so many.
std::vector<int> equal_factors(int number, int count);

// A schedule of this request: `chunks` equal chunks, one root, nothing else. InputError where they are too
// many to be numbered.
Schedule schedule_of(Operation operation, const Request& request, std::int64_t chunks, Rule rule);

}  // namespace wt::collective
