#include "recommend/contest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "platform/load.h"
#include "sweep/crew.h"

namespace wt::recommend {

namespace {

void check_target(const Target& target, Problems& problems) {
  const int given = (target.samples_per_second ? 1 : 0) + (target.epoch ? 1 : 0) + (target.fit ? 1 : 0);
  if (given != 1)
    problems.add(
        {}, given == 0 ? "the question has no target" : fmt::format("the question has {} targets", given),
        "write one of --target 20000 (samples/s), --epoch 10min and --fit");
  if (target.samples_per_second &&
      !(*target.samples_per_second > 0 && std::isfinite(*target.samples_per_second)))
    problems.add({}, fmt::format("--target must be above 0, and it is {}", *target.samples_per_second),
                 "write samples per second, as in --target 20000");
  if (target.epoch && !(target.epoch->count() > 0))
    problems.add({}, "--epoch must be above 0 s", "write a time, as in --epoch 10min");
}

void check_limits(const Question& question, Problems& problems) {
  if (question.most_global_batch && *question.most_global_batch < 1)
    problems.add(
        {}, fmt::format("--max-global-batch must be at least 1, and it is {}", *question.most_global_batch),
        "write a number of rows, or none");
  if (question.most_devices < 1 || question.most_devices > 65'536)
    problems.add({},
                 fmt::format("--max-devices must be from 1 to 65536, and it is {}", question.most_devices),
                 "leave it out for 256");
  if (!(question.quantile > 0 && question.quantile < 0.5))
    problems.add({}, fmt::format("--quantile must be between 0 and 0.5, and it is {}", question.quantile),
                 "leave it out for 0.1: one prediction in ten is farther off at each end");
}

// The global batch decides how many devices can share a step, and whether the model still learns, so it is the
// user's.
void check_global_batch(const Question& question, const scenario::Scenario& base, Problems& problems) {
  if (base.training.global_batch || question.most_global_batch || question.any_global_batch) return;
  if (question.target.fit) return;
  problems.add(
      base.place("training.per_replica_batch"),
      "the scenario fixes the batch of each device, so the global batch grows with the machine and decides "
      "the answer",
      "say how large it may get: --max-global-batch 8192, or --max-global-batch none");
}

void check_epoch(const Question& question, const scenario::Scenario& base, Problems& problems) {
  if (question.target.epoch && base.dataset.repeat == -1)
    problems.add(base.place("dataset.repeat"), "an epoch of rows without end has no time",
                 "write --target in samples/s, or --set dataset.repeat=null");
}

Terms terms_of(const Question& question, const scenario::Scenario& base) {
  Terms terms{.target = question.target, .global_batch = question.most_global_batch};
  if (const auto& global = base.training.global_batch) {
    terms.global_batch = std::min(*global, question.most_global_batch.value_or(*global));
    terms.rows_each = *terms.global_batch;
  } else {
    terms.rows_each = *base.training.per_replica_batch;
  }
  return terms;
}

std::vector<std::string> names_of(const Question& question) {
  std::vector<std::string> names;
  for (const std::string& name : question.platforms)
    if (std::ranges::count(names, name) == 0) names.push_back(name);
  if (names.empty())
    for (const platform::KnownPlatform& known : platform::known_platforms()) names.push_back(known.id);
  return names;
}

}  // namespace

Contest::Contest(const Question& question)
    : question_(question), own_(own_rows(question)), trials_(question.file, question.overrides, own_.scale) {
  Problems problems;
  check_target(question.target, problems);
  check_limits(question, problems);
  check_global_batch(question, trials_.base(), problems);
  check_epoch(question, trials_.base(), problems);
  add_contenders(problems);
  problems.throw_if_any();
  terms_ = terms_of(question, trials_.base());
}

// A platform that the user names must be one. Of all platforms, those that can't be compared are left out with
// their reason.
void Contest::add_contenders(Problems& problems) {
  for (const std::string& name : names_of(question_)) {
    try {
      Ladder ladder = ladder_of(name, std::max<std::int64_t>(1, question_.most_devices));
      Choice choice{.platform = name, .device = ladder.device.product, .unit = ladder.unit};
      contenders_.push_back({std::move(ladder), std::move(choice)});
    } catch (const InputError& error) {
      if (!question_.platforms.empty())
        for (const Problem& problem : error.problems()) problems.add(problem);
      else
        refused_.push_back({.platform = name, .found = {.why_not = error.problems().front().fact}});
    }
  }
}

double Contest::factor(const Contender& contender) const {
  const auto found = own_.communication.find(contender.ladder.platform);
  return found == own_.communication.end() ? 1 : std::exp(quantile(found->second, 0.5));
}

std::optional<Sized> Contest::again(const Contender& contender, const Terms& terms, const Change& change) {
  return smallest(trials_, contender.ladder, terms, factor(contender), change).smallest;
}

void Contest::share(int count, const std::function<void(int)>& work) {
  std::set<std::int64_t> lost;
  if (question_.processes > 1 && count > 1) {
    sweep::Work points;
    for (int number = 0; number < count; ++number) points.numbers.push_back(number);
    points.line_of = [&](std::int64_t number) {
      work(static_cast<int>(number));
      return trials_.known();
    };
    points.lost_line = [&](std::int64_t number, const std::string&) {
      lost.insert(number);
      return std::string("[]");
    };
    points.deliver = [&](std::span<const std::string> lines) {
      for (const std::string& line : lines) trials_.learn(line);
    };
    points.is_stopped = [] { return false; };
    sweep::share(points, question_.processes);
  }
  for (int number = 0; number < count; ++number)
    if (!lost.contains(number)) work(number);
}

}  // namespace wt::recommend
