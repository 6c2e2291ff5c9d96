#include "collective/schedule.h"

#include "base/id.h"

namespace wt::collective {

namespace {

// Whether the rank is one of the chunk's holders.
bool is_holder(Holders holders, const Contract& contract, int rank, int chunk) {
  const int block = contract.cut.chunks / contract.ranks;
  switch (holders) {
    case Holders::all:
      return rank < contract.ranks;
    case Holders::owner:
    case Holders::row:
      return rank == chunk / block;
    case Holders::next:
      return rank == (chunk / block + 1) % contract.ranks;
    case Holders::root:
      return rank == contract.root;
    case Holders::column:
      return rank == chunk % block / (block / contract.ranks);
  }
  return false;
}

}  // namespace

bool Contract::brings(int rank, int chunk) const {
  return is_holder(operations()[index(operation)].brings, *this, rank, chunk);
}

bool Contract::wants(int rank, int chunk) const {
  return is_holder(operations()[index(operation)].wants, *this, rank, chunk);
}

namespace {

// Chunks that are cut as equally as possible are never empty if the vector has an element for each of them.
bool may_have_empty_chunks(const Cut& cut) { return cut.elements < cut.chunks || cut.per_chunk != 0; }

}  // namespace

std::vector<Move> moves_of(const Schedule& schedule, int round) {
  Round all;
  schedule.rule.add(round, all);
  if (!may_have_empty_chunks(schedule.contract.cut)) return std::move(all.moves);
  std::vector<Move> moves;
  for (Move& move : all.moves) {
    Chunks kept;
    move.chunks.each([&](int slot) {
      if (schedule.contract.size(slot) > 0) kept.add({slot, 1});
    });
    if (kept.empty()) continue;
    move.chunks = std::move(kept);
    moves.push_back(std::move(move));
  }
  return moves;
}

// Kinds are ignored where chunks may be empty, because then rounds of one kind may differ in their moves.
std::vector<Stretch> stretches_of(const Schedule& schedule) {
  const Rule& rule = schedule.rule;
  const bool alike = !rule.kinds.empty() && !may_have_empty_chunks(schedule.contract.cut);
  std::vector<Stretch> stretches;
  for (int round = 0; round < rule.rounds; ++round) {
    const int kind = alike ? rule.kinds[static_cast<std::size_t>(round)] : round;
    if (!stretches.empty() && stretches.back().kind == kind)
      ++stretches.back().rounds;
    else
      stretches.push_back({kind, round, 1});
  }
  return stretches;
}

}  // namespace wt::collective
