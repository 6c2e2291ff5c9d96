#pragma once
// Which events of a schedule have certainly happened before which others: a graph over the starts and ends of
// its moves.

#include <span>
#include <utility>
#include <vector>

#include "collective/expand.h"

namespace wt::collective {

// The start of a move, or the moment when it is applied: its bytes are added or, for a copy, have arrived.
struct Event {
  int move = 0;
  bool applies = false;
};

// All events in a legal order. `choose(ready)` returns the index of the next event among those that are
// ready. Moves that wait for each other in a cycle, and moves behind them, are missing.
template <class Choose>
std::vector<Event> legal_order(const std::vector<Step>& steps, Choose choose);
// The event that became ready last comes next, which is the fastest choice.
std::vector<Event> legal_order(const std::vector<Step>& steps);
// The event of the first move comes next, so the order is that of the moves as far as it is legal.
std::vector<Event> first_moves_first(const std::vector<Step>& steps);

// The events that have certainly happened before each event, as vector clocks (Fidge, 1988, and Mattern,
// 1989). Their processes are chains here: sequences of moves each of which starts when the one before is
// done. Progress in a chain is one number, and the clock of an event has an entry for each chain of which
// something has happened before. In a ring, the way of one chunk is one chain.
class Order {
 public:
  explicit Order(const std::vector<Step>& steps);

  // Whether no moves wait for each other in a cycle. The questions below require it.
  bool complete() const { return events_.size() == 2 * chain_.size(); }
  const std::vector<Event>& events() const { return events_; }  // in a legal order
  bool before(Dependency happened, Event event) const;
  // Whether `implied` holds whenever `given` holds.
  bool implies(Dependency given, Dependency implied) const;

 private:
  struct Entry {
    int chain = 0;
    int time = 0;  // Twice the place in the chain; one more if the move there is done.
  };
  struct Clock {
    std::size_t begin = 0, end = 0;  // in entries_; ascending chains
  };
  void join_chain(int move, const Step& step);
  void merge(const Dependency& happened);
  void merge(const Clock& clock);
  void merge(Entry entry);
  Clock take_merged();
  Entry entry_of(Dependency happened) const;

  std::vector<Event> events_{};
  std::vector<int> chain_{}, place_{};     // of each move
  std::vector<int> last_{};                // the last move of each chain
  std::vector<Clock> started_{}, done_{};  // clocks of the events of each move, without the event itself
  std::vector<Entry> entries_{};
  std::vector<int> latest_{};  // time of each chain in the clock that is being merged; -1: no entry
  std::vector<int> merged_{};  // the chains that have an entry in it
};

// ---- Implementation of the template

// The events that wait for each event.
class Followers {
 public:
  Followers(const std::vector<Step>& steps, std::vector<int>& waits);
  std::span<const Event> operator[](std::size_t event) const {
    return std::span(events_).subspan(begin_[event], begin_[event + 1] - begin_[event]);
  }

 private:
  std::vector<std::size_t> begin_{};
  std::vector<Event> events_{};
};

// `waits` gets the number of events that each event waits for. The number of an event is twice that of its
// move, plus one if it applies the move.
inline Followers followers_of(const std::vector<Step>& steps, std::vector<int>& waits) {
  return {steps, waits};
}

template <class Choose>
std::vector<Event> legal_order(const std::vector<Step>& steps, Choose choose) {
  std::vector<int> waits;
  const Followers followers = followers_of(steps, waits);
  std::vector<Event> ready, order;
  for (std::size_t move = 0; move < steps.size(); ++move)
    if (waits[2 * move] == 0) ready.push_back({static_cast<int>(move), false});
  while (!ready.empty()) {
    std::swap(ready[choose(ready)], ready.back());
    const Event event = ready.back();
    ready.pop_back();
    order.push_back(event);
    for (const Event& next : followers[2 * static_cast<std::size_t>(event.move) + event.applies])
      if (--waits[2 * static_cast<std::size_t>(next.move) + next.applies] == 0) ready.push_back(next);
  }
  return order;
}

}  // namespace wt::collective
