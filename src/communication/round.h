#pragma once
// The rounds of a schedule, and one of them as nodes of a plan, for timings that simulate few of them.

#include "communication/timing.h"

namespace wt::communication {

// Chunks differ if the vector can't be divided equally, and in TensorFlow's ring, whose last chunk takes the
// rest.
bool has_equal_chunks(const collective::Cut& cut);

// Counts the moves round by round, before anything is written down, until there are more than `most`.
std::int64_t moves_up_to(std::int64_t most, const collective::Schedule& schedule);
bool has_at_most(const collective::Schedule& schedule, std::int64_t moves);

int overlap(const collective::Chunks& a, const collective::Chunks& b);  // the number of common chunks

// By member, the numbers of the moves that land there.
std::vector<std::vector<std::size_t>> landings(const std::vector<collective::Move>& moves, int members);

// Whether the moves of a round can be taken apart: none stays within a member, no chunk of a member is written
// by two of them (two additions would have to wait for each other), and no message waits for another.
bool is_simple(const std::vector<collective::Move>& moves, int members, plan::Messages messages);

// A plan with a device and a buffer for each member, and no nodes.
plan::Plan empty_plan(const collective::Schedule& schedule, Type type);

// The nodes of a move: its message, and its sum or, if it doesn't reduce, the message again.
struct MoveNodes {
  std::size_t sent{};
  std::size_t done{};
};

// Appends the messages of a round to such a plan, and the sums behind those that reduce.
std::vector<MoveNodes> add_round(plan::Plan& plan, const collective::Schedule& schedule,
                                 const std::vector<collective::Move>& moves, Type type);

}  // namespace wt::communication
