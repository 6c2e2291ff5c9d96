#include "collective/operation.h"

#include <array>

#include "base/id.h"

namespace wt::collective {

std::span<const OperationRow> operations() {
  static constexpr std::array<OperationRow, 8> rows{{
      {"all_reduce", Operation::all_reduce, Holders::all, Holders::all},
      {"reduce_scatter", Operation::reduce_scatter, Holders::all, Holders::owner},
      {"all_gather", Operation::all_gather, Holders::owner, Holders::all},
      {"broadcast", Operation::broadcast, Holders::root, Holders::all},
      {"reduce", Operation::reduce, Holders::all, Holders::root},
      {"gather", Operation::gather, Holders::owner, Holders::root},
      {"scatter", Operation::scatter, Holders::root, Holders::owner},
      {"all_to_all", Operation::all_to_all, Holders::row, Holders::column},
  }};
  return rows;
}

std::string_view name(Operation operation) { return operations()[index(operation)].name; }

bool goes_around(Operation operation) {
  using enum Operation;
  return operation == all_reduce || operation == reduce_scatter || operation == all_gather;
}

}  // namespace wt::collective
