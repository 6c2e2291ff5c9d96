#pragma once
// Electrical power, a quantity like those of base/quantity.h: "700 W", "10.2 kW".

#include <string>

#include "base/quantity.h"

namespace wt {

using Watts = Quantity<struct WattsKind, double>;

std::string print(Watts quantity);  // the shortest form that `parse` reads back

// The energy in kilowatt hours that this power takes in this time.
constexpr double kilowatt_hours(Watts power, Seconds time) {
  return power.count() / 1000 * (time.count() / 3600);
}

}  // namespace wt
