#pragma once
// Messages to the user, on standard error. Standard output is reserved for results, and results contain no
// wall-clock time: a run with the same input prints the same bytes.

#include <fmt/core.h>

#include <string_view>
#include <utility>

namespace wt {

enum class LogLevel { error, warning, note, detail };

// Messages above the level are dropped. The default level is `note`, and the option --quiet sets `error`.
void set_log_level(LogLevel level);
LogLevel log_level();

// Writes one line, such as "warning: text". Notes and details have no prefix. Lines of several threads don't
// mix.
void log(LogLevel level, std::string_view text);

// The text is formatted only if its level is shown.
template <class... Values>
void warn(fmt::format_string<const Values&...> text, const Values&... values) {
  if (log_level() >= LogLevel::warning) log(LogLevel::warning, fmt::format(text, values...));
}

template <class... Values>
void note(fmt::format_string<const Values&...> text, const Values&... values) {
  if (log_level() >= LogLevel::note) log(LogLevel::note, fmt::format(text, values...));
}

}  // namespace wt
