#include "collective/contribution.h"

#include <algorithm>

namespace wt::collective {

bool RankSet::has(int rank) const {
  const auto bit = static_cast<std::size_t>(rank);
  return bit / 64 < words_.size() && (words_[bit / 64] >> (bit % 64) & 1) != 0;
}

void RankSet::add(int rank) {
  const auto bit = static_cast<std::size_t>(rank);
  words_[bit / 64] |= std::uint64_t{1} << (bit % 64);
}

void RankSet::add(const RankSet& other) {
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
}

std::vector<int> RankSet::common(const RankSet& other) const {
  std::vector<int> ranks;
  for (std::size_t i = 0; i < std::min(words_.size(), other.words_.size()); ++i)
    for (int bit = 0; bit < 64; ++bit)
      if ((words_[i] & other.words_[i]) >> bit & 1) ranks.push_back(static_cast<int>(i) * 64 + bit);
  return ranks;
}

Contributions::Contributions(const Contract& contract)
    : slots_(static_cast<std::size_t>(contract.slots())),
      all_(static_cast<std::size_t>(contract.members()) * slots_) {
  for (int rank = 0; rank < contract.ranks; ++rank) {
    for (int chunk = 0; chunk < contract.cut.chunks; ++chunk) {
      if (!contract.brings(rank, chunk)) continue;
      Contribution& brought = at(rank, chunk + contract.input_slot);
      brought = {chunk, RankSet(contract.ranks)};
      brought.ranks.add(rank);
    }
  }
}

}  // namespace wt::collective
