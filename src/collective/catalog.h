#pragma once
// The table of all algorithms, by operation and name. A row names the numbers of ranks that an algorithm is
// defined for, the options that it reads and the function that makes its schedule. Tests and the command line
// walk this table, so a new algorithm needs one file in algorithms/ and one row in catalog.cpp.

#include <span>
#include <string_view>
#include <vector>

#include "collective/request.h"

namespace wt::collective {

// The numbers of ranks that an algorithm is defined for if the request gives no shape.
enum class Allows : std::uint8_t { any, even, power_of_two, two_factors, three_factors };

struct Algorithm {
  std::string_view name{};
  Operation operation{};
  std::string_view summary{};
  Allows allows{};
  std::vector<std::string_view> options{};  // names of the options that it reads
  Schedule (*make)(const Request& request) = nullptr;
  bool takes_orders = false;  // reads Request::orders
};

std::span<const Algorithm> algorithms();  // grouped by operation, all-reduce first
std::vector<const Algorithm*> algorithms_of(Operation operation);
// Throws InputError, with a suggestion and the known names, if the operation has no algorithm of this name.
const Algorithm& algorithm_named(Operation operation, std::string_view name);

bool allows(const Algorithm& algorithm, int ranks);  // One rank is always allowed.
bool reads(const Algorithm& algorithm, std::string_view option);
std::string_view print(Allows allows);  // "an even number of ranks"

// The schedule of the request; that of a single rank has no moves. Throws InputError if the algorithm is not
// defined for the request's number of ranks, root, shape or orders.
Schedule make_schedule(const Algorithm& algorithm, const Request& request);

}  // namespace wt::collective
