#pragma once
// A request for a schedule: the ranks, the length of the vector, the root, and options.

#include <string>
#include <string_view>
#include <vector>

#include "collective/rule.h"

namespace wt::collective {

constexpr std::string_view axis_names = "xyz";  // of the axes of a shape, in order

// Each algorithm reads the options that its row in the catalog names, and ignores the others.
struct Options {
  std::vector<int> shape{};  // ranks per level or axis, the innermost first: {8, 4} is 4 machines of 8 ranks
  std::string lines{};       // axes of a torus that don't close to rings, as in "xz"
  int cores = 1;             // of a chip of a torus; each is a rank, and their numbers are neighbours
  int slices = 1;            // tori of this shape that another network joins; their ranks follow each other
  int segments = 8;          // pieces of a pipeline, or loops of algorithms with switches in machines (nvls)
  int lanes = 0;             // parallel trees or rings across machines; 0: one for each rank of a machine
  int servers = 1;           // parameter servers besides the ranks
  int packs = 1;             // of TensorFlow's hierarchical copy
  int subdivisions = 2;      // of TensorFlow's ring: at most this many per device; -1: none
  bool faithful = true;      // whether mistakes of the original are kept
  bool operator==(const Options&) const = default;
};

// The operation is not part of it, because each algorithm belongs to one.
struct Request {
  int ranks = 1;
  std::int64_t elements = 0;  // of the whole vector; for an all-to-all or sendrecv, of what each rank sends
  int element_bytes = 4;
  int root = 0;
  Options options{};
  std::vector<std::vector<int>> orders{};  // of the rings of multi_rail, each with all ranks; empty: its own
  bool fills_chunks = false;  // true: if an algorithm has chunks of a stated size, the last ones get as large
  bool operator==(const Request&) const = default;
};

bool is_line(const Options& options, std::size_t axis);  // whether `lines` names this axis of the shape

// Sets an option that is given as text, as in `segments=4`. Throws InputError for an unknown key or a wrong
// value.
void set_option(Options& options, std::string_view key, std::string_view value);
std::vector<std::string_view> option_names();

// Sets shape, lines and cores for a torus, or for a grid if some axes don't wrap. `chips` and `wraps` are the
// extents in chips and whether each axis wraps, the innermost axis first. Extents of 1 are left out.
void set_torus(Options& options, const std::vector<int>& chips, const std::vector<bool>& wraps, int cores);

// The requested shape or, if there is none, `levels` levels that are as equal as possible (empty if there is
// no such shape). Throws InputError if the requested shape doesn't hold all ranks.
std::vector<int> shape_of(const Request& request, int levels);
// `count` factors above 1 whose product is `number`, as equal as possible and the largest first; empty if
// there are none.
std::vector<int> equal_factors(int number, int count);

// A schedule with this rule, without a name: `chunks` equal chunks, the request's root, no helpers and no
// scratch slots. Throws InputError if there are too many chunks to number them.
Schedule schedule_of(Operation operation, const Request& request, std::int64_t chunks, Rule rule);

// The same number of chunks as an int. Throws InputError if a schedule may not have so many.
int count_of_chunks(const Request& request, std::int64_t chunks);

}  // namespace wt::collective
