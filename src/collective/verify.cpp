#include "collective/verify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/id.h"
#include "base/narrow.h"
#include "collective/contribution.h"
#include "collective/order.h"

namespace wt::collective {

namespace {

constexpr int most_shown = 8;  // findings of each fault

class Verifier {
 public:
  explicit Verifier(const Expanded& schedule) : schedule_(schedule), contract_(schedule.contract) {}

  std::vector<Finding> run() {
    check_form();
    if (!findings_.empty()) return summarized();
    const Order order(schedule_.steps);
    if (!order.complete()) {
      report_deadlock(order);
      return summarized();
    }
    check_redundancy(order);
    check_races(order);
    follow_values(order);
    return summarized();
  }

 private:
  template <class... Values>
  void find(Fault fault, fmt::format_string<Values...> text, Values&&... values) {
    if (++counts_[index(fault)] <= most_shown)
      findings_.push_back({fault, fmt::format(text, std::forward<Values>(values)...)});
  }
  std::vector<Finding> summarized();

  void check_form();
  void check_form(int id, const Step& step);
  void check_list(int id, const std::vector<Dependency>& list);
  void report_deadlock(const Order& order);
  void check_redundancy(const Order& order);
  void check_races(const Order& order);
  void follow_values(const Order& order);
  void put(int id, const Move& move, const Contribution& arriving, int slot, Contributions& values);
  void check_end(const Contributions& values);
  std::vector<int> absent_everywhere(const Contributions& values) const;

  std::string rank(int number) const {
    return number < contract_.ranks ? fmt::format("rank {}", number)
                                    : fmt::format("helper {}", number - contract_.ranks);
  }

  const Expanded& schedule_;
  const Contract& contract_;
  std::vector<Finding> findings_{};
  std::array<int, 8> counts_{};
  int last_useless_ = -1;  // the last move that was reported as useless, so that it is reported once
};

// The findings; the last one of each fault counts those that were left out.
std::vector<Finding> Verifier::summarized() {
  for (std::size_t fault = 0; fault < counts_.size(); ++fault) {
    if (counts_[fault] <= most_shown) continue;
    const auto last = std::find_if(findings_.rbegin(), findings_.rend(),
                                   [&](const Finding& finding) { return index(finding.fault) == fault; });
    last->text += fmt::format("; and {} more like it", counts_[fault] - most_shown);
  }
  return std::move(findings_);
}

// ---- Form

void Verifier::check_form() {
  for (std::size_t i = 0; i < schedule_.steps.size(); ++i)
    check_form(static_cast<int>(i), schedule_.steps[i]);
}

void Verifier::check_form(int id, const Step& step) {
  const Move& move = step.move;
  for (const int member : {move.source, move.target})
    if (member < 0 || member >= contract_.members())
      find(Fault::malformed, "move {} names member {}, but there are {} ranks and helpers", id, member,
           contract_.members());
  if (move.chunks.empty()) find(Fault::malformed, "move {} has no chunks", id);
  int outside = 0, elements = 0;
  move.chunks.each([&](int slot) {
    const int landing = slot + move.shift;
    outside += slot < 0 || slot >= contract_.slots() || landing < 0 || landing >= contract_.slots();
    elements += outside == 0 && contract_.size(slot) > 0;
  });
  if (outside > 0)
    find(Fault::malformed, "move {} names slots outside of 0 to {}", id, contract_.slots() - 1);
  else if (elements == 0 && !move.chunks.empty())
    find(Fault::malformed, "move {} moves only chunks without elements", id);
  if (move.source == move.target && move.shift == 0)
    find(Fault::malformed, "move {} goes from {} to itself, into the same slots", id, rank(move.source));
  check_list(id, step.start);
  check_list(id, step.apply);
}

void Verifier::check_list(int id, const std::vector<Dependency>& list) {
  for (const Dependency& each : list)
    if (each.move < 0 || each.move >= narrow<int>(schedule_.steps.size()))
      find(Fault::malformed, "move {} waits for move {}, which does not exist", id, each.move);
}

void Verifier::report_deadlock(const Order& order) {
  std::vector<bool> done(schedule_.steps.size());
  for (const Event& event : order.events()) done[static_cast<std::size_t>(event.move)] = event.applies;
  std::vector<std::size_t> stuck;
  for (std::size_t i = 0; i < done.size(); ++i)
    if (!done[i] && stuck.size() < 8) stuck.push_back(i);
  find(Fault::deadlock, "deadlock: moves {} never finish, because moves wait for each other in a cycle",
       fmt::join(stuck, ", "));
}

// ---- Order

void Verifier::check_redundancy(const Order& order) {
  const auto check = [&](const std::vector<Dependency>& list, int id, bool applies) {
    for (const Dependency& each : list) {
      const bool by_start = applies && order.before(each, {id, false});
      const bool by_other = std::any_of(list.begin(), list.end(), [&](const Dependency& other) {
        return &other != &each && order.implies(other, each);
      });
      if (by_start || by_other)
        find(Fault::redundant, "move {} need not wait for move {}: its other dependencies imply it", id,
             each.move);
    }
  };
  for (std::size_t i = 0; i < schedule_.steps.size(); ++i) {
    check(schedule_.steps[i].start, static_cast<int>(i), false);
    check(schedule_.steps[i].apply, static_cast<int>(i), true);
  }
}

// A read or write of a slot by a move, and when it begins and ends.
struct Access {
  int member = 0, slot = 0, move = 0;
  bool writes = false;
  Event begin{};
  Dependency end{};
};

std::vector<Access> accesses_of(const std::vector<Step>& steps) {
  std::vector<Access> all;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Move& move = steps[i].move;
    const int id = static_cast<int>(i);
    const bool buffered = move.effect == Effect::reduce || !steps[i].apply.empty();
    move.chunks.each([&](int slot) {
      all.push_back({move.source, slot, id, false, {id, false}, {id, Until::sent}});
      all.push_back({move.target, slot + move.shift, id, true, {id, buffered}, {id, Until::done}});
    });
  }
  std::sort(all.begin(), all.end(), [](const Access& a, const Access& b) {
    return std::tie(a.member, a.slot, a.move, a.writes) < std::tie(b.member, b.slot, b.move, b.writes);
  });
  return all;
}

// Any two accesses to a slot, at least one of which writes, must have an order.
void Verifier::check_races(const Order& order) {
  const std::vector<Access> all = accesses_of(schedule_.steps);
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t k = i + 1; k < all.size(); ++k) {
      const Access &one = all[i], &other = all[k];
      if (one.member != other.member || one.slot != other.slot) break;
      if (!one.writes && !other.writes) continue;
      if (order.before(one.end, other.begin) || order.before(other.end, one.begin)) continue;
      const Access &writer = other.writes ? other : one, &second = other.writes ? one : other;
      find(Fault::race, "move {} may {} {}'s slot {} while move {} still {} it", writer.move,
           schedule_.steps[static_cast<std::size_t>(writer.move)].move.effect == Effect::reduce ? "add to"
                                                                                                : "overwrite",
           rank(one.member), one.slot, second.move, second.writes ? "writes" : "sends");
    }
  }
}

// ---- Values

void Verifier::follow_values(const Order& order) {
  Contributions values(contract_);
  std::vector<std::vector<Contribution>> in_flight(schedule_.steps.size());
  for (const Event& event : order.events()) {
    const Move& move = schedule_.steps[static_cast<std::size_t>(event.move)].move;
    std::vector<Contribution>& bytes = in_flight[static_cast<std::size_t>(event.move)];
    if (!event.applies) {
      move.chunks.each([&](int slot) {
        bytes.push_back(values.at(move.source, slot));
        if (bytes.back().empty())
          find(Fault::senseless, "move {} sends {}'s slot {}, which holds nothing", event.move,
               rank(move.source), slot);
      });
      continue;
    }
    std::size_t next = 0;
    move.landing().each([&](int slot) { put(event.move, move, bytes[next++], slot, values); });
    bytes.clear();
  }
  check_end(values);
}

void Verifier::put(int id, const Move& move, const Contribution& arriving, int slot, Contributions& values) {
  Contribution& there = values.at(move.target, slot);
  if (arriving.empty()) return;
  if (move.effect == Effect::copy) {
    if (there == arriving && last_useless_ != id) {
      find(Fault::useless, "move {} copies to {} a value that is there already (slot {})", id,
           rank(move.target), slot);
      last_useless_ = id;
    }
    there = arriving;
    return;
  }
  if (there.empty()) {
    find(Fault::senseless, "move {} adds to {}'s slot {}, which holds nothing", id, rank(move.target), slot);
  } else if (there.chunk != arriving.chunk) {
    find(Fault::senseless, "move {} adds chunk {} to {}'s chunk {}", id, arriving.chunk, rank(move.target),
         there.chunk);
  } else {
    for (const int twice : there.ranks.common(arriving.ranks))
      find(Fault::counted_twice, "move {} counts rank {}'s chunk {} twice in {}", id, twice, there.chunk,
           rank(move.target));
    there.ranks.add(arriving.ranks);
  }
}

// The ranks whose values are contained in none of the results that should contain them.
std::vector<int> Verifier::absent_everywhere(const Contributions& values) const {
  std::vector<int> absent;
  for (int brings = 0; brings < contract_.ranks; ++brings) {
    bool wanted = false, present = false;
    for (int chunk = 0; chunk < contract_.cut.chunks; ++chunk) {
      if (contract_.cut.size(chunk) == 0 || !contract_.brings(brings, chunk)) continue;
      for (int wants = 0; wants < contract_.ranks; ++wants) {
        if (!contract_.wants(wants, chunk)) continue;
        wanted = true;
        const Contribution& there = values.at(wants, chunk);
        present |= there.chunk == chunk && there.ranks.has(brings);
      }
    }
    if (wanted && !present) absent.push_back(brings);
  }
  return absent;
}

void Verifier::check_end(const Contributions& values) {
  const std::vector<int> absent = absent_everywhere(values);
  for (const int each : absent)
    if (!std::binary_search(contract_.left_out.begin(), contract_.left_out.end(), each))
      find(Fault::incomplete, "rank {} is left out: no result contains its values", each);
  for (const int each : contract_.left_out)
    if (!std::binary_search(absent.begin(), absent.end(), each))
      find(Fault::incomplete, "rank {} is listed in left_out, but it is not left out", each);
  for (int chunk = 0; chunk < contract_.cut.chunks; ++chunk) {
    if (contract_.cut.size(chunk) == 0) continue;
    for (int wants = 0; wants < contract_.ranks; ++wants) {
      if (!contract_.wants(wants, chunk)) continue;
      const Contribution& there = values.at(wants, chunk);
      if (!there.empty() && there.chunk != chunk)
        find(Fault::incomplete, "rank {} ends with chunk {} in the place of chunk {}", wants, there.chunk,
             chunk);
      for (int brings = 0; brings < contract_.ranks; ++brings)
        if (contract_.brings(brings, chunk) && !there.ranks.has(brings) &&
            !std::binary_search(absent.begin(), absent.end(), brings))
          find(Fault::incomplete, "rank {} misses rank {}'s chunk {}", wants, brings, chunk);
    }
  }
}

}  // namespace

std::vector<Finding> verify(const Expanded& schedule) { return Verifier(schedule).run(); }

std::string print(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) text += finding.text + "\n";
  return text;
}

}  // namespace wt::collective
