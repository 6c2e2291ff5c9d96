#include "collective/execute.h"

#include <algorithm>

#include "base/error.h"
#include "collective/order.h"

namespace wt::collective {

namespace {

// The slots of all members.
template <class Number>
class Memory {
 public:
  using Values = std::vector<Number>;

  Memory(const Contract& contract, const std::vector<Values>& vectors)
      : contract_(contract),
        slots_(static_cast<std::size_t>(contract.members()) * static_cast<std::size_t>(contract.slots())) {
    each_chunk([&](int rank, int chunk) {
      if (!contract_.brings(rank, chunk)) return;
      const Values& vector = vectors[static_cast<std::size_t>(rank)];
      at(rank, chunk + contract_.input_slot)
          .assign(vector.begin() + contract_.cut.begin(chunk),
                  vector.begin() + contract_.cut.begin(chunk + 1));
    });
  }

  Values& at(int member, int slot) {
    return slots_[static_cast<std::size_t>(member) * static_cast<std::size_t>(contract_.slots()) +
                  static_cast<std::size_t>(slot)];
  }

  void write_results(std::vector<Values>& vectors) {
    each_chunk([&](int rank, int chunk) {
      const Values& result = at(rank, chunk);
      if (contract_.wants(rank, chunk))
        std::copy(result.begin(), result.end(),
                  vectors[static_cast<std::size_t>(rank)].begin() + contract_.cut.begin(chunk));
    });
  }

 private:
  template <class Visit>
  void each_chunk(Visit visit) {
    for (int rank = 0; rank < contract_.ranks; ++rank)
      for (int chunk = 0; chunk < contract_.cut.chunks; ++chunk) visit(rank, chunk);
  }

  const Contract& contract_;
  std::vector<Values> slots_;
};

template <class Number>
std::vector<std::vector<Number>> run(const Expanded& schedule, std::vector<std::vector<Number>> vectors,
                                     std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Memory<Number> memory(schedule.contract, vectors);
  std::vector<std::vector<std::vector<Number>>> in_flight(schedule.steps.size());
  const std::vector<Event> order = legal_order(schedule.steps, [&](const std::vector<Event>& ready) {
    return static_cast<std::size_t>(random() % ready.size());
  });
  WT_EXPECT(order.size() == 2 * schedule.steps.size(),
            "the schedule was not verified: its moves wait for each other in a cycle");
  for (const Event& event : order) {
    const Move& move = schedule.steps[static_cast<std::size_t>(event.move)].move;
    auto& bytes = in_flight[static_cast<std::size_t>(event.move)];
    if (!event.applies) {
      move.chunks.each([&](int slot) { bytes.push_back(memory.at(move.source, slot)); });
      continue;
    }
    std::size_t next = 0;
    move.landing().each([&](int slot) {
      const std::vector<Number>& arriving = bytes[next++];
      std::vector<Number>& there = memory.at(move.target, slot);
      if (move.effect == Effect::copy)
        there = arriving;
      else
        for (std::size_t i = 0; i < arriving.size(); ++i) there[i] += arriving[i];
    });
    bytes.clear();
  }
  memory.write_results(vectors);
  return vectors;
}

}  // namespace

std::vector<std::vector<float>> execute_on(const Expanded& schedule, std::vector<std::vector<float>> vectors,
                                           std::uint64_t seed) {
  return run(schedule, std::move(vectors), seed);
}

std::vector<std::vector<double>> execute_on(const Expanded& schedule,
                                            std::vector<std::vector<double>> vectors, std::uint64_t seed) {
  return run(schedule, std::move(vectors), seed);
}

}  // namespace wt::collective
