#pragma once
// What a program and its helper process send each other beside the data of a simulation. simulate/helper.h
// describes the two processes. Three sockets carry whole messages or, in the case of the channel, a stream of
// bytes:
//
//   requests   one per helper process: first a Greeting from the helper, then the program's requests
//   channel    one per simulation: the job, then its outcome (simulate/transfer.h)
//   verdict    one per simulation: at most one error of the task, then how its process ended
//
// No message contains an address, so program and helper may be different executables. A change to any
// message, or to what a task sends and receives, must increase `protocol_version`.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wt::simulate {

inline constexpr std::uint32_t protocol_version = 3;

// The descriptor under which a helper process finds its end of the socket of requests.
inline constexpr int requests_in_helper = 3;

// The first message of a helper. A program refuses a helper whose greeting is not its own. The first two
// members keep their places in all versions.
struct Greeting {
  std::array<char, 12> name{};
  std::uint32_t protocol{};
  std::array<char, 24> release{};  // the version of Windtunnel
  std::uint64_t layout{};          // the sizes of the values that travel through channels

  bool operator==(const Greeting&) const = default;
};

Greeting greeting_of_this_build();

// What a reader should know of a greeting: "protocol 1 of Windtunnel 0.1.0". Any bytes may be given.
std::string describe(const Greeting& greeting);

void send_greeting(int socket, const Greeting& greeting);
std::optional<Greeting> receive_greeting(int socket);  // none: the other process sent none and has ended

// Asks for a new process that executes the task of this name. The two descriptors are the process's ends of
// its channel and of its verdict.
struct Request {
  std::string task{};
  int channel = -1;
  int verdict = -1;
};

// The receiver gets descriptors of its own. Requires: the name has at most 31 characters.
bool send_request(int socket, const Request& request);  // false: the other process has ended
std::optional<Request> receive_request(int socket);     // none: the other process has ended

struct Verdict {
  enum class Kind : std::int32_t {
    internal_error,  // the task threw an exception that shows a fault of this code; text is its message
    machine_error,   // the task or the helper met a MachineError; text is its message
    ended,           // the last message: the process has ended, with this status of waitpid(2)
  };
  Kind kind{};
  int status = 0;
  std::string text{};
};

void send_verdict(int socket, const Verdict& verdict);
std::optional<Verdict> receive_verdict(int socket);  // none: the other processes have ended

}  // namespace wt::simulate
