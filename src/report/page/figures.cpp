#include "report/page/figures.h"

#include <fmt/format.h>

#include <cmath>

namespace wt::report {

void write_headline(json::Writer& out, const std::vector<Figure>& figures) {
  out.key("headline").begin_array();
  for (const Figure& figure : figures) {
    out.begin_object(json::Layout::one_line).member("key", figure.key).member("label", figure.label);
    write(out.key("value"), figure.value);
    out.member("unit", figure.unit).member("text", figure.text);
    if (figure.low && figure.high)
      out.member("low", *figure.low)
          .member("high", *figure.high)
          .member("low_text", figure.low_text)
          .member("high_text", figure.high_text);
    if (!figure.basis.empty()) out.member("basis", figure.basis);
    out.end_object();
  }
  out.end_array();
}

std::string with_commas(double number) {
  std::string digits = fmt::format("{:.0f}", number);
  const std::size_t sign = digits.starts_with('-') ? 1 : 0;
  for (std::size_t place = digits.size(); place > sign + 3;) digits.insert(place -= 3, ",");
  return digits;
}

std::string rate_text(double rate) {
  return (rate >= 100 ? with_commas(rate) : fmt::format("{:.3g}", rate)) + " samples/s";
}

}  // namespace wt::report
