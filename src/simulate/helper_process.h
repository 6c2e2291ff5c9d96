#pragma once
// Starts the helper executable and holds its end of the socket of requests.

#include <sys/types.h>

#include <filesystem>
#include <mutex>
#include <string>

#include "simulate/protocol.h"

namespace wt::simulate {

// A child process of the process that constructs it. It ends with the object and with its parent, however
// that one ends. A copy of the object in a process that was forked later does nothing on destruction.
class HelperProcess {
 public:
  // Starts the program and waits for its greeting. Throws MachineError when the program is missing, can't be
  // started, or belongs to another build.
  explicit HelperProcess(const std::filesystem::path& program);
  ~HelperProcess();
  HelperProcess(const HelperProcess&) = delete;
  HelperProcess& operator=(const HelperProcess&) = delete;

  // False when the process has ended; then nothing of the request has happened.
  bool accepts(const Request& request) const { return send_request(requests_, request); }

  pid_t id() const { return id_; }
  bool has_ended() const;  // or is about to, and accepts nothing

  // How the process ended, as the end of a sentence: "by signal 9 (Killed)". Waits until it has ended.
  std::string ending() const;

 private:
  void stop();

  pid_t parent_;
  pid_t id_ = -1;
  int requests_ = -1;
  mutable std::once_flag waited_{};
  mutable int status_ = -1;  // of waitpid(2); -1 when another part of the program has waited for the process
};

}  // namespace wt::simulate
