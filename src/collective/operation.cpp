#include "collective/operation.h"

#include <array>

#include "base/id.h"

namespace wt::collective {

std::span<const OperationRow> operations() {
  static constexpr std::array<OperationRow, 8> rows{{
      {"all_reduce", Operation::all_reduce, Who::everyone, Who::everyone},
      {"reduce_scatter", Operation::reduce_scatter, Who::everyone, Who::owner},
      {"all_gather", Operation::all_gather, Who::owner, Who::everyone},
      {"broadcast", Operation::broadcast, Who::root, Who::everyone},
      {"reduce", Operation::reduce, Who::everyone, Who::root},
      {"gather", Operation::gather, Who::owner, Who::root},
      {"scatter", Operation::scatter, Who::root, Who::owner},
      {"all_to_all", Operation::all_to_all, Who::row, Who::column},
  }};
  return rows;
}

std::string_view name(Operation operation) { return operations()[index(operation)].name; }

}  // namespace wt::collective
