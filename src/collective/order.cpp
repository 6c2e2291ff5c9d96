#include "collective/order.h"

#include <algorithm>
#include <numeric>
#include <queue>

#include "base/narrow.h"

namespace wt::collective {

namespace {

std::size_t number(Event event) { return 2 * static_cast<std::size_t>(event.move) + event.applies; }

// A start captures the bytes, so a dependency on bytes that have been sent is one on the start.
Event event_of(const Dependency& dependency) { return {dependency.move, dependency.until == Until::done}; }

// Calls `wait(earlier, later)` for each event that waits for another one.
template <class Wait>
void each_wait(const std::vector<Step>& steps, Wait wait) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const int move = static_cast<int>(i);
    wait(Event{move, false}, Event{move, true});
    for (const Dependency& each : steps[i].start) wait(event_of(each), Event{move, false});
    for (const Dependency& each : steps[i].apply) wait(event_of(each), Event{move, true});
  }
}

// Whether every event waits only for events of smaller numbers, as in most schedules.
bool are_in_legal_order(const std::vector<Step>& steps) {
  bool legal = true;
  each_wait(steps, [&](Event earlier, Event later) { legal = legal && number(earlier) < number(later); });
  return legal;
}

std::vector<Event> all_events(const std::vector<Step>& steps) {
  std::vector<Event> events;
  events.reserve(2 * steps.size());
  for (int move = 0; move < narrow<int>(steps.size()); ++move)
    for (const bool applies : {false, true}) events.push_back({move, applies});
  return events;
}

}  // namespace

Followers::Followers(const std::vector<Step>& steps, std::vector<int>& waits) : begin_(2 * steps.size() + 1) {
  waits.assign(2 * steps.size(), 0);
  each_wait(steps, [&](Event earlier, Event later) {
    ++begin_[number(earlier) + 1];
    ++waits[number(later)];
  });
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  events_.resize(begin_.back());
  std::vector<std::size_t> next = begin_;
  each_wait(steps, [&](Event earlier, Event later) { events_[next[number(earlier)]++] = later; });
}

std::vector<Event> legal_order(const std::vector<Step>& steps) {
  return legal_order(steps, [](const std::vector<Event>& ready) { return ready.size() - 1; });
}

std::vector<Event> first_moves_first(const std::vector<Step>& steps) {
  if (are_in_legal_order(steps)) return all_events(steps);
  const auto is_later = [](const Event& a, const Event& b) { return number(a) > number(b); };
  std::priority_queue<Event, std::vector<Event>, decltype(is_later)> ready(is_later);
  std::vector<int> waits;
  const Followers followers(steps, waits);
  for (std::size_t move = 0; move < steps.size(); ++move)
    if (waits[2 * move] == 0) ready.push({static_cast<int>(move), false});
  std::vector<Event> order;
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (const Event& next : followers[number(order.back())])
      if (--waits[number(next)] == 0) ready.push(next);
  }
  return order;
}

Order::Order(const std::vector<Step>& steps)
    : events_(are_in_legal_order(steps) ? all_events(steps) : legal_order(steps)),
      chain_(steps.size(), -1),
      place_(steps.size()),
      started_(steps.size()),
      done_(steps.size()) {
  for (const Event& event : events_) {
    const auto move = static_cast<std::size_t>(event.move);
    if (!event.applies) {
      join_chain(event.move, steps[move]);
      for (const Dependency& each : steps[move].start) merge(each);
      started_[move] = take_merged();
    } else if (steps[move].apply.empty()) {
      done_[move] = started_[move];
    } else {
      merge(started_[move]);
      for (const Dependency& each : steps[move].apply) merge(each);
      done_[move] = take_merged();
    }
  }
}

// Appends the move to the chain of a move that must be done before it starts, if that move is the last one of
// its chain; otherwise the move begins a chain.
void Order::join_chain(int move, const Step& step) {
  const auto id = static_cast<std::size_t>(move);
  for (const Dependency& each : step.start) {
    const auto before = static_cast<std::size_t>(each.move);
    int& last = last_[static_cast<std::size_t>(chain_[before])];
    if (each.until != Until::done || last != each.move) continue;
    last = move;
    chain_[id] = chain_[before];
    place_[id] = place_[before] + 1;
    return;
  }
  chain_[id] = narrow<int>(last_.size());
  last_.push_back(move);
  latest_.push_back(-1);
}

Order::Entry Order::entry_of(Dependency happened) const {
  const auto move = static_cast<std::size_t>(happened.move);
  return {chain_[move], 2 * place_[move] + (happened.until == Until::done)};
}

void Order::merge(const Dependency& happened) {
  const auto move = static_cast<std::size_t>(happened.move);
  merge(happened.until == Until::done ? done_[move] : started_[move]);
  merge(entry_of(happened));
}

void Order::merge(const Clock& clock) {
  for (std::size_t i = clock.begin; i < clock.end; ++i) merge(entries_[i]);
}

void Order::merge(Entry entry) {
  int& latest = latest_[static_cast<std::size_t>(entry.chain)];
  if (latest < 0) merged_.push_back(entry.chain);
  latest = std::max(latest, entry.time);
}

Order::Clock Order::take_merged() {
  const std::size_t begin = entries_.size();
  std::sort(merged_.begin(), merged_.end());
  for (const int chain : merged_) {
    int& latest = latest_[static_cast<std::size_t>(chain)];
    entries_.push_back({chain, latest});
    latest = -1;
  }
  merged_.clear();
  return {begin, entries_.size()};
}

bool Order::before(Dependency happened, Event event) const {
  const auto move = static_cast<std::size_t>(event.move);
  if (event.applies && happened.move == event.move) return happened.until == Until::sent;
  const Entry wanted = entry_of(happened);
  // When a move is applied, it has started, and so all moves before it in its chain are done.
  if (event.applies && wanted.chain == chain_[move] && wanted.time < 2 * place_[move]) return true;
  const Clock& clock = event.applies ? done_[move] : started_[move];
  const auto end = entries_.begin() + static_cast<std::ptrdiff_t>(clock.end);
  const auto entry =
      std::lower_bound(entries_.begin() + static_cast<std::ptrdiff_t>(clock.begin), end, wanted.chain,
                       [](const Entry& each, int chain) { return each.chain < chain; });
  return entry != end && entry->chain == wanted.chain && entry->time >= wanted.time;
}

bool Order::implies(Dependency given, Dependency implied) const {
  if (given.move == implied.move) return given.until >= implied.until;
  return before(implied, event_of(given));
}

}  // namespace wt::collective
