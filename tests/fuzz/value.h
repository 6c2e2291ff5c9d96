// Values at which programs fail.
#pragma once

#include <string>

#include "fuzz/mutation.h"

namespace wt::fuzz {

template <class All>
const auto& any_of(const All& all, Random& random) {
  return all[random() % all.size()];
}

std::string any_number(Random& random);  // "2147483648", "1e308"
std::string any_text(Random& random);    // "1e308 GB/s", "nan", "", "../x", a text with control characters
std::string any_value(Random& random);   // JSON: one of both, or null, true, [], {}
std::string quoted(const std::string& text);  // as a JSON string, whatever its bytes are
// A number near another one: one more, half of it, its negative.
std::string near(const std::string& number, Random& random);

}  // namespace wt::fuzz
