#pragma once
// Writes the few figures with which an entry of a report begins, each with its printed form and, where it is known,
// the interval of its true value.

#include <optional>
#include <string>
#include <vector>

#include "report/records.h"

namespace wt::report {

struct Figure {
  std::string key{};    // "samples_per_second"
  std::string label{};  // "throughput"
  Field value{};
  std::string unit{};
  std::string text{};  // as people read it: "49,505 samples/s"
  // The interval, in the unit of the value. Unset: unknown.
  std::optional<double> low{}, high{};
  std::string low_text{}, high_text{};
  std::string basis{};
};

void write_headline(json::Writer& out, const std::vector<Figure>& figures);

std::string with_commas(double number);            // "49,505"
std::string rate_text(double samples_per_second);  // "49,505 samples/s", "3.21 samples/s"

}  // namespace wt::report
