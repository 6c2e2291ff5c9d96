#pragma once
// How often each row of a table is looked up: as a power law says, after Zipf (Human Behavior and the Principle
// of Least Effort, 1949). Id k is about (k + 1)^-exponent as likely as id 0. Sums over ids are those of the
// continuous law, which has a closed form: the part of the look-ups that have an id below k is
// G(k) / G(ids), where G(k) is the integral of (x + 1)^-exponent from 0 to k. Or as counted: counted_ids.h.

#include <cmath>
#include <cstdint>
#include <memory>

#include "data/counted_ids.h"

namespace wt::data {

struct Popularity {
  double exponent = 0;
  std::shared_ptr<const CountedIds> counted{};  // null: the power law

  bool is_even() const { return counted == nullptr && exponent == 0; }

  // The expected part of the look-ups whose id is in [0, end) of so many ids.
  double below(double end, std::int64_t ids) const {
    if (counted) return counted->below(end);
    return integral(end) / integral(static_cast<double>(ids));
  }

  // The id that a uniform number of [0, 1) draws.
  std::int64_t id(double uniform, std::int64_t ids) const {
    if (counted) return counted->id(uniform);
    const double found = inverse(uniform * integral(static_cast<double>(ids)));
    const auto id = static_cast<std::int64_t>(found);
    return id < ids ? id : ids - 1;
  }

 private:
  double integral(double end) const {
    if (exponent == 1) return std::log1p(end);
    return (std::pow(end + 1, 1 - exponent) - 1) / (1 - exponent);
  }
  double inverse(double sum) const {
    if (exponent == 1) return std::expm1(sum);
    return std::pow(sum * (1 - exponent) + 1, 1 / (1 - exponent)) - 1;
  }
};

}  // namespace wt::data
