// collective/ describes what a group of ranks does to sum, spread or exchange a vector, as data in which no
// device, link or time occurs.
//
// A vector is cut into chunks, and a schedule is a list of rounds whose moves say which rank sends which
// chunk to which rank. The first round of a ring all-reduce among 3 ranks, with 3 chunks:
//
//   reduce 0 to 1 chunks 2     Rank 0 sends its chunk 2 to rank 1, which adds it to its own chunk 2.
//   reduce 1 to 2 chunks 0
//   reduce 2 to 0 chunks 1
//
// The moves of a round read before any of them writes. Apart from that, rounds are not barriers: a move
// starts as soon as its source holds the value, which expand.h derives from the order of reads and writes. A
// Rule computes the moves of any one round, so a schedule of 65,536 ranks needs memory for a single round. A
// Contract states what the ranks bring and what they must end with. One schedule serves every purpose:
// verify.h proves it, execute.h runs it on numbers, plan/collective.h makes it part of a training step, and
// communication/timing.h times it on a machine.
//
// Microsoft's MSCCL separates schedules from machines in the same way (Cowan and others, "MSCCLang: Microsoft
// collective communication language", 2023); msccl.h reads and writes its XML. README.md shows how to write
// an algorithm. Read on in rule.h, algorithms/ring.cpp, expand.h and verify.h; catalog.h lists all
// algorithms.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "collective/chunks.h"
#include "collective/cut.h"
#include "collective/operation.h"

namespace wt::collective {

enum class Effect : std::uint8_t { copy, reduce };

// Sends the source's value of some chunks to the target. A copy replaces the target's value. A reduction adds
// to it, as target value + arriving value, in the order of the schedule.
struct Move {
  int source = 0;
  int target = 0;
  Effect effect{};
  Chunks chunks{};
  int shift = 0;  // Chunk c of the source lands in slot c + shift of the target.
  // Orders messages between the same two ranks. Messages of one line follow each other, as the segments of a
  // pipeline do; messages of different lines share the wire, as parallel rings do. Values don't depend on it.
  int line = 0;

  Chunks landing() const { return chunks.shifted(shift); }
  bool operator==(const Move&) const = default;
};

// Moves that begin together. All of them read the values from before the round; then they write in the order
// of the list.
struct Round {
  std::vector<Move> moves{};

  void copy(int source, int target, Chunks chunks, int shift = 0) {
    moves.push_back({source, target, Effect::copy, std::move(chunks), shift});
  }
  void reduce(int source, int target, Chunks chunks, int shift = 0) {
    moves.push_back({source, target, Effect::reduce, std::move(chunks), shift});
  }
};

// An algorithm as a function from the number of a round to the moves of that round.
struct Rule {
  int rounds = 0;
  std::function<void(int round, Round& moves)> add{};
  // The kind of each round; if empty, each round is of a kind of its own. Rounds of one kind have the same
  // moves in the same order and differ only in the numbers of their chunks. In a stretch of neighbouring
  // rounds of one kind, every move waits for moves of the round before, in the same pattern in each round,
  // and is waited for in the round after. Its other dependencies lie before the stretch.
  std::vector<int> kinds{};
};

// The conditions before and after a schedule. Ranks bring values and want results, as the operation says.
// Helpers (switches that add and multicast, or parameter servers) begin empty and may end with any value.
// Each member, rank or helper, has slots: one for each chunk, then scratch slots, which begin empty. Slot s
// has room for chunk s % chunks.
struct Contract {
  Operation operation{};
  int ranks = 1;
  int helpers = 0;  // numbered behind the ranks, from `ranks` on
  int root = 0;
  Cut cut{};
  int scratch = 0;     // scratch slots of each member
  int input_slot = 0;  // Chunk c is brought in slot c + input_slot. The input is out of place if it isn't 0.
  // The ranks, ascending, whose values are missing in all results, because the original of the algorithm
  // ignores them (TensorFlow's hierarchical copy). The verifier accepts that for just these ranks.
  std::vector<int> left_out{};

  int members() const { return ranks + helpers; }
  int slots() const { return cut.chunks + scratch; }
  std::int64_t size(int slot) const { return cut.size(slot % cut.chunks); }  // elements
  bool brings(int rank, int chunk) const;  // The rank has a value of the chunk at the beginning.
  bool wants(int rank, int chunk) const;   // The rank must have the sum of all brought values at the end.
  bool operator==(const Contract&) const = default;
};

struct Schedule {
  std::string name{};
  Contract contract{};
  Rule rule{};
};

// The moves of a round, without chunks that have no elements.
std::vector<Move> moves_of(const Schedule& schedule, int round);

// A run of neighbouring rounds of one kind, which is described by the moves of any one of them. A
// three-dimensional torus of 65,536 ranks has six stretches.
struct Stretch {
  int kind = 0;
  int first = 0;
  int rounds = 0;
  bool operator==(const Stretch&) const = default;
};
std::vector<Stretch> stretches_of(const Schedule& schedule);

inline int modulo(int value, int n) { return (value % n + n) % n; }

}  // namespace wt::collective
