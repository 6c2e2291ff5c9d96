#pragma once
// Writes an answer for people, and as JSON.

#include <string>

#include "recommend/answer.h"

namespace wt::recommend {

std::string text(const Answer& answer);
std::string json(const Answer& answer);

}  // namespace wt::recommend
