#include "communication/collective_clock.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/id.h"
#include "base/rough.h"
#include "collective/import.h"
#include "communication/calibrated.h"
#include "communication/collective_plan.h"
#include "communication/collective_warnings.h"
#include "simulate/simulate.h"

namespace wt::communication {

namespace {

using collective::Algorithm, collective::Choice, collective::Schedule;

constexpr Bytes most_bytes(std::int64_t{1} << 44);
// Of what can't be folded because everything is shown, or several groups share links.
constexpr std::int64_t most_moves = 1'000'000;

void check_moves(const Schedule& schedule, std::int64_t copies) {
  std::int64_t moves = 0;
  for (int round = 0; round < schedule.rule.rounds; ++round) {
    moves += std::ssize(collective::moves_of(schedule, round)) * copies;
    if (moves > most_moves)
      throw InputError(
          fmt::format("{} of {} makes more than {} moves, too many to be taken one by one", schedule.name,
                      counted(schedule.contract.ranks * copies, "rank"), most_moves),
          "take fewer ranks or another algorithm");
  }
}

collective::Expanded expanded_of(const Call& call, std::int64_t copies) {
  const Schedule schedule = collective::make_schedule(*call.algorithm, call.request);
  check_moves(schedule, copies);
  return collective::expand(schedule);
}

std::string text_of(const Choice& choice, bool has_protocol) {
  return has_protocol ? fmt::format("{} {}", choice.algorithm, collective::name(choice.protocol))
                      : std::string(choice.algorithm);
}

}  // namespace

CollectiveClock::CollectiveClock(CollectiveQuestion question, std::vector<Group> groups)
    : question_(std::move(question)), groups_(std::move(groups)) {
  if (question_.tiny_message) calibrate_launch(question_.call, *question_.tiny_message, first_);
}

std::int64_t CollectiveClock::elements(Bytes size) const {
  const ElementType& type = question_.type;
  const std::int64_t unit = is_shared_out(question_.operation) ? first_.size() : 1;
  const std::int64_t count = size.count() / type.bytes / unit * unit;
  if (count < 1)
    throw InputError(fmt::format("{} are less than one {} for each who needs one", size, type.name),
                     fmt::format("give at least {}", Bytes(unit * type.bytes)));
  if (size > most_bytes) throw InputError(fmt::format("{} are more than {}", size, most_bytes), "give less");
  return count;
}

// ---- What is carried out

// In units of the type that is timed.
collective::Request CollectiveClock::request(Bytes size) const {
  const ElementType& type = question_.type;
  return {.ranks = first_.size(),
          .elements = elements(size) * type.units(),
          .element_bytes = static_cast<int>(bytes_per_element(type.timed_as)),
          .root = question_.root,
          .options = question_.options};
}

Call CollectiveClock::call(const Group& group, const Algorithm& algorithm, Bytes size,
                           std::optional<collective::Protocol> protocol) const {
  CallOptions options = question_.call;
  options.protocol = protocol;
  return call_of(group, algorithm, request(size), options);
}

// By what the first group's library would do: equal groups do the same.
void CollectiveClock::choose(Carried& carried, const CollectiveChoice& choice, Bytes size) const {
  const Bytes bytes(elements(size) * question_.type.bytes);
  std::vector<Choice> ranked = choices(first_, question_.operation, bytes, question_.call.settings);
  const bool has_protocol = is_driven_by_nccl(first_);
  if (const auto wanted = question_.call.protocol; wanted && has_protocol)
    std::erase_if(ranked, [&](const Choice& each) { return each.protocol != *wanted; });
  if (ranked.empty() && choice.is_automatic)
    throw InputError(fmt::format("{} can't carry {} on {}",
                                 question_.call.protocol
                                     ? fmt::format("protocol {}", collective::name(*question_.call.protocol))
                                     : "what the library's settings allow",
                                 collective::name(question_.operation), first_.platform.name()),
                     question_.call.protocol ? "choose another protocol, or name an algorithm"
                                             : "allow Ring and Simple, which every machine has");
  const Algorithm& algorithm =
      choice.is_automatic ? collective::algorithm_named(question_.operation, ranked.front().algorithm)
                          : *choice.algorithm;
  const auto protocol =
      choice.is_automatic && has_protocol ? ranked.front().protocol : question_.call.protocol;
  carried.algorithm = algorithm.name;
  if (choice.is_automatic && ranked.size() > 1) carried.runner_up = text_of(ranked[1], has_protocol);
  for (const Group& group : groups_) carried.calls.push_back(call(group, algorithm, size, protocol));
  carried.contract =
      collective::make_schedule(*carried.calls.front().algorithm, carried.calls.front().request).contract;
}

CollectiveClock::Carried CollectiveClock::carried(const CollectiveChoice& choice, Bytes size) const {
  Carried carried;
  if (choice.file.empty()) {
    choose(carried, choice, size);
    return carried;
  }
  // Its messages are taken to be as those of the library's rings.
  const Algorithm& like = *collective::algorithms_of(question_.operation).front();
  for (const Group& group : groups_) {
    carried.calls.push_back(call(group, like, size, question_.call.protocol));
    carried.calls.back().algorithm = nullptr;
  }
  carried.from_file = read(choice, size);
  carried.algorithm = carried.from_file->name;
  carried.contract = carried.from_file->contract;
  return carried;
}

collective::Expanded CollectiveClock::read(const CollectiveChoice& choice, Bytes size) const {
  collective::Expanded schedule =
      collective::import_verified(choice.text, request(size).elements, choice.file);
  const collective::Contract& contract = schedule.contract;
  if (contract.operation != question_.operation)
    throw InputError(fmt::format("{} is for {}", choice.file, collective::name(contract.operation)),
                     fmt::format("say --op {}", collective::name(contract.operation)));
  if (contract.ranks != first_.size())
    throw InputError(
        fmt::format("{} is for {}, not for {}", choice.file, counted(contract.ranks, "rank"), first_.size()),
        fmt::format("say --ranks {}", contract.ranks * std::ssize(groups_)));
  return schedule;
}

collective::Expanded CollectiveClock::schedule(const CollectiveChoice& choice, Bytes size) const {
  Carried carried = this->carried(choice, size);
  if (carried.from_file) return *std::move(carried.from_file);
  Call& call = carried.calls.front();
  call.request.elements = elements(size);
  call.request.element_bytes = question_.type.bytes;
  return expanded_of(call, 1);
}

Call CollectiveClock::library_call(Bytes size) const {
  return carried({.is_automatic = true}, size).calls.front();
}

// ---- Time

Played CollectiveClock::played(const Carried& carried) const {
  Played all;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const Call& call = carried.calls[i];
    append(all, expanded_plan(carried.from_file ? *carried.from_file : expanded_of(call, std::ssize(groups_)),
                              call, groups_[i], question_.type.timed_as));
  }
  return all;
}

Timing CollectiveClock::timed(const Carried& carried) const {
  const Call& call = carried.calls.front();
  const Type type = question_.type.timed_as;
  if (groups_.size() > 1) {
    const Played all = played(carried);
    plan::Timeline timeline = clocked(all, first_.platform);
    const std::int64_t moves = std::ranges::count_if(all.plan.nodes, [](const plan::Node& node) {
      return std::holds_alternative<plan::Move>(node.action);
    });
    return {timeline.end, std::move(timeline.links), moves, moves};
  }
  if (carried.from_file) return time_of(*carried.from_file, call, first_, type);
  return time_of(call, first_, type, question_.folding);
}

// What is brought out of place has to be copied there first, at the memory's rate.
Seconds CollectiveClock::in_place(const Carried& carried) const {
  Played all = played(carried);
  add_input_copies(all, first_.platform);
  return clocked(all, first_.platform).end;
}

CollectiveRow CollectiveClock::time(const CollectiveChoice& choice, Bytes size) {
  const Carried carried = this->carried(choice, size);
  Timing timing = timed(carried);
  const Call& call = carried.calls.front();
  const std::int64_t count = elements(size);
  const std::string_view series = choice.is_automatic           ? "auto"
                                  : choice.algorithm != nullptr ? choice.algorithm->name
                                                                : std::string_view(choice.file);
  CollectiveRow row{.series = std::string(series),
                    .algorithm = carried.algorithm,
                    .protocol = std::string(call.protocol),
                    .runner_up = carried.runner_up,
                    .basis = call.protocol.empty() || !question_.tiny_message ? call.basis : "tiny message",
                    .bytes = Bytes(count * question_.type.bytes),
                    .count = is_shared_out(question_.operation) ? count / first_.size() : count,
                    .time = timing.time,
                    .links = std::move(timing.links),
                    .moves = timing.moves,
                    .played = timing.played,
                    .pieces = timing.pieces};
  // Of one group alone, which the others only hold up.
  row.bound = bounds_.of(carried.contract, endpoints(first_, call.algorithm, carried.contract), row.bytes);
  // A measured time below the bound shows that the described rates are too low.
  if (row.bound && call.basis == basis_of_calibrated) row.bound = std::min(*row.bound, row.time);
  if (carried.contract.input_slot > 0) row.in_place = in_place(carried);
  row.is_borrowed = is_borrowed(question_, first_, row);
  row.warnings = warnings_of(question_, first_, carried.contract, row);
  return row;
}

Recording CollectiveClock::record(const CollectiveChoice& choice, Bytes size) const {
  Recording recording{.played = played(carried(choice, size))};
  Played& all = recording.played;
  for (std::size_t i = 0; i < all.where.size(); ++i)
    all.plan.devices[i].name = first_.platform.name(all.where[i]);
  recording.timeline = clocked(all, first_.platform);
  return recording;
}

}  // namespace wt::communication
