#pragma once

#include <string>

namespace wt {

// While an object of this class exists, the first Ctrl-C, SIGTERM or SIGHUP is only recorded, so that a training
// can end in order after its step, and a second one ends the process at once. A signal that the process ignored
// before stays ignored, as nohup requests. Requires: no other object of this class exists.
class Interruption {
 public:
  Interruption();
  ~Interruption();  // the signals have their earlier effect again
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
};

int received_signal();            // since the last Interruption began; 0: none
std::string name_of(int signal);  // "SIGINT"

// Ends this process by the signal, so that a shell sees why it ended.
[[noreturn]] void end_by(int signal);

}  // namespace wt
