#pragma once
// What has certainly happened before what: a graph over the moves' starts and ends.

#include <span>
#include <utility>
#include <vector>

#include "collective/expand.h"

namespace wt::collective {

// A move starts, then it is applied (a copy: has arrived).
struct Event {
  int move = 0;
  bool applies = false;
};

// All events in one legal order, in which `choose(events that are ready)` picks the index of the next. Events
// of moves that wait for each other in a circle never come.
template <class Choose>
std::vector<Event> legal_order(const std::vector<Step>& steps, Choose choose);
// The last that became ready, which is fast; or the first move, as far as that is legal.
std::vector<Event> legal_order(const std::vector<Step>& steps);
std::vector<Event> first_moves_first(const std::vector<Step>& steps);

// Everything that each event can know to have happened. Moves of which each starts when the one before is
// done form a chain, so what is known of a chain is one number, how far it has come; an event's clock holds
// one for each chain it knows of (Fidge, 1988, and Mattern, 1989, with chains for processes). One chunk's way
// around a ring is one chain.
class Order {
 public:
  explicit Order(const std::vector<Step>& steps);

  bool complete() const { return events_.size() == 2 * chain_.size(); }  // no circle
  const std::vector<Event>& events() const { return events_; }
  bool before(Dependency happened, Event event) const;
  // `given` implies `implied`: whoever waits for the one has waited for the other.
  bool implies(Dependency given, Dependency implied) const;

 private:
  struct Hand {
    int chain = 0;
    int time = 0;  // twice the place in the chain, and one more where that move is done
  };
  struct Clock {
    std::size_t begin = 0, end = 0;  // in hands_; ascending chains
  };
  void join_chain(int move, const Step& step);
  void learn(const Dependency& happened);
  void learn(const Clock& clock);
  void learn(Hand hand);
  Clock clock_of_what_was_learned();
  Hand hand_of(Dependency happened) const;

  std::vector<Event> events_{};
  std::vector<int> chain_{}, place_{};     // of each move
  std::vector<int> last_{};                // move of each chain
  std::vector<Clock> started_{}, done_{};  // what each move's events know; itself not counted
  std::vector<Hand> hands_{};
  std::vector<int> latest_{};   // of each chain, while one event learns; -1: nothing
  std::vector<int> learned_{};  // chains
};

// ---- Below: how

// The events that wait for each event, in one list.
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

// `waits` becomes how many each event waits for. Events are numbered: twice the move's, and one more where it
// applies.
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
