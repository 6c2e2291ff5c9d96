#include "base/log.h"

#include <atomic>
#include <cstdio>
#include <string>

#include "base/utf8.h"

namespace wt {
namespace {

std::atomic<LogLevel> current_level{LogLevel::note};

std::string_view prefix_of(LogLevel level) {
  switch (level) {
    case LogLevel::error:
      return "error: ";
    case LogLevel::warning:
      return "warning: ";
    case LogLevel::note:
    case LogLevel::detail:
      return "";
  }
  return "";
}

}  // namespace

void set_log_level(LogLevel level) { current_level = level; }

LogLevel log_level() { return current_level; }

void log(LogLevel level, std::string_view text) {
  if (level > log_level()) return;
  const std::string line = fmt::format("{}{}\n", prefix_of(level), printable_lines(text));
  // stdio locks the stream during a call, so one call per line keeps lines of several threads apart.
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace wt
