#pragma once
// The bill of a job: hours of machines times their price.

#include <cstdint>
#include <optional>
#include <string>

#include "cost/price.h"

namespace wt::cost {

// What a job occupies from its start to its end, whether it computes there or waits. A machine or a slice
// counts whole. Spares and the machines of servers, coordinators and evaluators are included.
struct Rented {
  std::int64_t chips = 0;  // those in use; of a TPU, a chip may be two devices
  std::int64_t machines = 0;
  std::int64_t slices = 0;       // 0: the platform has no slices
  std::optional<Watts> power{};  // of all chips and sockets by their data sheets
  std::string why_no_power{};    // the device that has no published power; set if `power` is unset
  std::int64_t spares = 0;       // machines or slices of the numbers above that wait for a failure
  std::int64_t services = 0;     // machines of the numbers above with servers, coordinators, evaluators
  // Further hosts of another kind, at their own price.
  std::int64_t hosts = 0;
  std::optional<HourlyRate> host_price{};  // set if there are hosts
};

// How long the job takes, and what it trains meanwhile.
struct Usage {
  Seconds job{};
  double samples = 0;
  std::optional<double> epochs{};  // unset: the rows have no end
};

struct Cost {
  Price price{};
  Rented rented{};
  Money hour{0, "USD"};                // of everything
  std::optional<Money> electricity{};  // of `hour`; set if it is counted
  Money job{0, "USD"};
  std::optional<Money> epoch{};     // the job's cost divided by its epochs
  Money million_samples{0, "USD"};  // the job's cost divided by its millions of samples
};

// Reports through the result of `value` being absent: the price does not fit what is rented, currencies
// differ, or a power is unknown.
Parsed<Cost> bill(const Price& price, const Rented& rented, const Usage& usage);

// The facts behind the cost in one line: "2 machines at 98.32 USD/h, on_demand, 2026-11-01, ...".
std::string basis(const Cost& cost);

}  // namespace wt::cost
