#pragma once

#include <cstdint>
#include <vector>

#include "collective/schedule.h"

namespace wt::collective {

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

// What a slot holds: the sum of what some ranks brought of a chunk.
struct Contribution {
  int chunk = -1;  // -1: nothing yet
  RankSet ranks{};

  bool empty() const { return chunk < 0; }
  bool operator==(const Contribution&) const = default;
};

// Of all slots of all members, as the contract begins.
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
