#include "model/schedule.h"

#include <fmt/format.h>

#include <cmath>

#include "program/operations.h"

namespace wt::model {

namespace {

Symbol number(Symbol like, double value) { return fill(*like.trace, {like.spec().type, {}}, value); }

// Of what is not negative.
Symbol floor(Symbol x) { return cast(cast(x, Type::int64), x.spec().type); }

Symbol ceil(Symbol x) {
  const Symbol below = floor(x);
  return select(greater(x, below), below + 1.0, below);
}

// base^exponent, for a base above 0.
Symbol power(Symbol exponent, double base) {
  return base == 1 ? number(exponent, 1) : exp(exponent * std::log(base));
}

// (1 + cos(pi x)) / 2 for x between 0 and 1: Taylor's series of the sine around 1/2, whose rest is below 1e-9.
Symbol half_cosine(Symbol x) {
  constexpr double pi = 3.14159265358979323846;
  const Symbol angle = (x - 0.5) * pi, squares = square(angle);
  Symbol sum = number(x, 1);
  for (int n = 15; n >= 3; n -= 2) sum = sum * squares * (-1.0 / (n * (n - 1))) + 1.0;
  return (angle * sum * -1.0 + 1.0) * 0.5;
}

// ---- The schedules

Symbol exponential(const Schedule& s, Symbol step) {
  Symbol passed = step / s["decay_steps"];
  if (s["staircase"] != 0) passed = floor(passed);
  return power(passed, s["decay_rate"]) * s["initial_learning_rate"];
}

Symbol inverse_time(const Schedule& s, Symbol step) {
  Symbol passed = step / s["decay_steps"];
  if (s["staircase"] != 0) passed = floor(passed);
  return number(step, s["initial_learning_rate"]) / (passed * s["decay_rate"] + 1.0);
}

// A boundary belongs to the interval before it.
Symbol piecewise(const Schedule& s, Symbol step) {
  Symbol rate = number(step, s.values.front());
  for (std::size_t i = 0; i < s.boundaries.size(); ++i)
    rate =
        select(greater(step, number(step, std::trunc(s.boundaries[i]))), number(step, s.values[i + 1]), rate);
  return rate;
}

Symbol polynomial(const Schedule& s, Symbol step) {
  const double steps = s["decay_steps"], end = s["end_learning_rate"];
  Symbol passed = minimum(step, number(step, steps)) / steps;
  if (s["cycle"] != 0) {
    const Symbol cycles = maximum(ceil(step / steps), number(step, 1));
    passed = step / (cycles * steps);
  }
  const Symbol left = passed * -1.0 + 1.0;
  const double exponent = s["power"];
  const Symbol share = exponent == 1 ? left : exp(log(left) * exponent);
  return share * (s["initial_learning_rate"] - end) + end;
}

Symbol cosine_from(const Schedule& s, Symbol step, double first) {
  const Symbol decayed = half_cosine(step / s["decay_steps"]);
  return (decayed * (1 - s["alpha"]) + s["alpha"]) * first;
}

Symbol cosine(const Schedule& s, Symbol step) {
  const double first = s["initial_learning_rate"], steps = s["decay_steps"];
  if (!s.arguments.contains("warmup_target"))
    return cosine_from(s, minimum(step, number(step, steps)), first);
  const double target = s["warmup_target"], warmup = s["warmup_steps"];
  const Symbol now = minimum(step, number(step, steps + warmup));
  const Symbol decaying = cosine_from(s, maximum(now - warmup, number(step, 0)), target);
  if (warmup == 0) return decaying;
  return select(less(now, number(step, warmup)), now / warmup * (target - first) + first, decaying);
}

// Loshchilov and Hutter, 2017. The lengths of the periods are a geometric sequence with the ratio t_mul.
Symbol restarts(const Schedule& s, Symbol step) {
  const double ratio = s["t_mul"];
  const Symbol passed = step / s["first_decay_steps"];
  Symbol restarted = floor(passed), in_period = passed - restarted;
  if (ratio != 1) {
    restarted = floor(log(passed * (ratio - 1) + 1.0) / number(step, std::log(ratio)));
    const Symbol length = power(restarted, ratio);
    in_period = (passed - (length * -1.0 + 1.0) / (1 - ratio)) / length;
  }
  Symbol height = number(step, 1);
  if (s["m_mul"] != 1) height = power(restarted, s["m_mul"]);
  return (height * half_cosine(in_period) * (1 - s["alpha"]) + s["alpha"]) * s["initial_learning_rate"];
}

// ---- The table

constexpr json::Range<double> any{};
const ScheduleArgument initial{"initial_learning_rate", {}, json::not_negative};
const ScheduleArgument decay_steps{"decay_steps", {}, json::positive};

ScheduleArgument flag(std::string_view key) { return {key, 0, any, ScheduleArgument::Kind::flag}; }

const std::vector<ScheduleClass>& rows() {
  static const std::vector<ScheduleClass> all{
      {"CosineDecay",
       {"cosine_decay"},
       "falls as a half cosine, after a linear warm-up where warmup_target is given",
       {initial,
        decay_steps,
        {"alpha", 0, any},
        {"warmup_target", {}, json::not_negative, ScheduleArgument::Kind::maybe},
        {"warmup_steps", 0, json::not_negative}},
       cosine},
      {"CosineDecayRestarts",
       {"cosine_decay_restarts"},
       "half cosines, each longer and lower than the one before",
       {initial,
        {"first_decay_steps", {}, json::positive},
        {"t_mul", 2, json::positive},
        {"m_mul", 1, json::positive},
        {"alpha", 0, any}},
       restarts},
      {"ExponentialDecay",
       {"exponential_decay"},
       "initial_learning_rate * decay_rate ^ (step / decay_steps)",
       {initial, decay_steps, {"decay_rate", {}, json::positive}, flag("staircase")},
       exponential},
      {"InverseTimeDecay",
       {"inverse_time_decay"},
       "initial_learning_rate / (1 + decay_rate * step / decay_steps)",
       {initial, decay_steps, {"decay_rate", {}, json::not_negative}, flag("staircase")},
       inverse_time},
      {"PiecewiseConstantDecay",
       {"piecewise_constant"},
       "one of `values`, by the `boundaries` that the step has passed",
       {},
       piecewise},
      {"PolynomialDecay",
       {"polynomial_decay"},
       "falls as a power of the steps that are left",
       {initial,
        decay_steps,
        {"end_learning_rate", 0.0001, json::not_negative},
        {"power", 1, json::not_negative},
        flag("cycle")},
       polynomial},
  };
  return all;
}

std::vector<double> read_list(ConfigReader& reader, Problems& problems, std::string_view key) {
  const json::Value* value = reader.value(key);
  if (value == nullptr) return {};
  return json::convert<std::vector<double>>(*value, problems).value_or(std::vector<double>{});
}

void read_pieces(ConfigReader& reader, Problems& problems, const Place& place, Schedule& schedule) {
  schedule.boundaries = read_list(reader, problems, "boundaries");
  schedule.values = read_list(reader, problems, "values");
  if (schedule.boundaries.size() + 1 != schedule.values.size() || schedule.boundaries.empty())
    problems.add(place,
                 fmt::format(R"("boundaries" has {} numbers and "values" has {})", schedule.boundaries.size(),
                             schedule.values.size()),
                 "the length of \"boundaries\" must be 1 less than that of \"values\", and at least 1");
}

void read_argument(ConfigReader& reader, Problems& problems, const Place& place,
                   const ScheduleArgument& argument, Schedule& schedule) {
  using Kind = ScheduleArgument::Kind;
  if (argument.kind == Kind::maybe && reader.value(argument.key) == nullptr) return;
  if (argument.kind == Kind::number && !argument.otherwise && reader.value(argument.key) == nullptr)
    return problems.add(place, fmt::format("the schedule has no \"{}\"", argument.key),
                        "add it: it has no default");
  const double otherwise = argument.otherwise.value_or(0);
  const double value = argument.kind == Kind::flag ? (reader.flag(argument.key, otherwise != 0) ? 1 : 0)
                                                   : reader.number(argument.key, otherwise, argument.range);
  schedule.arguments.emplace(argument.key, value);
}

}  // namespace

double Schedule::operator[](std::string_view key) const {
  const auto found = arguments.find(key);
  WT_EXPECT(found != arguments.end(), "{} has no argument {}", type->name, key);
  return found->second;
}

std::span<const ScheduleClass> schedules() { return rows(); }

std::optional<Schedule> read_schedule(const json::Value& value, Problems& problems) {
  const std::optional<Serialized> read = read_serialized(value, problems);
  if (!read) return std::nullopt;
  const ScheduleClass* row = find_row(schedules(), read->name);
  if (row == nullptr) {
    Problem problem = unknown_row(schedules(), read->place, read->name, "schedule of learning rates");
    problem.remedy +=
        "; a class of your own has to be written as one of these, such as PiecewiseConstantDecay";
    problems.add(std::move(problem));
    return std::nullopt;
  }
  Schedule schedule{.type = row};
  ConfigReader reader(read->config, problems);
  for (const ScheduleArgument& argument : row->arguments)
    read_argument(reader, problems, read->place, argument, schedule);
  if (row->rate == piecewise) read_pieces(reader, problems, read->place, schedule);
  reader.ignore({"name"});
  reader.finish();
  return schedule;
}

Symbol rate_at(const Schedule& schedule, Symbol iteration) {
  return schedule.type->rate(schedule, cast(iteration, Type::float32));
}

}  // namespace wt::model
