#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/serialized.h"
#include "program/trace.h"

namespace wt::model {

// Schedules of learning rates, Keras' LearningRateSchedule: the rate is a function of the number of the optimizer's
// steps and is computed in each step from its variable "iteration". A schedule is a row of the table in schedule.cpp.

struct ScheduleClass;

struct Schedule {
  const ScheduleClass* type = nullptr;
  std::map<std::string, double, std::less<>> arguments{};  // by Keras' keys; without those that are None
  std::vector<double> boundaries{}, values{};              // of PiecewiseConstantDecay

  double operator[](std::string_view key) const;
};

struct ScheduleArgument {
  std::string_view key{};
  std::optional<double> otherwise{};  // none: the argument has to be given
  json::Range<double> range{};
  enum class Kind : std::uint8_t { number, flag, maybe } kind = Kind::number;
};

struct ScheduleClass {
  std::string_view name{};
  Aliases aliases{};
  std::string_view summary{};
  std::vector<ScheduleArgument> arguments{};
  Symbol (*rate)(const Schedule& schedule, Symbol step) = nullptr;  // `step` is a float
};

std::span<const ScheduleClass> schedules();

// Reads {"class_name": "ExponentialDecay", "config": {"initial_learning_rate": 0.1, ...}}. Returns none after a problem.
std::optional<Schedule> read_schedule(const json::Value& value, Problems& problems);

// The rate after so many steps, a float32 scalar.
Symbol rate_at(const Schedule& schedule, Symbol iteration);

}  // namespace wt::model
