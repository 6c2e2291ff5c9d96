#pragma once
// Which ranks have contributed to the value of each slot. The verifier follows these sets through a schedule,
// as an execution would follow numbers.

#include <cstdint>
#include <vector>

#include "collective/schedule.h"

namespace wt::collective {

// A set of ranks, one bit for each.
class RankSet {
 public:
  explicit RankSet(int ranks = 0) : words_((static_cast<std::size_t>(ranks) + 63) / 64) {}

  bool has(int rank) const;
  void add(int rank);
  void add(const RankSet& other);
  std::vector<int> common(const RankSet& other) const;
  bool operator==(const RankSet&) const = default;

 private:
  std::vector<std::uint64_t> words_;
};

// The content of a slot: the sum of the values that `ranks` brought of `chunk`.
struct Contribution {
  int chunk = -1;  // -1: The slot is empty.
  RankSet ranks{};

  bool empty() const { return chunk < 0; }
  bool operator==(const Contribution&) const = default;
};

// The contents of all slots of all members. They begin with what each rank brings under the contract.
class Contributions {
 public:
  explicit Contributions(const Contract& contract);

  Contribution& at(int member, int slot) { return all_[place(member, slot)]; }
  const Contribution& at(int member, int slot) const { return all_[place(member, slot)]; }

 private:
  std::size_t place(int member, int slot) const {
    return static_cast<std::size_t>(member) * slots_ + static_cast<std::size_t>(slot);
  }

  std::size_t slots_;
  std::vector<Contribution> all_;
};

}  // namespace wt::collective
