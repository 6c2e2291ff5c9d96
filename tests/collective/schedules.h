#pragma once
// Schedules and vectors for the tests of this folder.

#include <random>
#include <string>
#include <vector>

#include "collective/catalog.h"
#include "collective/expand.h"

namespace wt::collective {

// A schedule of 65,536 elements, so that no chunk is empty.
inline Expanded expanded(const Algorithm& algorithm, int ranks, Options options = {}) {
  return expand(
      make_schedule(algorithm, {.ranks = ranks, .elements = 1 << 16, .options = std::move(options)}));
}

inline Expanded expanded(std::string_view name, int ranks, Options options = {}) {
  return expanded(algorithm_named(Operation::all_reduce, name), ranks, std::move(options));
}

// A schedule of multi_rail whose rings have these orders.
inline Schedule in_orders(int ranks, std::int64_t elements, std::vector<std::vector<int>> orders,
                          std::string_view name = "multi_rail") {
  Request request;
  request.ranks = ranks;
  request.elements = elements;
  request.orders = std::move(orders);
  return make_schedule(algorithm_named(Operation::all_reduce, name), request);
}

// A schedule with these rounds.
inline Schedule by_hand(Contract contract, std::vector<std::vector<Move>> rounds) {
  const int count = static_cast<int>(rounds.size());
  return {"by_hand", std::move(contract), {count, [rounds = std::move(rounds)](int round, Round& moves) {
                                             const auto& given = rounds[static_cast<std::size_t>(round)];
                                             moves.moves.insert(moves.moves.end(), given.begin(),
                                                                given.end());
                                           }}};
}

// A vector for each rank. If `whole`, the elements are whole numbers, so that sums in double are exact.
template <class Number>
std::vector<std::vector<Number>> random_vectors(const Contract& contract, std::uint64_t seed,
                                                bool whole = false) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<Number>> vectors(static_cast<std::size_t>(contract.ranks));
  for (auto& vector : vectors)
    for (std::int64_t i = 0; i < contract.cut.elements; ++i) {
      const auto number = static_cast<std::int64_t>(random() % 2001) - 1000;
      vector.push_back(whole ? static_cast<Number>(number) : static_cast<Number>(number) / Number{7});
    }
  return vectors;
}

}  // namespace wt::collective
