#pragma once
// All algorithms there are, by operation and name.

#include <span>
#include <string_view>
#include <vector>

#include "collective/request.h"

namespace wt::collective {

// Which numbers of ranks an algorithm is for, unless a shape says more.
enum class Allows : std::uint8_t { any, even, power_of_two, two_factors, three_factors };

struct Algorithm {
  std::string_view name{};
  Operation operation{};
  std::string_view summary{};
  Allows allows{};
  std::vector<std::string_view> options{};  // those it reads
  Schedule (*make)(const Request& request) = nullptr;
  bool takes_orders = false;  // reads Request::orders
};

std::span<const Algorithm> algorithms();  // by operation; all-reduce first
std::vector<const Algorithm*> algorithms_of(Operation operation);
// InputError where there is none, with the ones there are.
const Algorithm& algorithm_named(Operation operation, std::string_view name);

bool allows(const Algorithm& algorithm, int ranks);
bool reads(const Algorithm& algorithm, std::string_view option);
std::string_view print(Allows allows);  // "an even number of ranks"

// InputError where the algorithm isn't for this number of ranks, root, shape or orders.
Schedule make_schedule(const Algorithm& algorithm, const Request& request);

}  // namespace wt::collective
