#pragma once

#include <cstdint>

namespace wt::element {

// The recurrent cells (kernel/recurrent.h).
enum class Cell : std::uint8_t { simple_rnn, gru, lstm };

}  // namespace wt::element
