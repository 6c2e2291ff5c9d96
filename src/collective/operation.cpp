#include "collective/operation.h"

#include <array>

#include "base/id.h"

namespace wt::collective {

std::span<const OperationRow> operations() {
  static constexpr std::array<OperationRow, 9> rows{{
      {"all_reduce", Operation::all_reduce, Holders::all, Holders::all},
      {"reduce_scatter", Operation::reduce_scatter, Holders::all, Holders::owner},
      {"all_gather", Operation::all_gather, Holders::owner, Holders::all},
      {"broadcast", Operation::broadcast, Holders::root, Holders::all},
      {"reduce", Operation::reduce, Holders::all, Holders::root},
      {"gather", Operation::gather, Holders::owner, Holders::root},
      {"scatter", Operation::scatter, Holders::root, Holders::owner},
      {"all_to_all", Operation::all_to_all, Holders::row, Holders::column},
      {"sendrecv", Operation::sendrecv, Holders::owner, Holders::next},
  }};
  return rows;
}

std::string_view name(Operation operation) { return operations()[index(operation)].name; }

bool goes_around(Operation operation) {
  using enum Operation;
  return operation == all_reduce || operation == reduce_scatter || operation == all_gather;
}

bool is_point_to_point(Operation operation) {
  using enum Operation;
  return operation == gather || operation == scatter || operation == all_to_all || operation == sendrecv;
}

double bus_factor(Operation operation, int ranks) {
  const double n = ranks;
  switch (operation) {
    case Operation::all_reduce:
      return 2 * (n - 1) / n;
    case Operation::broadcast:
    case Operation::reduce:
    case Operation::sendrecv:
      return 1;
    default:
      return (n - 1) / n;
  }
}

}  // namespace wt::collective
