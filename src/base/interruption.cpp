#include "base/interruption.h"

#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <string_view>

namespace wt {
namespace {

struct Signal {
  int number = 0;
  const char* name = nullptr;
};
constexpr std::array signals{Signal{SIGINT, "SIGINT"}, Signal{SIGTERM, "SIGTERM"}, Signal{SIGHUP, "SIGHUP"}};

volatile std::sig_atomic_t received = 0;
std::array<struct sigaction, signals.size()> earlier{};

extern "C" void record_signal(int number) {
  received = number;
  constexpr std::string_view text = "\nending in order; a second signal ends the program at once\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

Interruption::Interruption() {
  received = 0;
  struct sigaction action {};
  action.sa_handler = record_signal;
  action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
  for (std::size_t i = 0; i < signals.size(); ++i) {
    ::sigaction(signals[i].number, nullptr, &earlier[i]);
    if (earlier[i].sa_handler != SIG_IGN) ::sigaction(signals[i].number, &action, nullptr);
  }
}

Interruption::~Interruption() {
  for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i].number, &earlier[i], nullptr);
}

int received_signal() { return received; }

std::string name_of(int signal) {
  for (const Signal& known : signals)
    if (known.number == signal) return known.name;
  return "signal " + std::to_string(signal);
}

void end_by(int signal) {
  std::signal(signal, SIG_DFL);
  ::raise(signal);
  std::_Exit(128 + signal);  // the signal is blocked
}

}  // namespace wt
